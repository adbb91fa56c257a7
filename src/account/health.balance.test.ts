import { expect, test } from 'vitest';
import {
  computeBalanceAfter,
  type KeyBalance,
  type CallOutcome,
  unknownBalance,
} from './health.ts';

const balance: KeyBalance = { balance: { usd: 2, diem: 1 }, reported: ['usd', 'diem'] };
const balanceAfterAll = (outcomes: readonly CallOutcome[]): KeyBalance['balance'] =>
  outcomes.reduce(computeBalanceAfter, unknownBalance).balance;

test.each([
  ['reached' as const],
  [{ code: 'out-of-funds', message: 'x' } as const],
  [{ balanceUsd: 2, balanceDiem: 1 }],
])('computeBalanceAfter leaves the balance unchanged after the outcome %j', (outcome) => {
  expect(computeBalanceAfter(balance, outcome)).toBe(balance);
});

test('computeBalanceAfter leaves the balance unknown until a reply has a balance header', () => {
  expect(computeBalanceAfter(unknownBalance, { requestId: 'r' })).toBe(unknownBalance);
});

test('computeBalanceAfter reads a missing balance header as zero if an earlier reply for the key had this header', () => {
  expect(balanceAfterAll([{ balanceUsd: 2 }, { requestId: 'r' }])).toEqual({ usd: 0 });
  expect(balanceAfterAll([{ balanceUsd: 2, balanceDiem: 1 }, { balanceUsd: 2 }])).toEqual({
    usd: 2,
    diem: 0,
  });
});

test('computeBalanceAfter leaves an amount unknown if no reply had the header of this amount', () => {
  expect(balanceAfterAll([{ balanceDiem: 3 }, { balanceDiem: 2 }])).toEqual({ diem: 2 });
});

test('computeBalanceAfter does not read a missing balance header as zero if only the body of an earlier reply contained the balance', () => {
  expect(balanceAfterAll([{ balance: { usd: 2 } }, { requestId: 'r' }])).toEqual({ usd: 2 });
});
