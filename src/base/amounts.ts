/** Making a format takes far longer than using it. */
const formats = new Map<string, Intl.NumberFormat>();
let locale = 'en';

/**
 * Has all amounts written as in this language, for the person who reads them; in English until then. What a model or a
 * program reads is not written with them.
 * @param language As BCP 47 has it: `de`.
 */
export function writeAmountsIn(language: string): void {
  locale = language;
  formats.clear();
}

/** `380`, `1.2k`, `131k`, `1.5M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return scaled(count / 1_000, 'k');
  return scaled(count / 1_000_000, 'M');
}

/** `1,234`. */
export const formatCount = (count: number): string => fixed(count, 0, 0);

/** `1,234.5`, with as many digits after the point as count, but not more than `most`. */
export const formatDecimal = (value: number, most: number): string => fixed(value, 0, most);

/** {@link formatAmount} in dollars: `$12`, `$1.25`, `-$0.50`. */
export const formatUsd = (amount: number): string =>
  `${amount < 0 ? '-' : ''}$${formatAmount(Math.abs(amount))}`;

/**
 * A column of dollars, all with as many digits after the point as the largest needs, but at least two. Of what is less
 * than the last digit can say, that it is less: `<$0.01`.
 * @param amounts None below 0.
 */
export function formatUsdColumn(amounts: readonly number[]): string[] {
  const digits = Math.max(2, decimalsOf(Math.max(0, ...amounts)));
  const least = 10 ** -digits;
  return amounts.map((amount) =>
    amount > 0 && amount < least / 2
      ? `<$${fixed(least, digits, digits)}`
      : `$${fixed(amount, digits, digits)}`,
  );
}

/** An amount of money: `12`, `1,234.50`, a tenth of a cent where it counts (`0.125`), below a cent two digits (`0.0021`). */
export function formatAmount(amount: number): string {
  const most = decimalsOf(Math.abs(amount));
  return fixed(amount, Math.min(most, 2), most);
}

function fixed(amount: number, least: number, most: number): string {
  const name = `${least} ${most}`;
  const format =
    formats.get(name) ??
    new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(name, format);
  // Some languages group with spaces that hide, and would be marked as such.
  return format.format(amount).replaceAll(/\p{Zs}/gu, ' ');
}

function decimalsOf(amount: number): number {
  if (Number.isInteger(amount)) return 0;
  if (amount >= 1) return 2;
  return amount >= 0.01 ? 3 : Math.min(12, 1 - Math.floor(Math.log10(amount)));
}

const scaled = (value: number, unit: string): string =>
  `${fixed(value, 0, value < 9.95 ? 1 : 0)}${unit}`;

const units = ['kB', 'MB', 'GB', 'TB'];

/** `0 kB`, `940 kB`, `3.2 MB`, `312 MB`: in thousands, as the settings count. What is not nothing is 1 kB at least. */
export function formatBytes(bytes: number): string {
  let value = bytes > 0 ? Math.max(1, bytes / 1_000) : 0;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${formatDecimal(value, digits)} ${units[unit]}`;
}
