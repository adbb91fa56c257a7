import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  readNumberOr,
  readStringOr,
} from '../base/json.ts';
import { type Nano, parseNano } from '../base/nano-amount.ts';
import type { ServiceContext } from './http/client.ts';
import { ServiceError } from './http/failure.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import { listModels } from './models.ts';
import { type ServiceCall, listSecrets, sendCall } from './http/request.ts';
import {
  listKeyOptionFields,
  type KeyOptionPath,
  type KeyOptions,
  type KeyRecord,
  readIsoInstant,
  readKeyRecord,
  toSingleLine,
  removeKeyOption,
} from './key-record.ts';

/** Record of an API key of the account. Does not contain the key itself, which the service returns only on creation. */
export interface ManagedKey extends KeyRecord {
  readonly id: string;
  /** Last six characters of the key. Absent if the service omits them. */
  readonly last6?: string;
  /** Time of creation, as an ISO 8601 instant. */
  readonly createdAt?: string;
  /** Amount spent by the key in the last seven days. */
  readonly weekUsage: KeyUsage;
  /** Amount spent in the current limit period. Absent for a key without a limit. */
  readonly periodUsage?: KeyUsage;
}

export interface KeyUsage {
  readonly usd: Nano;
  readonly diem: Nano;
}

/** Changes to the properties of an API key. Omitted properties stay unchanged. */
export interface KeyChange extends Partial<
  Pick<KeyOptions, 'description' | 'consumptionLimit' | 'limitPeriod'>
> {
  /** New expiry in the format of {@link KeyOptions}. Empty to remove the expiry. */
  readonly expiresAt?: string;
}

interface KeyRequestOptions {
  readonly signal: AbortSignal;
}

/** Maximum number of keys to read from a response. The service permits fewer keys per account. */
const maxKeys = 1_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * Lists all keys of the account that have not expired. Requires an `ADMIN` key.
 * @throws ServiceError if the request fails; `forbidden` for a key of another type.
 */
export async function listApiKeys(
  context: ServiceContext,
  options: KeyRequestOptions,
): Promise<readonly ManagedKey[]> {
  const json = await sendKeyRequest(context, { method: 'GET', path: '/api_keys' }, options);
  const data = isRecord(json) ? json['data'] : undefined;
  if (!Array.isArray(data)) throw createUnrecognizedResponseError(describeShape(json), []);
  return data.slice(0, maxKeys).flatMap((record) => readManagedKey(record) ?? []);
}

/**
 * Changes a key. A new limit replaces the limits of both currencies, so a currency that the new limit omits becomes
 * unlimited. Sends nothing if all changes are omitted.
 * @param options.omittedOptions Changes that the service refuses, and that the user agreed to leave out of the request.
 * @throws ServiceError if the request fails
 */
export async function updateApiKey(
  context: ServiceContext,
  { id, ...change }: KeyChange & { readonly id: string },
  {
    omittedOptions = [],
    ...options
  }: KeyRequestOptions & { readonly omittedOptions?: readonly KeyOptionPath[] },
): Promise<void> {
  const { consumptionLimit: limit, ...otherChanges } = change;
  // The service does not change the limit of a currency that the request omits.
  const completeLimit = limit && { usd: limit.usd ?? null, diem: limit.diem ?? null };
  const completeChange = { ...otherChanges, ...omitUndefined({ consumptionLimit: completeLimit }) };
  const sentChange = omittedOptions.reduce<object>(removeKeyOption, completeChange);
  if (Object.keys(sentChange).length === 0) return;
  const call = {
    method: 'PATCH',
    path: '/api_keys',
    optionalFields: listKeyOptionFields(),
  } as const;
  await sendKeyRequest(context, { ...call, body: { id, ...sentChange } }, options);
}

/**
 * Revokes a key permanently.
 * @throws ServiceError if the request fails; `invalid-request` if the key does not exist.
 */
export async function revokeApiKey(
  context: ServiceContext,
  id: string,
  options: KeyRequestOptions,
): Promise<void> {
  await sendKeyRequest(context, { method: 'DELETE', path: '/api_keys', query: { id } }, options);
}

/** Decodes a key record and omits invalid fields. Returns `undefined` if the record has no id. */
function readManagedKey(value: unknown): ManagedKey | undefined {
  if (!isRecord(value)) return undefined;
  const record = readKeyRecord(value, { type: 'INFERENCE' });
  if (record.id === undefined) return undefined;
  const usage = isRecord(value['usage']) ? value['usage'] : {};
  return omitUndefined({
    ...record,
    id: record.id,
    last6: toSingleLine(value['last6Chars'])?.slice(0, 6),
    createdAt: readIsoInstant(value['createdAt']),
    weekUsage: readKeyUsage(usage['trailingSevenDays']) ?? { usd: 0n, diem: 0n },
    periodUsage: readKeyUsage(value['currentPeriodUsage']),
  });
}

function readKeyUsage(value: unknown): KeyUsage | undefined {
  if (!isRecord(value)) return undefined;
  const readAmount = (name: string): Nano | undefined => parseNano(value[name]);
  return { usd: readAmount('usd') ?? 0n, diem: readAmount('diem') ?? readAmount('vcu') ?? 0n };
}

/**
 * Sends a request that lists, changes or revokes keys. Uses the default retries, so a request is sent again only if the
 * failed attempt had no effect.
 */
async function sendKeyRequest(
  context: ServiceContext,
  request: Pick<ServiceCall, 'method' | 'path' | 'body' | 'query' | 'optionalFields'>,
  { signal }: KeyRequestOptions,
): Promise<unknown> {
  const response = await sendCall(context, request, signal);
  return readJson(response.body, { maxBytes, secrets: listSecrets(response.endpoint) });
}

/** Describes a response by its field names, without values that could be secret. */
const describeShape = (json: unknown): string =>
  isRecord(json) ? `{${Object.keys(json).slice(0, 20).join(', ')}}` : typeof json;

/**
 * Part of the service's record of rate limits: the permission, remaining balances and expiry of an API key. Each
 * balance is in units of its currency.
 */
export interface RateLimits {
  /** True if the key can call paid endpoints now. */
  readonly isAccessPermitted: boolean;
  readonly balances: { readonly usd?: number; readonly diem?: number; readonly bundled?: number };
  /** Expiry of the key, as the ISO 8601 instant that the service sent. */
  readonly keyExpiration?: string;
}

/**
 * Returns the permissions, limits and balances of the API key of `context`. This is the cheapest call that validates
 * the base URL and the key.
 */
export async function getRateLimits(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<RateLimits> {
  const response = await sendCall(
    context,
    { method: 'GET', path: '/api_keys/rate_limits' },
    signal,
  );
  const secrets = listSecrets(response.endpoint);
  const json = await readJson(response.body, { secrets });
  const data = isRecord(json) ? (json['data'] ?? json) : undefined;
  if (!isRecord(data)) throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return omitUndefined({
    isAccessPermitted: data['accessPermitted'] !== false,
    balances: readBalances(isRecord(data['balances']) ? data['balances'] : {}),
    keyExpiration: readStringOr(data['keyExpiration'], undefined),
  });
}

/**
 * Tests the API key of `context` by requesting the key's limits. If the service has no route for limits, requests the
 * model list instead and returns no limits.
 * @throws ServiceError if the request fails
 */
export async function testApiKey(
  context: ServiceContext,
  signal: AbortSignal,
): Promise<{ readonly limits?: RateLimits }> {
  try {
    return { limits: await getRateLimits(context, { signal }) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.code !== 'not-found') throw error;
    await listModels(context, { signal });
    return {};
  }
}

function readBalances(balances: JsonRecord): RateLimits['balances'] {
  const findNumber = (...names: string[]): number | undefined =>
    names
      .map((name) => readNumberOr(balances[name], undefined))
      .find((value) => value !== undefined);
  return omitUndefined({
    usd: findNumber('USD', 'usd'),
    diem: findNumber('DIEM', 'diem', 'VCU', 'vcu'),
    bundled: findNumber('BUNDLED_CREDITS', 'bundledCredits'),
  });
}
