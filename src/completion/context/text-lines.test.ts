import { describe, expect, test } from 'vitest';
import {
  type DocumentLines,
  type LinePosition,
  getTextBefore,
  getTextAfter,
} from './text-lines.ts';

/** Document that counts how often its lines are read. */
class CountingLines implements DocumentLines {
  readonly #lines: readonly string[];
  readCount = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    this.readCount += 1;
    const text = this.#lines[line];
    if (text === undefined) throw new Error(`There is no line ${line}.`);
    return { text };
  }
}

const createPosition = (line: number, character: number): LinePosition => ({ line, character });

describe('getTextBefore and getTextAfter', () => {
  const cases: readonly (readonly [string, string, LinePosition, number, string, string])[] = [
    ['a single line', 'abcdef', createPosition(0, 3), 9, 'abc', 'def'],
    ['a truncated line', 'abcdef', createPosition(0, 3), 2, 'bc', 'de'],
    ['several lines', 'a\nbc\nd', createPosition(1, 1), 9, 'a\nb', 'c\nd'],
    ['a line break at the limit', 'a\nbc\nd', createPosition(1, 1), 2, '\nb', 'c\n'],
    ['a whole line at the limit', 'xa\nbc\ndx', createPosition(1, 1), 3, 'a\nb', 'c\nd'],
    ['the start of the document', 'ab\nc', createPosition(0, 0), 9, '', 'ab\nc'],
    ['the end of the document', 'ab\nc', createPosition(1, 1), 9, 'ab\nc', ''],
    ['an empty document', '', createPosition(0, 0), 9, '', ''],
    ['empty lines', '\n\n\n\n', createPosition(2, 0), 9, '\n\n', '\n\n'],
    ['a limit of zero', 'ab\ncd', createPosition(1, 1), 0, '', ''],
    ['a surrogate pair beyond the limit', '😀a|b😀', createPosition(0, 4), 3, 'a|', 'b😀'],
    ['a surrogate pair split on both sides', '😀a😀', createPosition(0, 3), 2, 'a', '😀'],
    ['a surrogate pair split at the end', 'ab😀', createPosition(0, 1), 2, 'a', 'b'],
    ['a surrogate pair on the previous line', 'x😀\nab😀', createPosition(1, 1), 3, '\na', 'b😀'],
    ['a lone surrogate in the document', '\uDE00a', createPosition(0, 2), 9, '\uDE00a', ''],
  ];
  test.each(cases)(
    'return the text around a position: %s',
    (_, text, position, limit, before, after) => {
      const lines = new CountingLines(text.split('\n'));
      expect([getTextBefore(lines, position, limit), getTextAfter(lines, position, limit)]).toEqual(
        [before, after],
      );
    },
  );

  test.each([
    ['long lines', 'x'.repeat(200), 1_000, 6],
    ['empty lines', '', 1_000, 1_001],
    ['lines of one megabyte', 'x'.repeat(1_000_000), 1_000, 1],
  ])(
    'read the same number of lines if a document with %s is 100 times as long',
    (_, line, limit, maxReads) => {
      const readCounts = [20_000, 2_000_000].map((count) => {
        const lines = new CountingLines(Array.from({ length: count }, () => line));
        const middlePosition = createPosition(count / 2, line.length / 2);
        expect(getTextBefore(lines, middlePosition, limit)).toHaveLength(limit);
        expect(getTextAfter(lines, middlePosition, limit)).toHaveLength(limit);
        return lines.readCount;
      });
      expect(readCounts[0]).toBe(readCounts[1]);
      expect(readCounts[0]).toBeLessThanOrEqual(2 * maxReads);
    },
  );
});
