import { defined } from '../base/defined.ts';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { type Nano, nanoUnits, toNano } from '../base/nano-amount.ts';

/** After what time a limit begins anew: at 00:00 UTC, on the first of the month (UTC), or never (service facts §5.1). */
export type LimitPeriod = 'EPOCH' | 'MONTH' | 'LIFETIME';

/** What a key may spend. Absent is without limit. */
export interface KeyLimit {
  /** Covers bundled credits too. */
  readonly usd?: Nano;
  readonly diem?: Nano;
  /** Absent when the service did not say. */
  readonly period?: LimitPeriod;
}

/**
 * The limit in a record of a key, under the names that the service uses in requests and in replies; empty when there is
 * none. What is no amount counts as none.
 */
export function readKeyLimit(record: JsonRecord): KeyLimit {
  const given = [record['consumptionLimits'], record['consumptionLimit']].find(isRecord) ?? {};
  return defined({
    usd: toNano(given['usd']),
    // The older name of the unit.
    diem: toNano(given['diem']) ?? toNano(given['vcu']),
    period: readPeriod(record['limitPeriod']),
  });
}

/** The fields of a request that set a limit; every unit that is absent is without limit from then on. */
export const keyLimitBody = ({ usd, diem, period }: KeyLimit): JsonRecord => ({
  consumptionLimit: { usd: unitsOrNull(usd), diem: unitsOrNull(diem) },
  ...(period === undefined ? {} : { limitPeriod: period }),
});

const unitsOrNull = (amount: Nano | undefined): number | null =>
  amount === undefined ? null : nanoUnits(amount);

const periods: readonly string[] = ['EPOCH', 'MONTH', 'LIFETIME'] satisfies LimitPeriod[];

const readPeriod = (value: unknown): LimitPeriod | undefined =>
  typeof value === 'string' && periods.includes(value) ? (value as LimitPeriod) : undefined;
