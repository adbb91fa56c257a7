import { diffLines } from '../../base/line-diff.ts';
import type { Place } from './hunk.ts';

/** The smallest ranges of `search`, line by line, whose replacement makes `replace` of it. */
export function narrowed(search: string, replace: string): Place[] {
  const [a, b] = [linesWithEnds(search), linesWithEnds(replace)];
  const places: Place[] = [];
  let [left, right] = [0, 0];
  let [leftLine, rightLine] = [0, 0];
  for (const { from, to } of diffLines(a, b)) {
    left += lengthOf(a, leftLine, from.start);
    right += lengthOf(b, rightLine, to.start);
    const leftEnd = left + lengthOf(a, from.start, from.end);
    const rightEnd = right + lengthOf(b, to.start, to.end);
    places.push(
      withoutEqualEnds(search, { start: left, end: leftEnd, text: replace.slice(right, rightEnd) }),
    );
    [left, right] = [leftEnd, rightEnd];
    [leftLine, rightLine] = [from.end, to.end];
  }
  return places;
}

/** Lines with their line feeds; the last one may have none. */
const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/gu) ?? [];

function lengthOf(lines: readonly string[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) length += lines[at]?.length ?? 0;
  return length;
}

function withoutEqualEnds(before: string, { start, end, text }: Place): Place {
  const most = Math.min(end - start, text.length);
  let head = 0;
  while (head < most && before[start + head] === text[head]) head += 1;
  if (isHigh(text[head - 1])) head -= 1;
  let tail = 0;
  while (tail < most - head && before[end - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
  if (isLow(text[text.length - tail])) tail -= 1;
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}

// An editor moves a range that begins or ends inside a character.
const isHigh = (unit: string | undefined): boolean =>
  unit !== undefined && /[\uD800-\uDBFF]/.test(unit);
const isLow = (unit: string | undefined): boolean =>
  unit !== undefined && /[\uDC00-\uDFFF]/.test(unit);
