import { isRecord, parseJson } from '../base/json.ts';
import { type Nano, formatNano, parseNano } from '../base/nano-amount.ts';
import type { PaidRequest } from '../service/chat/spending.ts';

/** From midnight to midnight, or from the first of a month, where the person is. */
export type BudgetPeriod = 'daily' | 'monthly';

/** What was spent on one day, in all windows. */
export interface SpendingDay {
  /** In dollars; one DIEM counts as one dollar. */
  readonly spent: Nano;
  /** The budgets of which somebody was told that most is spent. */
  readonly told: ReadonlySet<BudgetPeriod>;
  /** The budgets beyond which the person said to go on, for this day. */
  readonly continued: ReadonlySet<BudgetPeriod>;
}

/** One line of a day's file. */
export type SpendingEntry =
  | { readonly kind: 'spent'; readonly amount: Nano; readonly use?: RequestUsage }
  | { readonly kind: 'told' | 'continued'; readonly period: BudgetPeriod };

/** What one request was for, and what it used. */
export interface RequestUsage {
  readonly feature: PaidRequest['kind'];
  /** Empty where the service chose one. */
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export const emptyDay: SpendingDay = { spent: 0n, told: new Set(), continued: new Set() };

/** With a line break before it too: a line that a crash cut off takes no other with it. */
export function encodeEntry(entry: SpendingEntry): string {
  const { kind } = entry;
  const line =
    kind === 'spent' ? { usd: formatNano(entry.amount), ...entry.use } : { [kind]: entry.period };
  return `\n${JSON.stringify(line)}\n`;
}

/** Adds up what two files hold of one day. */
export const mergeDays = (a: SpendingDay, b: SpendingDay): SpendingDay => ({
  spent: a.spent + b.spent,
  told: a.told.union(b.told),
  continued: a.continued.union(b.continued),
});

/** The day with some more lines of its file. What is no entry is passed over. */
export function addLines(day: SpendingDay, lines: string): SpendingDay {
  let { spent } = day;
  const told = new Set(day.told);
  const continued = new Set(day.continued);
  for (const line of lines.split('\n')) {
    const entry = decodeEntry(line);
    if (entry?.kind === 'spent') spent += entry.amount;
    else if (entry?.kind === 'told') told.add(entry.period);
    else if (entry?.kind === 'continued') continued.add(entry.period);
  }
  return { spent, told, continued };
}

/** Checks lines of a newer version's file for one that is neither an entry nor a bare version record. */
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

/** The person's own day, as `2026-11-21`. */
export const dayName = (at: number): string => {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
};

/** Whether two days are of the same month. */
export const isSameMonth = (a: string, b: string): boolean => a.slice(0, 7) === b.slice(0, 7);
