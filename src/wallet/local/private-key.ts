import { bytesToHex, hexToBytes, sha256 } from 'viem';
import { english, HDKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Address, Hex } from '../chain.ts';

/** Order of the curve secp256k1. A private key is less than this number. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Parses a private key of 32 bytes in hexadecimal, with or without `0x`. Returns `undefined` for
 * any other text.
 */
export function parsePrivateKey(text: string): Uint8Array | undefined {
  const digits = /^(?:0x)?(?<digits>[\da-f]{64})$/i.exec(text.trim())?.groups?.['digits'];
  if (digits === undefined) return undefined;
  const value = BigInt(`0x${digits}`);
  return value > 0n && value < curveOrder ? hexToBytes(`0x${digits}`) : undefined;
}

/** Decodes a stored key into bytes. */
export const decodeStoredKey = (key: Hex): Uint8Array => hexToBytes(key);

/**
 * Encodes a key as a string, which secret storage requires. Do not use the string elsewhere, because strings cannot be
 * overwritten.
 */
export const encodeStoredKey = (key: Uint8Array): Hex => bytesToHex(key);

/**
 * Calls `run` with the account of `key`, and overwrites the bytes of the key afterwards. The string that viem creates
 * from the key cannot be overwritten and remains in memory until garbage collection.
 */
export async function usePrivateKey<T>(
  key: Uint8Array,
  run: (account: PrivateKeyAccount) => T | Promise<T>,
): Promise<T> {
  try {
    return await run(privateKeyToAccount(bytesToHex(key)));
  } finally {
    key.fill(0);
  }
}

/** Reason why a recovery phrase is invalid: number of words, unknown word, or wrong checksum. */
export type PhraseProblem = 'length' | 'word' | 'checksum';

/** An account derived from a recovery phrase. */
export interface PhraseAccount {
  /** Last number of the account's derivation path, which starts at 0. */
  readonly index: number;
  readonly address: Address;
}

/** Normalizes a phrase for BIP-39: lower case, single spaces. */
export const normalizePhrase = (text: string): string =>
  text.normalize('NFKD').trim().toLowerCase().replaceAll(/\s+/g, ' ');

/**
 * Checks a normalized phrase against BIP-39 and the English word list. Returns the problem, or
 * `undefined` if the phrase is valid.
 */
export function findPhraseProblem(phrase: string): PhraseProblem | undefined {
  const words = phrase.split(' ');
  if (![12, 15, 18, 21, 24].includes(words.length)) return 'length';
  const indices = words.map((word) => english.indexOf(word));
  if (indices.includes(-1)) return 'word';
  return hasValidChecksum(indices) ? undefined : 'checksum';
}

/**
 * Derives the accounts `firstIndex` to `firstIndex + count - 1` of a valid phrase at `m/44'/60'/0'/0/index` (BIP-44).
 */
export async function derivePhraseAccounts(
  phrase: string,
  { firstIndex, count }: { firstIndex: number; count: number },
): Promise<PhraseAccount[]> {
  const parentKey = await deriveParentKey(phrase);
  try {
    const indices = Array.from({ length: count }, (_, offset) => firstIndex + offset);
    return await Promise.all(
      indices.map(async (index) => ({
        index,
        address: await usePrivateKey(deriveChildKey(parentKey, index), ({ address }) => address),
      })),
    );
  } finally {
    parentKey.wipePrivateData();
  }
}

/** Derives the 32-byte private key of the account with this index from a recovery phrase. */
export async function derivePhraseKey(phrase: string, index: number): Promise<Uint8Array> {
  const parent = await deriveParentKey(phrase);
  try {
    return deriveChildKey(parent, index);
  } finally {
    parent.wipePrivateData();
  }
}

/**
 * Checks the BIP-39 checksum of a phrase, given the indices of its words in the word list. Each index has 11 bits. The
 * last bits, one for every 33, are the checksum: the first bits of the SHA-256 hash of the other bits.
 */
function hasValidChecksum(indices: readonly number[]): boolean {
  const bits = indices.map((index) => index.toString(2).padStart(11, '0')).join('');
  const entropyBits = (bits.length / 33) * 32;
  const entropy = Uint8Array.from({ length: entropyBits / 8 }, (_, byteIndex) =>
    Number.parseInt(bits.slice(byteIndex * 8, byteIndex * 8 + 8), 2),
  );
  const [firstByte = 0] = sha256(entropy, 'bytes');
  entropy.fill(0);
  return firstByte.toString(2).padStart(8, '0').startsWith(bits.slice(entropyBits));
}

async function deriveParentKey(phrase: string): Promise<HDKey> {
  const seed = await deriveSeed(phrase);
  const rootKey = HDKey.fromMasterSeed(seed);
  seed.fill(0);
  try {
    return rootKey.derive("m/44'/60'/0'/0");
  } finally {
    rootKey.wipePrivateData();
  }
}

/** Derives the BIP-39 seed without a passphrase. */
async function deriveSeed(phrase: string): Promise<Uint8Array> {
  const textEncoder = new TextEncoder();
  const { subtle } = globalThis.crypto;
  const phraseBytes = textEncoder.encode(phrase);
  const baseKey = await subtle.importKey('raw', phraseBytes, 'PBKDF2', false, ['deriveBits']);
  phraseBytes.fill(0);
  const salt = textEncoder.encode('mnemonic');
  const algorithm = { name: 'PBKDF2', hash: 'SHA-512', salt, iterations: 2_048 };
  return new Uint8Array(await subtle.deriveBits(algorithm, baseKey, 512));
}

function deriveChildKey(parentKey: HDKey, index: number): Uint8Array {
  const childKey = parentKey.deriveChild(index);
  const key = childKey.privateKey?.slice();
  childKey.wipePrivateData();
  if (key === undefined) throw new Error('The phrase has no such key.');
  return key;
}
