import { expect, test } from 'vitest';
import { computeBilledCost, getSpendingUnit, type CostUnit } from './suggestion-cost.ts';

test.each([
  [{}, 'usd'],
  [{ usd: 5 }, 'usd'],
  [{ usd: 5, diem: 0 }, 'usd'],
  [{ usd: 5, diem: 0.1 }, 'diem'],
] as const)('getSpendingUnit, given the balance %j, returns the currency %s', (balance, unit) => {
  expect(getSpendingUnit({ account: { balance } })).toBe(unit);
});

test.each<[CostUnit, object, object]>([
  ['usd', { usd: 1, diem: 5 }, { usd: 1 }],
  ['diem', { usd: 1, diem: 5 }, { diem: 5 }],
  ['diem', { usd: 1 }, { usd: 1 }],
  ['usd', { diem: 5 }, { diem: 5 }],
  ['usd', {}, {}],
])(
  'computeBilledCost for an account that pays in %s reduces the estimated cost %j to %j',
  (unit, cost, expected) => {
    const exchange = { cost, isEstimate: false, isCostEstimate: true };
    expect(computeBilledCost(exchange, unit)).toEqual({ cost: expected, isCostEstimate: true });
  },
);

test('computeBilledCost does not change a cost that the service reported', () => {
  const cost = { usd: 1, diem: 5 };
  expect(computeBilledCost({ cost, isEstimate: true, isCostEstimate: false }, 'usd')).toEqual({
    cost,
    isCostEstimate: false,
  });
  expect(computeBilledCost({ isEstimate: true, isCostEstimate: true }, 'usd')).toEqual({
    isCostEstimate: true,
  });
});
