import { expect, test } from 'vitest';
import { estimateCost } from './pricing.ts';

const tokenUsage = { promptTokens: 1_000_000, completionTokens: 500_000, totalTokens: 1_500_000 };
const tokenPrices = { input: { usd: 0.2 }, output: { usd: 0.8 } };

test('estimateCost estimates the cost from token counts and prices per million tokens', () => {
  expect(estimateCost(tokenUsage, tokenPrices)?.usd).toBeCloseTo(0.6);
});

test('estimateCost charges cached tokens at the cache price, or at the input price without a cache price', () => {
  const cachedUsage = { ...tokenUsage, cachedTokens: 500_000 };
  const cachePricing = { ...tokenPrices, cacheInput: { usd: 0.02 } };
  expect(estimateCost(cachedUsage, cachePricing)?.usd).toBeCloseTo(0.51);
  expect(estimateCost(cachedUsage, tokenPrices)?.usd).toBeCloseTo(0.6);
});

test('estimateCost limits the number of cached tokens to the number of prompt tokens', () => {
  const unusualUsage = { ...tokenUsage, cachedTokens: 9_000_000 };
  const cachePricing = { ...tokenPrices, cacheInput: { usd: 0 } };
  expect(estimateCost(unusualUsage, cachePricing)?.usd).toBeCloseTo(0.4);
});

test('estimateCost computes each currency separately and omits a currency that lacks a price', () => {
  const usdAndDiem = { input: { usd: 1, diem: 2 }, output: { diem: 4 } };
  expect(estimateCost(tokenUsage, usdAndDiem)).toEqual({ diem: 4 });
});

test.each([
  ['no prices', undefined],
  ['empty prices', {}],
  ['an input price without an output price', { input: { usd: 1 } }],
])('estimateCost returns undefined for %s', (_description, prices) => {
  expect(estimateCost(tokenUsage, prices)).toBeUndefined();
});

test('estimateCost adds the price of web searches to the token cost', () => {
  expect(estimateCost(tokenUsage, tokenPrices, 1)?.usd).toBeCloseTo(0.61);
  expect(estimateCost(tokenUsage, {}, 1)).toBeUndefined();
});
