import { expect, test } from 'vitest';
import { listOtherEntries } from './json.ts';

test('listOtherEntries returns the stored entries that are not replaced, including entries of an unknown format', () => {
  const [readable, unreadable, replaced] = [{ name: 'a', added: 1 }, { format: 2 }, { name: 'b' }];
  const stored = [readable, unreadable, replaced, 'text', 5, null];
  const otherEntries = listOtherEntries(stored, (entry) => entry === replaced);
  expect(otherEntries).toEqual([readable, unreadable, 'text']);
  expect(otherEntries[0]).toBe(readable);
});

test.each([undefined, 'text', { length: 1 }])(
  'listOtherEntries returns no entries for the stored value %j',
  (stored) => {
    expect(listOtherEntries(stored, () => false)).toEqual([]);
  },
);
