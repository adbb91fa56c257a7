import { isRecord, parseJson } from '../base/json.ts';
import { type Nano, formatNano, parseNano } from '../base/nano-amount.ts';

/** A billed request. */
export interface UsageRecord {
  /** Date in the user's time zone, such as `2026-11-21`. */
  readonly day: string;
  /** Feature that sent the request (`chat`, `image`, …); empty if not recorded. */
  readonly feature: string;
  /** Model id; empty if not recorded. */
  readonly model: string;
  /** Cost in nano-dollars; one DIEM equals one dollar. */
  readonly spentAmount: Nano;
  readonly promptTokens: number;
  /** Prompt tokens that the service read from its cache; 0 if it reported none. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Set if the price is unknown, so that `spentAmount` is a minimum. */
  readonly isUnpriced?: true;
}

const maxNameLength = 300;

/** Parses the billed requests in the spending file of one day. Skips all other lines. */
export function parseUsage(day: string, lines: string): readonly UsageRecord[] {
  return lines.split('\n').flatMap((line) => {
    const entry = line === '' ? undefined : parseJson(line);
    if (!isRecord(entry)) return [];
    const spentAmount = parseNano(entry['usd']);
    if (spentAmount === undefined) return [];
    return [
      {
        day,
        feature: readName(entry['feature']),
        model: readName(entry['model']),
        spentAmount,
        promptTokens: readCount(entry['promptTokens']),
        cachedTokens: readCount(entry['cachedTokens']),
        completionTokens: readCount(entry['completionTokens']),
        ...(entry['unpriced'] === true && { isUnpriced: true as const }),
      },
    ];
  });
}

const readName = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, maxNameLength) : '';

const readCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Totals of several requests. */
export interface UsageTotals {
  readonly requests: number;
  readonly promptTokens: number;
  /** Prompt tokens that the service read from its cache; 0 if it reported none. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Total cost in nano-dollars. */
  readonly spentAmount: Nano;
  /** Set if the price of a request is unknown, so that `spentAmount` is a minimum. */
  readonly isIncomplete?: true;
}

export const zeroUsage: UsageTotals = {
  requests: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  spentAmount: 0n,
};

/**
 * Groups the records by the text that `getKey` returns, and adds up each group. The groups are in the order in which
 * their texts first occur.
 */
export function sumUsageBy(
  records: readonly UsageRecord[],
  getKey: (record: UsageRecord) => string,
): ReadonlyMap<string, UsageTotals> {
  const totalsByKey = new Map<string, UsageTotals>();
  for (const record of records) {
    const key = getKey(record);
    const { isUnpriced, ...recordFields } = record;
    const addedUsage = {
      ...recordFields,
      requests: 1,
      ...(isUnpriced && { isIncomplete: isUnpriced }),
    };
    totalsByKey.set(key, addTotals(totalsByKey.get(key) ?? zeroUsage, addedUsage));
  }
  return totalsByKey;
}

/** Adds up several totals. */
export const sumUsage = (sums: Iterable<UsageTotals>): UsageTotals =>
  [...sums].reduce(addTotals, zeroUsage);

/**
 * Returns the dates of the last `count` days in the user's time zone, oldest first. The last day
 * contains the time `now`.
 */
export function listLastDays(
  now: number,
  count: number,
  formatDate: (time: number) => string,
): readonly string[] {
  // At noon, a daylight-saving shift of one hour does not change the date.
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return Array.from({ length: count }, (_, index) =>
    formatDate(new Date(noon).setDate(new Date(noon).getDate() - (count - 1 - index))),
  );
}

const addTotals = (a: UsageTotals, b: UsageTotals): UsageTotals => ({
  requests: a.requests + b.requests,
  promptTokens: a.promptTokens + b.promptTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  spentAmount: a.spentAmount + b.spentAmount,
  ...((a.isIncomplete || b.isIncomplete) && { isIncomplete: true as const }),
});

/**
 * Formats the requests as CSV (RFC 4180), one line per request. The cost is empty if the price of the request is
 * unknown. Names come from the service, so they are escaped: spreadsheets must not interpret them as formulas or
 * separators.
 */
export function formatUsageCsv(records: readonly UsageRecord[]): string {
  const lines = records.map(
    ({
      day,
      feature,
      model,
      promptTokens,
      cachedTokens,
      completionTokens,
      spentAmount,
      isUnpriced,
    }) =>
      [
        day,
        escapeCell(feature),
        escapeCell(model),
        promptTokens,
        completionTokens,
        isUnpriced ? '' : formatNano(spentAmount),
        cachedTokens,
      ].join(','),
  );
  return [csvHeader, ...lines, ''].join('\r\n');
}

const csvHeader = 'day,feature,model,prompt_tokens,completion_tokens,usd,cached_tokens';

/**
 * Writes underscores in place of all characters except ASCII letters, digits, spaces and `_ . : / -`, and in place of
 * leading white space and hyphens. A spreadsheet could read the replaced characters as separators or formulas.
 */
const escapeCell = (text: string): string =>
  text.replaceAll(/[^\w.:/ -]/gu, '_').replace(/^[\s-]+/u, (prefix) => '_'.repeat(prefix.length));
