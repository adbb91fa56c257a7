import * as l10n from '@vscode/l10n';
import { parseAbiItem, isAddress, isHex } from 'viem';
import { type Clock, wait } from '../../base/clock.ts';
import { omitUndefined, isRecord, type JsonRecord } from '../../base/json.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import type { X402Headers } from '../../service/payment-requirements.ts';
import {
  sendTopUp,
  type TopUpReceipt,
  type TopUpRefusal,
  readTopUpRefusal,
} from '../../service/x402.ts';
import { type ChainClient, type CheckedChain, readChain, usdcAbi } from '../chain-client.ts';
import type { Hash, Address, Hex } from '../chain.ts';

/** State of a signed payment on the chain. */
export type PaymentState =
  /** The payment was executed. The transaction hash is absent if the node cannot find the transaction. */
  | { readonly kind: 'paid'; readonly hash?: Hash }
  /** The payment was not executed, but can be executed until it expires. */
  | { readonly kind: 'open' }
  /** The payment was not executed and can no longer be executed. */
  | { readonly kind: 'void' };

const authorizationUsedEvent = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
);

/**
 * Reads the state of a payment from the token contract, not from the service.
 * @param options.confirmations Number of blocks after the expiry until the payment counts as
 *   void.
 * @param options.clock Local clock. Before it reaches the expiry, a payment never counts as void, because a node can
 *   report a false block time.
 * @throws WalletError with one of the codes `chain-unreachable`, `not-a-contract` or `stopped`
 */
export async function readPaymentState(
  client: ChainClient,
  record: TopUpRecord,
  { confirmations, clock, signal }: { confirmations: number; clock: Clock; signal: AbortSignal },
): Promise<PaymentState> {
  const read = <T>(query: () => Promise<T>): Promise<T> => readChain('payment', signal, query);
  const latestBlock = await read(() => client.getBlockNumber());
  const depth = BigInt(Math.max(0, confirmations - 1));
  const block = await read(() =>
    client.getBlock({ blockNumber: latestBlock > depth ? latestBlock - depth : 0n }),
  );
  const isNonceUsed = (blockOptions: { readonly blockNumber?: bigint }): Promise<boolean> =>
    read(() =>
      client.readContract({
        address: record.asset,
        abi: usdcAbi,
        functionName: 'authorizationState',
        args: [record.from, record.nonce],
        ...blockOptions,
      }),
    );
  // Read the state after the block, so that a payment that was executed before its expiry is found.
  if (!(await isNonceUsed({}))) {
    const now = BigInt(Math.floor(clock.now() / 1_000));
    const isExpired = block.timestamp >= record.validBefore && now >= record.validBefore;
    if (!isExpired) return { kind: 'open' };
    // Several nodes can share an address, and a lagging one may have returned the state of an earlier block.
    if (!(await isNonceUsed({ blockNumber: latestBlock }))) return { kind: 'void' };
  }
  const hash = await findTransactionHash(client, record, signal);
  return hash === undefined ? { kind: 'paid' } : { kind: 'paid', hash };
}

/**
 * Finds the hash of the payment's transaction, so that the result can link to the transaction. Returns `undefined` if
 * the node cannot search.
 */
async function findTransactionHash(
  client: ChainClient,
  { asset, from, nonce, block }: TopUpRecord,
  signal: AbortSignal,
): Promise<Hash | undefined> {
  try {
    const [log] = await readChain('the transaction', signal, () =>
      client.getLogs({
        address: asset,
        event: authorizationUsedEvent,
        args: { authorizer: from, nonce },
        fromBlock: block,
        toBlock: 'latest',
      }),
    );
    return log?.transactionHash;
  } catch {
    return undefined;
  }
}

/** Outcome of a top-up. */
export type TopUpOutcome =
  /** The user declined: nothing was signed. */
  { readonly kind: 'declined' } | CreditedTopUp | UncreditedTopUp;

/** A payment that the service reports as credited. */
export interface CreditedTopUp {
  readonly kind: 'credited';
  readonly record: TopUpRecord;
  readonly receipt: TopUpReceipt;
  /** State of the payment on the chain; absent when the chain did not respond. */
  readonly state?: PaymentState;
}

/** A signed payment that the service did not report as credited. */
export interface UncreditedTopUp {
  /**
   * `paid`: executed on the chain. `void`: expired, so nothing was paid. `refused`: rejected by the service, which can
   * still execute the payment until it expires. `unknown`: none of these, because the chain did not respond or has not
   * executed the payment yet.
   */
  readonly kind: 'paid' | 'void' | 'refused' | 'unknown';
  readonly record: TopUpRecord;
  readonly hash?: Hash;
  readonly refusal?: TopUpRefusal;
  /** Failure of the last attempt; absent if the payment is void and was not sent again. */
  readonly failure?: ServiceFailure;
  /** Sends the signed payment of this top-up again, unless the payment is void. */
  readonly resend: (signal: AbortSignal) => Promise<TopUpOutcome>;
}

interface SignedTopUpOptions {
  /** Service context with the base URL for which the payment is signed. */
  readonly service: ServiceContext;
  readonly headers: X402Headers;
  readonly chain: CheckedChain;
  readonly journal: TopUpJournal;
  readonly clock: Clock;
  readonly record: TopUpRecord;
  /** Payment header with the signature. */
  readonly header: string;
}

/** Maximum number of polls for the payment's state on the chain. */
const maxPolls = 5;
const pollDelayMs = 1_000;
const pollTimeoutMs = 15_000;

/** A signed payment that the user confirmed. Its signature is only in memory. */
export class SignedTopUp {
  readonly #options: SignedTopUpOptions;

  constructor(options: SignedTopUpOptions) {
    this.#options = options;
  }

  /** Submits the payment. Never throws: the outcome describes every failure. */
  async send(signal: AbortSignal): Promise<TopUpOutcome> {
    const { service, headers, header, record } = this.#options;
    try {
      const receipt = await sendTopUp(service, { payment: header, headers, signal });
      const state = await this.#pollState(maxPolls, signal);
      await this.#removeIfResolved(state);
      return omitUndefined({ kind: 'credited' as const, record, receipt, state });
    } catch (error) {
      const failure = toServiceFailure(error);
      const isRefused = readTopUpRefusal(failure) !== undefined;
      return this.#createUncreditedOutcome(
        await this.#pollState(isRefused ? 1 : maxPolls, signal),
        failure,
      );
    }
  }

  async #sendPaymentAgain(signal: AbortSignal): Promise<TopUpOutcome> {
    const state = await this.#pollState(1, signal);
    return state?.kind === 'void' ? this.#createUncreditedOutcome(state) : this.send(signal);
  }

  async #createUncreditedOutcome(
    state: PaymentState | undefined,
    failure?: ServiceFailure,
  ): Promise<UncreditedTopUp> {
    await this.#removeIfResolved(state);
    const refusal = failure === undefined ? undefined : readTopUpRefusal(failure);
    const unresolvedKind = refusal === undefined ? 'unknown' : 'refused';
    const kind: UncreditedTopUp['kind'] =
      state === undefined || state.kind === 'open' ? unresolvedKind : state.kind;
    return omitUndefined({
      kind,
      record: this.#options.record,
      hash: state?.kind === 'paid' ? state.hash : undefined,
      refusal,
      failure,
      resend: (signal: AbortSignal) => this.#sendPaymentAgain(signal),
    });
  }

  /**
   * Polls until the payment's state on the chain is final. Aborting ends the wait but not a running
   * read.
   */
  async #pollState(
    remainingPollCount: number,
    signal: AbortSignal,
  ): Promise<PaymentState | undefined> {
    const state = await this.#pollStateOnce();
    if (remainingPollCount <= 1 || state?.kind === 'paid' || state?.kind === 'void') return state;
    try {
      await wait(pollDelayMs, { clock: this.#options.clock, signal });
    } catch {
      return state;
    }
    return this.#pollState(remainingPollCount - 1, signal);
  }

  async #pollStateOnce(): Promise<PaymentState | undefined> {
    const { chain, clock, record } = this.#options;
    const { confirmations } = chain.chain;
    const signal = AbortSignal.timeout(pollTimeoutMs);
    return readPaymentState(chain.client, record, { confirmations, clock, signal }).catch(
      () => undefined,
    );
  }

  /**
   * Removes the record of a paid or void payment from the journal. If this fails, the extension reports the payment
   * again after its next start.
   */
  async #removeIfResolved(state: PaymentState | undefined): Promise<void> {
    const { journal, record } = this.#options;
    const isResolved = state?.kind === 'paid' || state?.kind === 'void';
    if (isResolved) await journal.remove(record).catch(() => {});
  }
}

/**
 * Converts an error to a failure. Drops the text of an unexpected error, because the text may contain the signed
 * payment.
 */
const toServiceFailure = (error: unknown): ServiceFailure =>
  error instanceof ServiceError
    ? error.failure
    : {
        code: 'internal-error',
        message: error instanceof Error ? error.name : l10n.t('unknown'),
      };

/** An earlier payment with its current state on the chain. */
export interface PendingTopUp {
  readonly record: TopUpRecord;
  readonly state: PaymentState;
}

/**
 * Reads the state of payments whose outcome is unknown after a reload or a lost reply. Returns all
 * of them, and removes the records of paid and void payments.
 * @throws WalletError with one of the codes `chain-unreachable`, `not-a-contract` or `stopped`
 */
export async function checkPendingTopUps(
  { chain, client }: CheckedChain,
  { journal, clock, signal }: { journal: TopUpJournal; clock: Clock; signal: AbortSignal },
): Promise<readonly PendingTopUp[]> {
  const records = journal.list().filter(({ chainId }) => chainId === chain.id);
  const payments: PendingTopUp[] = [];
  for (const record of records) {
    const { confirmations } = chain;
    const state = await readPaymentState(client, record, { confirmations, clock, signal });
    if (state.kind !== 'open') await journal.remove(record);
    payments.push({ record, state });
  }
  return payments;
}

/**
 * A signed payment, stored until its outcome is known. Contains no signature, so the record cannot
 * be used to pay.
 */
export interface TopUpRecord {
  /** Origin of the service that received the payment. */
  readonly origin: string;
  readonly chainId: number;
  /** Address of the token contract. */
  readonly asset: Address;
  readonly symbol: string;
  readonly decimals: number;
  readonly from: Address;
  readonly to: Address;
  /** Amount in the token's smallest unit. */
  readonly value: bigint;
  readonly nonce: Hex;
  /** Expiry in seconds since the Unix epoch. The payment cannot be executed afterwards. */
  readonly validBefore: bigint;
  /** Number of the latest block when the payment was signed. The payment's transaction is in a later block. */
  readonly block: bigint;
}

/** Storage for payments with an unknown outcome, so that the outcome can be read after a reload. */
export interface TopUpJournal {
  /** Returns the records, oldest first. */
  list(): readonly TopUpRecord[];
  /** Stores a record. Called before the payment is sent. */
  add(record: TopUpRecord): Promise<void>;
  remove(record: TopUpRecord): Promise<void>;
}

/** Encodes a record as plain JSON. */
export const encodeTopUp = (record: TopUpRecord): Readonly<Record<string, string | number>> => ({
  ...record,
  value: String(record.value),
  validBefore: String(record.validBefore),
  block: String(record.block),
});

/**
 * Decodes the output of {@link encodeTopUp}. Returns `undefined` for any other value, such as a
 * record of a newer version.
 */
export function decodeTopUp(json: unknown): TopUpRecord | undefined {
  if (!isRecord(json) || (json['version'] ?? 1) !== 1) return undefined;
  const { origin, chainId, asset, symbol, decimals, from, to, nonce } = json;
  const [value, validBefore, block] = ['value', 'validBefore', 'block'].map(readBigint(json));
  if (typeof origin !== 'string' || typeof symbol !== 'string') return undefined;
  if (typeof chainId !== 'number' || typeof decimals !== 'number') return undefined;
  if (!isAddressText(asset) || !isAddressText(from) || !isAddressText(to)) return undefined;
  if (!isHex(nonce) || nonce.length !== 66) return undefined;
  if (value === undefined || validBefore === undefined || block === undefined) return undefined;
  return { origin, chainId, asset, symbol, decimals, from, to, nonce, value, validBefore, block };
}

const isAddressText = (value: unknown): value is Address =>
  typeof value === 'string' && isAddress(value);

const readBigint =
  (json: JsonRecord) =>
  (name: string): bigint | undefined => {
    const text = json[name];
    return typeof text === 'string' && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  };
