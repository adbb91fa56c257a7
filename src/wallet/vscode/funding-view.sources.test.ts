import { expect, test } from 'vitest';
import { nextFundingSource } from './funding-view.ts';

test.each([
  [{ diem: 1, bundled: 5, usd: 10 }, 'diem'],
  [{ diem: 0, bundled: 5, usd: 10 }, 'bundled'],
  [{ diem: 0, bundled: 0, usd: 10 }, 'usd'],
  [{ usd: 10 }, 'usd'],
  [{ diem: 0, usd: 0 }, 'none'],
  [{ diem: -0.01, usd: 0.5 }, 'usd'],
  [{}, undefined],
  [{ diemAllocation: 5 }, undefined],
] as const)('spends DIEM, then bundled credits, then US dollars of %j: %s', (funds, expected) => {
  expect(nextFundingSource(funds)).toBe(expected);
});
