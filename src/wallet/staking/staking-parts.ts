import type { Clock } from '../../base/clock.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Chain } from '../chain.ts';
import type { Review, Signer } from '../signer.ts';
import type { Sending, StakingJournal, StakingRecord, StakingStep } from './stake-journal.ts';
import type { WatchNews, WatchTiming } from './watch-transaction.ts';

/** What a flow is built from. */
export interface StakingParts {
  readonly client: ChainClient;
  readonly chain: Chain;
  readonly signer: Signer;
  readonly journal: StakingJournal;
  readonly clock: Clock;
  readonly timing: WatchTiming;
  /** Ends the waiting; what the wallet was asked for may still come. */
  readonly signal: AbortSignal;
  /** What the wallet's page shows beside the question. */
  review(step: StakingStep, record: StakingRecord): Review;
  onProgress(step: StakingStep, news: StakingNews): void;
  /**
   * Nobody knows whether a transaction was sent, or where it is. Asks the person who can look into the wallet.
   * @returns true when it is to be sent once more
   */
  maySendAgain(sending: Sending): Promise<boolean>;
}

export type StakingNews =
  /** The wallet is asked now. */
  | { readonly type: 'wallet' }
  | WatchNews
  /** It is in the chain, and what it changed is looked at. */
  | { readonly type: 'proof' }
  | { readonly type: 'done' };
