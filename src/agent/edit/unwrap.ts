import { isPlaceholderLine } from './elision.ts';
import type { FileLines } from './file-lines.ts';
import { computeLineKey } from './file-lines.ts';
import type { Hunk, WrappingKind } from './hunk.ts';

/**
 * A hunk after the removal of one kind of text that models add to copied lines, such as line numbers or a code fence.
 */
export interface UnwrappedHunk extends Hunk {
  readonly wrapping: WrappingKind;
}

/**
 * Removes text that models add to hunks: line numbers, an outer code fence, an additional level of escapes, or
 * placeholders in both search and replacement. Returns one variant of the hunk for each possible removal. Several kinds
 * can be removed from one variant.
 */
export function unwrapHunk(hunk: Hunk, file: FileLines): UnwrappedHunk[] {
  const results: UnwrappedHunk[] = [];
  const addResult = (wrapping: WrappingKind, unwrappedHunk: Hunk | undefined): void => {
    if (
      unwrappedHunk !== undefined &&
      unwrappedHunk.search !== '' &&
      unwrappedHunk.search !== hunk.search
    )
      results.push({ ...unwrappedHunk, wrapping });
  };
  const hunkWithoutFence = removeFences(hunk);
  addResult('fence', hunkWithoutFence);
  for (const unnumberedHunk of removeLineNumbers(hunkWithoutFence ?? hunk))
    addResult('line-numbers', unnumberedHunk);
  for (const unescapedHunk of removeEscapes(hunkWithoutFence ?? hunk)) {
    addResult('escapes', unescapedHunk);
    for (const unnumberedHunk of removeLineNumbers(unescapedHunk))
      addResult('escapes', unnumberedHunk);
  }
  for (const filledHunk of fillPlaceholders(hunkWithoutFence ?? hunk, file))
    addResult('ellipsis', filledHunk);
  return results;
}

/** Detects the kind of text that a model seems to have added to a hunk's search text; undefined if none is found. */
export function detectWrapping({ search }: Hunk, file: FileLines): WrappingKind | undefined {
  const lines = search.split('\n');
  if (removeOuterFence(search) !== undefined || isFenced(lines, file)) return 'fence';
  if (lines.length > 1 && numberPatterns.some((pattern) => stripAscendingNumbers(lines, pattern)))
    return 'line-numbers';
  if (lines.some(isPlaceholderLine)) return 'ellipsis';
  if (!search.includes('\n') && /\\[nt"]/u.test(search)) return 'escapes';
  return undefined;
}

/** Checks whether the first and last lines are code fences. Returns false if the file contains the first line too. */
const isFenced = (lines: readonly string[], file: FileLines): boolean =>
  lines.length > 2 &&
  /^(?:`{3,}|~{3,})[\w+#-]*\s*$/u.test(lines[0] ?? '') &&
  /^(?:`{3,}|~{3,})\s*$/u.test(lines.at(-1) ?? '') &&
  file.countLinesWithKey(computeLineKey(lines[0] ?? '')) === 0;

function removeFences(hunk: Hunk): Hunk | undefined {
  const search = removeOuterFence(hunk.search);
  if (search === undefined) return undefined;
  return { ...hunk, search, replace: removeOuterFence(hunk.replace) ?? hunk.replace };
}

/** Returns the text inside a code fence that encloses the complete text; undefined without such a fence. */
function removeOuterFence(text: string): string | undefined {
  const trimmedText = text.trim();
  const start = trimmedText.indexOf('\n') + 1;
  const openingLine = trimmedText.slice(0, start);
  const fenceMark = /^(?:`{3,}|~{3,})/u.exec(openingLine)?.[0];
  if (fenceMark === undefined || openingLine.includes('`', fenceMark.length)) return undefined;
  if (trimmedText.length < start + fenceMark.length || !trimmedText.endsWith(fenceMark))
    return undefined;
  const innerText = trimmedText.slice(start, -fenceMark.length);
  // The closing mark is on a line of its own, or at the end of the last line.
  const lastLineStart = innerText.lastIndexOf('\n') + 1;
  const isOwnLine = innerText.slice(lastLineStart).trim() === '';
  const body = isOwnLine ? innerText.slice(0, Math.max(0, lastLineStart - 1)) : innerText.trimEnd();
  return body.includes(`\n${fenceMark}`) ? undefined : body;
}

/** Patterns of line numbers: `12<tab>`, `12 | `, `12→`, `12: ` and `12 `. */
const numberPatterns = [
  /^\s*(?<number>\d+)\t/u,
  /^\s*(?<number>\d+) ?[|│→] ?/u,
  /^\s*(?<number>\d+)[|│→]/u,
  /^\s*(?<number>\d+): ?/u,
  /^\s*(?<number>\d+):/u,
  /^\s*L(?<number>\d+): ?/u,
  /^\s*\[(?<number>\d+)\] ?/u,
  /^ *(?<number>\d+) {1,2}/u,
];

/**
 * Removes line numbers from a hunk if every line of its search text has one and the numbers are consecutive. Returns
 * one hunk for each number format that matches.
 */
function removeLineNumbers(hunk: Hunk): Hunk[] {
  const searchLines = hunk.search.replace(/\n$/u, '').split('\n');
  const replaceLines = hunk.replace.split('\n');
  return numberPatterns.flatMap((pattern) => {
    const unnumberedSearchLines = stripAscendingNumbers(searchLines, pattern);
    if (unnumberedSearchLines === undefined) return [];
    const unnumberedReplaceLines =
      stripAscendingNumbers(replaceLines, pattern) ??
      removeReplacementNumbers(replaceLines, pattern);
    return unnumberedReplaceLines === undefined
      ? []
      : [
          {
            ...hunk,
            search: unnumberedSearchLines.join('\n'),
            replace: unnumberedReplaceLines.join('\n'),
          },
        ];
  });
}

/**
 * Removes ascending line numbers if every line has one. Returns the lines once for each number format that matches;
 * empty if a line has no number.
 */
export const stripLineNumbers = (lines: readonly string[]): (readonly string[])[] =>
  numberPatterns.flatMap((pattern) => {
    const linesWithoutNumbers = stripAscendingNumbers(lines, pattern);
    return linesWithoutNumbers === undefined ? [] : [linesWithoutNumbers];
  });

/**
 * Removes line numbers that must ascend. A line can consist of only its number. Returns undefined if a line has no such
 * number.
 */
function stripAscendingNumbers(lines: readonly string[], pattern: RegExp): string[] | undefined {
  const result: string[] = [];
  let previousNumber: number | undefined;
  for (const line of lines) {
    const match = pattern.exec(line) ?? new RegExp(`${pattern.source}$`, 'u').exec(`${line} `);
    const blankMatch = match ?? /^\s*(?<number>\d+)(?:\s*[|│→:])?\s*$/u.exec(line);
    const number = Number(blankMatch?.groups?.['number'] ?? Number.NaN);
    if (blankMatch === null || (previousNumber !== undefined && number !== previousNumber + 1))
      return undefined;
    previousNumber = number;
    result.push(line.slice(blankMatch[0].length));
  }
  return result;
}

/**
 * Removes line numbers from a replacement. The numbers need not ascend, because the hunk can add lines. Returns the
 * lines unchanged if none has a number, and undefined if only some non-blank lines have one.
 */
function removeReplacementNumbers(lines: readonly string[], pattern: RegExp): string[] | undefined {
  const numberedFlags = lines.map((line) => pattern.test(line));
  if (!numberedFlags.includes(true)) return [...lines];
  const isComplete = lines.every(
    (line, index) => numberedFlags[index] === true || line.trim() === '',
  );
  return isComplete ? lines.map((line) => line.replace(pattern, '')) : undefined;
}

/**
 * Removes one level of escapes from text that is escaped as a whole. In a one-line text, either everything or only the
 * quotation marks can be escaped. Returns a hunk for each of these cases.
 */
function removeEscapes(hunk: Hunk): Hunk[] {
  const { search, replace } = hunk;
  const isOneLine = !search.includes('\n');
  const results: Hunk[] = [];
  if (isOneLine && /\\[nrt"'\\/]/u.test(search)) {
    // A replacement of several lines is escaped only if its quotes are.
    const unescapeReplace = replace.includes('\n') ? unescapeQuotesIfEscaped : unescapeAllSequences;
    const isReplaceEscaped = !isEscaped(search) || !unescapedQuotePattern.test(replace);
    results.push({
      ...hunk,
      search: unescapeAllSequences(search),
      replace: isReplaceEscaped ? unescapeReplace(replace) : replace,
    });
  }
  if (isEscaped(search)) {
    const unescapedSearch = unescapeQuotes(search);
    results.push({ ...hunk, search: unescapedSearch, replace: unescapeQuotesIfEscaped(replace) });
  }
  return results;
}

/**
 * Unescapes the line breaks in a one-line replacement of a one-line search. Returns undefined if `\n` may be intended
 * as two characters: it is in a string or regular expression, or the file contains an escaped line break too.
 */
export function unescapeLineBreaks(
  hunk: Hunk,
  { readFile, format }: { readonly readFile: () => string; readonly format: string },
): Hunk | undefined {
  const { search, replace } = hunk;
  if (search.includes('\n') || replace.includes('\n') || search.includes('\\n')) return undefined;
  if (!hasEscapedLineBreak(replace)) return unescapeAddedLines(hunk, readFile, format);
  const file = readFile();
  const isUsual = file.includes('\\n') && file.split('\n').some(hasEscapedLineBreak);
  return isUsual ? undefined : { ...hunk, replace: unescapeAllSequences(replace) };
}

/**
 * Matches file name extensions and language ids of formats in which a backslash before a word occurs only in strings,
 * regular expressions and comments.
 */
export const escapeFreeFormatPattern =
  /^(?:[cm]?[jt]sx?|(?:java|type)script(?:react)?|pyi?|python|java|kts?|kotlin|cs|csharp|go|rs|rust|dart|c|h|cc|cpp|hpp)$/u;

/**
 * Unescapes the line breaks of a replacement that repeats the search text and adds lines after it. The search text must
 * be at the end of a line. Returns undefined if the added text can be a command or a path, such as `\newpage`, or is in
 * a string of several lines.
 */
function unescapeAddedLines(hunk: Hunk, readFile: () => string, format: string): Hunk | undefined {
  const { search, replace } = hunk;
  const addedText = replace.slice(search.length);
  if (search === '' || search.includes('\\') || !replace.startsWith(search)) return undefined;
  if (!/^\\n[A-Za-z_$]/u.test(addedText) || !escapeFreeFormatPattern.test(format)) return undefined;
  const unescapedText = addedText.replaceAll(
    new RegExp(`${literalPattern.source}|\\\\n(?=[A-Za-z_$])`, 'gu'),
    (text) => (text === '\\n' ? '\n' : text),
  );
  const file = readFile();
  const start = file.indexOf(`${search}\n`);
  const isString = ['"""', "'''", '`'].some(
    (mark) => file.slice(0, Math.max(0, start)).split(mark).length % 2 === 0,
  );
  return start < 0 || isString || [unescapedText, file].some(hasBackslashWord)
    ? undefined
    : { ...hunk, replace: search + unescapedText };
}

/** Checks for a backslash before a letter outside strings and regular expressions. */
const hasBackslashWord = (text: string): boolean =>
  text.includes('\\') &&
  text.split('\n').some((line) => /\\[A-Za-z]/u.test(line.replaceAll(literalPattern, 'x')));

/**
 * Checks whether a model wrote a line break as the two characters `\n`. Ignores strings and regular expressions, and
 * requires white space, a closing bracket or the end of the line after the two characters, or a semicolon before them.
 */
const hasEscapedLineBreak = (line: string): boolean =>
  line.includes('\\n') &&
  /(?<!\\)\\n(?=\s|[)}\]]|$)|(?<=[\w)\]];)\\n(?=[A-Za-z_$])/u.test(
    line.replaceAll(literalPattern, 'x'),
  );

/** Matches a string or regular expression literal in a line of code, such as `'a'` or the `/a/` in `test(/a/)`. */
export const literalPattern =
  /(?<!\\)(?:(["'`])(?:(?!\1)[^\\]|\\.)*\1|(?<=[(=,:[!&|?{};]\s{0,9})\/(?:[^/\\]|\\.)+\/)/gu;

const unescapeQuotesIfEscaped = (text: string): string =>
  isEscaped(text) ? unescapeQuotes(text) : text;

/** Checks whether the text contains quotation marks and all of them are escaped. */
const isEscaped = (text: string): boolean =>
  text.includes('"') && !unescapedQuotePattern.test(text);
const unescapedQuotePattern = /(?<!\\)"/u;

const escapeSequences: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '' };
const unescapeAllSequences = (text: string): string =>
  text.replaceAll(
    /\\([nrt"'`\\/])/gu,
    (_, character: string) => escapeSequences[character] ?? character,
  );
const unescapeQuotes = (text: string): string => text.replaceAll('\\"', '"');

/**
 * Replaces placeholder lines, such as `...`, with the lines of the file that they represent. Requires the same
 * placeholder lines in the search text and the replacement. Returns one hunk for each matching block of the file.
 */
function fillPlaceholders(hunk: Hunk, file: FileLines): Hunk[] {
  const searchParts = splitAtPlaceholderLines(hunk.search);
  const replaceParts = splitAtPlaceholderLines(hunk.replace);
  if (
    searchParts.placeholderLines.length === 0 ||
    searchParts.placeholderLines.length !== replaceParts.placeholderLines.length
  )
    return [];
  if (
    searchParts.placeholderLines.some(
      (placeholderLine, index) =>
        placeholderLine.trim() !== replaceParts.placeholderLines[index]?.trim(),
    )
  )
    return [];
  return findBlockGaps(searchParts.lineGroups, file).map((gaps) => {
    const fillGaps = (lineGroups: readonly (readonly string[])[]): string =>
      lineGroups.flatMap((lineGroup, index) => [...lineGroup, ...(gaps[index] ?? [])]).join('\n');
    return {
      ...hunk,
      search: fillGaps(searchParts.lineGroups),
      replace: fillGaps(replaceParts.lineGroups),
    };
  });
}

interface TextWithPlaceholders {
  /** Groups of lines before, between and after the placeholder lines. The first and the last group can be empty. */
  readonly lineGroups: readonly (readonly string[])[];
  readonly placeholderLines: readonly string[];
}

function splitAtPlaceholderLines(text: string): TextWithPlaceholders {
  const lineGroups: string[][] = [[]];
  const placeholderLines: string[] = [];
  for (const line of text.split('\n')) {
    if (isPlaceholderLine(line)) {
      placeholderLines.push(line);
      lineGroups.push([]);
    } else lineGroups.at(-1)?.push(line);
  }
  return { lineGroups, placeholderLines };
}

/** Maximum number of file lines that a placeholder can represent. */
const maxPlaceholderLines = 400;

/** Maximum number of matching blocks to compare. */
const maxBlocks = 20;

/**
 * Finds all blocks of the file that contain the groups of lines in order. Returns the lines between these groups for
 * each block.
 */
function findBlockGaps(lineGroups: readonly (readonly string[])[], file: FileLines): string[][][] {
  const keyGroups = lineGroups.map((lineGroup) => lineGroup.map(computeLineKey));
  let startSequences: number[][] = [[]];
  for (const [index, groupKeys] of keyGroups.entries()) {
    // A placeholder at the start or the end represents lines outside the block.
    if (groupKeys.length === 0) {
      startSequences = startSequences.map((groupStarts) => [...groupStarts, -1]);
      continue;
    }
    const positions = findGroupPositions(file, groupKeys);
    startSequences = startSequences.flatMap((groupStarts) => {
      const previousStart = groupStarts.at(-1) ?? -1;
      const minStart = previousStart < 0 ? 0 : previousStart + (keyGroups[index - 1]?.length ?? 0);
      return positions
        .filter(
          (start) =>
            start >= minStart && (previousStart < 0 || start - minStart <= maxPlaceholderLines),
        )
        .map((start) => [...groupStarts, start]);
    });
    if (startSequences.length > maxBlocks) return [];
  }
  return startSequences.map((groupStarts) => readLinesBetweenGroups(groupStarts, lineGroups, file));
}

function findGroupPositions(file: FileLines, keys: readonly string[]): number[] {
  const anchorIndex = keys.findIndex((key) => key !== '');
  if (anchorIndex < 0) return [];
  return [...file.findKeyIndexes(keys[anchorIndex] ?? '')]
    .map((line) => line - anchorIndex)
    .filter(
      (start) =>
        start >= 0 && keys.every((key, index) => file.getNormalizedLine(start + index) === key),
    );
}

function readLinesBetweenGroups(
  groupStarts: readonly number[],
  lineGroups: readonly (readonly string[])[],
  file: FileLines,
): string[][] {
  return groupStarts.slice(1).map((nextStart, index) => {
    const start = groupStarts[index] ?? -1;
    const gapStart = start + (lineGroups[index]?.length ?? 0);
    if (start < 0 || nextStart < gapStart) return [];
    return Array.from({ length: nextStart - gapStart }, (_, offset) =>
      file.getLine(gapStart + offset),
    );
  });
}
