import * as vscode from 'vscode';
import type { Address } from '../../wallet/evm.ts';
import type { Host } from '../host.ts';
import { showProgress, tellQuietly } from '../tell.ts';
import { chainOf } from './chain-settings.ts';
import { type ChosenAccount, chooseAccount } from './choose-account.ts';
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
    const stop = new AbortController();
    const connecting = connectAccount(host, account, {
      chain,
      purpose: title,
      steps: [],
      signal: stop.signal,
    });
    const connection = await shown(account, { connecting, stop });
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

interface Connecting<T> {
  readonly connecting: Promise<T>;
  readonly stop: AbortController;
}

/** The page of a browser's wallet has a progress of its own. */
function shown<T>(account: ChosenAccount, { connecting, stop }: Connecting<T>): Promise<T> {
  if (account === 'browser') return connecting;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Checking the chain…'),
    cancellable: true,
  };
  return showProgress(options, (_report, token) => {
    token.onCancellationRequested(() => stop.abort());
    return connecting;
  });
}
