import { defined, isRecord, type JsonRecord } from '../base/json.ts';
import {
  type ConsumptionLimit,
  type KeyRecord,
  type KeyType,
  keyTypes,
  limitPeriods,
  modelPrivacies,
} from './key-record.ts';

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
