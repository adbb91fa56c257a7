/** Reason why an amount that the user entered is invalid. */
export type AmountProblem =
  | 'empty'
  /** The text contains characters other than digits and one point, such as a sign, an exponent or a currency. */
  | 'not-a-number'
  /**
   * The text contains separators, such as commas, apostrophes, spaces or several points. Their meaning depends on the
   * locale: they separate thousands or decimals.
   */
  | 'separator'
  | 'zero'
  /** The amount has more decimals than the token. */
  | 'too-many-decimals'
  | 'over-balance';

export type ParsedAmount =
  | { readonly amount: bigint; readonly problem?: never }
  | { readonly problem: AmountProblem; readonly amount?: never };

/** Bounds for an amount. */
export interface AmountLimits {
  readonly decimals: number;
  /** Maximum amount that the user can enter, in the token's smallest unit. */
  readonly maxAmount: bigint;
}

/**
 * Maximum length of the text in characters. Any 256-bit token amount with all its decimals is
 * shorter.
 */
const maxTextLength = 160;
const separatorsPattern = /^[\d.,'’_٬٫\s\u{A0}\u{202F}]*$/u;

/**
 * Parses an entered amount exactly, to the token's smallest unit. Accepts only forms such as `12`, `12.5` and `.5`.
 * Never rounds.
 */
export function parseAmount(text: string, { decimals, maxAmount }: AmountLimits): ParsedAmount {
  const trimmedText = text.trim();
  if (trimmedText === '') return { problem: 'empty' };
  if (trimmedText.length > maxTextLength) return { problem: 'not-a-number' };
  const match = /^(?<wholeDigits>\d*)(?:\.(?<fractionDigits>\d*))?$/u.exec(trimmedText);
  const { wholeDigits = '', fractionDigits = '' } = match?.groups ?? {};
  if (wholeDigits + fractionDigits === '')
    return {
      problem:
        separatorsPattern.test(trimmedText) && /\d/u.test(trimmedText)
          ? 'separator'
          : 'not-a-number',
    };
  const digits = fractionDigits.replace(/0+$/u, '');
  if (digits.length > decimals) return { problem: 'too-many-decimals' };
  const amount = BigInt(wholeDigits + digits.padEnd(decimals, '0'));
  if (amount === 0n) return { problem: 'zero' };
  return amount > maxAmount ? { problem: 'over-balance' } : { amount };
}

/**
 * Formats an amount for display, rounded down to four decimals: `12.3456`. A smaller amount is `<0.0001`. Not for
 * amounts that the user signs.
 */
export function formatShortAmount(amount: bigint, decimals: number): string {
  const unit = 10n ** BigInt(Math.max(0, decimals - 4));
  const absoluteAmount = amount < 0n ? -amount : amount;
  if (absoluteAmount > 0n && absoluteAmount < unit) return '<0.0001';
  return formatTokenAmount(amount - (amount % unit), decimals);
}

/**
 * Formats an amount with all digits and without grouping: `0`, `12`, `0.5`. {@link parseAmount}
 * returns the same amount for the text.
 */
export function formatTokenAmount(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  const wholeDigits = digits.slice(0, digits.length - decimals);
  const fractionDigits = digits.slice(digits.length - decimals).replace(/0+$/u, '');
  return `${amount < 0n ? '-' : ''}${wholeDigits}${fractionDigits === '' ? '' : `.${fractionDigits}`}`;
}
