import { diffLines } from '../../base/line-diff.ts';

/** Converts indentation in a hunk to indentation in the file; returns undefined if the result cannot be determined. */
export type ConvertIndent = (indent: string) => string | undefined;

/** Matches the end of a line that opens a block or a list, such as `{`, `=>` or `then`. */
export const blockOpeningPattern = /(?:[{([:]|=>|\b(?:then|do|else))\s*$/u;

/**
 * Checks whether a line opens a block, so that the next line is indented more. Returns false for a line of a comment.
 */
export const opensBlock = (line: string): boolean =>
  blockOpeningPattern.test(line) && !/^\s*(?:\*|\/\/)/u.test(line);

/** Matches a line, without white space around it, that consists of a keyword that opens a block, such as `else:`. */
const blockWordPattern = /^(?:begin|do|else|ensure|finally|loop|repeat|rescue|then|try)\s?:?$/u;
/** Matches the header of a block, without any parentheses, such as `with lock:`, or `if` for `if (ready)`. */
const blockHeaderPattern =
  /^\s*(?:(?:else\s+)?(?:elif|elsif|for|foreach|if|unless|until|while)\s*$|(?:async\s+)?(?:class|def|elif|except|for|if|while|with)\s.+:\s*$)/u;

/** Checks whether a line is the header of a block without brackets, such as `begin`, `with lock:` or `if (ready)`. */
function opensKeywordBlock(line: string): boolean {
  let lineWithoutGroups = line;
  for (let depth = 0; depth < 10 && /\([^()]*\)/u.test(lineWithoutGroups); depth += 1)
    lineWithoutGroups = lineWithoutGroups.replaceAll(/\([^()]*\)/gu, '');
  return (
    blockWordPattern.test(line.trim()) ||
    ((line !== lineWithoutGroups || line.trimEnd().endsWith(':')) &&
      blockHeaderPattern.test(lineWithoutGroups))
  );
}

const closingLinePattern = /^\s*(?:[)\]}]|<\/|end\b)/u;

export const isNonBlank = (line: string): boolean => line.trim() !== '';

/** Removes blank lines at the start and the end. */
export function trimBlankLines(lines: readonly string[]): readonly string[] {
  const firstIndex = lines.findIndex(isNonBlank);
  return firstIndex < 0 ? [] : lines.slice(firstIndex, lines.findLastIndex(isNonBlank) + 1);
}

export const getLeadingWhitespace = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';

/** Returns a line with the file's indentation; undefined if that cannot be determined. A blank line becomes empty. */
export function reindentLine(line: string, reindent: ConvertIndent): string | undefined {
  if (!isNonBlank(line)) return '';
  const indent = getLeadingWhitespace(line);
  const newIndent = reindent(indent);
  return newIndent === undefined ? undefined : newIndent + line.slice(indent.length);
}

export interface IndentSamples {
  /** Pairs of a hunk line and the matching line of the file, without blank lines. */
  readonly pairs: readonly (readonly [hunk: string, file: string])[];
  /** Sample lines of the hunk, from which its indentation unit is detected. */
  readonly hunkLines: readonly string[];
  /** Sample lines of the file, from which its indentation unit is detected. */
  readonly fileLines: readonly string[];
}

/**
 * Derives a rule that converts the hunk's indentation to the file's. The two can be equal, differ by a constant prefix,
 * or use different units, such as tabs and spaces. Returns undefined if equal indentation in one text corresponds to
 * different indentation in the other.
 */
export function inferIndentConversion({
  pairs,
  hunkLines,
  fileLines,
}: IndentSamples): ConvertIndent | undefined {
  const indentPairs = pairs.map(
    ([hunkLine, fileLine]) =>
      [getLeadingWhitespace(hunkLine), getLeadingWhitespace(fileLine)] as const,
  );
  const indentMapping = new Map(indentPairs);
  const hasSameShape =
    indentPairs.every(([a, b]) => indentMapping.get(a) === b) &&
    new Set(indentMapping.values()).size === indentMapping.size;
  if (!hasSameShape) return undefined;
  const distinctPairs = [...indentMapping];
  if (distinctPairs.every(([a, b]) => a === b)) return (indent) => indent;
  const indentUnits = [detectIndentUnit(hunkLines), detectIndentUnit(fileLines)] as const;
  const candidateRules =
    indentUnits[0] === indentUnits[1]
      ? [inferConstantShift(distinctPairs)]
      : [
          inferUnitConversion(distinctPairs, ...indentUnits),
          inferConstantShift(distinctPairs),
          inferTabConversion(distinctPairs),
        ];
  const rules = candidateRules.filter((candidate) => candidate !== undefined);
  return (indent) => {
    const knownIndent = indentMapping.get(indent);
    if (knownIndent !== undefined) return knownIndent;
    const [firstResult, ...otherResults] = rules.map((rule) => rule(indent));
    return otherResults.every((result) => result === firstResult) ? firstResult : undefined;
  };
}

type IndentPairs = readonly (readonly [string, string])[];

/** Creates a rule that adds or removes a constant prefix; undefined if the pairs differ in another way. */
function inferConstantShift(pairs: IndentPairs): ConvertIndent | undefined {
  const [[a, b] = ['', '']] = pairs;
  const addedIndent = b.endsWith(a) ? b.slice(0, b.length - a.length) : undefined;
  if (addedIndent !== undefined && pairs.every(([from, to]) => to === addedIndent + from)) {
    return (indent) => addedIndent + indent;
  }
  const removedIndent = a.endsWith(b) ? a.slice(0, a.length - b.length) : undefined;
  if (removedIndent !== undefined && pairs.every(([from, to]) => from === removedIndent + to)) {
    return (indent) =>
      indent.startsWith(removedIndent) ? indent.slice(removedIndent.length) : undefined;
  }
  return undefined;
}

/**
 * Creates a rule that replaces each tab with the same number of spaces; undefined if the pairs do not show a number.
 */
function inferTabConversion(pairs: IndentPairs): ConvertIndent | undefined {
  const tabWidths = new Set(
    pairs
      .filter(([from]) => from !== '')
      .map(([from, to]) => (/^\t+ *$/u.test(from + to) ? to.length / from.length : Number.NaN)),
  );
  const [width = 0] = tabWidths;
  if (
    tabWidths.size !== 1 ||
    !Number.isInteger(width) ||
    !pairs.every(([a, b]) => a !== '' || b === '')
  )
    return undefined;
  return (indent) => (/^\t*$/u.test(indent) ? ' '.repeat(width * indent.length) : undefined);
}

/**
 * Creates a rule that converts indentation levels and leaves the rest of the indentation unchanged, such as the single
 * space before `*` in a comment. Returns undefined if the pairs are contradictory.
 */
function inferUnitConversion(
  pairs: IndentPairs,
  hunkUnit: string,
  fileUnit: string,
): ConvertIndent | undefined {
  const levelPairs = pairs.map(
    ([hunkIndent, fileIndent]) =>
      [splitLevels(hunkIndent, hunkUnit), splitLevels(fileIndent, fileUnit)] as const,
  );
  const [
    [hunkLevel, fileLevel] = [
      { level: 0, rest: '' },
      { level: 0, rest: '' },
    ],
  ] = levelPairs;
  const addedLevelCount = fileLevel.level - hunkLevel.level;
  const areConsistent = levelPairs.every(
    ([hunkSide, fileSide]) =>
      fileSide.level - hunkSide.level === addedLevelCount && fileSide.rest === hunkSide.rest,
  );
  if (!areConsistent) return undefined;
  return (indent) => {
    const { level, rest } = splitLevels(indent, hunkUnit);
    return level + addedLevelCount < 0
      ? undefined
      : fileUnit.repeat(level + addedLevelCount) + rest;
  };
}

function splitLevels(indent: string, indentUnit: string): { level: number; rest: string } {
  let level = 0;
  while (indent.startsWith(indentUnit, level * indentUnit.length)) level += 1;
  return { level, rest: indent.slice(level * indentUnit.length) };
}

/** Checks whether adding or removing a line can change the indentation of the next line. */
const canMoveNextLine = (line: string): boolean =>
  opensKeywordBlock(line) ||
  !/^\s*(?:(?:await|new|raise|return|throw|yield)\s+)*[\w.$]+\([^()]*\);?$|^\s*\w+,?$/u.test(line);

/** Detects the indentation unit: a tab, or the most frequent number of spaces between two levels. */
export function detectIndentUnit(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map(getLeadingWhitespace);
  const tabCount = indents.filter((indent) => indent.startsWith('\t')).length;
  const spaceCount = indents.filter((indent) => indent.startsWith(' ')).length;
  if (tabCount > 0 && tabCount >= spaceCount) return '\t';
  const stepCounts = new Map<number, number>();
  for (const [index, indent] of indents.entries()) {
    const step = Math.abs(indent.length - (indents[index - 1] ?? '').length);
    if (step > 1 && step <= 8) stepCounts.set(step, (stepCounts.get(step) ?? 0) + 1);
  }
  const [[width] = [4]] = [...stepCounts].sort(([a, i], [b, j]) => j - i || a - b);
  return ' '.repeat(width);
}

/** A block of the file, together with the search text that matched the block line by line, and the replacement. */
export interface IndentedBlock {
  readonly search: readonly string[];
  readonly replace: readonly string[];
  /** Lines of the file, one for each line of the search text. */
  readonly fileLines: readonly string[];
}

/**
 * Returns the replacement with the file's indentation. The replacement can be indented like the search text or like the
 * file. This style is detected from the replacement's first line and from the lines that both the search text and the
 * replacement contain. Returns undefined if these lines are contradictory.
 * @param reindent Converts the indentation of the search text to that of the file.
 */
export function adaptReplacement(
  block: IndentedBlock,
  reindent: ConvertIndent,
): string[] | undefined {
  const { replace } = block;
  // The search matches the file after a change of the indentation of all its lines.
  const movableLines = new Set(block.search);
  const literalLineFlags = getLiteralLineFlags(replace);
  const adaptedLines = replace.map((line, index) =>
    literalLineFlags[index] === true && !movableLines.has(line)
      ? line
      : reindentLine(line, reindent),
  );
  const unchangedLines = replace.map((line) => (line.trim() === '' ? '' : line));
  const isAdaptable = adaptedLines.every((line) => line !== undefined);
  if (isAdaptable && adaptedLines.every((line, index) => line === unchangedLines[index]))
    return adaptedLines;
  const index = replace.findIndex((line) => line.trim() !== '');
  const indent = findFirstIndent(block, index, reindent);
  if (indent !== undefined) return unchangedLines.with(index, indent + unchangedLines[index]);
  if (isFirstIndentUnclear(block, index, reindent)) return undefined;
  if (movesFirstLine(block, [adaptedLines[index], unchangedLines[index]])) return undefined;
  const style = detectIndentStyle(block, reindent);
  if (style === 'file') return unchangedLines;
  return style === 'search' && isAdaptable ? adaptedLines : undefined;
}

/**
 * Checks whether the search text and the replacement begin with the same line, but none of `candidates` has the
 * indentation that this line has in the file. The candidates are versions of the line.
 */
function movesFirstLine(
  { search, replace, fileLines }: IndentedBlock,
  candidates: readonly (string | undefined)[],
): boolean {
  const start = search.findIndex(isNonBlank);
  if (search[start]?.trim() !== replace.find(isNonBlank)?.trim()) return false;
  const expectedIndent = getLeadingWhitespace(fileLines[start] ?? '');
  return candidates.every((line = '') => getLeadingWhitespace(line) !== expectedIndent);
}

/**
 * Returns true for each line inside a multi-line string whose indentation is part of the string's text. Such a string
 * has at least one line that is indented less than the line that opens the string. Other strings, such as docstrings,
 * are indented like the code.
 */
function getLiteralLineFlags(lines: readonly string[]): boolean[] {
  const literalFlags = lines.map(() => false);
  let openString: { readonly quote: string; readonly line: number } | undefined;
  for (const [index, line] of lines.entries()) {
    // A comment can contain a part of a string.
    if (openString === undefined && /^\s*(?:\*|\/\/)/u.test(line)) continue;
    for (const [quote] of line.matchAll(/\\.|"{3}|'{3}|`/gu)) {
      if (quote.startsWith('\\')) continue;
      if (openString === undefined) openString = { quote, line: index };
      else if (openString.quote === quote) {
        const indentWidth = getLeadingWhitespace(lines[openString.line] ?? '').length;
        const linesInside = lines.slice(openString.line + 1, index + 1);
        const isText = linesInside.some(
          (text) => text.trim() !== '' && getLeadingWhitespace(text).length < indentWidth,
        );
        if (isText) literalFlags.fill(true, openString.line + 1, index + 1);
        openString = undefined;
      }
    }
  }
  return literalFlags;
}

type IndentStyle = 'search' | 'file';

/**
 * Detects whether the replacement is indented like the search text or like the file; undefined if the evidence is
 * contradictory.
 */
function detectIndentStyle(block: IndentedBlock, reindent: ConvertIndent): IndentStyle | undefined {
  const firstLineStyle = detectFirstLineStyle(block);
  const votes = listStyleVotes(block, reindent);
  const styles = new Set(votes.map(({ style }) => style));
  if (firstLineStyle === undefined) {
    if (styles.size > 1) return undefined;
    return votes[0]?.style ?? 'search';
  }
  const contraryVotes = votes.filter(({ style }) => style !== firstLineStyle);
  // A new line before a shared line can wrap it, and a removed line can unwrap it.
  return contraryVotes.every(({ canMove }) => canMove) ? firstLineStyle : undefined;
}

/**
 * Returns the file's indentation for the first line of a replacement. Applies only if the other lines of the
 * replacement already have the file's indentation, and the first line has none. Returns undefined otherwise.
 * @param index Index of the first non-blank line.
 */
function findFirstIndent(
  { search, replace, fileLines }: IndentedBlock,
  index: number,
  reindent: ConvertIndent,
): string | undefined {
  if (!canLackFirstIndent({ search, replace, fileLines }, index, reindent)) return undefined;
  const [firstLine = '', ...laterLines] = replace.slice(index);
  const rest = laterLines.filter(isNonBlank);
  const votes = listStyleVotes({ search, replace: laterLines, fileLines }, reindent);
  const hasSameIndents =
    search.length === replace.length &&
    laterLines.every(
      (line, laterIndex) =>
        getLeadingWhitespace(line) ===
        getLeadingWhitespace(fileLines[index + 1 + laterIndex] ?? ''),
    );
  if (!hasSameIndents && votes.length === 0) return undefined;
  if (votes.some(({ style }) => style !== 'file')) return undefined;
  const sameIndex = search.findIndex((line) => line.trim() === firstLine.trim());
  const indent = getLeadingWhitespace(fileLines[Math.max(0, sameIndex)] ?? '');
  const nextLine = rest[0] ?? '';
  const isOpened =
    getLeadingWhitespace(nextLine).length > indent.length ||
    (closingLinePattern.test(nextLine) && !opensKeywordBlock(firstLine));
  return opensFirstBlock(firstLine, { search, fileLines }) && !isOpened ? undefined : indent;
}

/** Checks whether the first line of the replacement opens a block, or is followed by a deeper line in the file. */
function opensFirstBlock(
  firstLine: string,
  { search, fileLines }: Pick<IndentedBlock, 'search' | 'fileLines'>,
): boolean {
  const sameIndex = search.findIndex((line) => line.trim() === firstLine.trim());
  const [line = '', nextLine = ''] = fileLines.slice(sameIndex, sameIndex + 2);
  const isDeeper =
    sameIndex >= 0 && getLeadingWhitespace(nextLine).length > getLeadingWhitespace(line).length;
  return isDeeper || opensBlock(firstLine) || opensKeywordBlock(firstLine);
}

/**
 * Checks whether the first line of the replacement has no indentation, and all other lines have at least the
 * indentation that the file's lines share.
 */
function canLackFirstIndent(
  { replace, fileLines }: IndentedBlock,
  index: number,
  reindent: ConvertIndent,
): boolean {
  const [firstLine = '', ...rest] = replace.slice(index);
  const commonIndent = reindent('');
  return (
    commonIndent !== undefined &&
    commonIndent !== '' &&
    !/^\s/u.test(firstLine) &&
    [...rest, ...fileLines].every((line) => !isNonBlank(line) || line.startsWith(commonIndent))
  );
}

/**
 * Checks whether it is unclear which lines of the replacement lost their indentation: only the first line, or all. All
 * lines lost it if the first line opens a block and the next line is one level deeper.
 */
function isFirstIndentUnclear(
  block: IndentedBlock,
  index: number,
  reindent: ConvertIndent,
): boolean {
  const [firstLine = '', ...laterLines] = block.replace.slice(index);
  const nextLine = laterLines.find(isNonBlank);
  if (nextLine === undefined || !canLackFirstIndent(block, index, reindent)) return false;
  const commonIndent = reindent('') ?? '';
  const votes = listStyleVotes({ ...block, replace: block.replace.with(index, '') }, reindent);
  const isNew = block.search.every((line) => line.trim() !== firstLine.trim());
  const opensNewBlock =
    (isNew && opensKeywordBlock(firstLine)) ||
    (votes.length < 2 && opensBlock(firstLine) && !closingLinePattern.test(nextLine));
  if (
    opensNewBlock &&
    isIndentLevel(commonIndent) &&
    getLeadingWhitespace(nextLine) === commonIndent
  )
    return false;
  return votes.every(({ style }) => style === 'file');
}

/** Checks whether white space can be one or more levels of indentation: tabs, or at least two spaces. */
export const isIndentLevel = (indent: string): boolean => /^(?:\t+| {2,})$/u.test(indent);

/**
 * Detects the indentation style from the first line of the replacement. Compares it with the same line in the search
 * text, or else with the first line of the search text. Returns undefined if neither style fits.
 */
function detectFirstLineStyle({
  search,
  replace,
  fileLines,
}: IndentedBlock): IndentStyle | undefined {
  const line = replace.find((line) => line.trim() !== '');
  if (line === undefined) return undefined;
  const sharedIndex = search.findIndex((searchLine) => searchLine.trim() === line.trim());
  const index = sharedIndex < 0 ? search.findIndex((line) => line.trim() !== '') : sharedIndex;
  const indent = getLeadingWhitespace(line);
  const [searchIndent, fileIndent] = [search[index] ?? '', fileLines[index] ?? ''].map(
    getLeadingWhitespace,
  );
  if (searchIndent === fileIndent) return undefined;
  if (indent === searchIndent) return 'search';
  return indent === fileIndent ? 'file' : undefined;
}

interface StyleVote {
  readonly style: IndentStyle;
  /** True if a changed line before this line may be the reason for a different indentation of this line. */
  readonly canMove: boolean;
}

/**
 * Compares the lines that both the search text and its replacement contain with the lines of the file. Returns the
 * indentation style that each shared line indicates.
 */
function listStyleVotes(
  { search, replace, fileLines }: IndentedBlock,
  reindent: ConvertIndent,
): StyleVote[] {
  const trimLines = (lines: readonly string[]): string[] => lines.map((line) => line.trim());
  const votes: StyleVote[] = [];
  let [searchIndex, replaceIndex, canMove] = [0, 0, false];
  const addVotesUntil = (end: number): void => {
    for (; searchIndex < end; searchIndex += 1, replaceIndex += 1) {
      const [line = '', fileLine = ''] = [replace[replaceIndex], fileLines[searchIndex]];
      // Brackets without text occur at any depth.
      if (!/[\p{L}\p{N}]/u.test(line)) continue;
      const [indent, expectedIndent] = [getLeadingWhitespace(line), getLeadingWhitespace(fileLine)];
      const convertedIndent = reindent(indent);
      if (convertedIndent === indent) continue;
      if (convertedIndent === expectedIndent) votes.push({ style: 'search', canMove });
      else if (indent === expectedIndent) votes.push({ style: 'file', canMove });
    }
  };
  for (const { from, to } of diffLines(trimLines(search), trimLines(replace))) {
    addVotesUntil(from.start);
    const changedLines = [
      ...search.slice(from.start, from.end),
      ...replace.slice(to.start, to.end),
    ];
    [searchIndex, replaceIndex, canMove] = [
      from.end,
      to.end,
      canMove || changedLines.some(canMoveNextLine),
    ];
  }
  addVotesUntil(search.length);
  return votes;
}
