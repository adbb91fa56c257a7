import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * Only the first of lines, or groups of up to eight lines, that come three times on end, and what is before them; without
 * a line that says the same again and again.
 */
export function withoutRepetition(text: string, snapshot: Snapshot): string {
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
