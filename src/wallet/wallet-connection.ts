import type { Disposable } from '../base/disposable.ts';
import type { Chain } from './chain.ts';
import type { Signer } from './signer.ts';

/** What a person goes through, in this order; a flow names those that it has. */
export type WalletStep = 'connect' | 'network' | 'approve' | 'stake' | 'unstake' | 'sign';

/** A connected account for one flow. Disposing ends it, with the browser's page when there is one. */
export interface WalletConnection extends Disposable {
  readonly signer: Signer;
  /** Marks what is done in the list of steps that the person sees. Nothing for local accounts. */
  show(step: WalletStep, state: 'current' | 'done' | 'skipped'): void;
  /**
   * The last thing: the page says how it ended and "You can close this tab", and is gone soon after.
   * @param message One translated sentence.
   */
  finish(outcome: 'done' | 'failed', message: string): Promise<void>;
}

export interface ConnectOptions {
  readonly chain: Chain;
  /** For the title of the page: what this is about, translated. */
  readonly purpose: string;
  readonly steps: readonly WalletStep[];
  readonly signal: AbortSignal;
  /** Only this account will do; absent when any will. */
  readonly address?: `0x${string}`;
}
