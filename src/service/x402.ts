import { defined, isRecord, type JsonRecord, stringOr, textUpTo } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { ServiceContext } from './http/client.ts';
import { failureTable, type ServiceFailure } from './http/failure.ts';
import {
  decodeHeaderJson,
  paymentRequiredHeader,
  type PaymentRequirements,
  paymentResponseHeader,
  readPaymentRequirements,
  type X402Headers,
} from './payment-requirements.ts';
import { type Call, type Reply, secretsOf, send } from './http/request.ts';

/** What the service keeps for a wallet. In USD, to be shown: nothing that is paid is computed from it. */
export interface WalletBalance {
  readonly usd: number;
  /** Whether paid endpoints can be called now. */
  readonly canConsume: boolean;
  /** Of an account that the wallet is linked to; spent first. */
  readonly diem?: number;
  readonly minimumTopUpUsd?: number;
}

/** One line of a wallet's account. */
export interface WalletTransaction {
  readonly id: string;
  readonly kind: 'top-up' | 'charge' | 'refund' | 'other';
  /** In USD, to be shown; negative when it was spent. */
  readonly amountUsd: number;
  readonly balanceAfterUsd?: number;
  /** Milliseconds since the Unix epoch. */
  readonly at?: number;
  readonly modelId?: string;
}

/** What the service says a payment came to. Whether it was settled, only the chain knows. */
export interface TopUpReceipt {
  /** In USD, to be shown. */
  readonly creditedUsd?: number;
  readonly balanceUsd?: number;
  /** The service's id of the payment. */
  readonly paymentId?: string;
  /** Of the transaction on the chain, as the service names it. */
  readonly hash?: `0x${string}`;
}

const topUpPath = '/x402/top-up';
const mostBytes = 512 * 1024;
const longestText = 128;

/**
 * Asks what a top-up takes: the expected reply is a 402. Sends no payment and no credentials.
 * @throws ServiceError
 */
export async function getTopUpRequirements(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<PaymentRequirements> {
  const call: Call = {
    method: 'POST',
    path: topUpPath,
    body: {},
    isPublic: true,
    expects: 402,
    mayRepeat: ({ code, status = 500 }) => failureTable[code].retryable && status >= 400,
  };
  const reply = await send(context, call, signal);
  const json = await jsonOf(reply);
  const found =
    readPaymentRequirements(json) ??
    readPaymentRequirements(decodeHeaderJson(reply.headers[paymentRequiredHeader]));
  if (found === undefined) throw notUnderstood(JSON.stringify(json), []);
  return found;
}

/**
 * Hands in a payment that was signed for exactly this. Never repeated by itself: a failure does not say that nothing
 * was paid, unless {@link topUpRefusal} does.
 * @param payment The header's value.
 * @throws ServiceError
 */
export async function sendTopUp(
  context: ServiceContext,
  options: { payment: string; headers: X402Headers; signal: AbortSignal },
): Promise<TopUpReceipt> {
  const call: Call = {
    method: 'POST',
    path: topUpPath,
    body: {},
    isPublic: true,
    headers: { [options.headers.payment]: options.payment },
    // It waits for a transaction.
    timeouts: { headers: 120_000 },
    mayRepeat: () => false,
  };
  const reply = await send(context, call, options.signal);
  const data = dataOf(await jsonOf(reply));
  const settled = decodeHeaderJson(reply.headers[paymentResponseHeader]);
  return defined({
    creditedUsd: figure(data['amountCredited']),
    balanceUsd: figure(data['newBalance']),
    paymentId: textUpTo(data['paymentId'], longestText),
    hash: hashOf(isRecord(settled) ? settled['transaction'] : undefined),
  });
}

/** Why the service did not take a payment; `undefined` when it may have been paid all the same. */
export type TopUpRefusal =
  | 'amount'
  /** It does not accept what was signed, or not in that form. */
  | 'payment'
  /** The chain refused it. */
  | 'settlement'
  | 'not-offered'
  | 'rate-limited';

/** The errors of service facts §6.2 that come before a settlement, or instead of one. */
export function topUpRefusal({ status, detail = '' }: ServiceFailure): TopUpRefusal | undefined {
  const code = /^[A-Z0-9_]{3,64}\b/.exec(detail)?.[0] ?? '';
  if (status === 400) return code.startsWith('AMOUNT_TOO_') ? 'amount' : 'payment';
  if (status === 402 && code === 'SETTLEMENT_FAILED') return 'settlement';
  if (status === 402) return 'payment';
  if (status === 404 || code === 'X402_NOT_CONFIGURED') return 'not-offered';
  return status === 429 ? 'rate-limited' : undefined;
}

/**
 * The context must sign in with the wallet itself.
 * @throws ServiceError
 */
export async function getWalletBalance(
  context: ServiceContext,
  { address, signal }: { address: string; signal: AbortSignal },
): Promise<WalletBalance> {
  const data = await read(context, { path: `/x402/balance/${address}` }, signal);
  const usd = figure(data['balanceUsd']);
  if (usd === undefined || !isOf(data, address)) throw notUnderstood(JSON.stringify(data), []);
  return defined({
    usd,
    canConsume: data['canConsume'] !== false,
    diem: figure(data['diemBalanceUsd']),
    minimumTopUpUsd: figure(data['minimumTopUpUsd']),
  });
}

/**
 * The newest first. The context must sign in with the wallet itself.
 * @param options.limit From 1 to 100.
 * @throws ServiceError
 */
export async function listWalletTransactions(
  context: ServiceContext,
  options: { address: string; limit: number; offset: number; signal: AbortSignal },
): Promise<{ readonly transactions: readonly WalletTransaction[]; readonly hasMore: boolean }> {
  const { address, limit, offset, signal } = options;
  const query = { limit: String(limit), offset: String(offset) };
  const data = await read(context, { path: `/x402/transactions/${address}`, query }, signal);
  const list = data['transactions'];
  if (!Array.isArray(list) || !isOf(data, address)) throw notUnderstood(JSON.stringify(data), []);
  const pagination = isRecord(data['pagination']) ? data['pagination'] : {};
  return {
    transactions: list.slice(0, limit).flatMap(readTransaction),
    hasMore: pagination['hasMore'] === true,
  };
}

async function read(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'query'>,
  signal: AbortSignal,
): Promise<JsonRecord> {
  const reply = await send(context, { method: 'GET', mayRepeat: mayReadAgain, ...call }, signal);
  return dataOf(await jsonOf(reply));
}

/** These routes do not say what they dislike about a sign-in: the clock that the refusal told can be all there is. */
const mayReadAgain = ({ code }: ServiceFailure): boolean =>
  failureTable[code].retryable || code === 'sign-in-refused';

function readTransaction(item: unknown): WalletTransaction[] {
  if (!isRecord(item)) return [];
  const amountUsd = figure(item['amount']);
  if (amountUsd === undefined) return [];
  const at = Date.parse(stringOr(item['createdAt'], ''));
  const transaction = defined({
    id: textUpTo(item['id'], longestText) ?? '',
    kind: kinds.get(item['type']) ?? 'other',
    amountUsd,
    balanceAfterUsd: figure(item['balanceAfter']),
    at: Number.isNaN(at) ? undefined : at,
    modelId: textUpTo(item['modelId'], longestText),
  });
  return [transaction];
}

const kinds: ReadonlyMap<unknown, WalletTransaction['kind']> = new Map([
  ['TOP_UP', 'top-up'],
  ['CHARGE', 'charge'],
  ['REFUND', 'refund'],
]);

const jsonOf = ({ body, endpoint }: Reply): Promise<unknown> =>
  readJson(body, { maxBytes: mostBytes, secrets: secretsOf(endpoint) });

function dataOf(json: unknown): JsonRecord {
  const data = isRecord(json) ? (json['data'] ?? json) : undefined;
  if (!isRecord(data)) throw notUnderstood(JSON.stringify(json), []);
  return data;
}

/** A reply about another wallet is the answer to another question. */
const isOf = (data: JsonRecord, address: string): boolean =>
  stringOr(data['walletAddress'], address).toLowerCase() === address.toLowerCase();

/** Numbers come as such, or as text. */
function figure(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,18})?$/.test(value);
  const number = isText ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

const hashOf = (value: unknown): `0x${string}` | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
    ? (value as `0x${string}`)
    : undefined;
