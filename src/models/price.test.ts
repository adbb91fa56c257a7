import { expect, test } from 'vitest';
import { formatPricing, formatUsd } from './price.ts';
import { formatTokens } from './tokens.ts';

test.each([
  [0, '$0'],
  [12, '$12'],
  [0.15, '$0.15'],
  [37.5, '$37.50'],
  [0.0021, '$0.0021'],
  [0.000_004_2, '$0.000004'],
  [1_234.5, '$1,234.50'],
  [-0.5, '-$0.50'],
])('%d is %s', (usd, text) => expect(formatUsd(usd)).toBe(text));

test.each([
  [{ input: { usd: 0.15 }, output: { usd: 0.6 } }, '$0.15 in · $0.60 out / 1M'],
  [{ input: { usd: 0.02 } }, '$0.02 in / 1M'],
  [{ input: { diem: 0.02 } }, ''],
  [{}, ''],
])('the prices %j read %j', (pricing, text) => expect(formatPricing(pricing)).toBe(text));

test.each([
  [900, '900'],
  [32_768, '33k'],
  [131_072, '131k'],
  [1_000_000, '1M'],
  [1_048_576, '1M'],
  [1_500_000, '1.5M'],
])('%d tokens are %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text));
