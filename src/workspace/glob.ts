import { ToolError } from './tool-error.ts';

/**
 * Checks whether the items match the pattern. A star part matches any number of items, any other part exactly one.
 * Takes O(pattern × items) time for every pattern, because only the last star is backtracked.
 */
export function matchesPattern<Part, Item>(
  pattern: readonly Part[],
  items: ArrayLike<Item>,
  {
    isStar,
    matches,
  }: { isStar: (part: Part) => boolean; matches: (part: Part, item: Item) => boolean },
): boolean {
  let at = 0;
  let item = 0;
  let star = -1;
  let resumeAt = 0;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      resumeAt = item;
    } else if (part !== undefined && matches(part, items[item] as Item)) {
      at += 1;
      item += 1;
    } else if (star >= 0) {
      at = star + 1;
      item = ++resumeAt;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}

/** Predicate that checks the name of a file or folder. */
export type NamePattern = (name: string) => boolean;

const star = Symbol('any number of characters');
const any = Symbol('one character');
/** One element of a compiled pattern. A string is a literal character. */
type Part = typeof star | typeof any | string | CharacterClass;

interface CharacterClass {
  readonly isNegated: boolean;
  /** Inclusive ranges, as pairs of first and last character. */
  readonly ranges: readonly (readonly [string, string])[];
}

/**
 * Compiles a pattern without slashes or braces. Supports `*`, `?`, `[a-z]` and `[!x]`; a backslash makes the next
 * character literal.
 */
export function compileName(pattern: string): NamePattern {
  const parts = parseParts(pattern);
  const literal = plainText(parts);
  if (literal !== undefined) return (candidate) => candidate === literal;
  const ending = parts[0] === star ? plainText(parts.slice(1)) : undefined;
  if (ending !== undefined) return (candidate) => candidate.endsWith(ending);
  return (candidate) => matchesPattern(parts, candidate, { isStar, matches });
}

/** Returns the literal text of the parts, or undefined when a part is a wildcard or a class. */
function plainText(parts: readonly Part[]): string | undefined {
  const characters = parts.filter((part) => typeof part === 'string');
  return characters.length === parts.length ? characters.join('') : undefined;
}

const isStar = (part: Part): boolean => part === star;

function matches(part: Part, character: string): boolean {
  if (part === any) return true;
  if (part === star) return false;
  if (typeof part === 'string') return part === character;
  const { isNegated: negated, ranges } = part;
  return ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

function parseParts(pattern: string): Part[] {
  const parts: Part[] = [];
  // Stops the search for closing brackets after the first failure, so that many open brackets take linear time.
  let hasUnclosed = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') {
      if (parts.at(-1) !== star) parts.push(star);
    } else if (character === '?') parts.push(any);
    else if (character === '\\' && at + 1 < pattern.length) parts.push(pattern.charAt(++at));
    else if (character === '[') {
      const found: ReturnType<typeof readClass> = hasUnclosed ? undefined : readClass(pattern, at);
      hasUnclosed ||= found === undefined;
      parts.push(found?.part ?? character);
      at = found?.end ?? at;
    } else parts.push(character);
  }
  return parts;
}

/**
 * Reads the character class that opens at `start`. `end` is the index of its closing bracket. Returns undefined when
 * the class is never closed. A bracket directly after the opening is a literal member of the class.
 */
function readClass(
  pattern: string,
  start: number,
): { readonly part: CharacterClass; readonly end: number } | undefined {
  const isNegated = /[!^]/u.test(pattern.charAt(start + 1));
  const first = isNegated ? start + 2 : start + 1;
  const ranges: [string, string][] = [];
  for (let at = first; at < pattern.length; at++) {
    if (pattern.charAt(at) === ']' && at > first)
      return { part: { isNegated: isNegated, ranges }, end: at };
    if (pattern.charAt(at) === '\\') at += 1;
    const from = pattern.charAt(at);
    const isRange = pattern.charAt(at + 1) === '-' && !/^\]?$/u.test(pattern.charAt(at + 2));
    if (isRange) at += pattern.charAt(at + 2) === '\\' ? 3 : 2;
    ranges.push([from, pattern.charAt(at)]);
  }
  return undefined;
}

/** Predicate that checks a relative path with forward slashes. */
export type PathPattern = (path: string) => boolean;

const maxGlobLength = 1_000;
const maxAlternatives = 100;

/**
 * Compiles a glob with the syntax of ignore files: `*` and `?` match within a name, `**` matches across folders, and
 * `{a,b}` and `[a-z]` match alternatives. A glob without a slash matches a name in any folder; a glob with a slash
 * matches a path from the root. Matching never takes exponential time.
 * @throws ToolError `bad-arguments` for a glob that is too long or has too many alternatives.
 */
export function compileGlob(glob: string): PathPattern {
  const patterns = expandBraces(glob).map(compilePath);
  return (path) => patterns.some((matchesName) => matchesName(path));
}

/**
 * Expands the braces of a glob into all alternatives. An unbalanced brace remains a literal character.
 * @throws ToolError like {@link compileGlob}.
 */
export function expandBraces(glob: string): readonly string[] {
  if (glob.length > maxGlobLength) throw new ToolError('bad-arguments', 'The pattern is too long.');
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0) {
    const next: string[] = [];
    for (const each of open) {
      const alternatives = expandFirst(each);
      if (alternatives === undefined) done = [...done, each];
      else next.push(...alternatives);
    }
    if (done.length + next.length > maxAlternatives)
      throw new ToolError('bad-arguments', 'The pattern has too many alternatives in braces.');
    open = next;
  }
  return done;
}

/** Splits a list of globs at the commas outside braces. Trims each glob and omits empty ones. */
export function splitGlobs(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth = Math.max(0, depth - 1);
    else if (at === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts.map((part) => part.trim().replace(/^\.\//u, '')).filter((part) => part !== '');
}

type Step = NamePattern | 'globstar';

function compilePath(glob: string): PathPattern {
  const isRooted = glob.slice(0, -1).includes('/');
  const names = glob.replace(/^\//u, '').replace(/\/$/u, '').split('/');
  // A trailing `folder/**` matches the contents of the folder, but not the folder.
  if (/^\*{2,}$/u.test(names.at(-1) ?? '')) names.push('*');
  const steps: Step[] = names.map((name) =>
    /^\*{2,}$/u.test(name) ? 'globstar' : compileName(name),
  );
  const [only] = steps;
  if (!isRooted && steps.length === 1 && only !== undefined && only !== 'globstar')
    return (path) => only(path.slice(path.lastIndexOf('/') + 1));
  const pattern: Step[] = isRooted ? steps : ['globstar', ...steps];
  return (path) =>
    matchesPattern(pattern, path.split('/'), { isStar: isGlobstar, matches: matchesName });
}

const isGlobstar = (step: Step): boolean => step === 'globstar';
const matchesName = (step: Step, name: string): boolean => step !== 'globstar' && step(name);

function expandFirst(glob: string): string[] | undefined {
  const open = indexOutsideEscapes(glob, '{', 0);
  if (open < 0) return undefined;
  const cuts = [open];
  let depth = 0;
  for (let at = open; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) cuts.push(at);
    else if (character === '}' && --depth === 0) return alternatives(glob, [...cuts, at]);
  }
  return undefined;
}

function alternatives(glob: string, cuts: readonly number[]): string[] {
  const [first = 0] = cuts;
  const last = cuts.at(-1) ?? first;
  const bodies = cuts.slice(0, -1).map((cut, index) => glob.slice(cut + 1, cuts[index + 1]));
  return bodies.map((body) => glob.slice(0, first) + body + glob.slice(last + 1));
}

function indexOutsideEscapes(text: string, character: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === character) return at;
  }
  return -1;
}
