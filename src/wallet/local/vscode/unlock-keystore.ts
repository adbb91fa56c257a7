import { createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { showProgress } from '../../../platform/notifications.ts';
import {
  invalidKeystoreError,
  type KeystoreCrypto,
  type KeystoreFile,
  maxKeystoreLength,
  openKeystore,
  parseKeystoreFile,
} from '../keystore.ts';
import { deriveScrypt } from './scrypt.ts';
import { WalletError } from '../../wallet-failure.ts';

const derivePbkdf2 = promisify(pbkdf2);

/** Node's own, away from the main thread. */
export const nodeKeystoreCrypto: KeystoreCrypto = {
  scrypt: deriveScrypt,
  pbkdf2: (password, { salt, iterations, length }) =>
    derivePbkdf2(password, salt, iterations, length, 'sha256'),
  async decrypt(data, { key, iv }) {
    const decipher = createDecipheriv('aes-128-ctr', key, iv);
    const plain = decipher.update(data);
    // A copy of its own: small buffers of Node's share their memory.
    const copy = Uint8Array.from(plain);
    plain.fill(0);
    return copy;
  },
};

/** After so many wrong passwords it is over, and the person starts again. */
const attempts = 3;

/**
 * Reads a keystore file of the person's choice.
 * @throws WalletError `invalid-keystore`
 */
export async function readKeystoreUri(uri: vscode.Uri): Promise<KeystoreFile> {
  const { fs } = vscode.workspace;
  try {
    // The size first: any file can be named.
    const { size, type } = await fs.stat(uri);
    const isFile = (type & vscode.FileType.File) !== 0;
    if (!isFile || size > maxKeystoreLength)
      throw invalidKeystoreError(vscode.l10n.t('it is not a keystore file'));
    return parseKeystoreFile(new TextDecoder().decode(await fs.readFile(uri)));
  } catch (error) {
    if (error instanceof WalletError) throw error;
    throw invalidKeystoreError(vscode.l10n.t('it cannot be read'));
  }
}

/**
 * Asks for the password of a keystore file and opens it: the 32 bytes of its private key, which whoever gets them
 * overwrites. The password is kept nowhere; the box closes when the signal aborts.
 * @param what What it is opened for, shown above the box.
 * @throws WalletError `rejected` when the person closes the box, `wrong-password`, `invalid-keystore`, `stopped`
 */
export async function unlockKeystore(
  file: KeystoreFile,
  what: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const password = await askPassword(file, { what, isAgain: attempt > 0, signal });
    const key = await openWith(file, password);
    if (key !== undefined) return key;
  }
  throw new WalletError('wrong-password', 'The password does not open the keystore file.');
}

interface PasswordQuestion {
  readonly what: string;
  /** The one before was wrong. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

async function askPassword(
  { address }: KeystoreFile,
  { what, isAgain, signal }: PasswordQuestion,
): Promise<string> {
  const account = address ?? '';
  const prompt = isAgain
    ? vscode.l10n.t('This password does not open the keystore file. Try again. {0}', account)
    : vscode.l10n.t('Password of the keystore file. It is not kept. {0}', account);
  const options = { title: what, prompt: prompt.trim(), password: true, ignoreFocusOut: true };
  using closing = closedBy(signal);
  const password = await vscode.window.showInputBox(options, closing.token);
  if (signal.aborted) throw new WalletError('stopped', 'It was stopped before the password.');
  if (password !== undefined) return password;
  throw new WalletError('rejected', 'No password was given.');
}

/** What closes a box of the editor when the signal aborts. */
function closedBy(signal: AbortSignal): Disposable & { readonly token: vscode.CancellationToken } {
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

/** `undefined` when the password is wrong. */
async function openWith(file: KeystoreFile, password: string): Promise<Uint8Array | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Opening the keystore file…'),
  };
  try {
    return await showProgress(options, () => openKeystore(file, password, nodeKeystoreCrypto));
  } catch (error) {
    const isWrong = error instanceof WalletError && error.failure.code === 'wrong-password';
    if (isWrong) return undefined;
    throw error;
  }
}
