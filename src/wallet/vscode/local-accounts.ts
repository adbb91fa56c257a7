import * as vscode from 'vscode';
import type { LocalAccount } from '../local/known-account.ts';
import { addressOfKey } from '../local/open-keystore.ts';
import { storedForm } from '../local/private-key.ts';
import type { Host } from '../../host.ts';
import { ask, tellError } from '../../platform/notifications.ts';
import { KnownAccounts } from './known-accounts.ts';
import { askForSecret } from '../local/vscode/secret-input.ts';
import { StoredKeys } from './stored-keys.ts';
import { readKeystore, unlockKeystore } from '../local/vscode/unlock-keystore.ts';

/**
 * Lets the person choose a keystore file and proves that its password opens it. The account becomes the one in use.
 * @returns undefined when they cancel
 * @throws WalletError `rejected`, `wrong-password`, `invalid-keystore`
 */
export async function addKeystoreAccount(host: Host): Promise<LocalAccount | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Keystore file of the account'),
      openLabel: vscode.l10n.t('Use this file'),
      canSelectMany: false,
      filters: { [vscode.l10n.t('Keystore files')]: ['json', '*'] },
    })) ?? [];
  if (uri === undefined) return undefined;
  const file = await readKeystore(uri);
  const what = vscode.l10n.t('Add the account of a keystore file');
  const key = await unlockKeystore(file, what, new AbortController().signal);
  const address = await addressOfKey(key);
  key.fill(0);
  const account: LocalAccount = { kind: 'keystore', address, file: uri.toString() };
  await new KnownAccounts(host.context).use(account);
  return account;
}

/**
 * Asks for a private key or a recovery phrase, after a warning, and keeps the key of one account in secret storage. The
 * phrase itself is not kept. The account becomes the one in use.
 * @returns undefined when they cancel, or storage does not keep it
 */
export async function addStoredAccount(host: Host): Promise<LocalAccount | undefined> {
  if (!(await confirmRisk())) return undefined;
  const secret = await askForSecret();
  if (secret === undefined) return undefined;
  const { kind, key } = secret;
  const address = await addressOfKey(key);
  const isKept = await new StoredKeys(host.context).store(address, storedForm(key));
  key.fill(0);
  if (!isKept) {
    void tellError(
      vscode.l10n.t(
        'The editor’s secret storage did not keep the key, so the account was not added. Set up a keyring, or use a keystore file.',
      ),
    );
    return undefined;
  }
  const account: LocalAccount = { kind, address };
  await new KnownAccounts(host.context).use(account);
  return account;
}

/** Forgets an account, and its key where the editor holds it. Keystore files stay. */
export async function removeLocalAccount(host: Host, account: LocalAccount): Promise<void> {
  if (account.kind !== 'keystore') await new StoredKeys(host.context).remove(account.address);
  await new KnownAccounts(host.context).forget(account);
}

async function confirmRisk(): Promise<boolean> {
  const button = vscode.l10n.t('I Use a Dedicated Wallet');
  const chosen = await ask(
    {
      question: vscode.l10n.t('Keep a private key in the editor?'),
      detail: vscode.l10n.t(
        'Other extensions of this editor run beside this one, and a key that leaks is lost with all it owns. Use a wallet made for this alone, with little in it, and keep its key elsewhere too: an editor can forget what it keeps. A wallet in the browser is safer: its key never comes here.',
      ),
    },
    button,
  );
  return chosen === button;
}
