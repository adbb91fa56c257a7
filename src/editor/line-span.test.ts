import { describe, expect, test } from 'vitest';
import { findLineDifferences, mergeWithOriginal, updateSpan } from './line-span.ts';

describe('mergeWithOriginal', () => {
  const originalLines = ['one', 'two', 'three', 'four', 'five'];

  test.each([
    ['no line has arrived', [], originalLines],
    ['the answer repeats the original', ['one', 'two'], originalLines],
    ['a line changed', ['one', 'TWO'], ['one', 'TWO', 'three', 'four', 'five']],
    [
      'the answer repeats a line after a change',
      ['one', 'TWO', 'three'],
      ['one', 'TWO', 'three', 'four', 'five'],
    ],
    ['the answer skips lines', ['one', 'five'], ['one', 'five']],
    [
      'the answer inserts lines',
      ['zero', 'one', 'two'],
      ['zero', 'one', 'two', 'three', 'four', 'five'],
    ],
    [
      'the answer is longer than the original',
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['a', 'b', 'c', 'd', 'e', 'f'],
    ],
  ])('returns the answer and the remaining original lines when %s', (_, answerLines, expected) => {
    expect(mergeWithOriginal(originalLines, answerLines)).toEqual(expected);
  });

  test('does not match a single bracket with a bracket of the original lines', () => {
    const lines = ['if (a) {', '  one();', '}', 'if (b) {', '  two();', '}'];
    expect(mergeWithOriginal(lines, ['if (a) {', '  one();', '  more();', '}'])).toEqual([
      'if (a) {',
      '  one();',
      '  more();',
      '}',
      '  two();',
      '}',
    ]);
  });
});

test('findLineDifferences returns the range of added lines and the text of removed lines for each change', () => {
  expect(findLineDifferences(['one', 'two', 'three'], ['one', 'TWO', 'MORE'])).toEqual([
    { addedSpan: { start: 1, end: 3 }, removedLines: ['two', 'three'] },
  ]);
  expect(findLineDifferences(['one', 'two'], ['one'])).toEqual([
    { addedSpan: { start: 1, end: 1 }, removedLines: ['two'] },
  ]);
});

describe('updateSpan', () => {
  const span = { start: 5, end: 8 };
  const change = (start: [number, number], end: [number, number], text: string) => ({
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
    text,
  });

  test.each([
    ['typing above', change([2, 3], [2, 3], 'x'), span, false],
    ['a line inserted above', change([2, 0], [2, 0], 'x\r\n'), { start: 6, end: 9 }, false],
    ['lines removed above', change([1, 0], [3, 0], ''), { start: 3, end: 6 }, false],
    [
      'a line inserted right before the span',
      change([5, 0], [5, 0], 'x\n'),
      { start: 6, end: 9 },
      false,
    ],
    [
      'the removal of the line right before the span',
      change([4, 0], [5, 0], ''),
      { start: 4, end: 7 },
      false,
    ],
    ['typing below', change([8, 0], [9, 3], 'x\n\n'), span, false],
    ['typing inside', change([6, 2], [6, 2], 'x'), span, true],
    ['typing at the start of the span', change([5, 0], [5, 0], 'x'), span, true],
    [
      'a line break at the end of the span',
      change([7, 9], [7, 9], '\n'),
      { start: 5, end: 9 },
      true,
    ],
    ['a line removed inside', change([5, 1], [6, 1], ''), { start: 5, end: 7 }, true],
  ])(
    'returns the span and reports changes inside the span after %s',
    (_, change, expected, isChangedInside) => {
      expect(updateSpan(span, [change])).toEqual({ span: expected, isTouched: isChangedInside });
    },
  );

  test.each([
    ['the first line of the span joins the line before', change([4, 3], [5, 0], '')],
    ['the last line of the span joins the line after', change([7, 3], [8, 0], '')],
    ['the whole document is replaced', change([0, 0], [20, 0], 'x')],
  ])('returns undefined when %s', (_, change) => {
    expect(updateSpan(span, [change])).toBeUndefined();
  });

  test('returns the span after several changes in one event', () => {
    const changes = [
      change([9, 0], [9, 0], 'y'),
      change([3, 0], [3, 0], 'a\n'),
      change([1, 0], [2, 0], ''),
    ];
    expect(updateSpan(span, changes)).toEqual({ span, isTouched: false });
  });

  test('returns an empty span unchanged if text is inserted at the same position', () => {
    const emptySpan = { start: 5, end: 5 };
    const updatedSpan = updateSpan(emptySpan, [change([5, 0], [5, 0], 'x')]);
    expect(updatedSpan).toEqual({ span: emptySpan, isTouched: false });
  });
});
