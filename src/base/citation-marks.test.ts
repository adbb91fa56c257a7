import { expect, test } from 'vitest';
import { citationMarks, sourcesOfMark } from './citation-marks.ts';

test.each<[mark: string, sources: readonly number[]]>([
  ['^1^', [1]],
  ['^1,3^', [1, 3]],
  ['^2,2^', [2]],
  ['^50^', [50]],
  ['[REF]0[/REF]', [1]],
  ['[REF]0,4[/REF]', [1, 5]],
  ['^100^', []],
  ['^1, 3^', []],
  ['^a^', []],
  ['^^', []],
  ['[REF][/REF]', []],
  ['[ref]1[/ref]', []],
  ['', []],
])('%s', (mark, sources) => {
  expect(sourcesOfMark(mark)).toEqual(sources);
});

test('marks are found side by side', () => {
  expect('So.^1^^2,3^[REF]4[/REF]'.match(citationMarks)).toEqual(['^1^', '^2,3^', '[REF]4[/REF]']);
});

test('a long row of digits takes no longer than it is', () => {
  const text = `^${'1,'.repeat(100_000)}`;
  expect(text.match(citationMarks)).toBeNull();
});
