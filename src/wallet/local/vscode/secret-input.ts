import * as vscode from 'vscode';
import type { Address } from '../../chain.ts';
import type { StoredAccount } from '../known-account.ts';
import {
  normalizePhrase,
  parsePrivateKey,
  derivePhraseAccounts,
  derivePhraseKey,
  findPhraseProblem,
} from '../private-key.ts';

/** An account that the user entered or selected, with its private key. */
export interface EnteredSecret {
  readonly kind: StoredAccount['kind'];
  /** Private key of 32 bytes; the caller must overwrite it. */
  readonly key: Uint8Array;
}

/**
 * Prompts for a private key, or for a recovery phrase and one of its accounts. Returns `undefined` when the
 * user cancels.
 */
export async function promptForSecret(): Promise<EnteredSecret | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Private key or recovery phrase'),
    prompt: vscode.l10n.t(
      'Use a dedicated wallet. The editor’s secret storage keeps the key of one account, never a phrase.',
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (typed) => (typed.trim() === '' ? undefined : findInputProblem(typed)),
  });
  if (text === undefined || text.trim() === '' || findInputProblem(text) !== undefined)
    return undefined;
  const key = parsePrivateKey(text);
  return key === undefined ? promptForAccount(normalizePhrase(text)) : { kind: 'private-key', key };
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

async function promptForAccount(phrase: string): Promise<EnteredSecret | undefined> {
  for (let from = 0; ; from += batchSize) {
    const chosen = await pickAccount(
      await derivePhraseAccounts(phrase, { from, count: batchSize }),
    );
    if (chosen === undefined) return undefined;
    if (chosen === 'more') continue;
    return { kind: 'mnemonic', key: await derivePhraseKey(phrase, chosen) };
  }
}

async function pickAccount(
  accounts: readonly { readonly index: number; readonly address: Address }[],
): Promise<number | 'more' | undefined> {
  const items = accounts.map(({ index, address }) => ({
    label: address,
    description: `#${index + 1}`,
    index: index as number | 'more',
  }));
  const more = { label: vscode.l10n.t('More accounts…'), description: '', index: 'more' as const };
  const options = {
    title: vscode.l10n.t('Private key or recovery phrase'),
    placeHolder: vscode.l10n.t('Only the key of this account is stored'),
    ignoreFocusOut: true,
  };
  return (await vscode.window.showQuickPick([...items, more], options))?.index;
}
