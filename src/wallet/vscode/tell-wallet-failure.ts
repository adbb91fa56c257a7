import * as vscode from 'vscode';
import { isDeclined } from './is-declined.ts';
import { WalletError, type WalletFailure } from '../wallet-failure.ts';
import { type Action, offer, tellError } from '../../platform/notifications.ts';
import { failureAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import { walletFailureWords } from './wallet-messages.ts';

/**
 * What `run` gives; a failure of a wallet or a chain is logged and told, and undefined comes back. That the person
 * stopped or said no is not told to them.
 */
export async function tellingWalletFailure<T>(
  { log }: Pick<Host, 'log'>,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    const { failure } = error;
    log.warn(`A wallet · ${failure.code} · ${failure.detail}`);
    tellWalletFailure(failure);
    return undefined;
  }
}

/** Says what a wallet or a chain failed with, and offers what can be done; says nothing to who ended it themselves. */
export function tellWalletFailure(failure: WalletFailure): void {
  if (isDeclined({ failure })) return;
  void offer(tellError, walletFailureWords(failure), walletFailureActions(failure));
}

const settingOf: Readonly<Partial<Record<WalletFailure['code'], string>>> = {
  'no-chain': 'inferenceService.wallet.chain',
  'chain-mismatch': 'inferenceService.wallet.chain',
  'not-a-contract': 'inferenceService.wallet.chain',
};

/** What the person can press below it, whatever it stood in the way of. */
export function walletFailureActions({ code }: WalletFailure): Action[] {
  if (code === 'page-unavailable') return [addLocalAccount()];
  if (code === 'internal-error') return [failureAction('show-log')];
  const setting = settingOf[code];
  if (setting === undefined) return [];
  const run = (): Thenable<unknown> =>
    vscode.commands.executeCommand('workbench.action.openSettings', setting);
  return [{ label: vscode.l10n.t('Open settings'), run }];
}

/** It becomes the account in use. */
export const addLocalAccount = (): Action => ({
  label: vscode.l10n.t('Use a local account'),
  run: () => vscode.commands.executeCommand('inferenceService.wallet.addLocalAccount'),
});
