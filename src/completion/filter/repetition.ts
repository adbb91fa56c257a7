import { nextLine } from '../answer/scope.ts';
import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * Only the first of lines, or groups of up to eight lines, that come three times on end, and what is before them; without
 * a line that says the same again and again.
 */
export function cutRepetition(text: string, snapshot: Snapshot): string {
  const lines = text.split('\n');
  const stuck = lines.findIndex(isStuck);
  const kept = stuck < 0 ? lines : lines.slice(0, stuck);
  const [first = '', ...below] = kept;
  const inDocument = [linePrefix(snapshot) + first, ...below];
  for (let start = 0; start + 3 <= kept.length; start += 1) {
    const period = periodAt(inDocument, start);
    if (period > 0) return kept.slice(0, start + period).join('\n');
  }
  return stuck < 0 ? text : kept.join('\n');
}

const longestPeriod = 8;

function periodAt(lines: readonly string[], start: number): number {
  for (let period = 1; period <= longestPeriod && start + 3 * period <= lines.length; period += 1) {
    const group = lines.slice(start, start + period);
    if (!group.some((line) => /[\p{L}\p{N}]/u.test(line))) continue;
    const again = (index: number): boolean =>
      lines[start + period + index] === group[index % period];
    if (Array.from({ length: 2 * period }, (_, index) => again(index)).every(Boolean))
      return period;
  }
  return 0;
}

/** Whether the end of a long line has a period of up to 24 characters, other than a row of one sign. */
function isStuck(line: string): boolean {
  if (line.length < stuckLength) return false;
  const tail = line.slice(-stuckLength);
  if (!/[\p{L}\p{N}]/u.test(tail)) return false;
  for (let period = 1; period <= 24; period += 1)
    if (tail.slice(period) === tail.slice(0, -period)) return true;
  return false;
}

const stuckLength = 160;

/** Whether the text says the last lines before the cursor again, and nothing else. */
export function repeatsPreviousLines(text: string, snapshot: Snapshot): boolean {
  const own = linePrefix(snapshot);
  const said = contentLines(own + text);
  const before = contentLines(
    snapshot.prefix.slice(0, snapshot.prefix.length - own.length).slice(-lookBack),
  );
  if (said.length === 0 || said.length > before.length) return false;
  if (said.length === 1 && !isTelling(said[0] ?? '')) return false;
  return said.every((line, index) => line === before[before.length - said.length + index]);
}

/** Whether the text is the cursor's line, or the part of it before the cursor, once more. */
export function isEcho(text: string, snapshot: Snapshot): boolean {
  const line = linePrefix(snapshot).trim();
  return line.length >= 3 && text.trim() === line;
}

const lookBack = 4_000;

/** Short lines, as of data, may well come twice. */
const isTelling = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && line.length >= 8;

const contentLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Without the last lines when they stand behind the cursor already. Lines of brackets alone are left to others. */
export function cutRepeatedSuffix(text: string, snapshot: Snapshot): string {
  const next = nextLine(snapshot.suffix);
  if (next === undefined) return text;
  const behind = nonEmptyLines(snapshot.suffix.slice(snapshot.suffix.indexOf(next)));
  const lines = text.split('\n');
  const [first = '', ...below] = lines;
  const whole = [linePrefix(snapshot) + first, ...below];
  const start = lines.findIndex((_, index) => agrees(whole, index, behind));
  return start < 0 ? text : lines.slice(0, start).join('\n');
}

/** Whether all lines from `start` on are the next ones of the document, and not by chance. */
function agrees(lines: readonly string[], start: number, behind: readonly string[]): boolean {
  let [met, telling] = [0, 0];
  for (let at = start; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trimEnd();
    if (line === '') continue;
    const next = behind[met] ?? '';
    if (line.trimStart() !== next.trimStart()) return false;
    met += 1;
    // An `end` or a `</div>` is the same one only at the same margin.
    if (isTellingSuffixLine(line) || (isWord(line) && line === next)) telling += 1;
  }
  return telling > 0;
}

const isWord = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
const isTellingSuffixLine = (line: string): boolean =>
  isWord(line) && !/^\s*(?:\w+|<\/.*)$/u.test(line);

const nonEmptyLines = (text: string): string[] =>
  text
    .split('\n', 60)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
