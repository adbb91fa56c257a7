import { describe, expect, test } from 'vitest';
import { fitIndentation, withoutContext } from './answer-lines.ts';
import { lineMarks, shownLines, spanAfter } from './line-span.ts';

describe('indentation', () => {
  const spaces = { first: '    ', usesTabs: false, tabSize: 4 };
  const tabs = { first: '\t', usesTabs: true, tabSize: 4 };

  test.each([
    [
      'keeps correct indentation',
      ['    a {', '      b', '    }'],
      spaces,
      ['    a {', '      b', '    }'],
    ],
    [
      'adds missing indentation',
      ['a {', '  b', '', '}'],
      spaces,
      ['    a {', '      b', '', '    }'],
    ],
    ['completes partial indentation', ['  a', '    b'], spaces, ['    a', '      b']],
    ['keeps deeper indentation', ['      a'], spaces, ['      a']],
    [
      'converts spaces to tabs',
      ['a {', '  b', '    c', '}'],
      tabs,
      ['\ta {', '\t\tb', '\t\t\tc', '\t}'],
    ],
    ['keeps tabs', ['\ta {', '\t\tb'], tabs, ['\ta {', '\t\tb']],
    [
      'keeps the single space of a block comment',
      ['/**', ' * a', ' */'],
      tabs,
      ['\t/**', '\t * a', '\t */'],
    ],
    ['empties a blank line', ['    a', '   '], spaces, ['    a', '']],
    ['returns no lines for an empty answer', [], spaces, []],
  ])('%s', (_, lines, indentation, fitted) => {
    expect(fitIndentation(lines, indentation)).toEqual(fitted);
  });
});

describe('lines shown during streaming', () => {
  const original = ['one', 'two', 'three', 'four', 'five'];

  test.each([
    ['are the original ones before the first new line', [], original],
    ['are the original ones while the answer repeats them', ['one', 'two'], original],
    [
      'replace one original line by each changed line',
      ['one', 'TWO'],
      ['one', 'TWO', 'three', 'four', 'five'],
    ],
    [
      'continue after a repeated original line',
      ['one', 'TWO', 'three'],
      ['one', 'TWO', 'three', 'four', 'five'],
    ],
    ['omit skipped original lines', ['one', 'five'], ['one', 'five']],
    [
      'include inserted lines',
      ['zero', 'one', 'two'],
      ['zero', 'one', 'two', 'three', 'four', 'five'],
    ],
    [
      'can outnumber the original ones',
      ['a', 'b', 'c', 'd', 'e', 'f'],
      ['a', 'b', 'c', 'd', 'e', 'f'],
    ],
  ])('%s', (_, answered, shown) => {
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
    ['stays on typing above', change([2, 3], [2, 3], 'x'), span, false],
    [
      'moves down on a line inserted above',
      change([2, 0], [2, 0], 'x\r\n'),
      { start: 6, end: 9 },
      false,
    ],
    ['moves up on lines removed above', change([1, 0], [3, 0], ''), { start: 3, end: 6 }, false],
    [
      'moves down on a line inserted right before it',
      change([5, 0], [5, 0], 'x\n'),
      { start: 6, end: 9 },
      false,
    ],
    [
      'moves up on removal of the line right before it',
      change([4, 0], [5, 0], ''),
      { start: 4, end: 7 },
      false,
    ],
    ['stays on typing below', change([8, 0], [9, 3], 'x\n\n'), span, false],
    ['is touched by typing inside', change([6, 2], [6, 2], 'x'), span, true],
    ['is touched by typing at its start', change([5, 0], [5, 0], 'x'), span, true],
    [
      'grows with a line break at its end',
      change([7, 9], [7, 9], '\n'),
      { start: 5, end: 9 },
      true,
    ],
    ['shrinks with a line removed inside', change([5, 1], [6, 1], ''), { start: 5, end: 7 }, true],
  ])('%s', (_, each, moved, isTouched) => {
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
    [
      'removes the context from a whole file',
      ['import a;', 'import b;', '', 'x();', '', 'end();'],
      ['x();'],
    ],
    ['keeps an answer without context', ['x();'], ['x();']],
    [
      'keeps an answer with only the context before the lines',
      ['import a;', 'import b;', 'x();'],
      ['import a;', 'import b;', 'x();'],
    ],
    ['keeps an empty answer', [], []],
  ])('%s', (_, answered, lines) => {
    expect(withoutContext(answered, around)).toEqual(lines);
  });

  test('keeps one or two repeated lines, which can match by chance', () => {
    const few = { before: ['{'], after: ['}'] };
    expect(withoutContext(['{', 'x', '}'], few)).toEqual(['{', 'x', '}']);
  });
});
