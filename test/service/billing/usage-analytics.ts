import type { Micro } from '../money/amounts.ts';
import { dayMs, toEpochDay } from '../money/epoch-day.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';
import type { UsageRow } from './usage-rows.ts';

const datePattern = /^\d{4}-\d\d-\d\d$/;
const maxLookbackDays = 90;

interface DateSpan {
  /** Value of the `lookback` query parameter; null if the query contains dates. */
  readonly lookback: string | null;
  /** First day to include in the sums, in days since 1970-01-01 UTC. */
  readonly firstEpochDay: number;
  /** Last day to include in the sums, in days since 1970-01-01 UTC. */
  readonly lastEpochDay: number;
}

/**
 * Sums the usage per UTC day (oldest first), per model, and per key (the largest sum first). USD sums include bundled
 * credits. Days without usage are omitted.
 */
export function computeUsageAnalytics(
  rows: readonly UsageRow[],
  { firstEpochDay, lastEpochDay, lookback }: DateSpan,
  getKeyName: (keyId: string) => string,
): object {
  const rowsInSpan = rows.filter(
    ({ chargedAt }) =>
      toEpochDay(chargedAt) >= firstEpochDay && toEpochDay(chargedAt) <= lastEpochDay,
  );
  const modelSums = sumByGroup(rowsInSpan, ({ modelId }) => ({ model: modelId }));
  const keySums = sumByGroup(rowsInSpan, ({ keyId }) => ({
    apiKeyId: keyId,
    name: getKeyName(keyId),
  }));
  return {
    lookback,
    byDate: sortByDate(
      sumByGroup(rowsInSpan, ({ chargedAt }) => ({ date: formatDate(chargedAt) })),
    ),
    byModel: modelSums,
    byModelDaily: sortByDate(
      sumByGroup(rowsInSpan, ({ chargedAt, modelId }) => ({
        date: formatDate(chargedAt),
        model: modelId,
      })),
    ),
    topModels: modelSums.slice(0, 5).map(({ model }) => model),
    byKey: keySums,
    byKeyDaily: sortByDate(
      sumByGroup(rowsInSpan, ({ chargedAt, keyId }) => ({
        date: formatDate(chargedAt),
        apiKeyId: keyId,
        name: getKeyName(keyId),
      })),
    ),
    topKeyNames: keySums.slice(0, 5).map(({ name }) => name),
  };
}

/**
 * Parses the query: `lookback=7d` (the default), or `startDate` and `endDate`, which span at most 90 days.
 * @throws ApiError 400 if the query is invalid
 */
export function parseDateSpan(
  { lookback, startDate, endDate }: Readonly<Record<string, string>>,
  now: number,
): DateSpan {
  const span =
    startDate === undefined && endDate === undefined
      ? parseLookback(lookback ?? '7d', now)
      : {
          lookback: null,
          firstEpochDay: parseDay(startDate, 'startDate'),
          lastEpochDay: parseDay(endDate, 'endDate'),
        };
  const dayCount = span.lastEpochDay - span.firstEpochDay + 1;
  if (dayCount >= 1 && dayCount <= maxLookbackDays) return span;
  throw createInvalidRequestError([
    createCustomIssue(['lookback'], `From 1 to ${maxLookbackDays} days are allowed`),
  ]);
}

function parseLookback(lookback: string, now: number): DateSpan {
  const days = /^(\d{1,4})d$/.exec(lookback)?.[1];
  if (days === undefined)
    throw createInvalidRequestError([createCustomIssue(['lookback'], 'Invalid lookback')]);
  const today = toEpochDay(now);
  return { lookback, firstEpochDay: today - Number(days) + 1, lastEpochDay: today };
}

function parseDay(date: string | undefined, field: string): number {
  if (date !== undefined && datePattern.test(date) && !Number.isNaN(Date.parse(date))) {
    return Date.parse(date) / dayMs;
  }
  throw createInvalidRequestError([createCustomIssue([field], 'Invalid date')]);
}

type SumPerCurrency<T> = T & { USD: number; DIEM: number };

/**
 * Sums the dollars and the diem of each group, in whole dollars and diem rather than millionths. The group with the
 * largest sum comes first.
 */
function sumByGroup<T extends object>(
  rows: readonly UsageRow[],
  getGroup: (row: UsageRow) => T,
): SumPerCurrency<T>[] {
  const groups = new Map<string, { readonly group: T; USD: Micro; DIEM: Micro }>();
  for (const row of rows) {
    const group = getGroup(row);
    const id = JSON.stringify(group);
    const sum = groups.get(id) ?? { group, USD: 0, DIEM: 0 };
    sum[row.currency === 'DIEM' ? 'DIEM' : 'USD'] += row.amount;
    groups.set(id, sum);
  }
  return [...groups.values()]
    .sort((a, b) => b.USD + b.DIEM - a.USD - a.DIEM)
    .map(({ group, USD, DIEM }) => ({ ...group, USD: USD / 1e6, DIEM: DIEM / 1e6 }));
}

/** Sorts by date, oldest first. */
const sortByDate = <T extends { readonly date: string }>(sums: readonly T[]): T[] =>
  sums.toSorted((a, b) => a.date.localeCompare(b.date));

const formatDate = (time: number): string => new Date(time).toISOString().slice(0, 10);
