import * as vscode from 'vscode';
import { showProgress } from '../../../platform/notifications.ts';
import {
  createInvalidKeystoreError,
  type KeystoreFile,
  maxKeystoreLength,
  openKeystore,
  parseKeystoreFile,
} from '../keystore.ts';
import { nodeKeystoreCrypto } from './keystore-crypto.ts';
import { WalletError } from '../../wallet-failure.ts';

/** Maximum number of password attempts per operation. */
const maxAttempts = 3;

/**
 * Reads a keystore file that the user selected.
 * @throws WalletError `invalid-keystore` if the file cannot be read or is not a keystore file
 */
export async function readKeystoreFile(uri: vscode.Uri): Promise<KeystoreFile> {
  const { fs } = vscode.workspace;
  try {
    // The size is checked before reading, because the URI can name any file.
    const { size, type } = await fs.stat(uri);
    const isFile = (type & vscode.FileType.File) !== 0;
    if (!isFile || size > maxKeystoreLength)
      throw createInvalidKeystoreError(vscode.l10n.t('This is not a keystore file.'));
    return parseKeystoreFile(new TextDecoder().decode(await fs.readFile(uri)));
  } catch (error) {
    if (error instanceof WalletError) throw error;
    throw createInvalidKeystoreError(vscode.l10n.t('It cannot be read.'));
  }
}

/**
 * Prompts for the password of a keystore file and decrypts the file. Returns the 32 bytes of its private key, which
 * the caller must overwrite. Never stores the password.
 * @param purpose Purpose of the prompt, shown above the input.
 * @throws WalletError `rejected` if the user closes the input; `wrong-password` after {@link maxAttempts} wrong
 *   passwords; `invalid-keystore` if the file contains no valid key; `stopped` if the signal aborts
 */
export async function unlockKeystore(
  file: KeystoreFile,
  purpose: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const password = await promptForPassword(file, { purpose, isRetry: attempt > 0, signal });
    const key = await tryPassword(file, password);
    if (key !== undefined) return key;
  }
  throw new WalletError('wrong-password', 'The password does not open the keystore file.');
}

interface PasswordPrompt {
  readonly purpose: string;
  /** True if the previous password was wrong. */
  readonly isRetry: boolean;
  readonly signal: AbortSignal;
}

async function promptForPassword(
  { address }: KeystoreFile,
  { purpose, isRetry, signal }: PasswordPrompt,
): Promise<string> {
  const addressText = address ?? '';
  const prompt = isRetry
    ? vscode.l10n.t('This password does not open the keystore file. Try again. {0}', addressText)
    : vscode.l10n.t('Password of the keystore file. It is not stored. {0}', addressText);
  const options = { title: purpose, prompt: prompt.trim(), password: true, ignoreFocusOut: true };
  using cancellation = createCancellationSource(signal);
  const password = await vscode.window.showInputBox(options, cancellation.token);
  if (signal.aborted) throw new WalletError('stopped', 'It was stopped before the password.');
  if (password !== undefined) return password;
  throw new WalletError('rejected', 'No password was given.');
}

/** Returns a disposable source of a cancellation token that is canceled when the signal aborts. */
function createCancellationSource(
  signal: AbortSignal,
): Disposable & { readonly token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const close = (): void => source.cancel();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  return {
    token: source.token,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', close);
      source.dispose();
    },
  };
}

/** Decrypts the file. Returns `undefined` if the password is wrong. */
async function tryPassword(file: KeystoreFile, password: string): Promise<Uint8Array | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Keystore file'),
  };
  try {
    return await showProgress(options, (report) => {
      report(vscode.l10n.t('Loading…'));
      return openKeystore(file, password, nodeKeystoreCrypto);
    });
  } catch (error) {
    const isWrongPassword = error instanceof WalletError && error.failure.code === 'wrong-password';
    if (isWrongPassword) return undefined;
    throw error;
  }
}
