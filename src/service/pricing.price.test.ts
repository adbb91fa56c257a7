import { expect, test } from 'vitest';
import { formatPrice, formatPricing } from './pricing.ts';

test.each([
  [{ input: { usd: 0.15 }, output: { usd: 0.6 } }, '$0.15 in · $0.60 out / 1M'],
  [{ input: { usd: 0.02 } }, '$0.02 in / 1M'],
  [{ input: { diem: 0.02 } }, '$0.02 in / 1M'],
  [{}, ''],
])('formatPricing formats the prices %j as %j', (pricing, text) =>
  expect(formatPricing(pricing)).toBe(text),
);

test.each([
  [undefined, ''],
  [{}, ''],
  [{ usd: 0.04, diem: 0.04 }, '$0.04'],
  [{ usd: 0 }, '$0'],
  [{ diem: 0.125 }, '$0.125'],
])('formatPrice formats the price %j as %j', (price, text) =>
  expect(formatPrice(price)).toBe(text),
);
