import { expect, test } from 'vitest';
import { findChangedLines, type TextChange } from './text-lines.ts';

const createChange = (firstLine: number, lastLine: number, text: string): TextChange => ({
  range: { start: { line: firstLine }, end: { line: lastLine } },
  text,
});

test.each([
  ['a change on one line', [createChange(3, 3, 'a')], [[3, 3]]],
  ['pasted lines', [createChange(3, 3, 'a\nb\r\nc\rd')], [[3, 6]]],
  [
    'changes from bottom to top',
    [createChange(9, 9, 'a\n'), createChange(2, 2, '\n\n')],
    [
      [2, 4],
      [11, 12],
    ],
  ],
  [
    'a deletion above an earlier change',
    [createChange(9, 9, 'a'), createChange(2, 5, '')],
    [
      [2, 2],
      [6, 6],
    ],
  ],
  [
    'changes from top to bottom',
    [createChange(2, 2, '\n'), createChange(6, 6, 'a')],
    [
      [2, 3],
      [6, 6],
    ],
  ],
  [
    'two changes on the same line',
    [createChange(5, 5, 'a'), createChange(5, 5, 'b\n')],
    [
      [5, 6],
      [5, 6],
    ],
  ],
  [
    'a change that contains an earlier change',
    [createChange(5, 5, 'a'), createChange(3, 8, 'b')],
    [
      [3, 3],
      [3, 3],
    ],
  ],
])('findChangedLines returns the changed lines for %s', (_, changes, expected) => {
  const changedSpans = findChangedLines(changes, 200) ?? [];
  expect(changedSpans.map(({ firstLine, lastLine }) => [firstLine, lastLine])).toEqual(expected);
});

test('findChangedLines returns as many changed lines as the limit permits', () => {
  expect(findChangedLines([createChange(0, 0, 'a')], 1)).toBeDefined();
  expect(findChangedLines([createChange(0, 0, 'a\nb\nc')], 3)).toBeDefined();
});

test('findChangedLines returns undefined if the changed lines exceed the limit', () => {
  expect(findChangedLines([createChange(0, 0, 'a\nb\nc')], 2)).toBeUndefined();
  const distantChanges = [createChange(9, 9, 'a\n'), createChange(0, 0, 'a\n')];
  expect(findChangedLines(distantChanges, 3)).toBeUndefined();
});
