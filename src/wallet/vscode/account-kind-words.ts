import * as vscode from 'vscode';
import type { KnownAccount } from '../local/known-account.ts';

/** Where the key of an account is. */
export function accountKindWords({ kind }: KnownAccount): string {
  switch (kind) {
    case 'browser':
      return vscode.l10n.t('browser wallet');
    case 'keystore':
      return vscode.l10n.t('keystore file');
    case 'private-key':
      return vscode.l10n.t('private key in secret storage');
    case 'mnemonic':
      return vscode.l10n.t('account of a recovery phrase, in secret storage');
  }
}
