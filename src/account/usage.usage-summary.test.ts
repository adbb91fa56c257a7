import { expect, test } from 'vitest';
import { formatLocalDate } from './spending-day.ts';
import { listLastDays, sumUsageBy, sumUsage, type UsageRecord } from './usage.ts';

const createUsageRecord = (model: string, spentAmount: bigint): UsageRecord => ({
  day: '2026-11-20',
  feature: 'chat',
  model,
  spentAmount,
  promptTokens: 10,
  cachedTokens: 4,
  completionTokens: 1,
});

test('sumUsageBy adds up cost and tokens by model without rounding', () => {
  const sums = sumUsageBy(
    [createUsageRecord('a', 1n), createUsageRecord('b', 2n), createUsageRecord('a', 3n)],
    ({ model }) => model,
  );
  expect([...sums]).toEqual([
    ['a', { requests: 2, promptTokens: 20, cachedTokens: 8, completionTokens: 2, spentAmount: 4n }],
    ['b', { requests: 1, promptTokens: 10, cachedTokens: 4, completionTokens: 1, spentAmount: 2n }],
  ]);
  expect(sumUsage(sums.values())).toMatchObject({ requests: 3, spentAmount: 6n });
});

test('listLastDays returns the dates of the last days across the end of a month', () => {
  const now = new Date(2026, 2, 1, 0, 30).getTime();
  expect(listLastDays(now, 3, formatLocalDate)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('listLastDays lists each date once when daylight saving time changes', () => {
  const now = new Date(2026, 10, 2, 23, 30).getTime();
  expect(new Set(listLastDays(now, 400, formatLocalDate)).size).toBe(400);
});
