import * as l10n from '@vscode/l10n';
import { bytesToHex, concatBytes, getAddress, hexToBytes, keccak256 } from 'viem';
import { isRecord, type JsonRecord, parseJson } from '../../base/json.ts';
import type { Address } from '../chain.ts';
import { parsePrivateKey, usePrivateKey } from './private-key.ts';
import { WalletError } from '../wallet-failure.ts';

/**
 * Cryptographic primitives of the platform for keystore files. Implementations must not retain
 * their arguments.
 */
export interface KeystoreCrypto {
  scrypt(password: Uint8Array, parameters: ScryptParameters): Promise<Uint8Array>;
  /** PBKDF2 with HMAC-SHA256. */
  pbkdf2(password: Uint8Array, parameters: Pbkdf2Parameters): Promise<Uint8Array>;
  /** Decrypts AES-128 in counter mode. */
  decrypt(data: Uint8Array, options: { key: Uint8Array; iv: Uint8Array }): Promise<Uint8Array>;
}

export interface ScryptParameters {
  readonly salt: Uint8Array;
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Length of the derived key in bytes. */
  readonly length: number;
}

export interface Pbkdf2Parameters {
  readonly salt: Uint8Array;
  readonly iterations: number;
  /** Length of the derived key in bytes. */
  readonly length: number;
}

/** Keystore file in the Web3 Secret Storage format, version 3. */
export interface KeystoreFile {
  /** Address of the key according to the file. Absent in many files. */
  readonly address?: Address;
  readonly kdf: Kdf;
  readonly iv: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly mac: Uint8Array;
}

export type Kdf =
  | ({ readonly name: 'scrypt' } & ScryptParameters)
  | ({ readonly name: 'pbkdf2' } & Pbkdf2Parameters);

/** Maximum length of a keystore file in characters. Common files have about 500 characters. */
export const maxKeystoreLength = 65_536;

/**
 * Upper bounds for the cost of key derivation. For scrypt, `blocks` limits n · r (each block needs 128 bytes of
 * memory), and `work` limits n · r · p (2²¹ in common files). For PBKDF2, `iterations` limits the iterations.
 */
const limits = { blocks: 2 ** 22, work: 2 ** 23, iterations: 10_000_000 } as const;

/**
 * Parses a keystore file without deriving a key. Rejects key derivation parameters that would need more than 512 MiB or
 * more than a few seconds.
 * @throws WalletError `invalid-keystore` for any other text, or if a parameter is too high
 */
export function parseKeystoreFile(text: string): KeystoreFile {
  const file = text.length > maxKeystoreLength ? undefined : parseJson(text);
  if (!isRecord(file)) throw createInvalidKeystoreError(l10n.t('This is not a keystore file.'));
  if (file['version'] !== 3)
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'version'));
  const crypto = requireRecord(file['crypto'] ?? file['Crypto'], 'crypto');
  if (crypto['cipher'] !== 'aes-128-ctr')
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'cipher'));
  const address = parseAddress(file['address']);
  return {
    ...(address === undefined ? {} : { address }),
    kdf: parseKdf(crypto),
    iv: parseBytes(requireRecord(crypto['cipherparams'], 'cipherparams')['iv'], 'iv', 16),
    ciphertext: parseBytes(crypto['ciphertext'], 'ciphertext', 32),
    mac: parseBytes(crypto['mac'], 'mac', 32),
  };
}

function parseKdf(crypto: JsonRecord): Kdf {
  const parameters = requireRecord(crypto['kdfparams'], 'kdfparams');
  if (parameters['dklen'] !== 32)
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'dklen'));
  const salt = parseSalt(parameters['salt']);
  switch (crypto['kdf']) {
    case 'scrypt':
      return { name: 'scrypt', salt, length: 32, ...parseScryptCost(parameters) };
    case 'pbkdf2':
      if (parameters['prf'] !== 'hmac-sha256')
        throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'prf'));
      return { name: 'pbkdf2', salt, length: 32, iterations: parseIterations(parameters['c']) };
    default:
      throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'kdf'));
  }
}

function parseScryptCost({ n, r, p }: JsonRecord): Pick<ScryptParameters, 'n' | 'r' | 'p'> {
  if (!isPositiveInteger(n) || !isPositiveInteger(r) || !isPositiveInteger(p)) {
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'n, r, p'));
  }
  if (n < 2 || n > limits.blocks || !Number.isInteger(Math.log2(n))) {
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'n'));
  }
  if (n * r > limits.blocks || n * r * p > limits.work) {
    throw createInvalidKeystoreError(l10n.t('Opening it would take too much memory or time.'));
  }
  return { n, r, p };
}

function parseIterations(count: unknown): number {
  if (!isPositiveInteger(count))
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'c'));
  if (count > limits.iterations)
    throw createInvalidKeystoreError(l10n.t('Opening it would take too much memory or time.'));
  return count;
}

const isPositiveInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;

function parseSalt(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value.length < 2 || value.length > 2_048) {
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', 'salt'));
  }
  return parseBytes(value, 'salt', Math.floor(value.length / 2));
}

function parseBytes(value: unknown, name: string, length: number): Uint8Array {
  if (typeof value !== 'string' || value.length !== length * 2 || !/^[\da-f]*$/i.test(value)) {
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', name));
  }
  return hexToBytes(`0x${value}`);
}

function parseAddress(value: unknown): Address | undefined {
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : '';
  return /^[\da-f]{40}$/i.test(digits) ? getAddress(`0x${digits.toLowerCase()}`) : undefined;
}

function requireRecord(value: unknown, name: string): JsonRecord {
  if (!isRecord(value))
    throw createInvalidKeystoreError(l10n.t('Its field “{0}” cannot be used.', name));
  return value;
}

/**
 * Creates an `invalid-keystore` error.
 * @param reason Translated sentence, such as `It holds no private key.`
 */
export const createInvalidKeystoreError = (reason: string): WalletError =>
  new WalletError('invalid-keystore', reason);

/**
 * Decrypts a keystore file and returns the 32 bytes of its private key. The caller must overwrite
 * them after use.
 * @throws WalletError `wrong-password`; `invalid-keystore` if the file contains no key, or a key
 * that does not match the address in the file
 */
export async function openKeystore(
  file: KeystoreFile,
  password: string,
  crypto: KeystoreCrypto,
): Promise<Uint8Array> {
  const derivedKey = await deriveKey(file.kdf, password, crypto);
  try {
    const mac = keccak256(concatBytes([derivedKey.subarray(16, 32), file.ciphertext]), 'bytes');
    if (!isEqualConstantTime(mac, file.mac)) throw createWrongPasswordError();
    const { ciphertext, iv } = file;
    const key = await crypto.decrypt(ciphertext, { key: derivedKey.subarray(0, 16), iv });
    await checkKey(key, file.address);
    return key;
  } finally {
    derivedKey.fill(0);
  }
}

/** Returns the address of a private key. Uses a copy of the key, so that the key itself is not overwritten. */
export const deriveAddress = (key: Uint8Array): Promise<Address> =>
  usePrivateKey(key.slice(), ({ address }) => address);

async function deriveKey(kdf: Kdf, password: string, crypto: KeystoreCrypto): Promise<Uint8Array> {
  const passwordBytes = new TextEncoder().encode(password);
  try {
    return await (kdf.name === 'scrypt'
      ? crypto.scrypt(passwordBytes, kdf)
      : crypto.pbkdf2(passwordBytes, kdf));
  } finally {
    passwordBytes.fill(0);
  }
}

async function checkKey(key: Uint8Array, claimedAddress: Address | undefined): Promise<void> {
  const reason = await findKeyProblem(key, claimedAddress);
  if (reason === undefined) return;
  key.fill(0);
  throw createInvalidKeystoreError(reason);
}

async function findKeyProblem(
  key: Uint8Array,
  claimedAddress: Address | undefined,
): Promise<string | undefined> {
  if (parsePrivateKey(bytesToHex(key)) === undefined) return l10n.t('It holds no private key.');
  if (claimedAddress === undefined || (await deriveAddress(key)) === claimedAddress)
    return undefined;
  return l10n.t('The key is not that of the account.');
}

const isEqualConstantTime = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length &&
  a.reduce((difference, byte, index) => difference | (byte ^ b[index]!), 0) === 0;

const createWrongPasswordError = (): WalletError =>
  new WalletError('wrong-password', 'The password does not open the keystore file.');
