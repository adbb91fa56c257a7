import * as vscode from 'vscode';
import type { KnownAccount } from '../local/known-account.ts';
import type { Host } from '../../host.ts';
import { ask, tellInformation, tellQuietly } from '../../platform/notifications.ts';
import { accountKindWords } from './account-kind-words.ts';
import { KnownAccounts } from './known-accounts.ts';
import { removeLocalAccount } from './local-accounts.ts';

/** "Disconnect Wallet": forgets an account, after a confirmation; the one in use, or one of several. */
export async function disconnectCommand(host: Host): Promise<void> {
  const { all } = new KnownAccounts(host.context);
  if (all.length === 0) {
    void tellInformation(vscode.l10n.t('No wallet is connected.'));
    return;
  }
  const account = all.length === 1 ? all[0] : await pickAccount(all);
  if (account !== undefined) await disconnect(host, account);
}

/** Forgets this account, after a confirmation, with its key where the editor holds it. True when it is forgotten. */
export async function disconnect(host: Host, account: KnownAccount): Promise<boolean> {
  const button = vscode.l10n.t('Disconnect');
  const question = vscode.l10n.t('Disconnect {0}?', account.address);
  if ((await ask({ question, detail: consequence(account) }, button)) !== button) return false;
  if (account.kind === 'browser') await new KnownAccounts(host.context).forget(account);
  else await removeLocalAccount(host, account);
  tellQuietly(vscode.l10n.t('{0} is disconnected.', account.address));
  return true;
}

async function pickAccount(all: readonly KnownAccount[]): Promise<KnownAccount | undefined> {
  const items = all.map((account, at) => ({
    label: account.address,
    description:
      at === 0
        ? vscode.l10n.t('{0}, in use', accountKindWords(account))
        : accountKindWords(account),
    account,
  }));
  const options = {
    title: vscode.l10n.t('Disconnect a wallet'),
    placeHolder: vscode.l10n.t('Which account to forget'),
  };
  return (await vscode.window.showQuickPick(items, options))?.account;
}

function consequence({ kind }: KnownAccount): string {
  const keys = vscode.l10n.t('API keys that were minted with it stay valid.');
  switch (kind) {
    case 'browser':
      return vscode.l10n.t('The editor forgets the address. {0}', keys);
    case 'keystore':
      return vscode.l10n.t('The editor forgets the account; the keystore file stays. {0}', keys);
    case 'private-key':
    case 'mnemonic':
      return vscode.l10n.t(
        'The editor deletes its private key from secret storage: make sure that you have it elsewhere. {0}',
        keys,
      );
  }
}
