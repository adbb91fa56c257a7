import { expect, test } from 'vitest';
import { formatNano, convertNanoToNumber, parseNano } from './nano-amount.ts';

test.each([
  [0, 0n],
  [1.5, 1_500_000_000n],
  [0.1 + 0.2, 300_000_000n],
  [1e-9, 1n],
  [1e-10, 0n],
  [9_999_999_999, 9_999_999_999_000_000_000n],
  ['0', 0n],
  ['12.3456', 12_345_600_000n],
  ['0.0000000019', 1n],
  ['9999999999.999999999', 9_999_999_999_999_999_999n],
])('parseNano parses the amount %j', (value, amount) => {
  expect(parseNano(value)).toBe(amount);
});

test.each([
  -1,
  -0.001,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e10,
  '',
  '-1',
  '1e3',
  '1,5',
  '0x10',
  ' 1',
  '.5',
  '10000000000',
  `0.${'1'.repeat(1_000)}`,
  null,
  undefined,
  true,
  [1],
  { usd: 1 },
])('parseNano rejects the amount %j', (value) => {
  expect(parseNano(value)).toBeUndefined();
});

test.each([
  [0n, '0'],
  [1n, '0.000000001'],
  [1_500_000_000n, '1.5'],
  [100_000_000_000n, '100'],
  [9_999_999_999_999_999_999n, '9999999999.999999999'],
])('formatNano formats %s as %s and parses the result', (amount, text) => {
  expect(formatNano(amount)).toBe(text);
  expect(parseNano(text)).toBe(amount);
});

test('convertNanoToNumber converts nano amounts to whole units', () => {
  expect(convertNanoToNumber(1_250_000_000n)).toBe(1.25);
});
