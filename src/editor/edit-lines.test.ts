import { describe, expect, test } from 'vitest';
import { fitIndentation, withoutContext } from './answer-lines.ts';
import { lineMarks, shownLines, spanAfter } from './line-span.ts';

describe('indentation', () => {
  const spaces = { first: '    ', usesTabs: false, tabSize: 4 };
  const tabs = { first: '\t', usesTabs: true, tabSize: 4 };

  test.each([
    [
      'what is right stays',
      ['    a {', '      b', '    }'],
      spaces,
      ['    a {', '      b', '    }'],
    ],
    [
      'what is missing comes back',
      ['a {', '  b', '', '}'],
      spaces,
      ['    a {', '      b', '', '    }'],
    ],
    ['a part is missing', ['  a', '    b'], spaces, ['    a', '      b']],
    ['deeper on purpose', ['      a'], spaces, ['      a']],
    [
      'spaces become tabs',
      ['a {', '  b', '    c', '}'],
      tabs,
      ['\ta {', '\t\tb', '\t\t\tc', '\t}'],
    ],
    ['tabs stay', ['\ta {', '\t\tb'], tabs, ['\ta {', '\t\tb']],
    [
      'the one space of a comment stays',
      ['/**', ' * a', ' */'],
      tabs,
      ['\t/**', '\t * a', '\t */'],
    ],
    ['a blank line is empty', ['    a', '   '], spaces, ['    a', '']],
    ['nothing', [], spaces, []],
  ])('%s', (_, lines, indentation, fitted) => {
    expect(fitIndentation(lines, indentation)).toEqual(fitted);
  });
});

describe('what is shown while it comes', () => {
  const original = ['one', 'two', 'three', 'four', 'five'];

  test.each([
    ['nothing yet', [], original],
    ['equal so far', ['one', 'two'], original],
    [
      'a changed line takes the place of one',
      ['one', 'TWO'],
      ['one', 'TWO', 'three', 'four', 'five'],
    ],
    ['agrees again', ['one', 'TWO', 'three'], ['one', 'TWO', 'three', 'four', 'five']],
    ['lines are gone', ['one', 'five'], ['one', 'five']],
    [
      'lines come in between',
      ['zero', 'one', 'two'],
      ['zero', 'one', 'two', 'three', 'four', 'five'],
    ],
    ['longer than the original', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd', 'e', 'f']],
  ])('%s', (_, answered, shown) => {
    expect(shownLines(original, answered)).toEqual(shown);
  });

  test('a bracket agrees with nothing by chance', () => {
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

  test('marks say what is new and what is gone', () => {
    expect(lineMarks(['one', 'two', 'three'], ['one', 'TWO', 'MORE'])).toEqual([
      { added: { start: 1, end: 3 }, removed: ['two', 'three'] },
    ]);
    expect(lineMarks(['one', 'two'], ['one'])).toEqual([
      { added: { start: 1, end: 1 }, removed: ['two'] },
    ]);
  });
});

describe('where the lines are', () => {
  const span = { start: 5, end: 8 };
  const change = (start: [number, number], end: [number, number], text: string) => ({
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
    text,
  });

  test.each([
    ['typing above', change([2, 3], [2, 3], 'x'), span, false],
    ['a line more above', change([2, 0], [2, 0], 'x\r\n'), { start: 6, end: 9 }, false],
    ['lines less above', change([1, 0], [3, 0], ''), { start: 3, end: 6 }, false],
    ['a line right before', change([5, 0], [5, 0], 'x\n'), { start: 6, end: 9 }, false],
    ['the line right before is gone', change([4, 0], [5, 0], ''), { start: 4, end: 7 }, false],
    ['typing below', change([8, 0], [9, 3], 'x\n\n'), span, false],
    ['typing inside', change([6, 2], [6, 2], 'x'), span, true],
    ['typing at the start of the first line', change([5, 0], [5, 0], 'x'), span, true],
    ['a line more at the end', change([7, 9], [7, 9], '\n'), { start: 5, end: 9 }, true],
    ['a line less inside', change([5, 1], [6, 1], ''), { start: 5, end: 7 }, true],
  ])('%s', (_, each, moved, isTouched) => {
    expect(spanAfter(span, [each])).toEqual({ span: moved, isTouched });
  });

  test.each([
    ['the line before runs into it', change([4, 3], [5, 0], '')],
    ['the line behind runs into it', change([7, 3], [8, 0], '')],
    ['all is replaced', change([0, 0], [20, 0], 'x')],
  ])('not known when %s', (_, each) => {
    expect(spanAfter(span, [each])).toBeUndefined();
  });

  test('several changes at once count together', () => {
    const changes = [
      change([9, 0], [9, 0], 'y'),
      change([3, 0], [3, 0], 'a\n'),
      change([1, 0], [2, 0], ''),
    ];
    expect(spanAfter(span, changes)).toEqual({ span, isTouched: false });
  });

  test('where all lines are gone, what comes there is behind', () => {
    const none = { start: 5, end: 5 };
    const moved = spanAfter(none, [change([5, 0], [5, 0], 'x')]);
    expect(moved).toEqual({ span: none, isTouched: false });
  });
});

describe('an answer with what stands around', () => {
  const around = { before: ['', 'import a;', 'import b;', ''], after: ['', 'end();', ''] };

  test.each([
    ['the whole file', ['import a;', 'import b;', '', 'x();', '', 'end();'], ['x();']],
    ['only the lines', ['x();'], ['x();']],
    [
      'only the beginning of it',
      ['import a;', 'import b;', 'x();'],
      ['import a;', 'import b;', 'x();'],
    ],
    ['nothing', [], []],
  ])('%s', (_, answered, lines) => {
    expect(withoutContext(answered, around)).toEqual(lines);
  });

  test('a line or two are no proof', () => {
    const few = { before: ['{'], after: ['}'] };
    expect(withoutContext(['{', 'x', '}'], few)).toEqual(['{', 'x', '}']);
  });
});
