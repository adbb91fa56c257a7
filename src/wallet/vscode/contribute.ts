import { systemClock } from '../../base/clock.ts';
import type { Host } from '../../host.ts';

/**
 * Reports staking flows, payments and key requests that earlier windows left unfinished. Runs in
 * the background.
 */
export function reportUnfinishedOperations(host: Host): void {
  void tryToReportOperations(host);
}

/**
 * Reports unfinished flows, payments and key requests. Loads further wallet code only if names of
 * files or stored entries indicate an unfinished operation. Never throws.
 */
async function tryToReportOperations(host: Host): Promise<void> {
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
