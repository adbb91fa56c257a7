/**
 * Amount of money in billionths of a currency unit, such as nano-dollars. An integer, so that sums
 * are exact.
 */
export type Nano = bigint;

const nanoDecimals = 9;
/** Maximum amount in whole currency units that the service accepts. */
const maxWholeUnits = 9_999_999_999;

/**
 * Parses an amount in whole currency units from a JSON number or a decimal string such as `12.3456`. Rounds a number to
 * the nearest billionth, and truncates a string after nine decimals.
 * @returns `undefined` for negative, non-finite or malformed values, and for amounts above 9,999,999,999
 */
export function parseNano(value: unknown): Nano | undefined {
  if (typeof value === 'string') return parseDecimalAmount(value);
  if (typeof value !== 'number' || !(value >= 0 && value <= maxWholeUnits)) return undefined;
  return parseDecimalAmount(value.toFixed(nanoDecimals));
}

/**
 * Formats the exact amount in whole currency units without trailing zeros, such as `12.5`. {@link parseNano} accepts
 * the result.
 */
export function formatNano(amount: Nano): string {
  const digits = String(amount).padStart(nanoDecimals + 1, '0');
  const fraction = digits.slice(-nanoDecimals).replace(/0+$/, '');
  return `${digits.slice(0, -nanoDecimals)}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Converts an amount to whole currency units, for display and JSON only. Sums must use {@link Nano}, because the result
 * can be inexact.
 */
export const convertNanoToNumber = (amount: Nano): number => Number(formatNano(amount));

function parseDecimalAmount(text: string): Nano | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.slice(0, nanoDecimals).padEnd(nanoDecimals, '0'));
}
