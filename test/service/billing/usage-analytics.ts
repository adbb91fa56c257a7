import type { Micro } from '../money/amounts.ts';
import { dayMs, toEpochDay } from '../money/days.ts';
import { customIssue, invalidRequest } from '../validation.ts';
import type { UsageRow } from './usage-rows.ts';

const dateForm = /^\d{4}-\d\d-\d\d$/;
const maxDays = 90;

interface Span {
  /** As it was asked for. */
  readonly lookback: string | null;
  /** Days since 1970 UTC, both included. */
  readonly first: number;
  readonly last: number;
}

/** Sums by day of UTC (the oldest first), model and key (the largest first); bundled credits count as USD. Days without use are left out. */
export function usageAnalytics(
  rows: readonly UsageRow[],
  { first, last, lookback }: Span,
  nameOf: (keyId: string) => string,
): object {
  const within = rows.filter(({ at }) => toEpochDay(at) >= first && toEpochDay(at) <= last);
  const byModel = sums(within, ({ model }) => ({ model }));
  const byKey = sums(within, ({ keyId }) => ({ apiKeyId: keyId, name: nameOf(keyId) }));
  return {
    lookback,
    byDate: byDay(sums(within, ({ at }) => ({ date: dateOf(at) }))),
    byModel,
    byModelDaily: byDay(sums(within, ({ at, model }) => ({ date: dateOf(at), model }))),
    topModels: byModel.slice(0, 5).map(({ model }) => model),
    byKey,
    byKeyDaily: byDay(
      sums(within, ({ at, keyId }) => ({
        date: dateOf(at),
        apiKeyId: keyId,
        name: nameOf(keyId),
      })),
    ),
    topKeyNames: byKey.slice(0, 5).map(({ name }) => name),
  };
}

/** `lookback=7d` (which is the default), or `startDate` and `endDate`; at most 90 days. @throws ApiError 400. */
export function parseDateSpan(
  { lookback, startDate, endDate }: Readonly<Record<string, string>>,
  now: number,
): Span {
  const span =
    startDate === undefined && endDate === undefined
      ? daysBack(lookback ?? '7d', now)
      : { lookback: null, first: day(startDate, 'startDate'), last: day(endDate, 'endDate') };
  const days = span.last - span.first + 1;
  if (days >= 1 && days <= maxDays) return span;
  throw invalidRequest([customIssue(['lookback'], `From 1 to ${maxDays} days are allowed`)]);
}

function daysBack(lookback: string, now: number): Span {
  const days = /^(\d{1,4})d$/.exec(lookback)?.[1];
  if (days === undefined) throw invalidRequest([customIssue(['lookback'], 'Invalid lookback')]);
  const last = toEpochDay(now);
  return { lookback, first: last - Number(days) + 1, last };
}

function day(date: string | undefined, field: string): number {
  if (date !== undefined && dateForm.test(date) && !Number.isNaN(Date.parse(date))) {
    return Date.parse(date) / dayMs;
  }
  throw invalidRequest([customIssue([field], 'Invalid date')]);
}

type Sum<T> = T & { USD: number; DIEM: number };

/** The largest first, in whole units. */
function sums<T extends object>(rows: readonly UsageRow[], of: (row: UsageRow) => T): Sum<T>[] {
  const groups = new Map<string, { readonly group: T; USD: Micro; DIEM: Micro }>();
  for (const row of rows) {
    const group = of(row);
    const id = JSON.stringify(group);
    const sum = groups.get(id) ?? { group, USD: 0, DIEM: 0 };
    sum[row.currency === 'DIEM' ? 'DIEM' : 'USD'] += row.amount;
    groups.set(id, sum);
  }
  return [...groups.values()]
    .sort((a, b) => b.USD + b.DIEM - a.USD - a.DIEM)
    .map(({ group, USD, DIEM }) => ({ ...group, USD: USD / 1e6, DIEM: DIEM / 1e6 }));
}

/** The oldest first. */
const byDay = <T extends { readonly date: string }>(sums: readonly T[]): T[] =>
  sums.toSorted((a, b) => a.date.localeCompare(b.date));

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
