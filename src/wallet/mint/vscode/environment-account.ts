import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { deriveAddress, openKeystore, parseKeystoreFile } from '../../local/keystore.ts';
import { createLocalSigner } from '../../local/local-signer.ts';
import { parsePrivateKey } from '../../local/private-key.ts';
import type { LocalSigner } from '../../signer.ts';
import { WalletError } from '../../wallet-failure.ts';
import { readRegularFile } from '../../../platform/files.ts';
import { nodeKeystoreCrypto } from '../../local/vscode/keystore-crypto.ts';

/** Environment variables that contain file paths. No variable contains a secret. */
const pathVariables = {
  keystore: 'INFERENCE_SERVICE_KEYSTORE',
  password: 'INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE',
  privateKey: 'INFERENCE_SERVICE_PRIVATE_KEY_FILE',
} as const;

interface KeySource {
  readonly environment: NodeJS.ProcessEnv;
  /** Path of a keystore file, passed by the caller. Takes precedence over the path in the environment variable. */
  readonly keystore?: string;
  /** Paths of the workspace folders. A keystore file that the caller passes must not be in one of them. */
  readonly workspaceFolders?: readonly string[];
}

/**
 * Opens the account whose key is in a file: a keystore with its password in another file, or a private key. Environment
 * variables contain the paths of these files. The key is read for each signature and never cached.
 * @throws WalletError with one of the codes `no-wallet`, `invalid-keystore` or `wrong-password`
 */
export async function openEnvironmentAccount({
  environment,
  keystore,
  workspaceFolders = [],
}: KeySource): Promise<LocalSigner> {
  const keystorePath = keystore ?? environment[pathVariables.keystore];
  if (keystore !== undefined) await rejectWorkspaceFile(keystore, workspaceFolders);
  const privateKey = environment[pathVariables.privateKey];
  if (keystorePath !== undefined && keystorePath !== '') {
    return createSigner('keystore', () =>
      readKeystoreKey(
        { path: keystorePath, name: keystore === undefined ? pathVariables.keystore : 'keystore' },
        environment[pathVariables.password],
      ),
    );
  }
  if (privateKey !== undefined && privateKey !== '') {
    return createSigner('private-key', () => readPrivateKeyFile(privateKey));
  }
  throw new WalletError(
    'no-wallet',
    `Neither ${pathVariables.keystore} nor ${pathVariables.privateKey} is set in the environment.`,
  );
}

async function createSigner(
  kind: LocalSigner['kind'],
  openKey: () => Promise<Uint8Array>,
): Promise<LocalSigner> {
  const key = await openKey();
  try {
    return createLocalSigner({ kind, address: await deriveAddress(key), open: openKey });
  } finally {
    key.fill(0);
  }
}

async function readKeystoreKey(keystore: NamedFile, passwordPath = ''): Promise<Uint8Array> {
  if (passwordPath === '') {
    throw new WalletError('wrong-password', `${pathVariables.password} is not set.`);
  }
  const file = parseKeystoreFile(await readSmallFile(keystore));
  const password = await readSmallFile({ path: passwordPath, name: pathVariables.password });
  return openKeystore(file, password.replace(/\r?\n$/, ''), nodeKeystoreCrypto);
}

async function readPrivateKeyFile(path: string): Promise<Uint8Array> {
  const key = parsePrivateKey(await readSmallFile({ path, name: pathVariables.privateKey }));
  if (key !== undefined) return key;
  throw new WalletError(
    'invalid-keystore',
    `The file of ${pathVariables.privateKey} holds no key.`,
  );
}

/**
 * Rejects a keystore file in one of the workspace folders, and a path that is relative or does not exist. Any extension
 * can pass a path, and must not mint with a key that a downloaded workspace contains.
 * @throws WalletError `invalid-keystore` for such a path
 */
async function rejectWorkspaceFile(path: string, folders: readonly string[]): Promise<void> {
  const realPath = isAbsolute(path) ? await realpath(path).catch(() => undefined) : undefined;
  const folderPaths = await Promise.all(
    folders.map(async (folder) => realpath(folder).catch(() => folder)),
  );
  if (realPath !== undefined && !folderPaths.some((folder) => isInside(folder, realPath))) return;
  throw new WalletError(
    'invalid-keystore',
    `A keystore is given by its absolute path; one in the workspace is used only when ${pathVariables.keystore} names it.`,
  );
}

function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !/^\.\.[/\\]/.test(relativePath) && !isAbsolute(relativePath);
}

const maxBytes = 64 * 1024;

interface NamedFile {
  readonly path: string;
  /** Name of the environment variable or option that contains the path, for error messages. */
  readonly name: string;
}

/** Reads a file of at most 64 KiB. Errors contain neither the file's content nor its path. */
async function readSmallFile({ path, name }: NamedFile): Promise<string> {
  const bytes = await readRegularFile(path, { maxFileBytes: maxBytes }).catch(
    () => 'no-file' as const,
  );
  if (typeof bytes !== 'string') return new TextDecoder().decode(bytes);
  throw new WalletError(
    'invalid-keystore',
    `The file of ${name} cannot be read, or is longer than 64 KiB.`,
  );
}
