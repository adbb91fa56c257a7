import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Host } from '../../host.ts';
import { type RunWalletCommand, walletCommands } from './wallet-commands.ts';

/** Commands for wallets, staking, minting and keys. */
export function contributeWallet(host: Host): Disposable {
  const owned = new DisposableStore();
  for (const [id, run] of Object.entries(walletCommands) as [CommandId, RunWalletCommand][]) {
    owned.add(registerCommand(id, host.log, (...args) => run(host, ...args)));
  }
  void hintUnfinished(host);
  return owned;
}

/** Nothing of a wallet is loaded for it: that something was interrupted can be seen by names of files and entries. */
async function hintUnfinished(host: Host): Promise<void> {
  try {
    const { hintUnfinishedStake } = await import('./unfinished-hints.ts');
    const { hintOpenTopUps } = await import('./top-up-hint.ts');
    const { tellOfLostMints } = await import('../mint/vscode/tell-of-lost-mints.ts');
    await Promise.all([
      hintUnfinishedStake(host),
      hintOpenTopUps(host),
      tellOfLostMints(host.account, systemClock.now()),
    ]);
  } catch (error) {
    host.log.error('Could not look for what was interrupted', error);
  }
}
