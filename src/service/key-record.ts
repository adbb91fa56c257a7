import { defined, isRecord, type JsonRecord } from '../base/json.ts';

/** What a key may call: `INFERENCE` models and pictures, `ADMIN` also keys and bills (spec §5). */
export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/** When the spending of a key counts from nothing again: each day at 00:00 UTC, on the first of each month, never. */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Which models a key may call: all, private ones for text, private ones only. */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** The most a key may spend in a {@link LimitPeriod}, each in units of its currency, 0 to 9,999,999,999. */
export interface ConsumptionLimit {
  readonly usd?: number;
  readonly diem?: number;
}

/** What a new key should be. What is absent is the service's choice: no limit, no expiry. */
export interface KeyOptions {
  readonly type: KeyType;
  /** At most 64 characters. */
  readonly description?: string;
  /** `YYYY-MM-DD`, or an ISO instant in UTC; absent for a key that does not expire. */
  readonly expiresAt?: string;
  readonly consumptionLimit?: ConsumptionLimit;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
}

/** What the service says a new key is, which need not be what was asked for. Holds nothing secret. */
export interface KeyRecord extends KeyOptions {
  readonly id?: string;
}

export interface NewKey {
  readonly apiKey: string;
  readonly record: KeyRecord;
}

/**
 * What a record of the service says of a key, under the names of requests or of lists (service facts §5.1). What is not
 * as it should be is left out.
 * @param about.type Where the record names none. @param about.apiKey The key itself: no text that repeats it is taken.
 */
export const readKeyRecord = (
  data: JsonRecord,
  about: { readonly type: KeyType; readonly apiKey?: string },
): KeyRecord =>
  defined({
    type: oneOf(keyTypes, data['apiKeyType']) ?? about.type,
    id: readLine(data['id'], about.apiKey),
    description: readLine(data['description'], about.apiKey),
    expiresAt: readInstant(data['expiresAt']),
    consumptionLimit: readLimit(data['consumptionLimit'] ?? data['consumptionLimits']),
    limitPeriod: oneOf(limitPeriods, data['limitPeriod']),
    modelPrivacy: oneOf(modelPrivacies, data['modelPrivacy']),
  });

/** A short text on one line that does not repeat the key. */
export function readLine(value: unknown, apiKey?: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (apiKey !== undefined && value.includes(apiKey)) return undefined;
  const line = value
    .slice(0, 1_024)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, 128);
}

/** As an ISO instant. */
export const readInstant = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 40 && Number.isFinite(Date.parse(value))
    ? new Date(value).toISOString()
    : undefined;

/** Absent when there is no limit at all. */
function readLimit(value: unknown): ConsumptionLimit | undefined {
  if (!isRecord(value)) return undefined;
  const limit = { usd: amount(value, 'usd'), diem: amount(value, 'diem') ?? amount(value, 'vcu') };
  return limit.usd === undefined && limit.diem === undefined ? undefined : defined(limit);
}

/** As a number, or as text that is one; never negative. */
function amount(record: JsonRecord, name: string): number | undefined {
  const value = record[name];
  const figure =
    typeof value === 'string' && /^\d{1,10}(?:\.\d{1,18})?$/.test(value) ? Number(value) : value;
  const isAmount = typeof figure === 'number' && figure >= 0 && figure <= 9_999_999_999;
  return isAmount ? figure : undefined;
}

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((each) => each === value);
