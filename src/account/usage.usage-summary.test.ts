import { expect, test } from 'vitest';
import { dayName } from './spending-day.ts';
import { lastDays, sumBy, totalUsage, type UsageRecord } from './usage.ts';

const record = (model: string, spent: bigint): UsageRecord => ({
  day: '2026-11-20',
  feature: 'chat',
  model,
  spent,
  promptTokens: 10,
  cachedTokens: 4,
  completionTokens: 1,
});

test('sumBy adds up cost and tokens by model without rounding', () => {
  const sums = sumBy([record('a', 1n), record('b', 2n), record('a', 3n)], ({ model }) => model);
  expect([...sums]).toEqual([
    ['a', { requests: 2, promptTokens: 20, cachedTokens: 8, completionTokens: 2, spent: 4n }],
    ['b', { requests: 1, promptTokens: 10, cachedTokens: 4, completionTokens: 1, spent: 2n }],
  ]);
  expect(totalUsage(sums.values())).toMatchObject({ requests: 3, spent: 6n });
});

test('lastDays returns the dates of the last days across the end of a month', () => {
  const now = new Date(2026, 2, 1, 0, 30).getTime();
  expect(lastDays(now, 3, dayName)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('lastDays lists each date once when daylight saving time changes', () => {
  const now = new Date(2026, 10, 2, 23, 30).getTime();
  expect(new Set(lastDays(now, 400, dayName)).size).toBe(400);
});
