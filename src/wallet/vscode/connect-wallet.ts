import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { showStatusMessage } from '../../platform/notifications.ts';
import {
  findBrowserWalletProblem,
  connectBrowserWallet,
} from '../browser/vscode/browser-wallet.ts';
import type { Address } from '../chain.ts';
import type { KnownAccount, LocalAccount } from '../local/known-account.ts';
import type { ConnectOptions, WalletConnection } from '../signer.ts';
import { getConfiguredChain } from './profile-chain.ts';
import { KnownAccounts } from './known-accounts.ts';
import {
  formatAccountKind,
  addKeystoreAccount,
  addStoredAccount,
  connectLocalAccount,
  type LocalConnection,
} from './local-accounts.ts';
import { catchWalletFailure } from './wallet-messages.ts';
import { WalletError } from '../wallet-failure.ts';

/**
 * Connects the required account or, if none is required, the current account. If the extension has not stored this
 * account, prompts the user to choose one. The connected account becomes the current account. If a chain is given, a
 * browser wallet must switch to this chain.
 * @throws WalletError `rejected` when the user chooses no account, `account-changed` when the account is not the
 *   required account; other codes if the wallet or the chain fails
 */
export async function connectWallet(
  host: Host,
  options: ConnectOptions,
): Promise<WalletConnection> {
  const rememberedAccount = findRememberedAccount(host, options.address);
  const account = rememberedAccount ?? (await chooseAccount(host, { title: options.purpose }));
  return connectChosenAccount(host, account, options);
}

/**
 * Connects the required local account or, if none is required, the last used local account. If the extension has not
 * stored this account, prompts the user to choose a local account.
 * @throws WalletError under the same conditions as {@link connectWallet}
 */
export async function connectLocalWallet(
  host: Host,
  options: Omit<ConnectOptions, 'steps'>,
): Promise<LocalConnection> {
  const { address, purpose } = options;
  const storedAccount = new KnownAccounts(host.context).accounts
    .filter((account) => account.kind !== 'browser')
    .find((account) => address === undefined || account.address === address);
  const chosenAccount =
    storedAccount ?? (await chooseAccount(host, { title: purpose, isLocalOnly: true }));
  if (chosenAccount === undefined || chosenAccount === 'browser') throw createNoAccountError();
  if (address !== undefined && chosenAccount.address !== address)
    throw createWrongAccountError(chosenAccount.address);
  await new KnownAccounts(host.context).setCurrent(chosenAccount);
  return connectLocalAccount(host, chosenAccount, options);
}

/** Connects the chosen account and makes it the current account. */
export async function connectChosenAccount(
  host: Host,
  account: ChosenAccount | undefined,
  options: ConnectOptions,
): Promise<WalletConnection> {
  if (account === undefined) throw createNoAccountError();
  const knownAccounts = new KnownAccounts(host.context);
  if (account === 'browser') {
    const connection = await connectBrowserWallet(host, options);
    await knownAccounts.setCurrent({ kind: 'browser', address: connection.signer.address });
    return connection;
  }
  const { address } = options;
  if (address !== undefined && account.address !== address)
    throw createWrongAccountError(account.address);
  await knownAccounts.setCurrent(account);
  return connectLocalAccount(host, account, options);
}

function findRememberedAccount(
  host: Host,
  address: ConnectOptions['address'],
): ChosenAccount | undefined {
  const { accounts, currentAccount } = new KnownAccounts(host.context);
  const account =
    address === undefined
      ? currentAccount
      : accounts.find((knownAccount) => knownAccount.address === address);
  return account && toReusableChoice(account);
}

/**
 * Returns the choice that connects a known account again. Returns `undefined` for an account of a browser wallet if
 * browser wallets cannot work, so that the user must choose again.
 */
function toReusableChoice(account: KnownAccount): ChosenAccount | undefined {
  if (account.kind !== 'browser') return account;
  return findBrowserWalletProblem() === undefined ? 'browser' : undefined;
}

const createNoAccountError = (): WalletError =>
  new WalletError('rejected', 'No account was chosen.');

const createWrongAccountError = (address: string): WalletError =>
  new WalletError('account-changed', `${address} is not the account that this is for.`);

/** Runs "Connect Wallet": prompts for the account, and connects it. Works without a configured chain. */
export function connectCommand(host: Host): Promise<Address | undefined> {
  return catchWalletFailure(host, async () => {
    const chain = getConfiguredChain(host.account);
    const title = vscode.l10n.t('Connect a wallet');
    const knownAccounts = new KnownAccounts(host.context).accounts;
    const account = await chooseAccount(host, { title, knownAccounts });
    if (account === undefined) return undefined;
    const { signal } = new AbortController();
    const options = { chain, purpose: title, steps: [], signal };
    const connection = await connectChosenAccount(host, account, options);
    const { address } = connection.signer;
    await connection.showOutcome('done', vscode.l10n.t('{0} is connected.', address));
    connection.dispose();
    showStatusMessage(vscode.l10n.t('{0} is connected.', address));
    return address;
  });
}

/**
 * Runs "Add Local Account": adds a keystore file, a private key or a recovery phrase, and makes its
 * account the current account.
 */
export function addLocalAccountCommand(host: Host): Promise<Address | undefined> {
  return catchWalletFailure(host, async () => {
    const title = vscode.l10n.t('Connect a wallet');
    const account = await chooseAccount(host, { title, isLocalOnly: true });
    if (account === undefined || account === 'browser') return undefined;
    showStatusMessage(vscode.l10n.t('{0} is connected.', account.address));
    return account.address;
  });
}

/** The user's choice: a browser wallet or a local account. */
type ChosenAccount = 'browser' | LocalAccount;

interface ChooseOptions {
  /** Purpose for which the user chooses an account, shown above the list. */
  readonly title: string;
  /** Known accounts, listed before all other choices. */
  readonly knownAccounts?: readonly KnownAccount[];
  /** True to omit the browser wallet. */
  readonly isLocalOnly?: boolean;
}

/**
 * Prompts for the account to use: known accounts first, then the browser wallet, then local accounts. If a browser
 * wallet cannot work, the list omits browser wallets and shows the reason.
 * @returns `undefined` when the user cancels
 * @throws WalletError with one of the codes `rejected`, `wrong-password` or `invalid-keystore`
 */
async function chooseAccount(
  host: Host,
  { title, knownAccounts = [], isLocalOnly = false }: ChooseOptions,
): Promise<ChosenAccount | undefined> {
  const problem = isLocalOnly ? undefined : findBrowserWalletProblem();
  const items: WalletChoice[] = [
    ...createKnownAccountItems(knownAccounts, isLocalOnly || problem !== undefined),
    ...(isLocalOnly || problem !== undefined ? [] : [createBrowserItem()]),
    ...createLocalItems(host),
  ];
  const placeHolder = problem ?? vscode.l10n.t('Account');
  const options = { title, placeHolder, matchOnDescription: true, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.chooseAccount?.();
}

type WalletChoice = vscode.QuickPickItem & {
  readonly chooseAccount?: () => Promise<ChosenAccount | undefined>;
};

function createKnownAccountItems(
  knownAccounts: readonly KnownAccount[],
  isLocalOnly: boolean,
): WalletChoice[] {
  const selectableAccounts = knownAccounts.filter(({ kind }) => kind !== 'browser' || !isLocalOnly);
  const items = selectableAccounts.map((account) => ({
    label: account.address,
    description: formatAccountKind(account),
    chooseAccount: async () => (account.kind === 'browser' ? ('browser' as const) : account),
  }));
  const separator = {
    label: vscode.l10n.t('Another account'),
    kind: vscode.QuickPickItemKind.Separator,
  };
  return items.length === 0 ? [] : [...items, separator];
}

const createBrowserItem = (): WalletChoice => ({
  label: vscode.l10n.t('Browser wallet'),
  description: vscode.l10n.t('Recommended'),
  detail: vscode.l10n.t('The private key stays in your wallet. A page opens in your browser.'),
  iconPath: new vscode.ThemeIcon('globe'),
  chooseAccount: async () => 'browser',
});

const createLocalItems = (host: Host): WalletChoice[] => [
  {
    label: vscode.l10n.t('Keystore file'),
    detail: vscode.l10n.t(
      'The key stays in its file. The password is asked for with each signature.',
    ),
    iconPath: new vscode.ThemeIcon('file'),
    chooseAccount: () => addKeystoreAccount(host),
  },
  {
    label: vscode.l10n.t('Private key or recovery phrase'),
    detail: vscode.l10n.t('Stored in the editor’s secret storage. Use a dedicated wallet.'),
    iconPath: new vscode.ThemeIcon('key'),
    chooseAccount: () => addStoredAccount(host),
  },
];
