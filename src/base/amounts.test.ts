import { expect, test } from 'vitest';
import {
  formatAmount,
  formatCount,
  formatDecimal,
  formatTokens,
  formatUsd,
  formatUsdColumn,
  setAmountLocale,
  stripEllipsis,
} from './amounts.ts';
import { hasHiddenCharacters } from './visible-text.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [1_234, '1.2k'],
  [9_960, '10k'],
  [32_768, '33k'],
  [131_072, '131k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_048_576, '1M'],
  [1_500_000, '1.5M'],
])('formatTokens formats %d tokens as %s', (count, text) => expect(formatTokens(count)).toBe(text));

test.each([
  [0, '$0'],
  [12, '$12'],
  [1.25, '$1.25'],
  [37.5, '$37.50'],
  [1_234.5, '$1,234.50'],
  [1.234_56, '$1.23'],
  [0.15, '$0.15'],
  [0.125, '$0.125'],
  [0.04, '$0.04'],
  [0.0021, '$0.0021'],
  [0.002_13, '$0.0021'],
  [0.005, '$0.005'],
  [0.000_000_12, '$0.00000012'],
  [-0.5, '-$0.50'],
])('formatUsd formats %d dollars as %s', (amount, text) => expect(formatUsd(amount)).toBe(text));

test('formatAmount adds no currency symbol', () => expect(formatAmount(1.5)).toBe('1.50'));

test.each([
  [
    [0.0009, 0.000_52, 0.000_29],
    ['$0.0009', '$0.0005', '$0.0003'],
  ],
  [
    [12, 1.5, 0.04, 0],
    ['$12.00', '$1.50', '$0.04', '$0.00'],
  ],
  [
    [1_234.5, 0.004, 0.005],
    ['$1,234.50', '<$0.01', '$0.01'],
  ],
  [
    [0.125, 0.000_29],
    ['$0.125', '<$0.001'],
  ],
  [
    [0.004, 0.004, 0.004],
    ['$0.004', '$0.004', '$0.004'],
  ],
  [
    [3.006, 2.006, 1.007],
    ['$3.01', '$2.00', '$1.01'],
  ],
  [
    [0.5, 0.4996, 0.4996],
    ['$0.50', '$0.50', '$0.50'],
  ],
  [
    [0, 0],
    ['$0.00', '$0.00'],
  ],
  [[], []],
])('formatUsdColumn formats the column of dollar amounts %j as %j', (amounts, texts) =>
  expect(formatUsdColumn(amounts)).toEqual(texts),
);

test.each([
  [[1.005, 1.005, 1.005, 1.005]],
  [[0.0051, 0.0051, 0.0051, 4.2]],
  [[0.0004, 0.0004, 0.0004, 0.12]],
  [[3.006, 2.006, 1.007]],
])(
  'formatUsdColumn rounds the amounts %j so that they do not exceed their formatted sum',
  (amounts) => {
    const parseAmount = (text: string): number =>
      text.startsWith('<') ? 0 : Number(text.slice(1));
    const roundedAmounts = formatUsdColumn(amounts).map(parseAmount);
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    const roundedSum = roundedAmounts.reduce((total, amount) => total + amount, 0);
    expect(Number(roundedSum.toFixed(9))).toBeLessThanOrEqual(parseAmount(formatUsd(sum)));
  },
);

test.each(['fr', 'pl', 'ru', 'sv'])(
  'formatted amounts contain no hidden characters in language %s',
  (language) => {
    setAmountLocale(language);
    const amounts = [formatCount(12_345_678), formatUsd(1_234_567.5), formatDecimal(12_345.5, 1)];
    setAmountLocale('en');
    expect(amounts.some((amount) => hasHiddenCharacters(amount))).toBe(false);
    expect(amounts[0]).toBe('12 345 678');
  },
);

test('all functions that format amounts use the configured language', () => {
  setAmountLocale('de');
  const germanTexts = [
    formatTokens(1_234),
    formatCount(131_072),
    formatUsd(1_234.5),
    formatAmount(0.15),
    formatDecimal(2.14, 1),
  ];
  setAmountLocale('en');
  expect(germanTexts).toEqual(['1,2k', '131.072', '$1.234,50', '0,15', '2,1']);
  expect(formatCount(131_072)).toBe('131,072');
});

test.each([
  ['Set Budget…', 'Set Budget'],
  ['予算の設定…', '予算の設定'],
  ['Show Log', 'Show Log'],
])('stripEllipsis returns the title %j without an ellipsis: %j', (title, expected) => {
  expect(stripEllipsis(title)).toBe(expected);
});
