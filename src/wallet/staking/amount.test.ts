import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { formatShortAmount, formatTokenAmount, parseAmount } from './amount.ts';

const limits = { decimals: 18, maxAmount: 1_000n * 10n ** 18n };

describe('parseAmount', () => {
  test.each([
    ['1', 10n ** 18n],
    [' 12 ', 12n * 10n ** 18n],
    ['0.5', 5n * 10n ** 17n],
    ['.5', 5n * 10n ** 17n],
    ['1.', 10n ** 18n],
    ['007', 7n * 10n ** 18n],
    ['0.000000000000000001', 1n],
    ['1.500000000000000000000', 15n * 10n ** 17n],
    ['1000', 1_000n * 10n ** 18n],
    // Exceeds the precision of a floating-point number.
    ['123.456789012345678901', 123_456_789_012_345_678_901n],
    ['0.1', 100_000_000_000_000_000n],
  ])('parses %j without rounding', (text, amount) =>
    expect(parseAmount(text, limits)).toEqual({ amount }),
  );

  test.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['0', 'zero'],
    ['0.000', 'zero'],
    ['.', 'not-a-number'],
    ['1e3', 'not-a-number'],
    ['1E-3', 'not-a-number'],
    ['0x10', 'not-a-number'],
    ['-1', 'not-a-number'],
    ['+1', 'not-a-number'],
    ['1.2.3', 'separator'],
    ['1,5', 'separator'],
    ['1,000', 'separator'],
    ['1.000,50', 'separator'],
    ["1'000", 'separator'],
    ['1 000', 'separator'],
    ['1\u{A0}000', 'separator'],
    ['1_000', 'separator'],
    ['١٢', 'not-a-number'],
    ['１２', 'not-a-number'],
    ['12 ETH', 'not-a-number'],
    ['$12', 'not-a-number'],
    ['Infinity', 'not-a-number'],
    ['NaN', 'not-a-number'],
    ['1\n2', 'separator'],
    ['9'.repeat(200), 'not-a-number'],
    ['0.0000000000000000001', 'too-many-decimals'],
    ['1000.000000000000000001', 'over-balance'],
    ['1001', 'over-balance'],
  ])('rejects %j with the problem “%s”', (text, problem) =>
    expect(parseAmount(text, limits)).toEqual({ problem }),
  );

  test('accepts only whole numbers for a token without decimals', () => {
    const wholeNumberToken = { decimals: 0, maxAmount: 10n };
    expect(parseAmount('10', wholeNumberToken)).toEqual({ amount: 10n });
    expect(parseAmount('1.0', wholeNumberToken)).toEqual({ amount: 1n });
    expect(parseAmount('1.5', wholeNumberToken)).toEqual({ problem: 'too-many-decimals' });
  });
});

describe('formatTokenAmount', () => {
  test.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [15n * 10n ** 17n, 18, '1.5'],
    [1_000_000n * 10n ** 18n, 18, '1000000'],
    [12n, 0, '12'],
    [-5n, 1, '-0.5'],
  ])('formats %s with %d decimals as %s', (amount, decimals, text) =>
    expect(formatTokenAmount(amount, decimals)).toBe(text),
  );

  test('returns text that parseAmount restores exactly', () => {
    const amounts = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 36 }), (amount, decimals) => {
        const parsedAmount = parseAmount(formatTokenAmount(amount, decimals), {
          decimals,
          maxAmount: amount,
        });
        expect(parsedAmount).toEqual({ amount });
      }),
    );
  });
});

test.each([
  [0n, 18, '0'],
  [1_500_000_000_000_000_000n, 18, '1.5'],
  [12_345_678_900_000_000_000n, 18, '12.3456'],
  [1_999_999n, 6, '1.9999'],
  [1n, 18, '<0.0001'],
  [100n, 6, '0.0001'],
  [123n, 2, '1.23'],
])(
  'formatShortAmount formats %s with %s decimals as %s, rounded down to at most four decimals',
  (amount, decimals, text) => {
    expect(formatShortAmount(amount, decimals)).toBe(text);
  },
);
