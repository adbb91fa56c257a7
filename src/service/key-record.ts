import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';
import type { OptionalField } from './http/connection.ts';
import type { ServiceFailure } from './http/failure.ts';

/**
 * Permissions of a key: `INFERENCE` calls models and image endpoints, `ADMIN` also manages keys and billing (spec §5).
 */
export const keyTypes = ['INFERENCE', 'ADMIN'] as const;
export type KeyType = (typeof keyTypes)[number];

/**
 * Intervals after which the spending of a key is reset. `EPOCH`: daily at 00:00 UTC. `MONTH`: on the first of each
 * month. `LIFETIME`: never.
 */
export const limitPeriods = ['EPOCH', 'MONTH', 'LIFETIME'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/**
 * Models that a key may call. `ALL`: any model. `PRIVATE_TEXT`: private text models and any model of another type.
 * `PRIVATE_ONLY`: private models.
 */
export const modelPrivacies = ['ALL', 'PRIVATE_TEXT', 'PRIVATE_ONLY'] as const;
export type ModelPrivacy = (typeof modelPrivacies)[number];

/** Maximum spending of a key per {@link LimitPeriod}, 0 to 9,999,999,999 units of each currency. */
export interface ConsumptionLimit {
  readonly usd?: number;
  readonly diem?: number;
  /** DIEM limit under its former name, for services that still use this name. Only in requests, never in replies. */
  readonly vcu?: number;
}

/** Properties of a new key. By default, the service applies no limit and no expiry. */
export interface KeyOptions {
  readonly type: KeyType;
  /** Description, at most 64 characters. */
  readonly description?: string;
  /** Expiry as `YYYY-MM-DD` or as an ISO 8601 instant in UTC. Absent for a key that does not expire. */
  readonly expiresAt?: string;
  readonly consumptionLimit?: ConsumptionLimit;
  readonly limitPeriod?: LimitPeriod;
  readonly modelPrivacy?: ModelPrivacy;
}

/** Path of a key option in a request body, such as `consumptionLimit.usd`. */
export type KeyOptionPath =
  | Exclude<keyof KeyOptions, 'type'>
  | `consumptionLimit.${keyof ConsumptionLimit}`;

const getOptionNames = (): Readonly<Record<KeyOptionPath, string>> => ({
  description: l10n.t('Name'),
  expiresAt: l10n.t('Key expires'),
  consumptionLimit: l10n.t('Limit'),
  'consumptionLimit.usd': l10n.t('{0}: {1}', l10n.t('Limit'), 'USD'),
  'consumptionLimit.diem': l10n.t('{0}: {1}', l10n.t('Limit'), 'DIEM'),
  'consumptionLimit.vcu': l10n.t('{0}: {1}', l10n.t('Limit'), 'VCU'),
  limitPeriod: l10n.t('How often the limit resets'),
  modelPrivacy: l10n.t('Private models only'),
});

const fieldPrefix = 'api-key.';

/**
 * Returns the key options that a service may refuse. No option is left out without the user's agreement, because each
 * option restricts the key.
 */
export const listKeyOptionFields = (): readonly OptionalField[] =>
  Object.entries(getOptionNames()).map(([path, chosenName]) => ({
    path,
    key: `${fieldPrefix}${path}`,
    chosenName,
  }));

/** Returns the key option that the service refused; `undefined` for other failures. */
export const findRefusedKeyOption = ({ refusedField }: ServiceFailure): KeyOptionPath | undefined =>
  (Object.keys(getOptionNames()) as KeyOptionPath[]).find(
    (path) => refusedField === `${fieldPrefix}${path}`,
  );

/**
 * Returns a copy of the options without the option at `path`. Removing the only remaining limit also removes its
 * period.
 */
export function removeKeyOption<T extends object>(options: T, path: KeyOptionPath): Partial<T> {
  const [name = '', unit = ''] = path.split('.');
  const { [name]: value, ...otherOptions } = { ...options } as JsonRecord;
  const { [unit]: _, ...limits } = isRecord(value) && unit !== '' ? value : {};
  if (Object.keys(limits).length > 0) return { ...options, [name]: limits };
  const { limitPeriod: __, ...unlimitedOptions } = otherOptions;
  return (name === 'consumptionLimit' ? unlimitedOptions : otherOptions) as Partial<T>;
}

/**
 * Properties of a key as reported by the service, which can differ from those that the user requested. Contains no
 * secret.
 */
export interface KeyRecord extends KeyOptions {
  readonly id?: string;
}

export interface NewKey {
  readonly apiKey: string;
  readonly record: KeyRecord;
}

/**
 * Decodes a key record. Accepts the different field names that requests and lists of keys use. Omits invalid fields.
 * @param options.type Type to use if the record contains none.
 * @param options.apiKey Key that the record describes. Texts that contain the key are dropped.
 */
export const readKeyRecord = (
  data: JsonRecord,
  options: { readonly type: KeyType; readonly apiKey?: string },
): KeyRecord =>
  omitUndefined({
    type: decodeEnum(keyTypes, data['apiKeyType']) ?? options.type,
    id: toSingleLine(data['id'], options.apiKey),
    description: toSingleLine(data['description'], options.apiKey),
    expiresAt: readIsoInstant(data['expiresAt']),
    consumptionLimit: readLimit(data['consumptionLimit'] ?? data['consumptionLimits']),
    limitPeriod: decodeEnum(limitPeriods, data['limitPeriod']),
    modelPrivacy: decodeEnum(modelPrivacies, data['modelPrivacy']),
  });

/**
 * Normalizes a string to a single line of at most 128 characters. Returns `undefined` if the value is not a string, is
 * empty, or contains the key.
 */
export function toSingleLine(value: unknown, apiKey?: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (apiKey !== undefined && value.includes(apiKey)) return undefined;
  const line = value
    .slice(0, 1_024)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim();
  return line === '' ? undefined : line.slice(0, 128);
}

/** Normalizes a date to an ISO 8601 instant. Returns `undefined` if the date is invalid. */
export const readIsoInstant = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 40 && Number.isFinite(Date.parse(value))
    ? new Date(value).toISOString()
    : undefined;

/** Decodes a spending limit. Returns `undefined` if the limit contains no amount in a supported currency. */
function readLimit(value: unknown): ConsumptionLimit | undefined {
  if (!isRecord(value)) return undefined;
  const limit = {
    usd: decodeAmount(value, 'usd'),
    diem: decodeAmount(value, 'diem') ?? decodeAmount(value, 'vcu'),
  };
  return limit.usd === undefined && limit.diem === undefined ? undefined : omitUndefined(limit);
}

/** Decodes a non-negative amount, which can be a number or a decimal string. */
function decodeAmount(record: JsonRecord, name: string): number | undefined {
  const value = record[name];
  const amount =
    typeof value === 'string' && /^\d{1,10}(?:\.\d{1,18})?$/.test(value) ? Number(value) : value;
  const isAmount = typeof amount === 'number' && amount >= 0 && amount <= 9_999_999_999;
  return isAmount ? amount : undefined;
}

const decodeEnum = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === value);
