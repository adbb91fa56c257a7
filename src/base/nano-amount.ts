/** An amount of money in billionths of its unit. Sums are exact. */
export type Nano = bigint;

const decimals = 9;
/** Maximum amount in whole units, equal to the maximum of the service (service facts §5.1). */
const maxUnits = 9_999_999_999;

/**
 * Parses an amount from a JSON number or from a decimal string such as `12.3456`. Numbers are rounded to the nearest
 * billionth; further decimals of strings are cut off.
 * @returns `undefined` for negative, non-finite or malformed values, and for numbers above 9,999,999,999.
 */
export function parseNano(value: unknown): Nano | undefined {
  if (typeof value === 'string') return parseDecimal(value);
  if (typeof value !== 'number' || !(value >= 0 && value <= maxUnits)) return undefined;
  return parseDecimal(value.toFixed(decimals));
}

/** Formats the exact amount without trailing zeros, as {@link parseNano} reads it: `12.5`. */
export function formatNano(amount: Nano): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Converts to whole units, for display and JSON only. Sums must use {@link Nano}. */
export const nanoToNumber = (amount: Nano): number => Number(formatNano(amount));

function parseDecimal(text: string): Nano | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
