import { expect, test } from 'vitest';
import type { Cost } from '../service/chat/chat-types.ts';
import type { Bill, PaidRequest } from '../service/chat/spending.ts';
import { computeRequestCost, computeRequestPrice } from './budget.ts';

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const oneMillionUsd = { usd: 1_000_000 };

test.each<[string, Cost | undefined, Bill, Cost | undefined, bigint | undefined]>([
  [
    'the billed cost instead of the estimate',
    undefined,
    { cost: { usd: 0.25 }, usage },
    { usd: 9 },
    250_000_000n,
  ],
  [
    'the sum of the billed USD and DIEM',
    undefined,
    { cost: { usd: 0.25, diem: 0.5 } },
    undefined,
    750_000_000n,
  ],
  [
    'the billed cost instead of the price',
    { usd: 9 },
    { cost: { diem: 2 } },
    undefined,
    2_000_000_000n,
  ],
  [
    'the estimate if the billed cost has no amount',
    undefined,
    { cost: {}, usage },
    { usd: 9 },
    9_000_000_000n,
  ],
  ['zero if the billed cost is zero', undefined, { cost: { usd: 0 }, usage }, { usd: 9 }, 0n],
  [
    'the USD amount of an estimate in USD and DIEM',
    undefined,
    { usage },
    { usd: 0.5, diem: 0.5 },
    500_000_000n,
  ],
  ['the amount of an estimate in DIEM', undefined, { usage }, { diem: 0.5 }, 500_000_000n],
  [
    'undefined if the bill has only token counts and the request has no estimate',
    undefined,
    { usage },
    undefined,
    undefined,
  ],
  ['the price if the bill is empty', { usd: 2, diem: 2 }, {}, undefined, 2_000_000_000n],
  [
    'undefined if the bill is empty and the request has no price and no estimate',
    undefined,
    {},
    undefined,
    undefined,
  ],
  [
    'the estimate if the billed cost is a million dollars',
    undefined,
    { cost: oneMillionUsd, usage },
    { usd: 1 },
    1_000_000_000n,
  ],
  [
    'the estimate if the billed cost is infinite',
    undefined,
    { cost: { usd: Number.POSITIVE_INFINITY }, usage },
    { usd: 1 },
    1_000_000_000n,
  ],
  [
    'the estimate if the billed cost is negative',
    undefined,
    { cost: { usd: -5 }, usage },
    { usd: 1 },
    1_000_000_000n,
  ],
  [
    'undefined if the billed cost is a million dollars and the request has no estimate',
    undefined,
    { cost: oneMillionUsd },
    undefined,
    undefined,
  ],
  [
    'undefined if the bill is empty and the price is a million dollars',
    oneMillionUsd,
    {},
    undefined,
    undefined,
  ],
])('computeRequestCost returns %s', (_, price, bill, estimate, amount) => {
  const request: Pick<PaidRequest, 'price'> = price === undefined ? {} : { price };
  expect(computeRequestCost(request, bill, () => estimate)).toBe(amount);
});

test.each([
  ['zero for a request without a price', {}, 0n],
  ['the USD amount of a price in USD and DIEM', { price: { usd: 2, diem: 3 } }, 2_000_000_000n],
  ['zero for a price without an amount', { price: {} }, 0n],
])('computeRequestPrice returns %s', (_, request, amount) => {
  expect(computeRequestPrice(request)).toBe(amount);
});
