import { expect, test } from 'vitest';
import type { Cost } from '../service/chat/chat-types.ts';
import type { Bill, PaidRequest } from '../service/chat/spending.ts';
import { computeRequestCost, computeRequestPrice } from './budget.ts';

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const oneMillionUsd = { usd: 1_000_000 };

test.each<[Cost | undefined, Bill, Cost | undefined, bigint | undefined]>([
  [undefined, { cost: { usd: 0.25 }, usage }, { usd: 9 }, 250_000_000n],
  [undefined, { cost: { usd: 0.25, diem: 0.5 } }, undefined, 750_000_000n],
  [{ usd: 9 }, { cost: { diem: 2 } }, undefined, 2_000_000_000n],
  [undefined, { cost: {}, usage }, { usd: 9 }, 9_000_000_000n],
  [undefined, { cost: { usd: 0 }, usage }, { usd: 9 }, 0n],
  [undefined, { usage }, { usd: 0.5, diem: 0.5 }, 500_000_000n],
  [undefined, { usage }, { diem: 0.5 }, 500_000_000n],
  [undefined, { usage }, undefined, undefined],
  [{ usd: 2, diem: 2 }, {}, undefined, 2_000_000_000n],
  [undefined, {}, undefined, undefined],
  [undefined, { cost: oneMillionUsd, usage }, { usd: 1 }, 1_000_000_000n],
  [undefined, { cost: { usd: Number.POSITIVE_INFINITY }, usage }, { usd: 1 }, 1_000_000_000n],
  [undefined, { cost: { usd: -5 }, usage }, { usd: 1 }, 1_000_000_000n],
  [undefined, { cost: oneMillionUsd }, undefined, undefined],
  [oneMillionUsd, {}, undefined, undefined],
])(
  'computeRequestCost, given the price %j, the bill %j and the estimate %j, returns $3 nano-dollars',
  (price, bill, estimate, amount) => {
    const request: Pick<PaidRequest, 'price'> = price === undefined ? {} : { price };
    expect(computeRequestCost(request, bill, () => estimate)).toBe(amount);
  },
);

test.each([
  [{}, 0n],
  [{ price: { usd: 2, diem: 3 } }, 2_000_000_000n],
  [{ price: {} }, 0n],
])(
  'computeRequestPrice returns the price of the request %j in nano-dollars: %s',
  (request, amount) => {
    expect(computeRequestPrice(request)).toBe(amount);
  },
);
