import { nextNonBlankLine } from '../answer/scope.ts';
import { linePrefix } from '../language/cursor-context.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Truncates the text after the first occurrence of a group of one to eight lines that occurs three times in a row. Also
 * truncates the text before a line that repeats a short text.
 */
export function cutRepetition(text: string, snapshot: Snapshot): string {
  const lines = text.split('\n');
  const repeatingIndex = lines.findIndex(repeatsItself);
  const remaining = repeatingIndex < 0 ? lines : lines.slice(0, repeatingIndex);
  const [first = '', ...below] = remaining;
  const resultingLines = [linePrefix(snapshot) + first, ...below];
  for (let start = 0; start + 3 <= remaining.length; start += 1) {
    const period = findPeriod(resultingLines, start);
    if (period > 0) return remaining.slice(0, start + period).join('\n');
  }
  return repeatingIndex < 0 ? text : remaining.join('\n');
}

const maxPeriod = 8;

function findPeriod(lines: readonly string[], start: number): number {
  for (let period = 1; period <= maxPeriod && start + 3 * period <= lines.length; period += 1) {
    const group = lines.slice(start, start + period);
    if (!group.some((line) => /[\p{L}\p{N}]/u.test(line))) continue;
    const isRepeated = (index: number): boolean =>
      lines[start + period + index] === group[index % period];
    if (Array.from({ length: 2 * period }, (_, index) => isRepeated(index)).every(Boolean))
      return period;
  }
  return 0;
}

/**
 * Checks whether a long line ends with repetitions of a text of up to 24 characters. Ignores repetitions without
 * letters and digits, such as a line of dashes.
 */
function repeatsItself(line: string): boolean {
  if (line.length < minRepeatingLength) return false;
  const tail = line.slice(-minRepeatingLength);
  if (!/[\p{L}\p{N}]/u.test(tail)) return false;
  for (let period = 1; period <= 24; period += 1)
    if (tail.slice(period) === tail.slice(0, -period)) return true;
  return false;
}

const minRepeatingLength = 160;

/** Checks whether the text, including the start of the cursor's line, repeats the lines above the cursor. */
export function repeatsPreviousLines(text: string, snapshot: Snapshot): boolean {
  const cursorLine = linePrefix(snapshot);
  const textLines = contentLines(cursorLine + text);
  const before = contentLines(
    snapshot.prefix.slice(0, snapshot.prefix.length - cursorLine.length).slice(-maxComparedLength),
  );
  if (textLines.length === 0 || textLines.length > before.length) return false;
  if (textLines.length === 1 && !isDistinctive(textLines[0] ?? '')) return false;
  return textLines.every(
    (line, index) => line === before[before.length - textLines.length + index],
  );
}

/** Checks whether the text only repeats the start of the cursor's line. */
export function isEcho(text: string, snapshot: Snapshot): boolean {
  const line = linePrefix(snapshot).trim();
  return line.length >= 3 && text.trim() === line;
}

const maxComparedLength = 4_000;

/** Checks whether a line is distinctive enough to detect a repetition. */
const isDistinctive = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && line.length >= 8;

const contentLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * Removes lines at the end of the text that the document already contains after the cursor. Ignores lines of brackets,
 * which `balanceBrackets` removes.
 */
export function cutRepeatedSuffix(text: string, snapshot: Snapshot): string {
  const next = nextNonBlankLine(snapshot.suffix);
  if (next === undefined) return text;
  const suffixLines = nonEmptyLines(snapshot.suffix.slice(snapshot.suffix.indexOf(next)));
  const lines = text.split('\n');
  const [first = '', ...below] = lines;
  const joinedLines = [linePrefix(snapshot) + first, ...below];
  const start = lines.findIndex((_, index) => matchesSuffix(joinedLines, index, suffixLines));
  return start < 0 ? text : lines.slice(0, start).join('\n');
}

/**
 * Checks whether the lines from index `start` are the next lines of the document, and at least one line is distinctive.
 */
function matchesSuffix(
  lines: readonly string[],
  start: number,
  suffixLines: readonly string[],
): boolean {
  let [matchedCount, distinctiveCount] = [0, 0];
  for (let index = start; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trimEnd();
    if (line === '') continue;
    const next = suffixLines[matchedCount] ?? '';
    if (line.trimStart() !== next.trimStart()) return false;
    matchedCount += 1;
    // A short line such as `end` or `</div>` is distinctive only if its indentation is equal.
    if (isDistinctiveSuffixLine(line) || (isWord(line) && line === next)) distinctiveCount += 1;
  }
  return distinctiveCount > 0;
}

const isWord = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
const isDistinctiveSuffixLine = (line: string): boolean =>
  isWord(line) && !/^\s*(?:\w+|<\/.*)$/u.test(line);

const nonEmptyLines = (text: string): string[] =>
  text
    .split('\n', 60)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
