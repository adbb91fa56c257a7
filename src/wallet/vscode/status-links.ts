import * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import { actionLabel } from '../../account/vscode/failure-actions.ts';
import type { StatusLink } from '../../account/vscode/status-bar.ts';
import { hasChain } from './chain-settings.ts';

/** Returns the wallet links of the status bar entry. Empty if the profile has no chain. */
export function walletLinks(account: Account): readonly StatusLink[] {
  if (!hasChain(account)) return [];
  const show: StatusLink = {
    label: vscode.l10n.t('Show wallet'),
    command: 'inferenceService.wallet.show',
  };
  if (account.key.kind !== 'wallet') return [show];
  return [show, { label: actionLabel('top-up'), command: 'inferenceService.wallet.topUp' }];
}
