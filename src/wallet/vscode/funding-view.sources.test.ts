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
  // An unknown amount comes first, or the known amounts are spent.
  [{ usd: 10 }, undefined],
  [{ usd: 0 }, undefined],
  [{ diem: 0 }, undefined],
  [{ bundled: 5 }, undefined],
  [{ diem: 0, usd: 0 }, undefined],
  [{ diem: 0, usd: 5 }, undefined],
  [{ diem: 0, bundled: 0 }, undefined],
  [{}, undefined],
  [{ diemAllocation: 5 }, undefined],
] as const)(
  'getNextFundingSource returns the first source of %j in the order DIEM, bundled credits, US dollars: %s',
  (funds, expected) => {
    expect(getNextFundingSource(funds, false)).toBe(expected);
  },
);

test.each([
  [{ usd: 10 }, 'usd'],
  [{ usd: 10, diem: 1 }, 'diem'],
  [{ usd: 0 }, 'none'],
  [{ diem: 0 }, undefined],
  [{}, undefined],
] as const)(
  'getNextFundingSource, for a wallet with the funds %j, returns the source %s',
  (funds, expected) => {
    expect(getNextFundingSource(funds, true)).toBe(expected);
  },
);
