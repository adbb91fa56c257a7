import { isRecord, parseJson } from '../base/json.ts';
import { type Nano, formatNano, parseNano } from '../base/nano-amount.ts';
import type { PaidRequest } from '../service/chat/spending.ts';

/** Calendar day or calendar month in the user's time zone. */
export type BudgetPeriod = 'daily' | 'monthly';

/** Spending, shown warnings and the user's budget decisions of one day, from all windows. */
export interface SpendingDay {
  /** Amount spent, in nano-dollars; one DIEM equals one dollar. */
  readonly spentAmount: Nano;
  /** Budgets whose warning was shown on this day. */
  readonly warnedPeriods: ReadonlySet<BudgetPeriod>;
  /** Budgets that the user chose to exceed on this day. */
  readonly continuedPeriods: ReadonlySet<BudgetPeriod>;
}

/** Entry in the spending file of one day. Each entry is one line. */
export type SpendingEntry =
  | { readonly kind: 'spent'; readonly amount: Nano; readonly usage?: RequestUsage }
  | { readonly kind: 'told' | 'continued'; readonly period: BudgetPeriod };

/** Purpose and token usage of one request. */
export interface RequestUsage {
  readonly feature: PaidRequest['kind'];
  /** Id of the model; empty if the service chose the model. */
  readonly model: string;
  readonly promptTokens: number;
  /** Prompt tokens that the service read from its cache. Absent if there were none. */
  readonly cachedTokens?: number;
  readonly completionTokens: number;
  /** Set if the price is unknown, so that the recorded amount is a minimum. */
  readonly unpriced?: true;
}

export const emptyDay: SpendingDay = {
  spentAmount: 0n,
  warnedPeriods: new Set(),
  continuedPeriods: new Set(),
};

/**
 * Serializes an entry as a line of a day's file. The line starts with a line break, because a crash may have truncated
 * the line before it.
 */
export function encodeEntry(entry: SpendingEntry): string {
  const { kind } = entry;
  const record =
    kind === 'spent' ? { usd: formatNano(entry.amount), ...entry.usage } : { [kind]: entry.period };
  return `\n${JSON.stringify(record)}\n`;
}

/**
 * Combines the data of one day from its two spending files. The second file exists only if a newer version of the
 * extension wrote the first file.
 */
export const mergeDays = (a: SpendingDay, b: SpendingDay): SpendingDay => ({
  spentAmount: a.spentAmount + b.spentAmount,
  warnedPeriods: a.warnedPeriods.union(b.warnedPeriods),
  continuedPeriods: a.continuedPeriods.union(b.continuedPeriods),
});

/** Adds the entries in `lines` to a day. Skips lines that are not entries. */
export function addEntries(day: SpendingDay, lines: string): SpendingDay {
  let { spentAmount } = day;
  const warnedPeriods = new Set(day.warnedPeriods);
  const continuedPeriods = new Set(day.continuedPeriods);
  for (const line of lines.split('\n')) {
    const entry = decodeEntry(line);
    if (entry?.kind === 'spent') spentAmount += entry.amount;
    else if (entry?.kind === 'told') warnedPeriods.add(entry.period);
    else if (entry?.kind === 'continued') continuedPeriods.add(entry.period);
  }
  return { spentAmount, warnedPeriods, continuedPeriods };
}

/** Checks whether at least one line is neither a spending entry nor the record of the file's format version. */
export const hasUnreadableLine = (lines: string): boolean =>
  lines
    .split('\n')
    .some(
      (line) => line.trim() !== '' && decodeEntry(line) === undefined && !isVersionRecord(line),
    );

function isVersionRecord(line: string): boolean {
  const record = parseJson(line);
  return (
    isRecord(record) && Object.keys(record).every((key) => key === 'version' || key === 'type')
  );
}

function decodeEntry(line: string): SpendingEntry | undefined {
  const entry = line === '' ? undefined : parseJson(line);
  if (!isRecord(entry)) return undefined;
  const amount = parseNano(entry['usd']);
  if (amount !== undefined) return { kind: 'spent', amount };
  for (const kind of ['told', 'continued'] as const) {
    const period = entry[kind];
    if (period === 'daily' || period === 'monthly') return { kind, period };
  }
  return undefined;
}

/** Formats the date of a time in the user's time zone, such as `2026-11-21`. */
export const formatLocalDate = (time: number): string => {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((datePart) => String(datePart).padStart(2, '0'))
    .join('-');
};

/** Checks whether two dates are in the same month. */
export const isSameMonth = (a: string, b: string): boolean => a.slice(0, 7) === b.slice(0, 7);
