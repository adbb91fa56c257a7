import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { confirm, showError, showInformation } from '../../platform/notifications.ts';
import { createChainClient } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import type { KnownAccount, LocalAccount, StoredAccount } from '../local/known-account.ts';
import { type LocalSignerKey, createLocalSigner } from '../local/local-signer.ts';
import { deriveAddress } from '../local/keystore.ts';
import {
  decodeStoredKey,
  derivePhraseAccounts,
  derivePhraseKey,
  encodeStoredKey,
  findPhraseProblem,
  normalizePhrase,
  parsePrivateKey,
} from '../local/private-key.ts';
import { readKeystoreFile, unlockKeystore } from '../local/vscode/unlock-keystore.ts';
import type { ConnectOptions, LocalSigner, WalletConnection } from '../signer.ts';
import { KnownAccounts, StoredKeys } from './known-accounts.ts';

/**
 * Prompts for a keystore file, checks its password, and makes its account the current account.
 * @returns `undefined` when the user cancels
 * @throws WalletError with one of the codes `rejected`, `wrong-password` or `invalid-keystore`
 */
export async function addKeystoreAccount(host: Host): Promise<LocalAccount | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Keystore file'),
      openLabel: vscode.l10n.t('Open'),
      canSelectMany: false,
      filters: { [vscode.l10n.t('Keystore file')]: ['json', '*'] },
    })) ?? [];
  if (uri === undefined) return undefined;
  const file = await readKeystoreFile(uri);
  const purpose = vscode.l10n.t('Keystore file');
  const key = await unlockKeystore(file, purpose, new AbortController().signal);
  const address = await deriveAddress(key);
  key.fill(0);
  const account: LocalAccount = { kind: 'keystore', address, file: uri.toString() };
  await new KnownAccounts(host.context).setCurrent(account);
  return account;
}

/**
 * Shows a warning, prompts for a private key or a recovery phrase, and stores the key of one
 * account in secret storage. Never stores the phrase. The account becomes the current account.
 * @returns `undefined` when the user cancels or secret storage does not retain the key
 */
export async function addStoredAccount(host: Host): Promise<LocalAccount | undefined> {
  if (!(await confirmStoringKey())) return undefined;
  const secret = await promptForSecret();
  if (secret === undefined) return undefined;
  const { kind, key } = secret;
  const address = await deriveAddress(key);
  const isStored = await new StoredKeys(host.context).store(address, encodeStoredKey(key));
  key.fill(0);
  if (!isStored) {
    void showError(
      vscode.l10n.t(
        'The editor’s secret storage did not accept the key. Set up a keyring, and try again.',
      ),
    );
    return undefined;
  }
  const account: LocalAccount = { kind, address };
  await new KnownAccounts(host.context).setCurrent(account);
  return account;
}

/** Removes an account and its stored key. Does not delete a keystore file. */
export async function removeLocalAccount(host: Host, account: LocalAccount): Promise<void> {
  if (account.kind !== 'keystore') await new StoredKeys(host.context).remove(account.address);
  await new KnownAccounts(host.context).remove(account);
}

async function confirmStoringKey(): Promise<boolean> {
  const confirmLabel = vscode.l10n.t('I Use a Dedicated Wallet');
  const choice = await confirm(
    {
      question: vscode.l10n.t('Store a private key in the editor?'),
      detail: vscode.l10n.t(
        'Other extensions run in the same process, and a leaked key loses all its funds. Use a dedicated wallet with little in it, and back up its key, because an editor can lose it. A browser wallet is safer: its key never leaves it.',
      ),
    },
    confirmLabel,
  );
  return choice === confirmLabel;
}

/** Returns a label for the location of the account's key. */
export function formatAccountKind({ kind }: KnownAccount): string {
  switch (kind) {
    case 'browser':
      return vscode.l10n.t('Browser wallet');
    case 'keystore':
      return vscode.l10n.t('Keystore file');
    case 'private-key':
    case 'mnemonic':
      return vscode.l10n.t('Private key or recovery phrase');
  }
}

/** Connection to an account whose key is on this machine. */
export type LocalConnection = WalletConnection & { readonly signer: LocalSigner };

/**
 * Returns a connection that signs with a local account, without a request to the chain. Prompts for a keystore password
 * at each signature.
 */
export function connectLocalAccount(
  host: Host,
  account: LocalAccount,
  { chain, purpose }: Pick<ConnectOptions, 'chain' | 'purpose'>,
): LocalConnection {
  const client = chain && createChainClient(chain);
  const open: LocalSignerKey['open'] = (signal) => openKey(host, account, { purpose, signal });
  const key: LocalSignerKey = { kind: account.kind, address: account.address, open };
  // A local account has no page. The messages of the flow show its steps.
  return {
    signer: createLocalSigner(key, client),
    showStep() {},
    async showOutcome() {},
    dispose() {},
  };
}

async function openKey(
  host: Host,
  account: LocalAccount,
  { purpose, signal }: Pick<ConnectOptions, 'purpose' | 'signal'>,
): Promise<Uint8Array> {
  if (account.kind !== 'keystore') {
    return decodeStoredKey(await new StoredKeys(host.context).read(account.address));
  }
  const file = await readKeystoreFile(vscode.Uri.parse(account.file, true));
  return unlockKeystore({ ...file, address: account.address }, purpose, signal);
}

/**
 * Runs "Disconnect Wallet": removes an account after a confirmation. If there are several accounts,
 * the user picks one.
 */
export async function disconnectCommand(host: Host): Promise<void> {
  const { accounts } = new KnownAccounts(host.context);
  if (accounts.length === 0) {
    void showInformation(vscode.l10n.t('No wallet is connected.'));
    return;
  }
  const account = accounts.length === 1 ? accounts[0] : await pickAccount(accounts);
  if (account !== undefined) await disconnectAccount(host, account);
}

/**
 * Removes the account and its stored key after a confirmation. Returns true if the account was
 * removed.
 */
export async function disconnectAccount(host: Host, account: KnownAccount): Promise<boolean> {
  const disconnectLabel = vscode.l10n.t('Disconnect');
  const question = vscode.l10n.t('Disconnect {0}?', account.address);
  if (
    (await confirm({ question, detail: describeDisconnectEffect(account) }, disconnectLabel)) !==
    disconnectLabel
  )
    return false;
  if (account.kind === 'browser') await new KnownAccounts(host.context).remove(account);
  else await removeLocalAccount(host, account);

  return true;
}

async function pickAccount(accounts: readonly KnownAccount[]): Promise<KnownAccount | undefined> {
  const items = accounts.map((account, index) => ({
    label: account.address,
    description:
      index === 0
        ? `${formatAccountKind(account)}, ${vscode.l10n.t('In use here')}`
        : formatAccountKind(account),
    account,
  }));
  const title = vscode.l10n.t('Disconnect');
  return (await vscode.window.showQuickPick(items, { title }))?.account;
}

function describeDisconnectEffect({ kind }: KnownAccount): string {
  const keysNote = vscode.l10n.t('API keys that were minted with it stay valid.');
  switch (kind) {
    case 'browser':
    case 'keystore':
      return vscode.l10n.t('The editor forgets the address. {0}', keysNote);
    case 'private-key':
    case 'mnemonic':
      return vscode.l10n.t(
        'The editor deletes its private key from secret storage: make sure that you have it elsewhere. {0}',
        keysNote,
      );
  }
}

/** An account that the user entered or selected, with its private key. */
interface AccountWithKey {
  readonly kind: StoredAccount['kind'];
  /** Private key of 32 bytes; the caller must overwrite it. */
  readonly key: Uint8Array;
}

/**
 * Prompts for a private key, or for a recovery phrase and one of its accounts. Returns `undefined` when the
 * user cancels.
 */
async function promptForSecret(): Promise<AccountWithKey | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Private key or recovery phrase'),
    prompt: vscode.l10n.t(
      'Use a dedicated wallet. The editor’s secret storage keeps the key of one account, never a phrase.',
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (typedText) =>
      typedText.trim() === '' ? undefined : findInputProblem(typedText),
  });
  if (text === undefined || text.trim() === '' || findInputProblem(text) !== undefined)
    return undefined;
  const key = parsePrivateKey(text);
  return key === undefined
    ? promptForPhraseAccount(normalizePhrase(text))
    : { kind: 'private-key', key };
}

function findInputProblem(text: string): string | undefined {
  if (parsePrivateKey(text) !== undefined) return undefined;
  if (!/\s/.test(text.trim())) {
    return vscode.l10n.t('A private key has 64 hexadecimal digits. A phrase has 12 to 24 words.');
  }
  switch (findPhraseProblem(normalizePhrase(text))) {
    case 'length':
      return vscode.l10n.t('A private key has 64 hexadecimal digits. A phrase has 12 to 24 words.');
    case 'word':
      return vscode.l10n.t('A word is not in the English list of recovery phrases.');
    case 'checksum':
      return vscode.l10n.t('This is not a valid phrase: a word is wrong or in the wrong place.');
    case undefined:
      return undefined;
  }
}

/** Number of derived accounts that the list shows at a time. */
const batchSize = 5;

async function promptForPhraseAccount(phrase: string): Promise<AccountWithKey | undefined> {
  for (let firstIndex = 0; ; firstIndex += batchSize) {
    const chosenIndex = await pickPhraseAccount(
      await derivePhraseAccounts(phrase, { firstIndex, count: batchSize }),
    );
    if (chosenIndex === undefined) return undefined;
    if (chosenIndex === 'more') continue;
    return { kind: 'mnemonic', key: await derivePhraseKey(phrase, chosenIndex) };
  }
}

async function pickPhraseAccount(
  accounts: readonly { readonly index: number; readonly address: Address }[],
): Promise<number | 'more' | undefined> {
  const items = accounts.map(({ index, address }) => ({
    label: address,
    description: `#${index + 1}`,
    index: index as number | 'more',
  }));
  const moreItem = {
    label: vscode.l10n.t('More accounts…'),
    description: '',
    index: 'more' as const,
  };
  const options = {
    title: vscode.l10n.t('Private key or recovery phrase'),
    placeHolder: vscode.l10n.t('Only the key of this account is stored'),
    ignoreFocusOut: true,
  };
  return (await vscode.window.showQuickPick([...items, moreItem], options))?.index;
}
