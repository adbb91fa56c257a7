import { expect, test } from 'vitest';
import { listOtherEntries } from './stored-list.ts';

test('returns the entries that are not replaced, including those of an unknown format', () => {
  const [known, unknown, replaced] = [{ name: 'a', added: 1 }, { format: 2 }, { name: 'b' }];
  const stored = [known, unknown, replaced, 'text', 5, null];
  const others = listOtherEntries(stored, (entry) => entry === replaced);
  expect(others).toEqual([known, unknown, 'text']);
  expect(others[0]).toBe(known);
});

test.each([undefined, 'text', { length: 1 }])('returns no entries for %j', (stored) => {
  expect(listOtherEntries(stored, () => false)).toEqual([]);
});
