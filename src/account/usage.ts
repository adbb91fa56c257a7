import { isRecord, parseJson } from '../base/json.ts';
import { type Nano, formatNano, parseNano } from '../base/nano-amount.ts';

/** One request that cost something. */
export interface UsageRecord {
  /** The person's own day, as `2026-11-21`. */
  readonly day: string;
  /** What it was for: `chat`, `image`, …; empty where that was not noted. */
  readonly feature: string;
  /** Model id; empty where that was not noted. */
  readonly model: string;
  /** In dollars; one DIEM counts as one dollar. */
  readonly spent: Nano;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const longestName = 300;

/** The requests in the lines of a day's file; what is none is passed over. */
export function parseUsage(day: string, lines: string): readonly UsageRecord[] {
  return lines.split('\n').flatMap((line) => {
    const entry = line === '' ? undefined : parseJson(line);
    if (!isRecord(entry)) return [];
    const spent = parseNano(entry['usd']);
    if (spent === undefined) return [];
    return [
      {
        day,
        feature: name(entry['feature']),
        model: name(entry['model']),
        spent,
        promptTokens: count(entry['promptTokens']),
        completionTokens: count(entry['completionTokens']),
      },
    ];
  });
}

const name = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, longestName) : '';

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** What several requests came to. */
export interface UsageTotals {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** In dollars. */
  readonly spent: Nano;
}

export const zeroUsage: UsageTotals = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  spent: 0n,
};

/** The sums by what `key` reads, in the order of their first record. */
export function sumBy(
  records: readonly UsageRecord[],
  key: (record: UsageRecord) => string,
): ReadonlyMap<string, UsageTotals> {
  const sums = new Map<string, UsageTotals>();
  for (const record of records) {
    const name = key(record);
    sums.set(name, plus(sums.get(name) ?? zeroUsage, { ...record, requests: 1 }));
  }
  return sums;
}

/** Of all the sums together. */
export const totalUsage = (sums: Iterable<UsageTotals>): UsageTotals =>
  [...sums].reduce(plus, zeroUsage);

/** The names of the last `count` days up to the day of `now`, the oldest first; days are the person's own. */
export function lastDays(
  now: number,
  count: number,
  nameOf: (at: number) => string,
): readonly string[] {
  // Noon: an hour more or less at a change of the clocks leaves the day what it is.
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return Array.from({ length: count }, (_, index) =>
    nameOf(new Date(noon).setDate(new Date(noon).getDate() - (count - 1 - index))),
  );
}

const plus = (one: UsageTotals, other: UsageTotals): UsageTotals => ({
  requests: one.requests + other.requests,
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  spent: one.spent + other.spent,
});

/** One line for each request (RFC 4180). Names come from the service: none of them is read as a formula, or ends its cell, in a spreadsheet of any country. */
export function usageCsv(records: readonly UsageRecord[]): string {
  const lines = records.map(({ day, feature, model, promptTokens, completionTokens, spent }) =>
    [day, cell(feature), cell(model), promptTokens, completionTokens, formatNano(spent)].join(','),
  );
  return [header, ...lines, ''].join('\r\n');
}

const header = 'day,feature,model,prompt_tokens,completion_tokens,usd';

/** Spreadsheets run what begins like a formula, and some take `;` for the end of a cell: neither is left. */
const cell = (text: string): string =>
  text.replaceAll(/[^\w.:/ -]/gu, '_').replace(/^[\s-]+/u, (start) => '_'.repeat(start.length));
