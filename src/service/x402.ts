import {
  omitUndefined,
  isRecord,
  type JsonRecord,
  readStringOr,
  truncateString,
} from '../base/json.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
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
import { type ServiceCall, type ServiceResponse, listSecrets, sendCall } from './http/request.ts';

/** Prepaid balance of a wallet in USD. For display only; never used to calculate payments. */
export interface WalletBalance {
  readonly usd: number;
  /** True if the wallet can call paid endpoints now. */
  readonly canConsume: boolean;
  /**
   * DIEM balance of the account that is linked to the wallet. The service charges this balance before the balance in
   * USD.
   */
  readonly diem?: number;
}

/** Entry in the transaction history of a wallet. */
export interface WalletTransaction {
  readonly id: string;
  readonly kind: 'top-up' | 'charge' | 'refund' | 'other';
  /** Amount in USD, for display only. Negative for a charge. */
  readonly amountUsd: number;
  readonly balanceAfterUsd?: number;
  /** Time of the transaction in milliseconds since the Unix epoch. */
  readonly time?: number;
  readonly modelId?: string;
}

/** Result of a top-up as reported by the service. The report does not prove the payment; only the blockchain does. */
export interface TopUpReceipt {
  readonly balanceUsd?: number;
  /** Hash of the on-chain transaction, as reported by the service. */
  readonly hash?: `0x${string}`;
}

const topUpPath = '/x402/top-up';
const maxBytes = 512 * 1024;
const maxTextLength = 128;

/**
 * Requests the payment terms of a top-up. The service returns them with status 402. Sends no payment and no
 * credentials.
 * @throws ServiceError if the request fails
 */
export async function getTopUpRequirements(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<PaymentRequirements> {
  const call: ServiceCall = {
    method: 'POST',
    path: topUpPath,
    body: {},
    isPublic: true,
    expectedStatus: 402,
    canRetry: ({ code, status = 500 }) => failureTable[code].isRetryable && status >= 400,
  };
  const response = await sendCall(context, call, signal);
  const json = await readResponseJson(response);
  const foundRequirements =
    readPaymentRequirements(json) ??
    readPaymentRequirements(decodeHeaderJson(response.headers[paymentRequiredHeader]));
  if (foundRequirements === undefined)
    throw createUnrecognizedResponseError(JSON.stringify(json), []);
  return foundRequirements;
}

/**
 * Sends a signed top-up payment. Never retries, because the payment may have been settled even if the request failed.
 * {@link readTopUpRefusal} detects failures without a settled payment.
 * @param payment Value of the payment header.
 * @throws ServiceError if the request fails
 */
export async function sendTopUp(
  context: ServiceContext,
  options: { payment: string; headers: X402Headers; signal: AbortSignal },
): Promise<TopUpReceipt> {
  const call: ServiceCall = {
    method: 'POST',
    path: topUpPath,
    body: {},
    isPublic: true,
    headers: { [options.headers.payment]: options.payment },
    // The service responds after the transaction is on the blockchain.
    timeouts: { headersMs: 120_000 },
    canRetry: () => false,
  };
  const response = await sendCall(context, call, options.signal);
  const data = decodeData(await readResponseJson(response));
  const receiptHeader = decodeHeaderJson(response.headers[paymentResponseHeader]);
  return omitUndefined({
    balanceUsd: decodeNumber(data['newBalance']),
    hash: decodeHash(isRecord(receiptHeader) ? receiptHeader['transaction'] : undefined),
  });
}

/** Reason why the service rejected a top-up payment without settling it. */
export type TopUpRefusal =
  | 'amount'
  /** The service rejects the signed payment or its format. */
  | 'payment'
  /** The blockchain rejected the payment. */
  | 'settlement'
  | 'not-offered'
  | 'rate-limited';

/**
 * Returns the reason why the service rejected a payment without settling it. Returns `undefined` if the payment may
 * have been settled.
 */
export function readTopUpRefusal({
  code: failureCode,
  status,
  detail = '',
}: ServiceFailure): TopUpRefusal | undefined {
  const code = /(?:^|\()([A-Z0-9_]{3,64})\)?(?:;|$)/.exec(detail)?.[1] ?? '';
  if (status === 400) return code.startsWith('AMOUNT_TOO_') ? 'amount' : 'payment';
  if (status === 402 && code === 'SETTLEMENT_FAILED') return 'settlement';
  if (status === 402) return 'payment';
  if (status === 404 || failureCode === 'no-pay-per-request') return 'not-offered';
  return status === 429 ? 'rate-limited' : undefined;
}

/**
 * Returns the balance of a wallet. The context must sign in with the same wallet.
 * @throws ServiceError if the request fails
 */
export async function getWalletBalance(
  context: ServiceContext,
  { address, signal }: { address: string; signal: AbortSignal },
): Promise<WalletBalance> {
  const data = await requestData(context, { path: `/x402/balance/${address}` }, signal);
  const usd = decodeNumber(data['balanceUsd']);
  if (usd === undefined || !isForWallet(data, address))
    throw createUnrecognizedResponseError(JSON.stringify(data), []);
  return omitUndefined({
    usd,
    canConsume: data['canConsume'] !== false,
    diem: decodeNumber(data['diemBalanceUsd']),
  });
}

/**
 * Lists transactions of a wallet, newest first. The context must sign in with the same wallet.
 * @param options.limit Maximum number of transactions, 1 to 100.
 * @throws ServiceError if the request fails
 */
export async function listWalletTransactions(
  context: ServiceContext,
  options: { address: string; limit: number; offset: number; signal: AbortSignal },
): Promise<{ readonly transactions: readonly WalletTransaction[]; readonly hasMore: boolean }> {
  const { address, limit, offset, signal } = options;
  const query = { limit: String(limit), offset: String(offset) };
  const data = await requestData(context, { path: `/x402/transactions/${address}`, query }, signal);
  const list = data['transactions'];
  if (!Array.isArray(list) || !isForWallet(data, address))
    throw createUnrecognizedResponseError(JSON.stringify(data), []);
  const pagination = isRecord(data['pagination']) ? data['pagination'] : {};
  return {
    transactions: list.slice(0, limit).flatMap(readTransaction),
    hasMore: pagination['hasMore'] === true,
  };
}

async function requestData(
  context: ServiceContext,
  call: Pick<ServiceCall, 'path' | 'query'>,
  signal: AbortSignal,
): Promise<JsonRecord> {
  const response = await sendCall(
    context,
    { method: 'GET', canRetry: canRetryRead, ...call },
    signal,
  );
  return decodeData(await readResponseJson(response));
}

/**
 * Checks whether a failed read may be retried: after a retryable failure, or after a rejected sign-in. The response
 * with the rejection corrects the service clock, so the next sign-in may be valid.
 */
const canRetryRead = ({ code }: ServiceFailure): boolean =>
  failureTable[code].isRetryable || code === 'sign-in-refused';

function readTransaction(record: unknown): WalletTransaction[] {
  if (!isRecord(record)) return [];
  const amountUsd = decodeNumber(record['amount']);
  if (amountUsd === undefined) return [];
  const time = Date.parse(readStringOr(record['createdAt'], ''));
  const transaction = omitUndefined({
    id: truncateString(record['id'], maxTextLength) ?? '',
    kind: transactionKinds.get(record['type']) ?? 'other',
    amountUsd,
    balanceAfterUsd: decodeNumber(record['balanceAfter']),
    time: Number.isNaN(time) ? undefined : time,
    modelId: truncateString(record['modelId'], maxTextLength),
  });
  return [transaction];
}

const transactionKinds: ReadonlyMap<unknown, WalletTransaction['kind']> = new Map([
  ['TOP_UP', 'top-up'],
  ['CHARGE', 'charge'],
  ['REFUND', 'refund'],
]);

const readResponseJson = ({ body, endpoint }: ServiceResponse): Promise<unknown> =>
  readJson(body, { maxBytes, secrets: listSecrets(endpoint) });

function decodeData(json: unknown): JsonRecord {
  const data = isRecord(json) ? (json['data'] ?? json) : undefined;
  if (!isRecord(data)) throw createUnrecognizedResponseError(JSON.stringify(json), []);
  return data;
}

const isForWallet = (data: JsonRecord, address: string): boolean =>
  readStringOr(data['walletAddress'], address).toLowerCase() === address.toLowerCase();

/** Decodes a finite number, which the service sends as a number or as a string. Returns undefined for other values. */
function decodeNumber(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,18})?$/.test(value);
  const number = isText ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

const decodeHash = (value: unknown): `0x${string}` | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
    ? (value as `0x${string}`)
    : undefined;
