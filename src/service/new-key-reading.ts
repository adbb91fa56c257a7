import { defined } from '../base/defined.ts';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { isApiKey } from './api-key.ts';
import {
  type ConsumptionLimit,
  type KeyType,
  keyTypes,
  limitPeriods,
  modelPrivacies,
  type NewKey,
} from './key-types.ts';

/**
 * A new key with what the service says it is: in an envelope `data` or without (service facts §5.3). Absent when there
 * is no key that can stand in a header; whatever else is not as it should be is left out.
 * @param wanted The type that was asked for, where the reply names none.
 */
export function readNewKey(json: unknown, wanted: KeyType): NewKey | undefined {
  if (!isRecord(json)) return undefined;
  const data = isRecord(json['data']) ? json['data'] : json;
  const apiKey = data['apiKey'] ?? json['apiKey'];
  if (typeof apiKey !== 'string' || !isApiKey(apiKey)) return undefined;
  const record = {
    type: oneOf(keyTypes, data['apiKeyType']) ?? wanted,
    id: text(data['id'], apiKey),
    description: text(data['description'], apiKey),
    expiresAt: instant(data['expiresAt']),
    consumptionLimit: readLimit(data['consumptionLimit'] ?? data['consumptionLimits']),
    limitPeriod: oneOf(limitPeriods, data['limitPeriod']),
    modelPrivacy: oneOf(modelPrivacies, data['modelPrivacy']),
  };
  return { apiKey, record: defined(record) };
}

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

/** A short text on one line that does not repeat the key. */
function text(value: unknown, apiKey: string): string | undefined {
  if (typeof value !== 'string' || value.includes(apiKey)) return undefined;
  const line = value.replaceAll(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, 128);
}

const instant = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 40 && Number.isFinite(Date.parse(value))
    ? new Date(value).toISOString()
    : undefined;

const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((each) => each === value);
