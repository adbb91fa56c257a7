import { expect, test } from 'vitest';
import { growth } from '../../../test/support/growth.ts';
import { FileLines, LineIndex } from './file-lines.ts';
import { detectWrapping, unwrapHunk } from './unwrap.ts';

const file = new FileLines(new LineIndex('a\n'));

test.each([
  ['```ts\na\nb\n```', 'a\nb'],
  ['\n  ```\na\n  ```\n', 'a'],
  ['~~~~ts\na\n\n~~~~', 'a\n'],
  ['```\n  a```', '  a'],
  ['```\n  a  ```  ', '  a'],
])('unwrapHunk removes the fence of %j', (search, expected) => {
  const hunks = unwrapHunk({ search, replace: 'c' }, file);
  expect(hunks.filter(({ wrapping }) => wrapping === 'fence')).toEqual([
    { search: expected, replace: 'c', wrapping: 'fence' },
  ]);
  expect(detectWrapping({ search, replace: 'c' })).toBe('fence');
});

test.each(['```ts\na', '``\na\n``', '```\na\n~~~', '```a```', '```\na\n```\nb\n```', 'a\n```'])(
  'unwrapHunk detects no fence in %j',
  (search) => {
    const hunks = unwrapHunk({ search, replace: 'c' }, file);
    expect(hunks.filter(({ wrapping }) => wrapping === 'fence')).toEqual([]);
  },
);

const maxSize = 16_000;

test.each([
  ['a number', '1', 'x'],
  ['a fence', '```\n', 'x'],
  ['a closing fence', '```\na', '```'],
  ['a fence of tildes', '~~~', 'x'],
])('unwrapHunk takes time in proportion to the white space after %s', (_, start, end) => {
  const run = (size: number): void => {
    // Small inputs take too little time to measure.
    for (let count = 0; count < 10; count += 1) {
      const search = start + ' '.repeat(size) + end;
      unwrapHunk({ search, replace: search }, file);
      detectWrapping({ search, replace: search });
    }
  };
  expect(growth(run, { small: maxSize / 8, times: 8 }).perUnit).toBeLessThan(3);
});
