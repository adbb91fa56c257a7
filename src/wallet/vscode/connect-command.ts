import * as vscode from 'vscode';
import type { Address } from '../chain.ts';
import type { WalletConnection } from '../signer.ts';
import type { Host } from '../../host.ts';
import { showCancellable, tellQuietly } from '../../platform/notifications.ts';
import { chainOf } from './chain-settings.ts';
import { chooseAccount } from './choose-account.ts';
import { connectAccount } from './connect-wallet.ts';
import { KnownAccounts } from './known-accounts.ts';
import { tellingWalletFailure } from './tell-wallet-failure.ts';

/** "Connect Wallet": asks which account to use from now on, and proves that it and the chain are there. */
export function connectCommand(host: Host): Promise<Address | undefined> {
  return tellingWalletFailure(host, async () => {
    const chain = chainOf(host.account);
    const title = vscode.l10n.t('Connect a wallet');
    const known = new KnownAccounts(host.context).all;
    const account = await chooseAccount(host, { title, known });
    if (account === undefined) return undefined;
    const connect = (signal: AbortSignal): Promise<WalletConnection> =>
      connectAccount(host, account, { chain, purpose: title, steps: [], signal });
    // The page of a browser's wallet has a progress of its own.
    const connection =
      account === 'browser'
        ? await connect(new AbortController().signal)
        : await showCancellable(vscode.l10n.t('Checking the chain…'), connect);
    const { address } = connection.signer;
    await connection.finish('done', vscode.l10n.t('{0} is connected.', address));
    connection.dispose();
    tellQuietly(vscode.l10n.t('{0} is connected.', address));
    return address;
  });
}

/** "Add Local Account": a keystore file, a private key or a recovery phrase; it becomes the account in use. */
export function addLocalAccountCommand(host: Host): Promise<Address | undefined> {
  return tellingWalletFailure(host, async () => {
    const title = vscode.l10n.t('Add an account of this machine');
    const account = await chooseAccount(host, { title, localOnly: true });
    if (account === undefined || account === 'browser') return undefined;
    tellQuietly(vscode.l10n.t('{0} is connected.', account.address));
    return account.address;
  });
}
