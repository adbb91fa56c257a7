import { omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';

/** Permissions of a key: `INFERENCE` calls models and image endpoints, `ADMIN` also manages keys and billing (spec §5). */
export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/** Reset of a key's spending: daily at 00:00 UTC, on the first of each month, or never. */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Models that a key may call: all, only private ones for text, or only private ones. */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** Maximum spending of a key in a {@link LimitPeriod}, in units of each currency, 0 to 9,999,999,999. */
export interface ConsumptionLimit {
  readonly usd?: number;
  readonly diem?: number;
}

/** Properties of a new key. The service applies its defaults to omitted fields: no limit, no expiry. */
export interface KeyOptions {
  readonly type: KeyType;
  /** Description, at most 64 characters. */
  readonly description?: string;
  /** `YYYY-MM-DD`, or an ISO 8601 instant in UTC. Absent for a key that does not expire. */
  readonly expiresAt?: string;
  readonly consumptionLimit?: ConsumptionLimit;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
}

/** Properties of a key as the service reports them. They may differ from the requested ones. Contains no secret. */
export interface KeyRecord extends KeyOptions {
  readonly id?: string;
}

export interface NewKey {
  readonly apiKey: string;
  readonly record: KeyRecord;
}

/**
 * Decodes a key record, with the field names of requests or of lists (service facts §5.1). Omits invalid fields.
 * @param options.type Type to use if the record has none.
 * @param options.apiKey The key itself. Texts that contain it are dropped.
 */
export const readKeyRecord = (
  data: JsonRecord,
  options: { readonly type: KeyType; readonly apiKey?: string },
): KeyRecord =>
  omitUndefined({
    type: decodeEnum(keyTypes, data['apiKeyType']) ?? options.type,
    id: readSingleLine(data['id'], options.apiKey),
    description: readSingleLine(data['description'], options.apiKey),
    expiresAt: readIsoInstant(data['expiresAt']),
    consumptionLimit: readLimit(data['consumptionLimit'] ?? data['consumptionLimits']),
    limitPeriod: decodeEnum(limitPeriods, data['limitPeriod']),
    modelPrivacy: decodeEnum(modelPrivacies, data['modelPrivacy']),
  });

/** Normalizes text to a single line of at most 128 characters. Returns `undefined` if it contains the key. */
export function readSingleLine(value: unknown, apiKey?: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (apiKey !== undefined && value.includes(apiKey)) return undefined;
  const line = value
    .slice(0, 1_024)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, 128);
}

/** Normalizes a date to an ISO 8601 instant. */
export const readIsoInstant = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 40 && Number.isFinite(Date.parse(value))
    ? new Date(value).toISOString()
    : undefined;

/** Decodes a limit. Returns `undefined` if no currency is limited. */
function readLimit(value: unknown): ConsumptionLimit | undefined {
  if (!isRecord(value)) return undefined;
  const limit = {
    usd: decodeAmount(value, 'usd'),
    diem: decodeAmount(value, 'diem') ?? decodeAmount(value, 'vcu'),
  };
  return limit.usd === undefined && limit.diem === undefined ? undefined : omitUndefined(limit);
}

/** Decodes a non-negative amount from a number or a decimal string. */
function decodeAmount(record: JsonRecord, name: string): number | undefined {
  const value = record[name];
  const figure =
    typeof value === 'string' && /^\d{1,10}(?:\.\d{1,18})?$/.test(value) ? Number(value) : value;
  const isAmount = typeof figure === 'number' && figure >= 0 && figure <= 9_999_999_999;
  return isAmount ? figure : undefined;
}

const decodeEnum = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === value);
