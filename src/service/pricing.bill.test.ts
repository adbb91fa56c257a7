import { expect, test } from 'vitest';
import { fc } from '../../test/support/property.ts';
import { estimateCost, formatPricing } from './pricing.ts';
import { readModel } from './read-model.ts';

/** Prices in millionths of a dollar per million tokens. Integers, so that the expected bill is exact. */
const microsArbitrary = fc.integer({ min: 0, max: 600_000_000 });
const ratesArbitrary = fc.record({
  input: microsArbitrary,
  output: microsArbitrary,
  cacheInput: microsArbitrary,
  cacheWrite: microsArbitrary,
});
type Rates = typeof ratesArbitrary extends fc.Arbitrary<infer Value> ? Value : never;
const createPrice = (value: number) => ({ usd: value / 1e6, diem: value / 1e6 });
const createPricingRecord = ({ input, output, cacheInput, cacheWrite }: Rates) => ({
  input: createPrice(input),
  output: createPrice(output),
  cache_input: createPrice(cacheInput),
  cache_write: createPrice(cacheWrite),
});

/** Returns the expected bill in trillionths of a dollar. */
const computeBill = (
  usage: {
    plainTokens: number;
    cachedTokens: number;
    writtenTokens: number;
    completionTokens: number;
  },
  appliedRates: Rates,
): bigint =>
  BigInt(usage.plainTokens) * BigInt(appliedRates.input) +
  BigInt(usage.cachedTokens) * BigInt(appliedRates.cacheInput) +
  BigInt(usage.writtenTokens) * BigInt(appliedRates.cacheWrite) +
  BigInt(usage.completionTokens) * BigInt(appliedRates.output);

const tokenCountArbitrary = fc.integer({ min: 0, max: 2_000_000 });

test('estimateCost returns the exact cost below and above the threshold of extended prices', () => {
  fc.assert(
    fc.property(
      ratesArbitrary,
      ratesArbitrary,
      fc.record({
        plainTokens: tokenCountArbitrary,
        cachedTokens: tokenCountArbitrary,
        writtenTokens: tokenCountArbitrary,
        completionTokens: tokenCountArbitrary,
      }),
      fc.constantFrom(-1, 0, 1),
      (baseRates, extendedRates, usage, distance) => {
        const promptTokens = usage.plainTokens + usage.cachedTokens + usage.writtenTokens;
        const threshold = Math.max(0, promptTokens - distance);
        const model = readModel({
          id: 'm',
          model_spec: {
            pricing: {
              ...createPricingRecord(baseRates),
              extended: {
                context_token_threshold: threshold,
                ...createPricingRecord(extendedRates),
              },
            },
          },
        });
        const cost = estimateCost(
          {
            promptTokens,
            completionTokens: usage.completionTokens,
            totalTokens: promptTokens + usage.completionTokens,
            cachedTokens: usage.cachedTokens,
            cacheWriteTokens: usage.writtenTokens,
          },
          model?.pricing,
        );
        const expected = computeBill(usage, promptTokens > threshold ? extendedRates : baseRates);
        expect(cost).toEqual({ usd: Number(`${expected}e-12`), diem: Number(`${expected}e-12`) });
      },
    ),
  );
});

test('estimateCost uses the normal price if an extended price is missing', () => {
  const pricing = {
    input: { usd: 1 },
    output: { usd: 4 },
    cacheInput: { usd: 0.1 },
    extended: { threshold: 10, input: { usd: 2 } },
  };
  const usage = { promptTokens: 20, completionTokens: 5, totalTokens: 25, cachedTokens: 10 };
  expect(estimateCost(usage, pricing)).toEqual({ usd: 0.000041 });
});

test('formatPricing formats prices in dollars for a model with prices in DIEM only', () => {
  expect(formatPricing({ input: { diem: 0.5 }, output: { diem: 2 } })).toBe(
    '$0.50 in · $2 out / 1M',
  );
});
