import { expect, test } from 'vitest';
import type { ManagedKey } from '../../../service/api-keys.ts';
import { formatSpending } from './key-labels.ts';

const keyUsage = { usd: 250_000_000n, diem: 1_500_000_000n };

test.each([
  [{ usd: 5 }, '$1.75 of $5 per month'],
  [{ diem: 2 }, '1.50 DIEM of 2 DIEM per month'],
  [undefined, '$1.75 in 7 days'],
])('formatSpending shows spending with the limit %j as %j', (consumptionLimit, text) => {
  const key = {
    weekUsage: keyUsage,
    periodUsage: keyUsage,
    consumptionLimit,
    limitPeriod: 'MONTH',
  };
  expect(formatSpending(key as unknown as ManagedKey)).toBe(text);
});
