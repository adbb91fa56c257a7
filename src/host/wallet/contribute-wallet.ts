import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../command-ids.ts';
import { registerCommand } from '../commands.ts';
import type { Host } from '../host.ts';
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

/** Nothing of a wallet is loaded for it: whether a stake was interrupted can be seen by a file's name. */
async function hintUnfinished(host: Host): Promise<void> {
  try {
    const { hintUnfinishedStake } = await import('./staking/resume-hint.ts');
    await hintUnfinishedStake(host);
  } catch (error) {
    host.log.error('Could not look for an interrupted stake', error);
  }
}
