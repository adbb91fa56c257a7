import { omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';
import { type Nano, parseNano } from '../base/nano-amount.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import type { ServiceContext } from './http/client.ts';
import { type ServiceCall, listSecrets, sendCall } from './http/request.ts';

/** Balances of an account. Only an `ADMIN` key can request them. */
export interface AccountBalance {
  readonly usd?: Nano;
  readonly bundled?: Nano;
  /** Unspent part of today's DIEM allocation. */
  readonly diem?: Nano;
  /** DIEM allocation of a full day. */
  readonly diemAllocation?: Nano;
}

/** Amount spent in one day (UTC) with all keys of the account. */
export interface DailyUsage {
  /** Day of the usage (UTC), such as `2026-11-21`. */
  readonly date: string;
  readonly usd: Nano;
  readonly diem: Nano;
}

interface BillingOptions {
  readonly signal: AbortSignal;
}

/** Maximum number of past days for which the service returns usage data. */
const maxDays = 90;
const maxBytes = 4 * 1024 * 1024;

/**
 * Returns the balances of the account.
 * @throws ServiceError if the request fails; `forbidden` for a key that is not of type `ADMIN`.
 */
export async function getBalance(
  context: ServiceContext,
  options: BillingOptions,
): Promise<AccountBalance> {
  const json = await requestData(context, { path: '/billing/balance' }, options);
  const balances = isRecord(json['balances']) ? json['balances'] : undefined;
  if (balances === undefined) throw createUnrecognizedResponseError('no balances', []);
  return omitUndefined({
    usd: parseNano(balances['usd']),
    bundled: parseNano(balances['bundledCredits']),
    diem: parseNano(balances['diem']) ?? parseNano(balances['vcu']),
    diemAllocation: parseNano(json['diemEpochAllocation']),
  });
}

/**
 * Returns the amounts spent on each of the last `options.days` days, oldest first. Days without usage may be missing.
 * @param options.days Number of days, 1 to 90.
 * @throws ServiceError if the request fails; `forbidden` for a key that is not of type `ADMIN`.
 */
export async function getDailyUsage(
  context: ServiceContext,
  { days, signal }: BillingOptions & { readonly days: number },
): Promise<readonly DailyUsage[]> {
  const query = { lookback: `${Math.min(maxDays, Math.max(1, Math.trunc(days)))}d` };
  const json = await requestData(context, { path: '/billing/usage-analytics', query }, { signal });
  const { byDate } = json;
  if (!Array.isArray(byDate)) throw createUnrecognizedResponseError('no days', []);
  return byDate
    .slice(0, 2 * maxDays)
    .flatMap((entry) => readDailyUsage(entry) ?? [])
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

function readDailyUsage(value: unknown): DailyUsage | undefined {
  if (!isRecord(value) || typeof value['date'] !== 'string') return undefined;
  const date = /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(value['date'])?.[0];
  if (date === undefined) return undefined;
  return { date, usd: parseNano(value['USD']) ?? 0n, diem: parseNano(value['DIEM']) ?? 0n };
}

async function requestData(
  context: ServiceContext,
  call: Pick<ServiceCall, 'path' | 'query'>,
  { signal }: BillingOptions,
): Promise<JsonRecord> {
  const response = await sendCall(context, { ...call, method: 'GET' }, signal);
  const secrets = listSecrets(response.endpoint);
  const json = await readJson(response.body, { maxBytes, secrets });
  if (!isRecord(json)) throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return isRecord(json['data']) ? json['data'] : json;
}
