import { type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';
import { type Clock, wait } from '../../base/clock.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import { findReplacement, findTransaction } from './find-transaction.ts';

/** A transaction that was sent, with what it must do. */
export interface SentTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly nonce: number;
  /** The chain's own node has shown it, so that the nonce is known to be its own. */
  readonly seen: boolean;
  /** The newest block before it was sent. */
  readonly block: bigint;
}

/** How a transaction ended, or why it is not waited for any longer. */
export type TransactionOutcome =
  /** Done, under the confirmations that were asked for. The hash is another one when only its fee was changed. */
  | { readonly end: 'confirmed'; readonly hash: Hash }
  | { readonly end: 'failed'; readonly hash: Hash }
  /** Another one took its nonce: one that does nothing, or something else. It can never come. */
  | { readonly end: 'cancelled'; readonly hash?: Hash }
  | { readonly end: 'replaced'; readonly hash?: Hash }
  /** It was in a block that is not part of the chain any more. It may come again. */
  | { readonly end: 'reorganised'; readonly hash: Hash }
  /** It waits, and may come at any time. */
  | { readonly end: 'pending'; readonly hash: Hash }
  /** The node does not know it: dropped, or never passed on. It may still come. */
  | { readonly end: 'dropped'; readonly hash: Hash };

/** What can be told while waiting. */
export type WatchEvent =
  | { readonly type: 'pending' }
  | { readonly type: 'confirmations'; readonly count: number; readonly of: number }
  | { readonly type: 'repriced'; readonly hash: Hash }
  | { readonly type: 'reorganised' };

export interface WatchOptions {
  /** Blocks that it must be under, its own included; from 1. */
  readonly confirmations: number;
  readonly timing: WatchTiming;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onNews: (news: WatchEvent) => void;
}

/** In milliseconds. */
export interface WatchTiming {
  /** Between two looks. */
  readonly pollMs: number;
  /** A transaction that the node does not know for so long counts as dropped. */
  readonly missingMs: number;
  /** Nothing is waited for longer. */
  readonly longestMs: number;
}

export const defaultWatchTiming: WatchTiming = {
  pollMs: 2_000,
  missingMs: 90_000,
  longestMs: 900_000,
};

/**
 * Waits until a transaction has ended, by its hash and by its nonce: a wallet can speed it up, cancel it or put
 * another in its place, and a chain can forget it.
 * @throws WalletError `stopped` when the signal aborts, `chain-unreachable` when the node stays silent
 */
export async function watchTransaction(
  client: ChainClient,
  sent: SentTransaction,
  options: WatchOptions,
): Promise<TransactionOutcome> {
  const { clock, signal, timing } = options;
  const watch = new Watch(client, sent, options);
  const deadline = clock.now() + timing.longestMs;
  for (;;) {
    const end = await watch.look();
    if (end !== undefined) return end;
    if (clock.now() >= deadline) return watch.endOfPatience();
    await wait(timing.pollMs, { clock, signal }).catch(() => {
      throw new WalletError('stopped', 'Nobody waits for the transaction any more.', sent.hash);
    });
  }
}

class Watch {
  readonly #client: ChainClient;
  readonly #options: WatchOptions;
  /** The first one, or what took its place with another fee. */
  #sent: SentTransaction;
  /** It was in a block once. */
  #wasIn = false;
  #missingSince: number | undefined;
  #silentSince: number | undefined;
  #told = '';

  constructor(client: ChainClient, sent: SentTransaction, options: WatchOptions) {
    this.#client = client;
    this.#sent = sent;
    this.#options = options;
  }

  /** Asks once. A node that does not answer is asked again, for a while. */
  async look(): Promise<TransactionOutcome | undefined> {
    const { clock, timing } = this.#options;
    try {
      const end = await this.#state();
      this.#silentSince = undefined;
      return end;
    } catch {
      this.#silentSince ??= clock.now();
      if (clock.now() - this.#silentSince < timing.missingMs) return undefined;
      const detail = 'The chain does not answer while a transaction is waited for.';
      throw new WalletError('chain-unreachable', detail, this.#sent.hash);
    }
  }

  endOfPatience(): TransactionOutcome {
    const { hash } = this.#sent;
    if (this.#wasIn) return { end: 'reorganised', hash };
    return { end: this.#missingSince === undefined ? 'pending' : 'dropped', hash };
  }

  async #state(): Promise<TransactionOutcome | undefined> {
    const receipt = await this.#receiptOf(this.#sent.hash);
    if (receipt !== undefined) return this.#inBlock(receipt);
    if (this.#wasIn) this.#tell({ type: 'reorganised' });
    const { from, nonce, seen, hash } = this.#sent;
    const used = await this.#client.getTransactionCount({ address: from, blockTag: 'latest' });
    if (used > nonce) return this.#nonceUsed(seen);
    const shown = await findTransaction(this.#client, hash);
    if (shown === undefined) return this.#missing();
    this.#missingSince = undefined;
    if (!this.#wasIn) this.#tell({ type: 'pending' });
    return undefined;
  }

  async #inBlock(receipt: TransactionReceipt): Promise<TransactionOutcome | undefined> {
    const { confirmations } = this.#options;
    const count = await this.#depth(receipt);
    this.#wasIn = true;
    this.#missingSince = undefined;
    const { hash } = this.#sent;
    if (count >= confirmations)
      return { end: receipt.status === 'success' ? 'confirmed' : 'failed', hash };
    this.#tell({ type: 'confirmations', count, of: confirmations });
    return undefined;
  }

  async #depth({ blockNumber }: TransactionReceipt): Promise<number> {
    return Number((await this.#client.getBlockNumber()) - blockNumber) + 1;
  }

  /** The nonce is gone, and not for this hash. */
  async #nonceUsed(seen: boolean): Promise<TransactionOutcome | undefined> {
    // It may have come between two questions.
    if ((await this.#receiptOf(this.#sent.hash)) !== undefined) return undefined;
    const found = await findReplacement(this.#client, this.#sent);
    if (found?.same === true) {
      this.#sent = { ...this.#sent, hash: found.hash, seen: true };
      this.#tell({ type: 'repriced', hash: found.hash });
      return undefined;
    }
    // Whose nonce that was is not known when nobody but the wallet has seen the transaction.
    if (!seen) return this.#missing();
    const receipt = found === undefined ? undefined : await this.#receiptOf(found.hash);
    // What replaced it can be undone as well, and then it may come after all.
    if (receipt !== undefined && (await this.#depth(receipt)) < this.#options.confirmations)
      return undefined;
    if (found === undefined) return this.#missing('replaced');
    return { end: found.cancels ? 'cancelled' : 'replaced', hash: found.hash };
  }

  #missing(end: 'dropped' | 'replaced' = 'dropped'): TransactionOutcome | undefined {
    const { clock, timing } = this.#options;
    const { hash } = this.#sent;
    this.#missingSince ??= clock.now();
    if (clock.now() - this.#missingSince < timing.missingMs) return undefined;
    if (end === 'replaced') return { end };
    return { end: this.#wasIn ? 'reorganised' : 'dropped', hash };
  }

  async #receiptOf(hash: Hash): Promise<TransactionReceipt | undefined> {
    const receipt = await findReceipt(this.#client, hash);
    return receipt?.transactionHash === hash ? receipt : undefined;
  }

  /** Once for each state. */
  #tell(news: WatchEvent): void {
    const text = JSON.stringify(news);
    if (text !== this.#told) this.#options.onNews(news);
    this.#told = text;
  }
}

/** `undefined` while it is in no block. */
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
