import { expect, test } from 'vitest';
import { balanceAfter } from './health.ts';

const balance = { usd: 2, diem: 1 };

test.each([
  ['reached' as const],
  [{ code: 'out-of-funds', message: 'x' } as const],
  [{}],
  [{ requestId: 'r' }],
  [{ balanceUsd: 2, balanceDiem: 1 }],
])('leaves the balance unchanged after the outcome %j', (outcome) => {
  expect(balanceAfter(balance, outcome)).toBe(balance);
});

test('replaces the known balance with the reported balance, without currencies that are not reported', () => {
  expect(balanceAfter(balance, { balanceUsd: 1.5 })).toEqual({ usd: 1.5 });
  expect(balanceAfter({}, { balanceDiem: 3 })).toEqual({ diem: 3 });
});
