import { expect, test } from 'vitest';
import { balanceAfter } from './health.ts';

const balance = { usd: 2, diem: 1 };

test.each([
  ['reached' as const],
  [{ code: 'out-of-funds', message: 'x' } as const],
  [{}],
  [{ requestId: 'r' }],
  [{ balanceUsd: 2, balanceDiem: 1 }],
])('%j leaves the balance as it is', (outcome) => {
  expect(balanceAfter(balance, outcome)).toBe(balance);
});

test('a reply that names a balance replaces it: what is zero is left out', () => {
  expect(balanceAfter(balance, { balanceUsd: 1.5 })).toEqual({ usd: 1.5 });
  expect(balanceAfter({}, { balanceDiem: 3 })).toEqual({ diem: 3 });
});
