import { type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Clock, wait } from '../../base/clock.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import { findReplacement, findTransaction } from './find-transaction.ts';

/** A sent transaction, with the fields that it must have. */
export interface SentTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly nonce: number;
  /** True if the configured node has returned the transaction, so that its nonce is confirmed. */
  readonly isKnownToNode: boolean;
  /** Number of the latest block before the transaction was sent. */
  readonly block: bigint;
}

/** Outcome of a transaction, or the reason to stop waiting for the outcome. */
export type TransactionOutcome =
  /**
   * Mined with the required confirmations. The hash differs from the sent hash if the user changed
   * the fee.
   */
  | { readonly end: 'confirmed'; readonly hash: Hash }
  | { readonly end: 'failed'; readonly hash: Hash }
  /**
   * Another transaction used the nonce, for example a cancellation. The watched transaction can
   * never be mined.
   */
  | { readonly end: 'cancelled'; readonly hash?: Hash }
  | { readonly end: 'replaced'; readonly hash?: Hash }
  /** A reorganization removed the transaction's block. The transaction may be mined again. */
  | { readonly end: 'reorganised'; readonly hash: Hash }
  /** Pending after the maximum wait. The transaction may be mined at any time. */
  | { readonly end: 'pending'; readonly hash: Hash }
  /**
   * Unknown to the node, because it was dropped or never propagated. The transaction may still be
   * mined.
   */
  | { readonly end: 'dropped'; readonly hash: Hash };

/** Events during the wait for a transaction. */
export type WatchEvent =
  | { readonly type: 'pending' }
  | { readonly type: 'confirmations'; readonly count: number; readonly requiredCount: number }
  | { readonly type: 'repriced'; readonly hash: Hash }
  | { readonly type: 'reorganised' };

export interface WatchOptions {
  /** Required number of confirmations, counting the transaction's own block; at least 1. */
  readonly confirmations: number;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onEvent: (event: WatchEvent) => void;
}

/** Polling interval and time limits for watching a transaction, in milliseconds. */
export interface WatchTiming {
  readonly pollIntervalMs: number;
  /** Time after which a transaction unknown to the node counts as dropped. */
  readonly maxMissingMs: number;
  /** Maximum total wait for the outcome. */
  readonly maxWaitMs: number;
}

export const defaultWatchTiming: WatchTiming = {
  pollIntervalMs: 2_000,
  maxMissingMs: 90_000,
  maxWaitMs: 900_000,
};

/**
 * Waits for the outcome of a transaction. Follows its hash and its nonce, because the user can
 * speed up or cancel the transaction in the wallet, and the chain can drop it.
 * @throws WalletError `stopped` when the signal aborts, `chain-unreachable` when the node does
 *   not answer
 */
export async function watchTransaction(
  client: ChainClient,
  sentTransaction: SentTransaction,
  options: WatchOptions,
): Promise<TransactionOutcome> {
  const { clock, signal, timing } = options;
  const watch = new TransactionWatch(client, sentTransaction, options);
  const deadline = clock.now() + timing.maxWaitMs;
  for (;;) {
    const outcome = await watch.poll();
    if (outcome !== undefined) return outcome;
    if (clock.now() >= deadline) return watch.createTimeoutOutcome();
    await wait(timing.pollIntervalMs, { clock, signal }).catch(() => {
      throw new WalletError(
        'stopped',
        'Stopped waiting for the transaction.',
        sentTransaction.hash,
      );
    });
  }
}

class TransactionWatch {
  readonly #client: ChainClient;
  readonly #options: WatchOptions;
  /** The watched transaction, or its replacement with another fee. */
  #sentTransaction: SentTransaction;
  /**
   * True if the node has reported a block with the transaction, even if a reorganization removed
   * the block.
   */
  #wasMined = false;
  #missingSince: number | undefined;
  #silentSince: number | undefined;
  #lastEventText = '';

  constructor(client: ChainClient, sentTransaction: SentTransaction, options: WatchOptions) {
    this.#client = client;
    this.#sentTransaction = sentTransaction;
    this.#options = options;
  }

  /**
   * Polls once. Returns `undefined` if the outcome is not known yet, or if the node does not respond but has been
   * silent for less than `maxMissingMs`.
   * @throws WalletError `chain-unreachable` when the node has been silent for longer
   */
  async poll(): Promise<TransactionOutcome | undefined> {
    const { clock, timing } = this.#options;
    try {
      const outcome = await this.#readOutcome();
      this.#silentSince = undefined;
      return outcome;
    } catch {
      this.#silentSince ??= clock.now();
      if (clock.now() - this.#silentSince < timing.maxMissingMs) return undefined;
      const detail = 'The chain stopped answering while waiting for a transaction.';
      throw new WalletError('chain-unreachable', detail, this.#sentTransaction.hash);
    }
  }

  createTimeoutOutcome(): TransactionOutcome {
    const { hash } = this.#sentTransaction;
    if (this.#wasMined) return { end: 'reorganised', hash };
    return { end: this.#missingSince === undefined ? 'pending' : 'dropped', hash };
  }

  async #readOutcome(): Promise<TransactionOutcome | undefined> {
    const receipt = await this.#findReceipt(this.#sentTransaction.hash);
    if (receipt !== undefined) return this.#handleReceipt(receipt);
    if (this.#wasMined) this.#emitEvent({ type: 'reorganised' });
    const { from, nonce, isKnownToNode, hash } = this.#sentTransaction;
    const nonceCount = await this.#client.getTransactionCount({
      address: from,
      blockTag: 'latest',
    });
    if (nonceCount > nonce) return this.#handleUsedNonce(isKnownToNode);
    const transaction = await findTransaction(this.#client, hash);
    if (transaction === undefined) return this.#handleMissingTransaction();
    this.#missingSince = undefined;
    if (!this.#wasMined) this.#emitEvent({ type: 'pending' });
    return undefined;
  }

  async #handleReceipt(receipt: TransactionReceipt): Promise<TransactionOutcome | undefined> {
    const { confirmations } = this.#options;
    const count = await countConfirmations(this.#client, receipt);
    this.#wasMined = true;
    this.#missingSince = undefined;
    const { hash } = this.#sentTransaction;
    if (count >= confirmations)
      return { end: receipt.status === 'success' ? 'confirmed' : 'failed', hash };
    this.#emitEvent({ type: 'confirmations', count, requiredCount: confirmations });
    return undefined;
  }

  /** Determines the outcome after another transaction used the nonce. Returns `undefined` to continue waiting. */
  async #handleUsedNonce(isKnownToNode: boolean): Promise<TransactionOutcome | undefined> {
    // The transaction may have been mined between the two requests.
    if ((await this.#findReceipt(this.#sentTransaction.hash)) !== undefined) return undefined;
    const replacement = await findReplacement(this.#client, this.#sentTransaction);
    // The node returned the block before the receipt.
    if (replacement?.hash === this.#sentTransaction.hash) return undefined;
    if (replacement?.hasSameEffect === true) {
      this.#sentTransaction = {
        ...this.#sentTransaction,
        hash: replacement.hash,
        isKnownToNode: true,
      };
      this.#emitEvent({ type: 'repriced', hash: replacement.hash });
      return undefined;
    }
    // If the node never returned the transaction, its actual nonce is unknown, so the nonce proves nothing.
    if (!isKnownToNode) return this.#handleMissingTransaction();
    const receipt = replacement && (await this.#findReceipt(replacement.hash));
    // Without a receipt, a reorganization may have removed the replacement after the search.
    if (replacement === undefined || receipt === undefined)
      return this.#handleMissingTransaction('replaced');
    // A reorganization can revert the replacement, and the transaction may then be mined.
    const count = await countConfirmations(this.#client, receipt);
    if (count < this.#options.confirmations) return undefined;
    return { end: replacement.isCancellation ? 'cancelled' : 'replaced', hash: replacement.hash };
  }

  #handleMissingTransaction(
    end: 'dropped' | 'replaced' = 'dropped',
  ): TransactionOutcome | undefined {
    const { clock, timing } = this.#options;
    const { hash } = this.#sentTransaction;
    this.#missingSince ??= clock.now();
    if (clock.now() - this.#missingSince < timing.maxMissingMs) return undefined;
    if (end === 'replaced') return { end };
    return { end: this.#wasMined ? 'reorganised' : 'dropped', hash };
  }

  async #findReceipt(hash: Hash): Promise<TransactionReceipt | undefined> {
    const receipt = await findReceipt(this.#client, hash);
    return receipt?.transactionHash === hash ? receipt : undefined;
  }

  /** Emits the event unless it equals the previous event. */
  #emitEvent(event: WatchEvent): void {
    const eventText = JSON.stringify(event);
    if (eventText !== this.#lastEventText) this.#options.onEvent(event);
    this.#lastEventText = eventText;
  }
}

/** Returns the receipt; `undefined` while the transaction is in no block. */
export async function findReceipt(
  client: ChainClient,
  hash: Hash,
): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

export interface ReorgWatchOptions {
  /** Number of blocks that must follow the transaction's block before the watch ends. */
  readonly blockCount: number;
  readonly pollIntervalMs: number;
  /** Maximum total wait, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Watches a confirmed transaction until `blockCount` blocks follow its block, because a reorganization can still remove
 * the transaction.
 * @returns `unsure` after the maximum wait, on abort, or when the node does not answer
 */
export async function watchForReorg(
  client: ChainClient,
  hash: Hash,
  { blockCount, pollIntervalMs, maxWaitMs, clock, signal }: ReorgWatchOptions,
): Promise<'kept' | 'reorganised' | 'unsure'> {
  const deadline = clock.now() + maxWaitMs;
  let missedPollCount = 0;
  while (clock.now() < deadline && !signal.aborted) {
    const confirmations = await findConfirmationCount(client, hash).catch(() => undefined);
    if (confirmations !== undefined && confirmations > blockCount) return 'kept';
    missedPollCount = confirmations === 0 ? missedPollCount + 1 : 0;
    // A lagging node may not have the block yet, so tolerate a few failed polls.
    if (missedPollCount === maxMissingPolls) return 'reorganised';
    await wait(pollIntervalMs, { clock, signal }).catch(() => {});
  }
  return 'unsure';
}

const maxMissingPolls = 3;

/** Returns the number of confirmations; 0 if the transaction is in no block. */
async function findConfirmationCount(client: ChainClient, hash: Hash): Promise<number> {
  const receipt = await findReceipt(client, hash);
  return receipt === undefined ? 0 : countConfirmations(client, receipt);
}

/**
 * Returns the number of confirmations, counting the transaction's own block. Returns at least 1, even if a lagging node
 * reports a block number below that of the receipt.
 */
async function countConfirmations(
  client: ChainClient,
  { blockNumber }: TransactionReceipt,
): Promise<number> {
  return Math.max(1, Number((await client.getBlockNumber()) - blockNumber) + 1);
}
