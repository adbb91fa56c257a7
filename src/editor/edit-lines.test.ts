import { describe, expect, test } from 'vitest';
import { fitIndentation, withoutContext } from './answer-lines.ts';
import { lineMarks, shownLines, spanAfter } from './line-span.ts';

describe('fitIndentation', () => {
  const spaces = { first: '    ', usesTabs: false, tabSize: 4 };
  const tabs = { first: '\t', usesTabs: true, tabSize: 4 };

  test.each([
    [
      'correct indentation',
      ['    a {', '      b', '    }'],
      spaces,
      ['    a {', '      b', '    }'],
    ],
    ['missing indentation', ['a {', '  b', '', '}'], spaces, ['    a {', '      b', '', '    }']],
    ['partial indentation', ['  a', '    b'], spaces, ['    a', '      b']],
    ['deeper indentation', ['      a'], spaces, ['      a']],
    [
      'spaces for a document with tabs',
      ['a {', '  b', '    c', '}'],
      tabs,
      ['\ta {', '\t\tb', '\t\t\tc', '\t}'],
    ],
    ['tabs for a document with tabs', ['\ta {', '\t\tb'], tabs, ['\ta {', '\t\tb']],
    [
      'a block comment for a document with tabs',
      ['/**', ' * a', ' */'],
      tabs,
      ['\t/**', '\t * a', '\t */'],
    ],
    ['a line of spaces', ['    a', '   '], spaces, ['    a', '']],
    ['no lines', [], spaces, []],
  ])('fits an answer with %s to the document', (_, lines, indentation, fitted) => {
    expect(fitIndentation(lines, indentation)).toEqual(fitted);
  });
});

describe('lines shown during streaming', () => {
  const original = ['one', 'two', 'three', 'four', 'five'];

  test.each([
    ['no line has arrived', [], original],
    ['the answer repeats the original', ['one', 'two'], original],
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
  ])('combine the answer and the rest of the original when %s', (_, answered, shown) => {
    expect(shownLines(original, answered)).toEqual(shown);
  });

  test('are not aligned at a single bracket', () => {
    const lines = ['if (a) {', '  one();', '}', 'if (b) {', '  two();', '}'];
    expect(shownLines(lines, ['if (a) {', '  one();', '  more();', '}'])).toEqual([
      'if (a) {',
      '  one();',
      '  more();',
      '}',
      '  two();',
      '}',
    ]);
  });

  test('are marked as added or removed', () => {
    expect(lineMarks(['one', 'two', 'three'], ['one', 'TWO', 'MORE'])).toEqual([
      { added: { start: 1, end: 3 }, removed: ['two', 'three'] },
    ]);
    expect(lineMarks(['one', 'two'], ['one'])).toEqual([
      { added: { start: 1, end: 1 }, removed: ['two'] },
    ]);
  });
});

describe('line span', () => {
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
    ['a line inserted right before it', change([5, 0], [5, 0], 'x\n'), { start: 6, end: 9 }, false],
    [
      'the removal of the line right before it',
      change([4, 0], [5, 0], ''),
      { start: 4, end: 7 },
      false,
    ],
    ['typing below', change([8, 0], [9, 3], 'x\n\n'), span, false],
    ['typing inside', change([6, 2], [6, 2], 'x'), span, true],
    ['typing at its start', change([5, 0], [5, 0], 'x'), span, true],
    ['a line break at its end', change([7, 9], [7, 9], '\n'), { start: 5, end: 9 }, true],
    ['a line removed inside', change([5, 1], [6, 1], ''), { start: 5, end: 7 }, true],
  ])('follows %s', (_, each, moved, isTouched) => {
    expect(spanAfter(span, [each])).toEqual({ span: moved, isTouched });
  });

  test.each([
    ['its first line joins the line before', change([4, 3], [5, 0], '')],
    ['its last line joins the line after', change([7, 3], [8, 0], '')],
    ['the whole document is replaced', change([0, 0], [20, 0], 'x')],
  ])('is lost when %s', (_, each) => {
    expect(spanAfter(span, [each])).toBeUndefined();
  });

  test('follows several changes of one event', () => {
    const changes = [
      change([9, 0], [9, 0], 'y'),
      change([3, 0], [3, 0], 'a\n'),
      change([1, 0], [2, 0], ''),
    ];
    expect(spanAfter(span, changes)).toEqual({ span, isTouched: false });
  });

  test('ignores text inserted at an empty span', () => {
    const none = { start: 5, end: 5 };
    const moved = spanAfter(none, [change([5, 0], [5, 0], 'x')]);
    expect(moved).toEqual({ span: none, isTouched: false });
  });
});

describe('withoutContext', () => {
  const around = { before: ['', 'import a;', 'import b;', ''], after: ['', 'end();', ''] };

  test.each([
    ['a whole file', ['import a;', 'import b;', '', 'x();', '', 'end();'], ['x();']],
    ['an answer without context', ['x();'], ['x();']],
    [
      'an answer with only the context before the lines',
      ['import a;', 'import b;', 'x();'],
      ['import a;', 'import b;', 'x();'],
    ],
    ['an empty answer', [], []],
  ])('removes context only from a whole file: %s', (_, answered, lines) => {
    expect(withoutContext(answered, around)).toEqual(lines);
  });

  test('keeps one or two repeated lines, which can match by chance', () => {
    const few = { before: ['{'], after: ['}'] };
    expect(withoutContext(['{', 'x', '}'], few)).toEqual(['{', 'x', '}']);
  });
});
