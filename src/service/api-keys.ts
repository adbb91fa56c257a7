import { defined, isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';
import { type Nano, toNano } from '../base/nano-amount.ts';
import type { ReplyInfo } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import { type Call, secretsOf, send } from './http/request.ts';
import {
  type KeyOptions,
  type KeyRecord,
  readInstant,
  readKeyRecord,
  readLine,
} from './key-record.ts';

/** A key of the account, as its owner sees it (service facts §5.2). The key itself is told nobody again. */
export interface ManagedKey extends KeyRecord {
  readonly id: string;
  /** The last six characters of the key; absent when the service did not say. */
  readonly last6?: string;
  /** ISO instants. */
  readonly createdAt?: string;
  readonly lastUsedAt?: string;
  /** What it spent in the last seven days. */
  readonly weekUse: KeyUse;
  /** What counts against its limit now; absent without a limit. */
  readonly periodUse?: KeyUse;
}

export interface KeyUse {
  readonly usd: Nano;
  readonly diem: Nano;
}

/** What of a key can be changed. Absent stays as it is. */
export interface KeyChange extends Partial<
  Pick<KeyOptions, 'description' | 'consumptionLimit' | 'limitPeriod'>
> {
  /** As in {@link KeyOptions}; empty for a key that never expires. */
  readonly expiresAt?: string;
}

interface Options {
  readonly signal: AbortSignal;
}

/** More keys than the service allows an account (service facts §5.2). */
const mostKeys = 1_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * All keys of the account that have not expired. Needs an `ADMIN` key.
 * @throws ServiceError; `unauthorized` with a key of another type
 */
export async function listApiKeys(
  context: ServiceContext,
  options: Options,
): Promise<readonly ManagedKey[]> {
  const json = await call(context, { method: 'GET', path: '/api_keys' }, options);
  const data = isRecord(json) ? json['data'] : undefined;
  if (!Array.isArray(data)) throw notUnderstood(shape(json), []);
  return data.slice(0, mostKeys).flatMap((each) => readManagedKey(each) ?? []);
}

/** @throws ServiceError */
export async function updateApiKey(
  context: ServiceContext,
  { id, ...change }: KeyChange & { readonly id: string },
  options: Options,
): Promise<void> {
  const { consumptionLimit: limit, ...rest } = change;
  // A unit that is left out would keep the limit that it has.
  const whole = limit && { usd: limit.usd ?? null, diem: limit.diem ?? null };
  const body = { id, ...rest, ...defined({ consumptionLimit: whole }) };
  await call(context, { method: 'PATCH', path: '/api_keys', body }, options);
}

/**
 * Ends a key for good.
 * @throws ServiceError; `invalid-request` when there is no such key
 */
export async function revokeApiKey(
  context: ServiceContext,
  id: string,
  options: Options,
): Promise<void> {
  await call(context, { method: 'DELETE', path: '/api_keys', query: { id } }, options);
}

/** Read tolerantly; `undefined` when it has no id. */
function readManagedKey(value: unknown): ManagedKey | undefined {
  if (!isRecord(value)) return undefined;
  const record = readKeyRecord(value, { type: 'INFERENCE' });
  if (record.id === undefined) return undefined;
  const usage = isRecord(value['usage']) ? value['usage'] : {};
  return defined({
    ...record,
    id: record.id,
    last6: readLine(value['last6Chars'])?.slice(0, 6),
    createdAt: readInstant(value['createdAt']),
    lastUsedAt: readInstant(value['lastUsedAt']),
    weekUse: readUse(usage['trailingSevenDays']) ?? { usd: 0n, diem: 0n },
    periodUse: readUse(value['currentPeriodUsage']),
  });
}

function readUse(value: unknown): KeyUse | undefined {
  if (!isRecord(value)) return undefined;
  const amount = (name: string): Nano | undefined => toNano(value[name]);
  return { usd: amount('usd') ?? 0n, diem: amount('diem') ?? amount('vcu') ?? 0n };
}

/** Repeated only where the service says that it did nothing. */
async function call(
  context: ServiceContext,
  request: Pick<Call, 'method' | 'path' | 'body' | 'query'>,
  { signal }: Options,
): Promise<unknown> {
  const reply = await send(context, request, signal);
  return readJson(reply.body, { maxBytes, secrets: secretsOf(reply.endpoint) });
}

/** For the log: which fields there are, nothing of what is in them. */
const shape = (json: unknown): string =>
  isRecord(json) ? `{${Object.keys(json).slice(0, 20).join(', ')}}` : typeof json;

/** What a key may do and has left. Balances in units of their currency. */
export interface RateLimits {
  /** Whether paid endpoints can be called now. */
  readonly accessPermitted: boolean;
  readonly balances: { readonly usd?: number; readonly diem?: number; readonly bundled?: number };
  /** ISO instants as the service gave them. */
  readonly keyExpiration?: string;
  readonly nextEpochBegins?: string;
  readonly limits: readonly ModelLimit[];
  readonly info: ReplyInfo;
}

interface ModelLimit {
  readonly modelId: string;
  /** `RPM`, `RPD`, `TPM`, or what else the service counts. */
  readonly type: string;
  readonly amount: number;
}

/** Limits and balances of the key in use; the cheapest way to learn whether address and key are right. */
export async function getRateLimits(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<RateLimits> {
  const reply = await send(context, { method: 'GET', path: '/api_keys/rate_limits' }, signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { secrets });
  const data = isRecord(json) ? (json['data'] ?? json) : undefined;
  if (!isRecord(data)) throw notUnderstood(JSON.stringify(json), secrets);
  return defined({
    accessPermitted: data['accessPermitted'] !== false,
    balances: readBalances(isRecord(data['balances']) ? data['balances'] : {}),
    keyExpiration: stringOr(data['keyExpiration'], undefined),
    nextEpochBegins: stringOr(data['nextEpochBegins'], undefined),
    limits: recordsOf(data['rateLimits']).flatMap(readLimits),
    info: reply.info,
  });
}

function readBalances(balances: JsonRecord): RateLimits['balances'] {
  const figure = (...names: string[]): number | undefined =>
    names.map((name) => numberOr(balances[name], undefined)).find((value) => value !== undefined);
  return defined({
    usd: figure('USD', 'usd'),
    diem: figure('DIEM', 'diem', 'VCU', 'vcu'),
    bundled: figure('BUNDLED_CREDITS', 'bundledCredits'),
  });
}

function readLimits(model: JsonRecord): ModelLimit[] {
  const modelId = stringOr(model['apiModelId'], '');
  return recordsOf(model['rateLimits']).flatMap(({ type, amount }) =>
    typeof type === 'string' && typeof amount === 'number' ? [{ modelId, type, amount }] : [],
  );
}

const recordsOf = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
