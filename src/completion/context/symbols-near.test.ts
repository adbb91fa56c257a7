import { expect, test } from 'vitest';
import type { Snapshot } from '../snapshot.ts';
import { symbolLimits, findNearbySymbols } from './symbols-near.ts';

/** @param line 0-based number of the last line of `prefix`. */
const createSnapshot = (prefix: string, line = prefix.split('\n').length - 1): Snapshot => ({
  documentUri: 'file:///a.ts',
  languageId: 'typescript',
  path: 'a.ts',
  position: { line, character: prefix.length - (prefix.lastIndexOf('\n') + 1) },
  prefix,
  suffix: '',
  indentUnit: '  ',
});

const findNames = (prefix: string): string[] =>
  findNearbySymbols(createSnapshot(prefix)).map(({ name }) => name);

test.each<[string, string[]]>([
  ['', []],
  ['const total = sumOf(prices', ['prices', 'sumOf', 'total']],
  ['let alpha;\nlet beta;\nbeta = alpha', ['alpha', 'beta']],
  ['if (x) return await store.load(', ['load', 'store']],
  ['say("hello world", \'more words\', name', ['name', 'say']],
  ["it's done", ['done', 'it']],
  ['call(); // says something', ['call']],
  ['# a comment\nvalue = other', ['other', 'value']],
  ['#include "list.h"\nsize', ['size']],
  ['0xff + 12px + naïve', ['naïve']],
  ['$item + _other', ['_other', '$item']],
  ['\0\uD83Dname\uDE00', ['name']],
])('findNearbySymbols finds the symbols near the cursor after the text %j', (prefix, names) =>
  expect(findNames(`\n${prefix}`)).toEqual(names),
);

test('findNearbySymbols returns each symbol with the position of its last occurrence', () => {
  const symbols = findNearbySymbols(createSnapshot('start\n  load(item);\n  item.save', 42));
  expect(symbols).toEqual([
    { name: 'save', position: { line: 42, character: 7 } },
    { name: 'item', position: { line: 42, character: 2 } },
    { name: 'load', position: { line: 41, character: 2 } },
  ]);
});

test('findNearbySymbols returns the position of a symbol at the end of a long line', () => {
  const prefix = `${'x'.repeat(50_000)} near(`;
  const snapshot = {
    ...createSnapshot(prefix.slice(-12_000)),
    position: { line: 0, character: 50_006 },
  };
  expect(findNearbySymbols(snapshot)[0]).toEqual({
    name: 'near',
    position: { line: 0, character: 50_001 },
  });
});

test.each([
  Array.from({ length: 500 }, (_, index) => `name${index}`).join(' '),
  '"'.repeat(12_000),
  '\\"'.repeat(6_000),
  'a'.repeat(12_000),
  '\n'.repeat(12_000),
  `${' '.repeat(11_999)}x`,
])('findNearbySymbols returns a limited number of symbols for a long text', (prefix) =>
  expect(findNearbySymbols(createSnapshot(prefix)).length).toBeLessThanOrEqual(
    symbolLimits.symbols,
  ),
);
