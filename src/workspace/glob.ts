import { ToolError } from './tool-error.ts';

/**
 * Checks whether a sequence of items matches a sequence of pattern parts. A star part matches any number of items; each
 * other part matches exactly one item. Takes at most O(parts × items) time, because the matcher backtracks only to the
 * last star.
 */
export function matchesPattern<NamePart, Item>(
  patternParts: readonly NamePart[],
  items: ArrayLike<Item>,
  {
    isStar,
    matches,
  }: { isStar: (part: NamePart) => boolean; matches: (part: NamePart, item: Item) => boolean },
): boolean {
  let partIndex = 0;
  let itemIndex = 0;
  let starIndex = -1;
  let resumeIndex = 0;
  while (itemIndex < items.length) {
    const part = patternParts[partIndex];
    if (part !== undefined && isStar(part)) {
      starIndex = partIndex++;
      resumeIndex = itemIndex;
    } else if (part !== undefined && matches(part, items[itemIndex] as Item)) {
      partIndex += 1;
      itemIndex += 1;
    } else if (starIndex >= 0) {
      partIndex = starIndex + 1;
      itemIndex = ++resumeIndex;
    } else return false;
  }
  return patternParts.slice(partIndex).every(isStar);
}

/** Predicate that checks the name of a file or folder. */
export type NamePattern = (name: string) => boolean;

const anyCharacters = Symbol('any number of characters');
const oneCharacter = Symbol('one character');
/** Element of a compiled pattern. A string is a literal character. */
type NamePart = typeof anyCharacters | typeof oneCharacter | string | CharacterClass;

interface CharacterClass {
  readonly isNegated: boolean;
  /** Inclusive character ranges. Each pair contains the first and the last character of a range. */
  readonly ranges: readonly (readonly [string, string])[];
}

/**
 * Compiles a pattern without slashes or braces. Supports `*`, `?`, `[a-z]` and `[!x]`; a backslash makes the next
 * character literal.
 */
export function compileNamePattern(pattern: string): NamePattern {
  const parts = parsePatternParts(pattern);
  const literalText = toLiteralText(parts);
  if (literalText !== undefined) return (candidate) => candidate === literalText;
  const literalEnd = parts[0] === anyCharacters ? toLiteralText(parts.slice(1)) : undefined;
  if (literalEnd !== undefined) return (candidate) => candidate.endsWith(literalEnd);
  return (candidate) => matchesPattern(parts, candidate, { isStar, matches: matchesCharacter });
}

/**
 * Returns the literal text if the pattern matches exactly one text. Returns undefined if a part is a wildcard or a
 * character class.
 */
function toLiteralText(parts: readonly NamePart[]): string | undefined {
  const characters = parts.filter((part) => typeof part === 'string');
  return characters.length === parts.length ? characters.join('') : undefined;
}

const isStar = (part: NamePart): boolean => part === anyCharacters;

function matchesCharacter(part: NamePart, character: string): boolean {
  if (part === oneCharacter) return true;
  if (part === anyCharacters) return false;
  if (typeof part === 'string') return part === character;
  const { isNegated, ranges } = part;
  return ranges.some(([start, end]) => start <= character && character <= end) !== isNegated;
}

function parsePatternParts(pattern: string): NamePart[] {
  const parts: NamePart[] = [];
  // An unclosed bracket means that later brackets are unclosed, too. Without this check, many open
  // brackets would take quadratic time.
  let hasUnclosedBracket = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    if (character === '*') {
      if (parts.at(-1) !== anyCharacters) parts.push(anyCharacters);
    } else if (character === '?') parts.push(oneCharacter);
    else if (character === '\\' && index + 1 < pattern.length) parts.push(pattern.charAt(++index));
    else if (character === '[') {
      const characterClass: ReturnType<typeof parseCharacterClass> = hasUnclosedBracket
        ? undefined
        : parseCharacterClass(pattern, index);
      hasUnclosedBracket ||= characterClass === undefined;
      parts.push(characterClass?.part ?? character);
      index = characterClass?.end ?? index;
    } else parts.push(character);
  }
  return parts;
}

/**
 * Parses the character class whose opening bracket is at index `start`. A closing bracket directly after the opening
 * bracket is a literal. Returns the class and the index of its closing bracket; undefined for an unclosed class.
 */
function parseCharacterClass(
  pattern: string,
  start: number,
): { readonly part: CharacterClass; readonly end: number } | undefined {
  const isNegated = /[!^]/u.test(pattern.charAt(start + 1));
  const firstIndex = isNegated ? start + 2 : start + 1;
  const ranges: [string, string][] = [];
  for (let index = firstIndex; index < pattern.length; index++) {
    if (pattern.charAt(index) === ']' && index > firstIndex)
      return { part: { isNegated, ranges }, end: index };
    if (pattern.charAt(index) === '\\') index += 1;
    const rangeStart = pattern.charAt(index);
    const isRange = pattern.charAt(index + 1) === '-' && !/^\]?$/u.test(pattern.charAt(index + 2));
    if (isRange) index += pattern.charAt(index + 2) === '\\' ? 3 : 2;
    ranges.push([rangeStart, pattern.charAt(index)]);
  }
  return undefined;
}

/** Predicate that checks a relative path with forward slashes. */
export type PathPattern = (path: string) => boolean;

const maxGlobLength = 1_000;
const maxGlobAlternatives = 100;

/**
 * Compiles a glob with the syntax of ignore files, plus braces. `*` and `?` match within a name, `**` matches across
 * folders, and `{a,b}` and `[a-z]` match alternatives. A glob without a slash matches a name in any folder. A glob with
 * a slash matches a path from the root. Matching never takes exponential time.
 * @throws ToolError `bad-arguments` for a glob that is too long or has too many alternatives.
 */
export function compileGlob(glob: string): PathPattern {
  const patterns = expandBraces(glob).map(compilePathPattern);
  return (path) => patterns.some((matchesName) => matchesName(path));
}

/**
 * Expands the braces of a glob into all alternatives. A brace without a matching brace remains a literal character.
 * @throws ToolError `bad-arguments` for a glob that is too long or has too many alternatives.
 */
export function expandBraces(glob: string): readonly string[] {
  if (glob.length > maxGlobLength) throw new ToolError('bad-arguments', 'The pattern is too long.');
  let expandedGlobs: string[] = [];
  let pendingGlobs = [glob];
  while (pendingGlobs.length > 0) {
    const nextGlobs: string[] = [];
    for (const pattern of pendingGlobs) {
      const alternatives = expandFirstBraces(pattern);
      if (alternatives === undefined) expandedGlobs = [...expandedGlobs, pattern];
      else nextGlobs.push(...alternatives);
    }
    if (expandedGlobs.length + nextGlobs.length > maxGlobAlternatives)
      throw new ToolError('bad-arguments', 'The pattern has too many alternatives in braces.');
    pendingGlobs = nextGlobs;
  }
  return expandedGlobs;
}

/** Splits a list of globs at the commas outside braces. Trims each glob and omits empty ones. */
export function splitGlobs(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth = Math.max(0, depth - 1);
    else if (index === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts.map((part) => part.trim().replace(/^\.\//u, '')).filter((part) => part !== '');
}

type PathPatternSegment = NamePattern | 'globstar';

function compilePathPattern(glob: string): PathPattern {
  const isRooted = glob.slice(0, -1).includes('/');
  const names = glob.replace(/^\//u, '').replace(/\/$/u, '').split('/');
  // A trailing `folder/**` matches the contents of the folder, but not the folder.
  if (/^\*{2,}$/u.test(names.at(-1) ?? '')) names.push('*');
  const segments: PathPatternSegment[] = names.map((name) =>
    /^\*{2,}$/u.test(name) ? 'globstar' : compileNamePattern(name),
  );
  const [firstSegment] = segments;
  if (
    !isRooted &&
    segments.length === 1 &&
    firstSegment !== undefined &&
    firstSegment !== 'globstar'
  )
    return (path) => firstSegment(path.slice(path.lastIndexOf('/') + 1));
  const pattern: PathPatternSegment[] = isRooted ? segments : ['globstar', ...segments];
  return (path) =>
    matchesPattern(pattern, path.split('/'), { isStar: isGlobstar, matches: isNameMatch });
}

const isGlobstar = (segment: PathPatternSegment): boolean => segment === 'globstar';
const isNameMatch = (segment: PathPatternSegment, name: string): boolean =>
  segment !== 'globstar' && segment(name);

function expandFirstBraces(glob: string): string[] | undefined {
  const start = findUnescapedCharacter(glob, '{', 0);
  if (start < 0) return undefined;
  const separatorIndexes = [start];
  let depth = 0;
  for (let index = start; index < glob.length; index++) {
    const character = glob.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) separatorIndexes.push(index);
    else if (character === '}' && --depth === 0)
      return substituteAlternatives(glob, [...separatorIndexes, index]);
  }
  return undefined;
}

function substituteAlternatives(glob: string, separatorIndexes: readonly number[]): string[] {
  const [openingIndex = 0] = separatorIndexes;
  const closingIndex = separatorIndexes.at(-1) ?? openingIndex;
  const alternatives = separatorIndexes
    .slice(0, -1)
    .map((separatorIndex, index) => glob.slice(separatorIndex + 1, separatorIndexes[index + 1]));
  return alternatives.map(
    (alternative) => glob.slice(0, openingIndex) + alternative + glob.slice(closingIndex + 1),
  );
}

function findUnescapedCharacter(text: string, character: string, startIndex: number): number {
  for (let index = startIndex; index < text.length; index++) {
    if (text.charAt(index) === '\\') index += 1;
    else if (text.charAt(index) === character) return index;
  }
  return -1;
}
