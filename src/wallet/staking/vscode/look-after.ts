import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Hash } from '../../chain.ts';
import { lookAgain } from '../recover.ts';
import { tellWarning } from '../../../platform/notifications.ts';
import type { StakingSession } from './staking-session.ts';

/** More than chains are known to take back, little enough to be there soon. */
const blocks = 12;
const pollMs = 10_000;
const longestMs = 300_000;

/** In the background, once all is done: tells when the chain takes the last transaction back after all. */
export async function lookAfter({ host, checked }: StakingSession, hash: Hash): Promise<void> {
  const canceller = new AbortController();
  host.context.subscriptions.push({ dispose: () => canceller.abort() });
  const { signal } = canceller;
  const options = { blocks, pollMs, longestMs, clock: systemClock, signal };
  if ((await lookAgain(checked.client, hash, options)) !== 'reorganised') return;
  void tellWarning(
    vscode.l10n.t(
      'The chain took back a block with your last transaction for the stake, {0}. It may come again by itself: look into your wallet before you send it once more.',
      hash,
    ),
  );
}
