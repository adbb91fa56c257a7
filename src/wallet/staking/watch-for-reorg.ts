import { type Clock, wait } from '../../base/clock.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import { findReceipt } from './watch-transaction.ts';

export interface ReorgWatchOptions {
  /** Number of later blocks after which a reorganization is no longer expected. */
  readonly blocks: number;
  readonly pollMs: number;
  /** Maximum total wait, in milliseconds. */
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Watches a confirmed transaction until `blocks` more blocks follow, because a reorganization can
 * still remove it.
 * @returns `unsure` after the maximum wait, on abort, or when the node does not answer
 */
export async function watchForReorg(
  client: ChainClient,
  hash: Hash,
  { blocks, pollMs, maxWaitMs, clock, signal }: ReorgWatchOptions,
): Promise<'kept' | 'reorganised' | 'unsure'> {
  const deadline = clock.now() + maxWaitMs;
  let missedPolls = 0;
  while (clock.now() < deadline && !signal.aborted) {
    const confirmations = await countConfirmations(client, hash).catch(() => undefined);
    if (confirmations !== undefined && confirmations > blocks) return 'kept';
    missedPolls = confirmations === 0 ? missedPolls + 1 : 0;
    // A lagging node may not have the block yet.
    if (missedPolls === maxMissingPolls) return 'reorganised';
    await wait(pollMs, { clock, signal }).catch(() => {});
  }
  return 'unsure';
}

const maxMissingPolls = 3;

/**
 * Returns the number of confirmations, including the transaction's own block; 0 if the transaction
 * is in no block.
 */
async function countConfirmations(client: ChainClient, hash: Hash): Promise<number> {
  const receipt = await findReceipt(client, hash);
  if (receipt === undefined) return 0;
  return Number((await client.getBlockNumber()) - receipt.blockNumber) + 1;
}
