import { describe, expect, test } from 'vitest';
import { findLineDifferences, mergeWithOriginalLines, updateSpan } from './line-span.ts';

describe('mergeWithOriginalLines', () => {
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
    expect(mergeWithOriginalLines(originalLines, answerLines)).toEqual(expected);
  });

  test('does not match a single bracket with a bracket of the original lines', () => {
    const lines = ['if (a) {', '  one();', '}', 'if (b) {', '  two();', '}'];
    expect(mergeWithOriginalLines(lines, ['if (a) {', '  one();', '  more();', '}'])).toEqual([
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
  const createChange = (start: [number, number], end: [number, number], text: string) => ({
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
    text,
  });

  test.each([
    ['typing above', createChange([2, 3], [2, 3], 'x'), span, false],
    ['a line inserted above', createChange([2, 0], [2, 0], 'x\r\n'), { start: 6, end: 9 }, false],
    ['lines removed above', createChange([1, 0], [3, 0], ''), { start: 3, end: 6 }, false],
    [
      'a line inserted right before the span',
      createChange([5, 0], [5, 0], 'x\n'),
      { start: 6, end: 9 },
      false,
    ],
    [
      'the removal of the line right before the span',
      createChange([4, 0], [5, 0], ''),
      { start: 4, end: 7 },
      false,
    ],
    ['typing below', createChange([8, 0], [9, 3], 'x\n\n'), span, false],
    ['typing inside', createChange([6, 2], [6, 2], 'x'), span, true],
    ['typing at the start of the span', createChange([5, 0], [5, 0], 'x'), span, true],
    [
      'a line break at the end of the span',
      createChange([7, 9], [7, 9], '\n'),
      { start: 5, end: 9 },
      true,
    ],
    ['a line removed inside', createChange([5, 1], [6, 1], ''), { start: 5, end: 7 }, true],
  ])(
    'returns the span and reports changes inside the span after %s',
    (_, change, expected, isChangedInside) => {
      expect(updateSpan(span, [change])).toEqual({ span: expected, isTouched: isChangedInside });
    },
  );

  test.each([
    ['the first line of the span joins the line before', createChange([4, 3], [5, 0], '')],
    ['the last line of the span joins the line after', createChange([7, 3], [8, 0], '')],
    ['the whole document is replaced', createChange([0, 0], [20, 0], 'x')],
  ])('returns undefined when %s', (_, change) => {
    expect(updateSpan(span, [change])).toBeUndefined();
  });

  test('returns the span after several changes in one event', () => {
    const changes = [
      createChange([9, 0], [9, 0], 'y'),
      createChange([3, 0], [3, 0], 'a\n'),
      createChange([1, 0], [2, 0], ''),
    ];
    expect(updateSpan(span, changes)).toEqual({ span, isTouched: false });
  });

  test('returns an empty span unchanged if text is inserted at the same position', () => {
    const emptySpan = { start: 5, end: 5 };
    const updatedSpan = updateSpan(emptySpan, [createChange([5, 0], [5, 0], 'x')]);
    expect(updatedSpan).toEqual({ span: emptySpan, isTouched: false });
  });
});
