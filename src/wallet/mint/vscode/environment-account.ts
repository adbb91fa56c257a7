import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import * as vscode from 'vscode';
import type { ChainClient } from '../../chain-client.ts';
import { addressFromKey, openKeystore, parseKeystoreFile } from '../../local/keystore.ts';
import { createLocalSigner } from '../../local/local-signer.ts';
import { parsePrivateKey } from '../../local/private-key.ts';
import type { LocalSigner } from '../../signer.ts';
import { WalletError } from '../../wallet-failure.ts';
import { readRegularFile } from '../../../platform/files.ts';
import { nodeKeystoreCrypto } from '../../local/vscode/unlock-keystore.ts';

/** The variables that name files; no variable holds a secret itself. */
const variables = {
  keystore: 'INFERENCE_SERVICE_KEYSTORE',
  password: 'INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE',
  privateKey: 'INFERENCE_SERVICE_PRIVATE_KEY_FILE',
  allow: 'INFERENCE_SERVICE_ALLOW_MINT',
} as const;

/** Whether who started the editor lets programs mint and have the keys, without being asked each time. */
export const isMintAllowedByEnvironment = (environment: NodeJS.ProcessEnv): boolean =>
  environment[variables.allow] === '1';

interface Source {
  readonly environment: NodeJS.ProcessEnv;
  /** A keystore file that the caller names, in place of the environment's. */
  readonly keystore?: string;
}

/**
 * The account whose key is in a file that the environment names: a keystore with its password in another file, or a
 * private key. Read for each signature, kept nowhere.
 * @throws WalletError `no-wallet`, `invalid-keystore`, `wrong-password`
 */
export async function openEnvironmentAccount(
  { environment, keystore }: Source,
  client: ChainClient,
): Promise<LocalSigner> {
  const named = keystore ?? environment[variables.keystore];
  if (keystore !== undefined) await refuseWorkspaceFile(keystore);
  const privateKey = environment[variables.privateKey];
  if (named !== undefined && named !== '') {
    return signerOf(
      'keystore',
      () => keyOfKeystore(named, environment[variables.password]),
      client,
    );
  }
  if (privateKey !== undefined && privateKey !== '') {
    return signerOf('private-key', () => keyOfFile(privateKey), client);
  }
  throw new WalletError(
    'no-wallet',
    `Neither ${variables.keystore} nor ${variables.privateKey} is set in the environment of the editor.`,
  );
}

async function signerOf(
  kind: LocalSigner['kind'],
  openKey: () => Promise<Uint8Array>,
  client: ChainClient,
): Promise<LocalSigner> {
  const key = await openKey();
  try {
    return createLocalSigner({ kind, address: await addressFromKey(key), open: openKey }, client);
  } finally {
    key.fill(0);
  }
}

async function keyOfKeystore(path: string, passwordPath = ''): Promise<Uint8Array> {
  if (passwordPath === '') {
    throw new WalletError('wrong-password', `${variables.password} is not set.`);
  }
  const file = parseKeystoreFile(await readSmallFile(path));
  const password = await readSmallFile(passwordPath);
  return openKeystore(file, password.replace(/\r?\n$/, ''), nodeKeystoreCrypto);
}

async function keyOfFile(path: string): Promise<Uint8Array> {
  const key = parsePrivateKey(await readSmallFile(path));
  if (key !== undefined) return key;
  throw new WalletError('invalid-keystore', `The file of ${variables.privateKey} holds no key.`);
}

/** Who calls the command is not known: it must not make a file of the workspace an account. */
async function refuseWorkspaceFile(path: string): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const real = isAbsolute(path) ? await realpath(path).catch(() => undefined) : undefined;
  const places = await Promise.all(
    folders.map(async ({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath)),
  );
  if (real !== undefined && !places.some((place) => isInside(place, real))) return;
  throw new WalletError(
    'invalid-keystore',
    `A keystore is given by its absolute path; one in the workspace is used only when ${variables.keystore} names it.`,
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}

const longest = 64 * 1024;

/** Says neither what is in the file nor where it is. */
async function readSmallFile(path: string): Promise<string> {
  const bytes = await readRegularFile(path, { maxFileBytes: longest }).catch(
    () => 'no-file' as const,
  );
  if (typeof bytes !== 'string') return new TextDecoder().decode(bytes);
  throw new WalletError(
    'invalid-keystore',
    'A file of the account cannot be read, or is too long.',
  );
}
