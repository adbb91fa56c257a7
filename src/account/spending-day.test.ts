import { expect, test } from 'vitest';
import {
  formatLocalDate,
  emptyDay,
  encodeEntry,
  isSameMonth,
  type SpendingEntry,
  addEntries,
} from './spending-day.ts';

const spendingEntries: readonly SpendingEntry[] = [
  { kind: 'spent', amount: 1_500_000_000n },
  { kind: 'told', period: 'daily' },
  { kind: 'spent', amount: 1n },
  { kind: 'continued', period: 'monthly' },
];
const journalText = spendingEntries.map(encodeEntry).join('');
const expectedDay = {
  spentAmount: 1_500_000_001n,
  warnedPeriods: new Set(['daily']),
  continuedPeriods: new Set(['monthly']),
};

test('addEntries adds up the entries of a whole file, or of lines passed one by one', () => {
  expect(addEntries(emptyDay, journalText)).toEqual(expectedDay);
  const mergedDay = spendingEntries.reduce(
    (day, entry) => addEntries(day, encodeEntry(entry)),
    emptyDay,
  );
  expect(mergedDay).toEqual(expectedDay);
});

test.each([
  '{"usd":"1',
  '7',
  'null',
  '[]',
  '{}',
  '{"usd":-1}',
  '{"usd":"1e9"}',
  '{"usd":1e300}',
  '{"told":"weekly"}',
  '{"continued":true}',
  '\u0000\u0000',
])('addEntries skips the invalid line %j and adds up the valid lines', (invalidLine) => {
  expect(addEntries(emptyDay, invalidLine + journalText)).toEqual(expectedDay);
  expect(addEntries(emptyDay, journalText + invalidLine)).toEqual(expectedDay);
});

test.each([
  ['the start of a day', [2026, 10, 21, 0, 0, 0], '2026-11-21'],
  ['the last second of a day', [2026, 10, 21, 23, 59, 59], '2026-11-21'],
  ['the start of a year', [2026, 0, 1, 0, 0, 0], '2026-01-01'],
  ['the last second of a year', [2026, 11, 31, 23, 59, 59], '2026-12-31'],
] as const)(
  'formatLocalDate converts %s in local time to the date $2',
  (_, [...dateParts], date) => {
    expect(
      formatLocalDate(new Date(...(dateParts as unknown as [number, number, number])).getTime()),
    ).toBe(date);
  },
);

test.each([
  ['2026-11-30', '2026-11-01', true],
  ['2026-11-30', '2026-12-01', false],
  ['2025-11-30', '2026-11-30', false],
])('isSameMonth checks whether %s and %s are in the same month: %s', (a, b, expected) => {
  expect(isSameMonth(a, b)).toBe(expected);
});
