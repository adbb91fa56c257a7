import { type Clock, wait } from '../../base/clock.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import { findReceipt } from './watch-transaction.ts';

export interface ReorgWatchOptions {
  /** How many blocks on top of its own make it final enough. */
  readonly blocks: number;
  readonly pollMs: number;
  /** Nothing is waited for longer. */
  readonly longestMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Looks after a transaction that counted already, until more blocks are on top of it: a chain can still take it back.
 * @returns `unsure` when the time is over, the signal aborts, or the node does not answer
 */
export async function watchForReorg(
  client: ChainClient,
  hash: Hash,
  { blocks, pollMs, longestMs, clock, signal }: ReorgWatchOptions,
): Promise<'kept' | 'reorganised' | 'unsure'> {
  const deadline = clock.now() + longestMs;
  let missing = 0;
  while (clock.now() < deadline && !signal.aborted) {
    const depth = await depthOf(client, hash).catch(() => undefined);
    if (depth !== undefined && depth > blocks) return 'kept';
    missing = depth === 0 ? missing + 1 : 0;
    // A node that stands behind another may not know the block yet.
    if (missing === timesMissing) return 'reorganised';
    await wait(pollMs, { clock, signal }).catch(() => {});
  }
  return 'unsure';
}

const timesMissing = 3;

/** Blocks that it is under, its own included; 0 when it is in none. */
async function depthOf(client: ChainClient, hash: Hash): Promise<number> {
  const receipt = await findReceipt(client, hash);
  if (receipt === undefined) return 0;
  return Number((await client.getBlockNumber()) - receipt.blockNumber) + 1;
}
