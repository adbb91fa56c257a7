import { expect, test } from 'vitest';
import { estimateCost } from './pricing.ts';

const usage = { promptTokens: 1_000_000, completionTokens: 500_000, totalTokens: 1_500_000 };
const pricing = { input: { usd: 0.2 }, output: { usd: 0.8 } };

test('a cost is tokens times the price per million', () => {
  expect(estimateCost(usage, pricing)?.usd).toBeCloseTo(0.6);
});

test('cached tokens count at their own price, else as input', () => {
  const cached = { ...usage, cachedTokens: 500_000 };
  const cheap = { ...pricing, cacheInput: { usd: 0.02 } };
  expect(estimateCost(cached, cheap)?.usd).toBeCloseTo(0.51);
  expect(estimateCost(cached, pricing)?.usd).toBeCloseTo(0.6);
});

test('more cached tokens than prompt tokens do not make a cost negative', () => {
  const odd = { ...usage, cachedTokens: 9_000_000 };
  const cheap = { ...pricing, cacheInput: { usd: 0 } };
  expect(estimateCost(odd, cheap)?.usd).toBeCloseTo(0.4);
});

test('each unit is counted for itself, and a unit without both prices is not', () => {
  const both = { input: { usd: 1, diem: 2 }, output: { diem: 4 } };
  expect(estimateCost(usage, both)).toEqual({ diem: 4 });
});

test.each([undefined, {}, { input: { usd: 1 } }])(
  'without prices (%j) there is no cost',
  (prices) => {
    expect(estimateCost(usage, prices)).toBeUndefined();
  },
);

test('an answer from the web costs its search besides', () => {
  expect(estimateCost(usage, pricing, 1)?.usd).toBeCloseTo(0.61);
  expect(estimateCost(usage, {}, 1)).toBeUndefined();
});
