import { describe, expect, test } from 'vitest';
import { type Lines, type LinePosition, textBefore, textAfter } from './text-lines.ts';

/** A document that counts how often one of its lines is looked at. */
class CountedLines implements Lines {
  readonly #lines: readonly string[];
  looks = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    this.looks += 1;
    const text = this.#lines[line];
    if (text === undefined) throw new Error(`There is no line ${line}.`);
    return { text };
  }
}

const at = (line: number, character: number): LinePosition => ({ line, character });

describe('text around a position', () => {
  const cases: readonly (readonly [string, string, LinePosition, number, string, string])[] = [
    ['one line', 'abcdef', at(0, 3), 9, 'abc', 'def'],
    ['one line, cut', 'abcdef', at(0, 3), 2, 'bc', 'de'],
    ['several lines', 'a\nbc\nd', at(1, 1), 9, 'a\nb', 'c\nd'],
    ['a line end that just fits', 'a\nbc\nd', at(1, 1), 2, '\nb', 'c\n'],
    ['a line that just fits', 'xa\nbc\ndx', at(1, 1), 3, 'a\nb', 'c\nd'],
    ['the start', 'ab\nc', at(0, 0), 9, '', 'ab\nc'],
    ['the end', 'ab\nc', at(1, 1), 9, 'ab\nc', ''],
    ['nothing', '', at(0, 0), 9, '', ''],
    ['empty lines', '\n\n\n\n', at(2, 0), 9, '\n\n', '\n\n'],
    ['no room', 'ab\ncd', at(1, 1), 0, '', ''],
    ['a pair that does not fit', '😀a|b😀', at(0, 4), 3, 'a|', 'b😀'],
    ['a pair cut in two on both sides', '😀a😀', at(0, 3), 2, 'a', '😀'],
    ['a pair cut behind', 'ab😀', at(0, 1), 2, 'a', 'b'],
    ['a pair on the line above', 'x😀\nab😀', at(1, 1), 3, '\na', 'b😀'],
    ['half a pair that was so already', '\uDE00a', at(0, 2), 9, '\uDE00a', ''],
  ];
  test.each(cases)('%s', (_, text, place, limit, before, behind) => {
    const lines = new CountedLines(text.split('\n'));
    expect([textBefore(lines, place, limit), textAfter(lines, place, limit)]).toEqual([
      before,
      behind,
    ]);
  });

  test.each([
    ['long lines', 'x'.repeat(200), 1_000, 6],
    ['empty lines', '', 1_000, 1_001],
    ['one line of a megabyte', 'x'.repeat(1_000_000), 1_000, 1],
  ])(
    'of %s no more are looked at in a document a hundred times as long',
    (_, line, limit, most) => {
      const looks = [20_000, 2_000_000].map((count) => {
        const lines = new CountedLines(Array.from({ length: count }, () => line));
        const middle = at(count / 2, line.length / 2);
        expect(textBefore(lines, middle, limit)).toHaveLength(limit);
        expect(textAfter(lines, middle, limit)).toHaveLength(limit);
        return lines.looks;
      });
      expect(looks[0]).toBe(looks[1]);
      expect(looks[0]).toBeLessThanOrEqual(2 * most);
    },
  );
});
