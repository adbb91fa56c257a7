import { expect, test } from 'vitest';
import { formatPricing } from './pricing.ts';

test.each([
  [{ input: { usd: 0.15 }, output: { usd: 0.6 } }, '$0.15 in · $0.60 out / 1M'],
  [{ input: { usd: 0.02 } }, '$0.02 in / 1M'],
  [{ input: { diem: 0.02 } }, ''],
  [{}, ''],
])('formats the prices %j as %j', (pricing, text) => expect(formatPricing(pricing)).toBe(text));
