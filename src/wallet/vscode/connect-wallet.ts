import type { KnownAccount } from '../local/known-account.ts';
import type { ConnectOptions, WalletConnection } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import type { Host } from '../../host.ts';
import { browserWalletProblem, connectBrowserWallet } from '../browser/vscode/browser-wallet.ts';
import { type ChosenAccount, chooseAccount } from './choose-account.ts';
import { KnownAccounts } from './known-accounts.ts';
import { connectLocalAccount, type LocalConnection } from './local-wallet.ts';

/**
 * Connects the account that the person uses: the remembered one, else one they choose, the browser's wallet first. It is
 * on the chain then, and remembered.
 * @throws WalletError `rejected` when the person chooses none, `account-changed` when it is not the one that was asked
 * for, and as the wallet or the chain fails
 */
export async function connectWallet(
  host: Host,
  options: ConnectOptions,
): Promise<WalletConnection> {
  const remembered = rememberedAccount(host, options.address);
  const account = remembered ?? (await chooseAccount(host, { title: options.purpose }));
  return connectAccount(host, account, options);
}

/**
 * The same for an account whose key is on this machine, which signs without a person each time.
 * @throws WalletError as {@link connectWallet}
 */
export async function connectLocalWallet(
  host: Host,
  options: Omit<ConnectOptions, 'steps'>,
): Promise<LocalConnection> {
  const { address, purpose } = options;
  const remembered = new KnownAccounts(host.context).all
    .filter((account) => account.kind !== 'browser')
    .find((account) => address === undefined || account.address === address);
  const chosen = remembered ?? (await chooseAccount(host, { title: purpose, localOnly: true }));
  if (chosen === undefined || chosen === 'browser') throw noneChosen();
  if (address !== undefined && chosen.address !== address) throw otherAccount(chosen.address);
  await new KnownAccounts(host.context).use(chosen);
  return connectLocalAccount(host, chosen, options);
}

/** Connects what the person chose, and remembers it. */
export async function connectAccount(
  host: Host,
  account: ChosenAccount | undefined,
  options: ConnectOptions,
): Promise<WalletConnection> {
  if (account === undefined) throw noneChosen();
  const known = new KnownAccounts(host.context);
  if (account === 'browser') {
    const connection = await connectBrowserWallet(host, options);
    await known.use({ kind: 'browser', address: connection.signer.address });
    return connection;
  }
  const { address } = options;
  if (address !== undefined && account.address !== address) throw otherAccount(account.address);
  await known.use(account);
  return connectLocalAccount(host, account, options);
}

function rememberedAccount(
  host: Host,
  address: ConnectOptions['address'],
): ChosenAccount | undefined {
  const { all, current } = new KnownAccounts(host.context);
  const account = address === undefined ? current : all.find((each) => each.address === address);
  return account && chosenFor(account);
}

/** The wallet says which of its accounts it is; one that cannot be reached from here is chosen anew. */
function chosenFor(account: KnownAccount): ChosenAccount | undefined {
  if (account.kind !== 'browser') return account;
  return browserWalletProblem() === undefined ? 'browser' : undefined;
}

const noneChosen = (): WalletError => new WalletError('rejected', 'No account was chosen.');

const otherAccount = (address: string): WalletError =>
  new WalletError('account-changed', `${address} is not the account that this is for.`);
