/** Why a text is not an amount that can be staked. */
export type AmountProblem =
  | 'empty'
  /** Not digits with at most one point: a sign, an exponent, a currency, another script's digits. */
  | 'not-a-number'
  /** It has commas, apostrophes or spaces, which mean thousands to some and decimals to others. */
  | 'separator'
  | 'zero'
  /** It has more digits after the point than the token can hold. */
  | 'too-many-decimals'
  | 'over-balance';

export type ParsedAmount =
  | { readonly amount: bigint; readonly problem?: never }
  | { readonly problem: AmountProblem; readonly amount?: never };

/** What an amount is read against. */
export interface AmountLimits {
  readonly decimals: number;
  /** The most that can be, in the smallest unit. */
  readonly balance: bigint;
}

/** Longer than any amount of a 256-bit token with all its decimals. */
const longestText = 160;
const separators = /^[\d.,'’_٬٫\s\u{A0}\u{202F}]*$/u;

/**
 * What a person typed, in the smallest unit, exactly. Only `12`, `12.5` and `.5` are amounts: nothing is guessed, and
 * nothing is rounded.
 */
export function parseAmount(text: string, { decimals, balance }: AmountLimits): ParsedAmount {
  const typed = text.trim();
  if (typed === '') return { problem: 'empty' };
  if (typed.length > longestText) return { problem: 'not-a-number' };
  const match = /^(?<whole>\d*)(?:\.(?<part>\d*))?$/u.exec(typed);
  const { whole = '', part = '' } = match?.groups ?? {};
  if (whole + part === '')
    return { problem: separators.test(typed) && /\d/u.test(typed) ? 'separator' : 'not-a-number' };
  const digits = part.replace(/0+$/u, '');
  if (digits.length > decimals) return { problem: 'too-many-decimals' };
  const amount = BigInt(whole + digits.padEnd(decimals, '0'));
  if (amount === 0n) return { problem: 'zero' };
  return amount > balance ? { problem: 'over-balance' } : { amount };
}

/** All digits of an amount, without grouping: what {@link parseAmount} reads back as the same. `0`, `12`, `0.5`. */
export function formatTokenAmount(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/u, '');
  return `${amount < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}
