import type { Nano } from '../base/nano-amount.ts';
import type { UsageRecord } from './usage.ts';

/** What several requests came to. */
export interface UsageSum {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** In dollars. */
  readonly spent: Nano;
}

export const noUsage: UsageSum = { requests: 0, promptTokens: 0, completionTokens: 0, spent: 0n };

/** The sums by what `key` reads, in the order of their first record. */
export function sumBy(
  records: readonly UsageRecord[],
  key: (record: UsageRecord) => string,
): ReadonlyMap<string, UsageSum> {
  const sums = new Map<string, UsageSum>();
  for (const record of records) {
    const name = key(record);
    sums.set(name, plus(sums.get(name) ?? noUsage, { ...record, requests: 1 }));
  }
  return sums;
}

/** Of all the sums together. */
export const total = (sums: Iterable<UsageSum>): UsageSum => [...sums].reduce(plus, noUsage);

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

const plus = (one: UsageSum, other: UsageSum): UsageSum => ({
  requests: one.requests + other.requests,
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  spent: one.spent + other.spent,
});
