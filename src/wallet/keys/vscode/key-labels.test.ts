import { expect, test } from 'vitest';
import type { ManagedKey } from '../../../service/api-keys.ts';
import { formatSpending } from './key-labels.ts';

const keyUsage = { usd: 250_000_000n, diem: 1_500_000_000n };

test.each([
  ['a monthly limit of 5 US dollars', { usd: 5 }, '$1.75 of $5 per month'],
  ['a monthly limit of 2 DIEM', { diem: 2 }, '1.50 DIEM of 2 DIEM per month'],
  ['no limit', undefined, '$1.75 in 7 days'],
])(
  'formatSpending shows the spending of a key with $0 as "$2"',
  (_limit, consumptionLimit, text) => {
    const key = {
      weekUsage: keyUsage,
      periodUsage: keyUsage,
      consumptionLimit,
      limitPeriod: 'MONTH',
    };
    expect(formatSpending(key as unknown as ManagedKey)).toBe(text);
  },
);
