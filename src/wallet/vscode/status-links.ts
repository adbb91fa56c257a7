import * as vscode from 'vscode';
import type { StatusLink } from '../../account/vscode/status-bar.ts';
import type { Host } from '../../host.ts';
import { hasChain } from './chain-settings.ts';
import { hasKnownAccount } from './known-accounts-state.ts';

/** Returns the wallet links of the status bar entry. Empty until the profile or the user has a wallet. */
export function walletLinks({
  account,
  context,
}: Pick<Host, 'account' | 'context'>): readonly StatusLink[] {
  const paysByWallet = account.key.kind === 'wallet';
  if (!paysByWallet && !hasKnownAccount(context) && !hasChain(account)) return [];
  const show: StatusLink = {
    label: vscode.l10n.t('Show wallet'),
    command: 'inferenceService.wallet.show',
  };
  if (!paysByWallet) return [show];
  return [show, { label: vscode.l10n.t('Top up…'), command: 'inferenceService.wallet.topUp' }];
}
