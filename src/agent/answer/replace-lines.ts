import { fitIndentation } from './fit-indentation.ts';
import { containsHalfOfWords, readWords } from './lost-content.ts';
import { computeLineKey } from '../edit/file-lines.ts';
import { getLeadingWhitespace, isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import { diffLines } from '../../base/line-diff.ts';

/** Maximum number of lines that a block with the whole file may replace at each end of the file. */
const maxReplacedEndLines = 3;

export interface ReplacedLines {
  readonly format: 'file' | 'snippet';
  readonly lines: readonly string[];
}

/**
 * Replaces all lines if the block contains the whole file. Such a block contains at least half of the file's lines in
 * their order and replaces only a few lines at both ends. Differences of a formatter, such as missing semicolons, do
 * not count. Returns undefined for other blocks, including those that omit the beginning or the end.
 */
export function replaceFile(
  fileLines: readonly string[],
  code: readonly string[],
): ReplacedLines | undefined {
  const [before, after] = [trimBlankLines(fileLines), trimBlankLines(code)];
  if (before.length === 0) return { format: 'file', lines: [...after, ''] };
  const isWhole =
    containsFile(before.map(normalizeCharacters), after.map(normalizeCharacters)) ||
    containsFile(before.map(normalizeFormatting), after.map(normalizeFormatting));
  if (!isWhole) return undefined;
  const end = fileLines.findLastIndex(isNonBlank) + 1;
  const start = fileLines.findIndex(isNonBlank);
  return {
    format: 'file',
    lines: [...fileLines.slice(0, start), ...after, ...fileLines.slice(end)],
  };
}

/** Returns a line with its indentation, and with the characters that tolerant matching compares. */
const normalizeCharacters = (line: string): string =>
  getLeadingWhitespace(line) + computeLineKey(line);

/**
 * Returns a line without its final semicolon or comma, and with uniform quotation marks, because a formatter can change
 * these. Retains the indentation.
 */
const normalizeFormatting = (line: string): string =>
  normalizeCharacters(line).replace(/[;,]$/u, '').replaceAll(/["`]/gu, "'");

function containsFile(before: readonly string[], after: readonly string[]): boolean {
  const changes = diffLines(before, after);
  const removed = changes.flatMap(({ from }) => before.slice(from.start, from.end));
  const total = before.filter(isNonBlank).length;
  if (removed.filter(isNonBlank).length * 2 > total) return false;
  const isLandmark = (line: string): boolean =>
    /[\p{L}\p{N}]/u.test(line) && before.indexOf(line) === before.lastIndexOf(line);
  // Other lines, such as closing brackets, do not show that the block contains this part of the file.
  const first = before.findIndex(isLandmark);
  const last = before.findLastIndex(isLandmark);
  return changes.every(({ from, to }) => {
    const count = from.end - from.start;
    const isAtEnd = from.start === 0 || from.end === before.length;
    if (isAtEnd) return count <= maxReplacedEndLines && count <= to.end - to.start;
    // Lines in place of others rewrite them. Only lines without a replacement can be omitted.
    const words = readWords(after.slice(to.start, to.end));
    const isRewritten =
      (to.end - to.start) * 2 >= count ||
      (to.end > to.start &&
        before
          .slice(from.start, from.end)
          .every((line) => containsHalfOfWords(words, readWords([line]))));
    return (from.start > first && from.end <= last) || count <= maxReplacedEndLines || isRewritten;
  });
}

/**
 * Replaces the file's lines from the match of the block's first line to the match of its last line. Returns the reason
 * for a refusal unless both lines occur exactly once in the file.
 */
export function replaceSnippet(
  fileLines: readonly string[],
  code: readonly string[],
): ReplacedLines | 'no-place' | 'indentation' {
  const [start, end] = [code[0], code.at(-1)].map((line) => findOnlyLine(fileLines, line ?? ''));
  if (start === undefined || end === undefined || start >= end) return 'no-place';
  const original = fileLines.slice(start, end + 1);
  if (!isReliableEnd(original, code)) return 'no-place';
  if (hasOtherIndentUnit(fileLines, code)) return 'indentation';
  const restored = restoreCharacters(original, code);
  const isSameStart = isSameLine(original[0], restored[0]);
  const isSameEnd = isSameLine(original.at(-1), restored.at(-1));
  const fitted =
    isSameStart && isSameEnd
      ? restored
      : fitIndentation(restored, {
          original,
          usesTabs: fileLines.some((line) => line.startsWith('\t')),
          tabSize: 4,
        });
  if (fitted === undefined) return 'indentation';
  return {
    format: 'snippet',
    lines: [...fileLines.slice(0, start), ...fitted, ...fileLines.slice(end + 1)],
  };
}

/**
 * Restores the characters of the file in unchanged lines of a snippet if its first or last line shows that the model
 * replaced such characters, for example typographic quotation marks. Retains the indentation of the snippet.
 */
function restoreCharacters(
  original: readonly string[],
  code: readonly string[],
): readonly string[] {
  const isReplaced = [0, -1].some((index) => original.at(index)?.trim() !== code.at(index)?.trim());
  if (!isReplaced) return code;
  const [from, to] = [original, code].map((lines) => lines.map(computeLineKey)) as [
    string[],
    string[],
  ];
  const restored = [...code];
  let [old, next] = [0, 0];
  const restoreUntil = (end: number): void => {
    for (; next < end; [old, next] = [old + 1, next + 1])
      restored[next] = getLeadingWhitespace(code[next] ?? '') + (original[old] ?? '').trim();
  };
  for (const change of diffLines(from, to)) {
    restoreUntil(change.to.start);
    [old, next] = [change.from.end, change.to.end];
  }
  restoreUntil(code.length);
  return restored;
}

/**
 * Checks whether the last line of a snippet corresponds to the last replaced line. A last line without letters and
 * digits, such as a bracket, occurs at many positions, so the line before it must also be the same. Fragments of JSX
 * must have both tags.
 */
function isReliableEnd(original: readonly string[], code: readonly string[]): boolean {
  const count = (lines: readonly string[], tag: string): number =>
    lines.join('\n').split(tag).length;
  const getOpenCount = (lines: readonly string[]): number =>
    count(lines, '<>') - count(lines, '</>');
  if (getOpenCount(original) !== getOpenCount(code)) return false;
  const [last = '', previous = ''] = code.filter(isNonBlank).toReversed();
  const [, expected = ''] = original.filter(isNonBlank).toReversed();
  return /[\p{L}\p{N}]/u.test(last) || previous.trim() === expected.trim();
}

/** Checks whether a snippet is indented with spaces and the file with tabs, or the reverse. */
function hasOtherIndentUnit(fileLines: readonly string[], code: readonly string[]): boolean {
  const hasTabs = (lines: readonly string[]): boolean =>
    lines.some((line) => line.startsWith('\t'));
  const hasSpaces = (lines: readonly string[]): boolean =>
    lines.some((line) => line.startsWith('  '));
  return (
    (hasTabs(fileLines) && !hasSpaces(fileLines) && hasSpaces(code)) ||
    (hasSpaces(fileLines) && !hasTabs(fileLines) && hasTabs(code))
  );
}

const isSameLine = (a = '', b = ''): boolean => a.trimEnd() === b.trimEnd();

/**
 * Returns the index of the only line equal to `line`. If none is equal, returns the index of the only line that differs
 * just in indentation, or else in characters that tolerant matching does not distinguish. Otherwise returns undefined.
 */
function findOnlyLine(lines: readonly string[], line: string): number | undefined {
  const key = computeLineKey(line);
  const isEqual = (candidate: string): boolean => isSameLine(candidate, line);
  const isEqualTrimmed = (candidate: string): boolean => candidate.trim() === line.trim();
  const isSimilar = (candidate: string): boolean => computeLineKey(candidate) === key;
  for (const matches of [isEqual, isEqualTrimmed, isSimilar]) {
    const first = lines.findIndex(matches);
    if (first >= 0) return lines.findLastIndex(matches) === first ? first : undefined;
  }
  return undefined;
}
