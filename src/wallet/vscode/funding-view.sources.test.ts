import { expect, test } from 'vitest';
import { getNextFundingSource } from './funding-view.ts';

test.each([
  [{ diem: 1, bundled: 5, usd: 10 }, 'diem'],
  [{ diem: 0, bundled: 5, usd: 10 }, 'bundled'],
  [{ diem: 0, bundled: 0, usd: 10 }, 'usd'],
  [{ diem: 0, bundled: 0, usd: 0 }, 'none'],
  [{ diem: -0.01, bundled: 0, usd: 0.5 }, 'usd'],
  [{ diem: 1 }, 'diem'],
  [{ diem: 0, bundled: 5 }, 'bundled'],
] as const)(
  'getNextFundingSource selects from the balances %j, in the order DIEM, bundled credits, US dollars, the source “%s”',
  (funds, expected) => {
    expect(getNextFundingSource(funds, false)).toBe(expected);
  },
);

test.each([
  // An unknown amount comes first, or the known amounts are spent.
  { usd: 10 },
  { usd: 0 },
  { diem: 0 },
  { bundled: 5 },
  { diem: 0, usd: 0 },
  { diem: 0, usd: 5 },
  { diem: 0, bundled: 0 },
  {},
  { diemAllocation: 5 },
] as const)(
  'getNextFundingSource returns undefined for the balances %j, because the next balance is unknown',
  (funds) => {
    expect(getNextFundingSource(funds, false)).toBeUndefined();
  },
);

test.each([
  [{ usd: 10 }, 'usd'],
  [{ usd: 10, diem: 1 }, 'diem'],
  [{ usd: 0 }, 'none'],
  [{ diem: 0 }, undefined],
  [{}, undefined],
] as const)(
  'getNextFundingSource, for a wallet with the balances %j, returns %j',
  (funds, expected) => {
    expect(getNextFundingSource(funds, true)).toBe(expected);
  },
);
