import * as vscode from 'vscode';
import type { KnownAccount, LocalAccount } from '../local/known-account.ts';
import type { Host } from '../../host.ts';
import { accountKindWords, addKeystoreAccount, addStoredAccount } from './local-accounts.ts';
import { browserWalletProblem } from '../browser/vscode/browser-wallet.ts';

/** What the person wants to use: a wallet of their browser, or an account of this machine. */
export type ChosenAccount = 'browser' | LocalAccount;

export interface ChooseOptions {
  /** What it is for, above the list. */
  readonly title: string;
  /** Offered first, as they are. */
  readonly known?: readonly KnownAccount[];
  /** A browser's wallet will not do. */
  readonly localOnly?: boolean;
}

/**
 * Asks which account to use, the browser's wallet first. Where it cannot work, that is said and the others are offered.
 * @returns undefined when the person cancels
 * @throws WalletError `rejected`, `wrong-password`, `invalid-keystore`
 */
export async function chooseAccount(
  host: Host,
  { title, known = [], localOnly = false }: ChooseOptions,
): Promise<ChosenAccount | undefined> {
  const problem = localOnly ? undefined : browserWalletProblem();
  const items: Choice[] = [
    ...knownItems(known, localOnly || problem !== undefined),
    ...(localOnly || problem !== undefined ? [] : [browserItem()]),
    ...localItems(host),
  ];
  const placeHolder = problem ?? vscode.l10n.t('Which account to use');
  const options = { title, placeHolder, matchOnDescription: true, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.choose?.();
}

type Choice = vscode.QuickPickItem & {
  readonly choose?: () => Promise<ChosenAccount | undefined>;
};

function knownItems(known: readonly KnownAccount[], localOnly: boolean): Choice[] {
  const usable = known.filter(({ kind }) => kind !== 'browser' || !localOnly);
  const items = usable.map((account) => ({
    label: account.address,
    description: accountKindWords(account),
    choose: async () => (account.kind === 'browser' ? ('browser' as const) : account),
  }));
  const separator = {
    label: vscode.l10n.t('Another account'),
    kind: vscode.QuickPickItemKind.Separator,
  };
  return items.length === 0 ? [] : [...items, separator];
}

const browserItem = (): Choice => ({
  label: vscode.l10n.t('Browser wallet'),
  description: vscode.l10n.t('recommended'),
  detail: vscode.l10n.t('Opens a page in your browser. The private key stays in your wallet.'),
  iconPath: new vscode.ThemeIcon('globe'),
  choose: async () => 'browser',
});

const localItems = (host: Host): Choice[] => [
  {
    label: vscode.l10n.t('Keystore file'),
    detail: vscode.l10n.t(
      'The key stays in its file. The password is asked for with each signature.',
    ),
    iconPath: new vscode.ThemeIcon('file'),
    choose: () => addKeystoreAccount(host),
  },
  {
    label: vscode.l10n.t('Private key or recovery phrase'),
    detail: vscode.l10n.t(
      'Kept in the editor’s secret storage. Only for a wallet made for this alone.',
    ),
    iconPath: new vscode.ThemeIcon('key'),
    choose: () => addStoredAccount(host),
  },
];
