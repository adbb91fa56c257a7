import { fitIndentation } from './fit-indentation.ts';
import { isNonBlank, trimBlankLines } from '../edit/indentation.ts';
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
    containsFile(before, after) ||
    containsFile(before.map(normalizeFormatting), after.map(normalizeFormatting));
  if (!isWhole) return undefined;
  const end = fileLines.findLastIndex(isNonBlank) + 1;
  const start = fileLines.findIndex(isNonBlank);
  return {
    format: 'file',
    lines: [...fileLines.slice(0, start), ...after, ...fileLines.slice(end)],
  };
}

/**
 * Returns a line without its final semicolon or comma, and with uniform quotation marks, because a formatter can change
 * these. Retains the indentation.
 */
const normalizeFormatting = (line: string): string =>
  line.trimEnd().replace(/[;,]$/u, '').replaceAll(/["`]/gu, "'");

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
    return (from.start > first && from.end <= last) || count <= maxReplacedEndLines;
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
  const start = findOnlyLine(fileLines, code[0] ?? '');
  const end = findOnlyLine(fileLines, code.at(-1) ?? '');
  if (start === undefined || end === undefined || start >= end) return 'no-place';
  const original = fileLines.slice(start, end + 1);
  if (!isReliableEnd(original, code)) return 'no-place';
  if (hasOtherIndentUnit(fileLines, code)) return 'indentation';
  const isSameStart = isSameLine(original[0], code[0]);
  const isSameEnd = isSameLine(original.at(-1), code.at(-1));
  const fitted =
    isSameStart && isSameEnd
      ? code
      : fitIndentation(code, {
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
 * just in indentation. Otherwise returns undefined.
 */
function findOnlyLine(lines: readonly string[], line: string): number | undefined {
  const isEqual = (candidate: string): boolean => isSameLine(candidate, line);
  const isEqualTrimmed = (candidate: string): boolean => candidate.trim() === line.trim();
  for (const matches of [isEqual, isEqualTrimmed]) {
    const first = lines.findIndex(matches);
    if (first >= 0) return lines.findLastIndex(matches) === first ? first : undefined;
  }
  return undefined;
}
