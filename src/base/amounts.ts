/**
 * Cached number formats, because creating a number format is slow. The key contains the minimum and maximum number of
 * fraction digits.
 */
const cachedNumberFormats = new Map<string, Intl.NumberFormat>();
let locale = 'en';

/**
 * Sets the language in which this module formats amounts for the user. The default is English.
 * @param language BCP 47 tag such as `de`
 */
export function setAmountLocale(language: string): void {
  locale = language;
  cachedNumberFormats.clear();
}

/** Formats a token count in short form: `380`, `1.2k`, `131k`, `1.5M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return formatScaled(count / 1_000, 'k');
  return formatScaled(count / 1_000_000, 'M');
}

/** Formats an integer with group separators: `1,234`. */
export const formatCount = (count: number): string => formatFixed(count, 0, 0);

/**
 * Formats a number with at most `maxDigits` fraction digits and without trailing zeros: `1,234.5`.
 */
export const formatDecimal = (value: number, maxDigits: number): string =>
  formatFixed(value, 0, maxDigits);

/** Formats an amount of US dollars with the same number of digits as {@link formatAmount}: `$12`, `$1.25`, `-$0.50`. */
export const formatUsd = (amount: number): string =>
  `${amount < 0 ? '-' : ''}$${formatAmount(Math.abs(amount))}`;

/**
 * Formats the US dollar amounts of a column with the same number of fraction digits: two, or more if the sum is below
 * $1. Rounds by the largest remainder, so that the column adds up to its rounded sum. A positive amount that rounds to
 * zero is shown as less than the smallest unit, such as `<$0.01`.
 * @param amounts amounts of 0 or more
 */
export function formatUsdColumn(amounts: readonly number[]): string[] {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const digitCount = Math.max(2, chooseMaxDigits(sum));
  const scale = 10 ** digitCount;
  // The tolerance corrects amounts such as 1.15, whose product is slightly below 115.
  const units = amounts.map((amount) => Math.floor(amount * scale + 1e-6));
  const missingUnitCount = Math.round(sum * scale - 1e-6) - units.reduce((a, b) => a + b, 0);
  const roundedUpIndexes = new Set(
    amounts
      .map((amount, index) => ({ index, remainder: amount * scale - (units[index] ?? 0) }))
      .toSorted((a, b) => b.remainder - a.remainder)
      .slice(0, Math.max(0, missingUnitCount))
      .map(({ index }) => index),
  );
  return amounts.map((amount, index) => {
    const roundedUnitCount = (units[index] ?? 0) + (roundedUpIndexes.has(index) ? 1 : 0);
    return amount > 0 && roundedUnitCount === 0
      ? `<$${formatFixed(1 / scale, digitCount, digitCount)}`
      : `$${formatFixed(roundedUnitCount / scale, digitCount, digitCount)}`;
  });
}

/**
 * Formats an amount of money without its currency: `12`, `1,234.50`. Amounts below 1 have up to three fraction digits
 * (`0.125`). Amounts below 0.01 have two significant digits (`0.0021`).
 */
export function formatAmount(amount: number): string {
  const maxDigits = chooseMaxDigits(Math.abs(amount));
  return formatFixed(amount, Math.min(maxDigits, 2), maxDigits);
}

function formatFixed(amount: number, minDigits: number, maxDigits: number): string {
  const cacheKey = `${minDigits} ${maxDigits}`;
  const format =
    cachedNumberFormats.get(cacheKey) ??
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: minDigits,
      maximumFractionDigits: maxDigits,
    });
  cachedNumberFormats.set(cacheKey, format);
  // Some languages group digits with special spaces. The user interface would show these as hidden
  // characters.
  return format.format(amount).replaceAll(/\p{Zs}/gu, ' ');
}

function chooseMaxDigits(amount: number): number {
  if (Number.isInteger(amount)) return 0;
  if (amount >= 1) return 2;
  return amount >= 0.01 ? 3 : Math.min(12, 1 - Math.floor(Math.log10(amount)));
}

const formatScaled = (value: number, unit: string): string =>
  `${formatFixed(value, 0, value < 9.95 ? 1 : 0)}${unit}`;

const byteUnits = ['kB', 'MB', 'GB', 'TB'];

/** Formats a size in bytes in decimal units: `0 kB`, `940 kB`, `3.2 MB`. A size above 0 is at least 1 kB. */
export function formatBytes(bytes: number): string {
  let value = bytes > 0 ? Math.max(1, bytes / 1_000) : 0;
  let unit = 0;
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digitCount = unit > 0 && value < 9.95 ? 1 : 0;
  return `${formatDecimal(value, digitCount)} ${byteUnits[unit]}`;
}

/**
 * Formats the ratio of `part` to `whole` as a percentage from 0 to 100, such as `75%`. Returns `0%` if `whole` is 0.
 */
export const formatPercent = (part: number, whole: number): string =>
  `${whole <= 0 ? 0 : Math.min(100, Math.round((part / whole) * 100))}%`;

/** Removes the ellipsis at the end of a command title, so that a button or a dialog can show the title. */
export const stripEllipsis = (title: string): string => title.replace(/…$/u, '');
