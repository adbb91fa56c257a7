import { omitUndefined, isRecord, type JsonRecord } from '../../base/json.ts';
import {
  type ConsumptionLimit,
  type KeyOptions,
  keyTypes,
  limitPeriods,
  modelPrivacies,
} from '../../service/key-record.ts';

/** Reason why the options for a new key are invalid. The user has entered the options, or a program has passed them. */
export type OptionProblem =
  | 'unknown-field'
  | 'type'
  | 'description'
  | 'expiry-format'
  | 'expiry-past'
  | 'limit'
  | 'period'
  | 'privacy';

export type ParsedMintOptions =
  | { readonly ok: true; readonly options: KeyOptions }
  | { readonly ok: false; readonly problem: OptionProblem };

export const maxDescriptionLength = 64;
export const defaultExpiryDays = 90;
/** Default spending limit of a new key. */
export const defaultLimit = { consumptionLimit: { usd: 10 }, limitPeriod: 'MONTH' } as const;

const dayMs = 24 * 60 * 60 * 1_000;
const maxLimitAmount = 9_999_999_999;

/**
 * Returns the recommended options: a key of type INFERENCE that has a spending limit and expires after 90 days.
 * @param now Milliseconds since the Unix epoch.
 */
export const getRecommendedOptions = (now: number, description: string): KeyOptions => ({
  type: 'INFERENCE',
  description,
  expiresAt: computeExpiryDate(defaultExpiryDays, now),
  ...defaultLimit,
});

/**
 * Parses options from a program, with recommended values for omitted fields. Ignores the limit period of a key without
 * a spending limit, and a limit period of `null`, which programs set for services without limit periods.
 * @param now Milliseconds since the Unix epoch.
 */
export function parseOptionsWithDefaults(fields: JsonRecord, now: number): ParsedMintOptions {
  const { limitPeriod, ...otherFields } = { ...getRecommendedOptions(now, 'Editor'), ...fields };
  const { consumptionLimit } = { ...defaultLimit, ...fields };
  const hasPeriod = limitPeriod !== null && consumptionLimit !== null;
  return parseMintOptions(hasPeriod ? { ...otherFields, limitPeriod } : otherFields, now);
}

/** Returns the UTC date that is `days` days after `now`, as `YYYY-MM-DD`. */
export const computeExpiryDate = (days: number, now: number): string =>
  new Date(now + days * dayMs).toISOString().slice(0, 10);

/**
 * Parses the options for a new key, from a program or a prompt. If one option is invalid, rejects all of them, because
 * a misspelled limit must not create a key without a limit.
 * @param now Milliseconds since the Unix epoch.
 */
export function parseMintOptions(value: unknown, now: number): ParsedMintOptions {
  if (!isRecord(value)) return { ok: false, problem: 'unknown-field' };
  const problem = findOptionProblem(value, now);
  if (problem !== undefined) return { ok: false, problem };
  const { type = 'INFERENCE', description, expiresAt, limitPeriod, modelPrivacy } = value;
  const options = {
    type,
    description,
    expiresAt: expiresAt === null || expiresAt === '' ? undefined : expiresAt,
    consumptionLimit: toLimit(value['consumptionLimit']),
    limitPeriod,
    modelPrivacy,
  };
  return { ok: true, options: omitUndefined(options) as KeyOptions };
}

function findOptionProblem(value: JsonRecord, now: number): OptionProblem | undefined {
  const { type, description, consumptionLimit, limitPeriod, modelPrivacy } = value;
  if (Object.keys(value).some((name) => !mintOptionNames.has(name))) return 'unknown-field';
  if (type !== undefined && !isOneOf(keyTypes, type)) return 'type';
  if (description !== undefined && !isValidDescription(description)) return 'description';
  if (consumptionLimit !== undefined && !isLimit(consumptionLimit)) return 'limit';
  if (limitPeriod !== undefined && !isOneOf(limitPeriods, limitPeriod)) return 'period';
  if (modelPrivacy !== undefined && !isOneOf(modelPrivacies, modelPrivacy)) return 'privacy';
  return findExpiryProblem(value['expiresAt'], now);
}

const mintOptionNames: ReadonlySet<string> = new Set([
  'type',
  'description',
  'expiresAt',
  'consumptionLimit',
  'limitPeriod',
  'modelPrivacy',
]);

/**
 * Checks whether a key description has at most 64 characters and no control or format characters.
 */
export const isValidDescription = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= maxDescriptionLength &&
  !/[\p{Cc}\p{Cf}]/u.test(value);

/**
 * Returns the reason why an expiry is invalid; `undefined` if it is valid. A missing or empty expiry is valid and means
 * that the key never expires.
 */
export function findExpiryProblem(
  value: unknown,
  now: number,
): 'expiry-format' | 'expiry-past' | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const isInstant = typeof value === 'string' && instantPattern.test(value);
  if (!isInstant || !isRealDate(value)) return 'expiry-format';
  return Date.parse(value) > now ? undefined : 'expiry-past';
}

const instantPattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)?$/;

/** Checks whether the date exists. `Date` alone would accept 30 February as 2 March. */
function isRealDate(value: string): boolean {
  const timestamp = Date.parse(value);
  return (
    Number.isFinite(timestamp) && new Date(timestamp).toISOString().startsWith(value.slice(0, 10))
  );
}

/**
 * Parses a spending limit in units of its currency. Accepts an amount above 0 in plain digits, with at most two
 * decimals. Returns `undefined` for any other text.
 */
export function parseLimitAmount(text: string): number | undefined {
  const trimmedText = text.trim();
  if (!/^\d{1,10}(?:\.\d{1,2})?$/.test(trimmedText)) return undefined;
  const amount = Number(trimmedText);
  return amount > 0 && amount <= maxLimitAmount ? amount : undefined;
}

/** Checks whether a value is a spending limit, or `null`, the service's value for a key without a limit. */
function isLimit(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const hasOnlyKnownNames = Object.keys(value).every((name) => isOneOf(limitUnits, name));
  return (
    hasOnlyKnownNames && Object.values(value).every((amount) => amount === null || isAmount(amount))
  );
}

/** Units of a spending limit (spec §4.4). */
const limitUnits = ['usd', 'diem', 'vcu'] as const;

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= maxLimitAmount;

function toLimit(value: unknown): ConsumptionLimit | undefined {
  if (!isRecord(value)) return undefined;
  const limit = omitUndefined(
    Object.fromEntries(limitUnits.map((unit) => [unit, value[unit] ?? undefined])),
  );
  return Object.keys(limit).length === 0 ? undefined : limit;
}

const isOneOf = (values: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && values.includes(value);
