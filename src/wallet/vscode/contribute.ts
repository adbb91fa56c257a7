import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { registerCommand } from '../../platform/commands.ts';

/** Takes what the command was called with, as unknown: it comes from menus, keybindings and other extensions. */
export type RunWalletCommand = (host: Host, ...args: unknown[]) => Promise<unknown>;

/** What the commands for wallets, staking, minting and keys do. Each is loaded with its first use. */
export const walletCommands: Partial<Record<CommandId, RunWalletCommand>> = {
  'inferenceService.wallet.connect': async (host) =>
    (await import('./connect-wallet.ts')).connectCommand(host),
  'inferenceService.wallet.show': async (host) =>
    (await import('./wallet-view.ts')).showWallet(host),
  'inferenceService.wallet.disconnect': async (host) =>
    (await import('./local-accounts.ts')).disconnectCommand(host),
  'inferenceService.wallet.addLocalAccount': async (host) =>
    (await import('./connect-wallet.ts')).addLocalAccountCommand(host),
  'inferenceService.wallet.copyLink': async () =>
    (await import('../browser/vscode/browser-wallet.ts')).copyLink(),
  'inferenceService.mintKey': async (host, options) =>
    (await import('../mint/vscode/mint-command.ts')).mintKeyCommand(host, options),
  'inferenceService.wallet.stake': async (host, options) =>
    (await import('../staking/vscode/stake-command.ts')).stakeCommand(host, options),
  'inferenceService.wallet.unstake': async (host) =>
    (await import('../staking/vscode/unstake-command.ts')).unstakeCommand(host),
  'inferenceService.wallet.revokeApproval': async (host) =>
    (await import('../staking/vscode/stake-command.ts')).revokeApprovalCommand(host),
  'inferenceService.wallet.topUp': async (host) =>
    (await import('../x402/vscode/top-up-command.ts')).topUpCommand(host),
  'inferenceService.wallet.showPayments': async (host) =>
    (await import('../x402/vscode/payments-view.ts')).showPayments(host),
  'inferenceService.wallet.payPerRequest': async (host) =>
    (await import('../x402/vscode/pay-per-request.ts')).togglePayPerRequest(host),
  'inferenceService.keys.show': async (host) =>
    (await import('../keys/vscode/show-keys.ts')).showKeys(host),
  'inferenceService.keys.rotate': async (host) =>
    (await import('../keys/vscode/rotate-key.ts')).rotateKeyCommand(host),
  'inferenceService.keys.mintForWorkspace': async (host) =>
    (await import('../keys/vscode/mint-for-workspace.ts')).mintForWorkspace(host),
  'inferenceService.budget.set': async (host) =>
    (await import('../../account/vscode/set-budget.ts')).setBudgetCommand(host),
};

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
    const { hintOpenTopUps, hintUnfinishedStake } = await import('./unfinished-hints.ts');
    const { tellOfLostMints } = await import('../mint/vscode/mint-journal.ts');
    await Promise.all([
      hintUnfinishedStake(host),
      hintOpenTopUps(host, async () =>
        (await import('../x402/vscode/top-up-store.ts')).tellOpenTopUps(host),
      ),
      tellOfLostMints(host.account, systemClock.now()),
    ]);
  } catch (error) {
    host.log.error('Could not look for what was interrupted', error);
  }
}
