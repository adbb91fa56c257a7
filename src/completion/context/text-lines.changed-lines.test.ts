import { expect, test } from 'vitest';
import { changedLines, type TextChange } from './text-lines.ts';

const change = (first: number, last: number, text: string): TextChange => ({
  range: { start: { line: first }, end: { line: last } },
  text,
});

test.each([
  ['one line', [change(3, 3, 'a')], [[3, 3]]],
  ['pasted lines', [change(3, 3, 'a\nb\r\nc\rd')], [[3, 6]]],
  [
    'from the bottom up',
    [change(9, 9, 'a\n'), change(2, 2, '\n\n')],
    [
      [2, 4],
      [11, 12],
    ],
  ],
  [
    'lines deleted above',
    [change(9, 9, 'a'), change(2, 5, '')],
    [
      [2, 2],
      [6, 6],
    ],
  ],
  [
    'successive changes',
    [change(2, 2, '\n'), change(6, 6, 'a')],
    [
      [2, 3],
      [6, 6],
    ],
  ],
  [
    'two changes on a line',
    [change(5, 5, 'a'), change(5, 5, 'b\n')],
    [
      [5, 6],
      [5, 6],
    ],
  ],
  [
    'a change around an earlier one',
    [change(5, 5, 'a'), change(3, 8, 'b')],
    [
      [3, 3],
      [3, 3],
    ],
  ],
])('returns the changed lines: %s', (_, changes, expected) => {
  const spans = changedLines(changes, 200) ?? [];
  expect(spans.map(({ first, last }) => [first, last])).toEqual(expected);
});

test.each([
  [1, [change(0, 0, 'a')], true],
  [3, [change(0, 0, 'a\nb\nc')], true],
  [2, [change(0, 0, 'a\nb\nc')], false],
  [3, [change(9, 9, 'a\n'), change(0, 0, 'a\n')], false],
])('limits the changed lines to %s', (maxLines, changes, isWithinLimit) => {
  expect(changedLines(changes, maxLines) !== undefined).toBe(isWithinLimit);
});
