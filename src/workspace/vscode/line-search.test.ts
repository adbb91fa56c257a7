import { describe, expect, test } from 'vitest';
import { ToolError } from '../tool-error.ts';
import { LineSearch } from './line-search.ts';
import type { TextQuery } from '../search.ts';

const findLines = (text: string, query: Partial<TextQuery>): string[] => {
  const fullQuery = {
    text: '',
    isRegex: false,
    isCaseSensitive: true,
    contextLineCount: 0,
    maxMatches: 100,
    ...query,
  };
  const [lines = []] = new LineSearch(fullQuery).search([text]);
  return lines.map(({ line, column, text: foundText }) => `${line}:${column ?? '-'}:${foundText}`);
};

describe('LineSearch', () => {
  test.each<readonly [text: string, query: Partial<TextQuery>, expected: readonly string[]]>([
    ['a\nb a a\n', { text: 'a' }, ['1:0:a', '2:2:b a a']],
    ['a\r\nxa\r\n', { text: 'a' }, ['1:0:a', '2:1:xa']],
    ['A', { text: 'a', isCaseSensitive: false }, ['1:0:A']],
    ['a.c abc', { text: 'a.c' }, ['1:0:a.c abc']],
    ['abc', { text: 'a.c', isRegex: true }, ['1:0:abc']],
    ['a\nb', { text: 'a$', isRegex: true }, ['1:0:a']],
    ['a\r\nb', { text: 'a$', isRegex: true }, ['1:0:a']],
    ['a\nb', { text: '^b', isRegex: true }, ['2:0:b']],
    ['foo\n  x', { text: String.raw`foo(?!\s)`, isRegex: true }, ['1:0:foo']],
    ['a\n\nb\n', { text: '^$', isRegex: true }, ['2:0:']],
    ['a\n', { text: 'x*', isRegex: true }, ['1:0:a']],
    ['1\n2\n3\n4\n5', { text: '3', contextLineCount: 1 }, ['2:-:2', '3:0:3', '4:-:4']],
    ['x\nx\ny', { text: 'x', contextLineCount: 1 }, ['1:0:x', '2:0:x', '3:-:y']],
    ['x\nx\nx', { text: 'x', maxMatches: 1 }, ['1:0:x', '2:0:x']],
  ])(
    'finds in the text %j with the query %o the lines (number:column:text) %j',
    (text, query, expected) => {
      expect(findLines(text, query)).toEqual(expected);
    },
  );

  test.each<readonly [text: string, query: Partial<TextQuery>]>([
    ['A', { text: 'a' }],
    ['a\nb', { text: String.raw`a\sb`, isRegex: true }],
    ['a\nb', { text: 'a[^x]b', isRegex: true }],
    ['', { text: 'x*', isRegex: true }],
  ])('finds no line in the text %j with the query %o', (text, query) => {
    expect(findLines(text, query)).toEqual([]);
  });

  test.each(['(', 'a{2,1}', '[z-a]', '(?<a'])(
    'rejects the invalid regular expression %j',
    (text) => {
      expect(() => findLines('', { text, isRegex: true })).toThrow(ToolError);
      expect(findLines(`x${text}`, { text })).toHaveLength(1);
    },
  );

  test('stops a regular expression that backtracks for too long', () => {
    const backtrackingQuery = { text: String.raw`^(\w+\s?)+$`, isRegex: true };
    expect(() => findLines(`${'word '.repeat(20)}word!`, backtrackingQuery)).toThrow(/too long/u);
    expect(findLines('two words', backtrackingQuery)).toEqual(['1:0:two words']);
  });
});
