import { expect, test } from 'vitest';
import { citationMarkPattern, parseCitationMark } from './citation-marks.ts';

test.each<[mark: string, sources: readonly number[]]>([
  ['^1^', [1]],
  ['^1,3^', [1, 3]],
  ['^2,2^', [2]],
  ['^50^', [50]],
  ['[REF]0[/REF]', [1]],
  ['[REF]0,4[/REF]', [1, 5]],
])('parseCitationMark parses the mark %j as the citation numbers %j', (mark, numbers) => {
  expect(parseCitationMark(mark)).toEqual(numbers);
});

test.each(['^100^', '^1, 3^', '^a^', '^^', '[REF][/REF]', '[ref]1[/ref]', ''])(
  'parseCitationMark returns no citation numbers for %j',
  (mark) => {
    expect(parseCitationMark(mark)).toEqual([]);
  },
);

test('citationMarkPattern matches each of several adjacent citation marks', () => {
  expect('So.^1^^2,3^[REF]4[/REF]'.match(citationMarkPattern)).toEqual([
    '^1^',
    '^2,3^',
    '[REF]4[/REF]',
  ]);
});

test('citationMarkPattern matches a long run of digits in linear time', () => {
  const text = `^${'1,'.repeat(100_000)}`;
  expect(text.match(citationMarkPattern)).toBeNull();
});
