import { expect, test } from 'vitest';
import { balanceAfter, type KeyBalance, type CallOutcome, unknownBalance } from './health.ts';

const balance: KeyBalance = { balance: { usd: 2, diem: 1 }, reported: ['usd', 'diem'] };
const balanceAfterAll = (outcomes: readonly CallOutcome[]): KeyBalance['balance'] =>
  outcomes.reduce(balanceAfter, unknownBalance).balance;

test.each([
  ['reached' as const],
  [{ code: 'out-of-funds', message: 'x' } as const],
  [{ balanceUsd: 2, balanceDiem: 1 }],
])('balanceAfter leaves the balance unchanged after the outcome %j', (outcome) => {
  expect(balanceAfter(balance, outcome)).toBe(balance);
});

test('balanceAfter leaves the balance unknown while no reply has a balance header', () => {
  expect(balanceAfter(unknownBalance, { requestId: 'r' })).toBe(unknownBalance);
});

test('balanceAfter reads a missing balance header as zero if an earlier reply for the key had this header', () => {
  expect(balanceAfterAll([{ balanceUsd: 2 }, { requestId: 'r' }])).toEqual({ usd: 0 });
  expect(balanceAfterAll([{ balanceUsd: 2, balanceDiem: 1 }, { balanceUsd: 2 }])).toEqual({
    usd: 2,
    diem: 0,
  });
});

test('balanceAfter leaves an amount unknown if no reply had the header of this amount', () => {
  expect(balanceAfterAll([{ balanceDiem: 3 }, { balanceDiem: 2 }])).toEqual({ diem: 2 });
});

test('balanceAfter does not read a missing balance header as zero if only the body of an earlier reply contained the balance', () => {
  expect(balanceAfterAll([{ balance: { usd: 2 } }, { requestId: 'r' }])).toEqual({ usd: 2 });
});
