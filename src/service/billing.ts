import { defined, isRecord, type JsonRecord } from '../base/json.ts';
import { type Nano, toNano } from '../base/nano-amount.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { ServiceContext } from './http/client.ts';
import { readLine } from './key-record.ts';
import { type Call, secretsOf, send } from './http/request.ts';

/** What an account can spend (service facts §6.6). Needs an `ADMIN` key. */
export interface AccountBalance {
  readonly canConsume: boolean;
  /** What the next call is paid from, as the service names it: `DIEM`, `BUNDLED_CREDITS`, `USD`. */
  readonly currency?: string;
  readonly usd?: Nano;
  readonly bundled?: Nano;
  /** Left of today's allocation. */
  readonly diem?: Nano;
  /** The whole allocation of a day. */
  readonly diemAllocation?: Nano;
}

/** What was spent on a day (UTC), by all keys of the account. */
export interface DayUse {
  /** `2026-11-21` */
  readonly date: string;
  readonly usd: Nano;
  readonly diem: Nano;
}

interface Options {
  readonly signal: AbortSignal;
}

/** The longest time that the service looks back. */
const mostDays = 90;
const maxBytes = 4 * 1024 * 1024;

/** @throws ServiceError; `unauthorized` with a key of another type */
export async function getBalance(
  context: ServiceContext,
  options: Options,
): Promise<AccountBalance> {
  const json = await read(context, { path: '/billing/balance' }, options);
  const balances = isRecord(json['balances']) ? json['balances'] : undefined;
  if (balances === undefined) throw notUnderstood('no balances', []);
  return defined({
    canConsume: json['canConsume'] === true,
    currency: readLine(json['consumptionCurrency']),
    usd: toNano(balances['usd']),
    bundled: toNano(balances['bundledCredits']),
    diem: toNano(balances['diem']) ?? toNano(balances['vcu']),
    diemAllocation: toNano(json['diemEpochAllocation']),
  });
}

/**
 * What was spent on each of the last days, the oldest first; days without use may be missing.
 * @param options.days 1 to 90
 * @throws ServiceError; `unauthorized` with a key that is not of type `ADMIN`
 */
export async function getDailyUse(
  context: ServiceContext,
  { days, signal }: Options & { readonly days: number },
): Promise<readonly DayUse[]> {
  const query = { lookback: `${Math.min(mostDays, Math.max(1, Math.trunc(days)))}d` };
  const json = await read(context, { path: '/billing/usage-analytics', query }, { signal });
  const { byDate } = json;
  if (!Array.isArray(byDate)) throw notUnderstood('no days', []);
  return byDate
    .slice(0, 2 * mostDays)
    .flatMap((each) => readDay(each) ?? [])
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

function readDay(value: unknown): DayUse | undefined {
  if (!isRecord(value) || typeof value['date'] !== 'string') return undefined;
  const date = /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(value['date'])?.[0];
  if (date === undefined) return undefined;
  return { date, usd: toNano(value['USD']) ?? 0n, diem: toNano(value['DIEM']) ?? 0n };
}

async function read(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'query'>,
  { signal }: Options,
): Promise<JsonRecord> {
  const reply = await send(context, { ...call, method: 'GET' }, signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { maxBytes, secrets });
  if (!isRecord(json)) throw notUnderstood(JSON.stringify(json), secrets);
  return isRecord(json['data']) ? json['data'] : json;
}
