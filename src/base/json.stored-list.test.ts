import { expect, test } from 'vitest';
import { listRetainedEntries } from './json.ts';

test('listRetainedEntries returns the stored entries that are not replaced, including entries of an unknown format', () => {
  const [readableEntry, unreadableEntry, replacedEntry] = [
    { name: 'a', added: 1 },
    { format: 2 },
    { name: 'b' },
  ];
  const storedEntries = [readableEntry, unreadableEntry, replacedEntry, 'text', 5, null];
  const otherEntries = listRetainedEntries(storedEntries, (entry) => entry === replacedEntry);
  expect(otherEntries).toEqual([readableEntry, unreadableEntry, 'text']);
  expect(otherEntries[0]).toBe(readableEntry);
});

test.each([undefined, 'text', { length: 1 }])(
  'listRetainedEntries returns no entries for the stored value %j',
  (storedEntries) => {
    expect(listRetainedEntries(storedEntries, () => false)).toEqual([]);
  },
);
