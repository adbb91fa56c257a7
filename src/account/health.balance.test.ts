import { expect, test } from 'vitest';
import {
  computeBalanceAfterCall,
  type KeyBalance,
  type CallOutcome,
  unknownBalance,
} from './health.ts';

const balance: KeyBalance = { balance: { usd: 2, diem: 1 }, reportedCurrencies: ['usd', 'diem'] };
const computeBalanceAfterCalls = (outcomes: readonly CallOutcome[]): KeyBalance['balance'] =>
  outcomes.reduce(computeBalanceAfterCall, unknownBalance).balance;

test.each([
  ['a request that reached the service', 'reached' as const],
  ['a request that failed for lack of funds', { code: 'out-of-funds', message: 'x' } as const],
  ['a request that reports the same balance', { balanceUsd: 2, balanceDiem: 1 }],
])('computeBalanceAfterCall leaves the balance unchanged after %s', (_, outcome) => {
  expect(computeBalanceAfterCall(balance, outcome)).toBe(balance);
});

test('computeBalanceAfterCall leaves the balance unknown until a reply has a balance header', () => {
  expect(computeBalanceAfterCall(unknownBalance, { requestId: 'r' })).toBe(unknownBalance);
});

test('computeBalanceAfterCall reads a missing balance header as zero if an earlier reply for the key had this header', () => {
  expect(computeBalanceAfterCalls([{ balanceUsd: 2 }, { requestId: 'r' }])).toEqual({ usd: 0 });
  expect(computeBalanceAfterCalls([{ balanceUsd: 2, balanceDiem: 1 }, { balanceUsd: 2 }])).toEqual({
    usd: 2,
    diem: 0,
  });
});

test('computeBalanceAfterCall leaves an amount unknown if no reply had the header for this amount', () => {
  expect(computeBalanceAfterCalls([{ balanceDiem: 3 }, { balanceDiem: 2 }])).toEqual({ diem: 2 });
});

test('computeBalanceAfterCall does not read a missing balance header as zero if only the body of an earlier reply contained the balance', () => {
  expect(computeBalanceAfterCalls([{ balance: { usd: 2 } }, { requestId: 'r' }])).toEqual({
    usd: 2,
  });
});
