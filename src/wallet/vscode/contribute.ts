import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Host } from '../../host.ts';

/** Reports what an earlier window left unfinished. */
export function contributeWallet(host: Host): Disposable {
  void hintUnfinished(host);
  return { dispose: () => {} };
}

/** Nothing of a wallet is loaded for it: that something was interrupted can be seen by names of files and entries. */
async function hintUnfinished(host: Host): Promise<void> {
  try {
    const { offerOpenTopUps: hintOpenTopUps, offerUnfinishedStake: hintUnfinishedStake } = await import('./unfinished-hints.ts');
    const { reportLostMints: tellOfLostMints } = await import('../mint/vscode/mint-journal.ts');
    await Promise.all([
      hintUnfinishedStake(host),
      hintOpenTopUps(host, async () =>
        (await import('../x402/vscode/top-up-store.ts')).reportOpenTopUps(host),
      ),
      tellOfLostMints(host.account, systemClock.now()),
    ]);
  } catch (error) {
    host.log.error('Could not look for what was interrupted', error);
  }
}
