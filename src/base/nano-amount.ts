/** An amount of money in billionths of its unit: exact, however many are added up. */
export type Nano = bigint;

const decimals = 9;
/** Whole units; the service takes no more either (service facts §5.1). */
const mostUnits = 9_999_999_999;

/**
 * The amount that a number, or a text such as `12.3456`, of JSON stands for, rounded to the nearest billionth.
 * @returns undefined for what is no amount: negative, not finite, more than 9,999,999,999, or of another form.
 */
export function toNano(value: unknown): Nano | undefined {
  if (typeof value === 'string') return parsed(value);
  if (typeof value !== 'number' || !(value >= 0 && value <= mostUnits)) return undefined;
  return parsed(value.toFixed(decimals));
}

/** Exact, without zeros at its end: `12.5`. What {@link toNano} reads. */
export function nanoText(amount: Nano): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** In whole units, for being shown and for JSON; no sums are made of it. */
export const nanoUnits = (amount: Nano): number => Number(nanoText(amount));

function parsed(text: string): Nano | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,18}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}
