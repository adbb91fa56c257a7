import { systemClock } from '../../base/clock.ts';
import type { Host } from '../../host.ts';

/** Reports what an earlier window left unfinished, in the background. Registers nothing, so there is nothing to dispose. */
export function contributeWallet(host: Host): void {
  void reportUnfinished(host);
}

/**
 * Reports unfinished work. Loads wallet code only if file or entry names indicate such work. Never
 * throws.
 */
async function reportUnfinished(host: Host): Promise<void> {
  try {
    const { offerOpenTopUps, offerUnfinishedStake } = await import('./unfinished-hints.ts');
    const { reportLostMints } = await import('../mint/vscode/mint-journal.ts');
    await Promise.all([
      offerUnfinishedStake(host),
      offerOpenTopUps(host, async () =>
        (await import('../x402/vscode/top-up-store.ts')).reportOpenTopUps(host),
      ),
      reportLostMints(host.account, systemClock.now()),
    ]);
  } catch (error) {
    host.log.error('Could not check for interrupted wallet operations', error);
  }
}
