import { bytesToHex, hexToBytes, sha256 } from 'viem';
import { english, HDKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Address, Hex } from '../chain.ts';

/** The order of the curve secp256k1: private keys are smaller. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The 32 bytes of a private key in hexadecimal, with or without `0x`; `undefined` for anything else. */
export function parsePrivateKey(text: string): Uint8Array | undefined {
  const digits = /^(?:0x)?(?<digits>[\da-f]{64})$/i.exec(text.trim())?.groups?.['digits'];
  if (digits === undefined) return undefined;
  const value = BigInt(`0x${digits}`);
  return value > 0n && value < order ? hexToBytes(`0x${digits}`) : undefined;
}

/** The bytes of a key as it is stored. */
export const decodeStoredKey = (key: Hex): Uint8Array => hexToBytes(key);

/** How a key is stored. Text cannot be overwritten: for storage alone. */
export const encodeStoredKey = (key: Uint8Array): Hex => bytesToHex(key);

/**
 * What `run` makes of the account of `key`. The bytes are overwritten afterwards; what viem made of them is text, which
 * cannot be, and goes with the next collection of garbage.
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

/** What is wrong with a phrase. */
export type PhraseProblem = 'length' | 'word' | 'checksum';

/** One account of a phrase. */
export interface PhraseAccount {
  /** The last step of its path, from 0. */
  readonly index: number;
  readonly address: Address;
}

/** The words as BIP-39 wants them: small letters, one space between. */
export const normalizePhrase = (text: string): string =>
  text.normalize('NFKD').trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** Checks a normalized phrase by BIP-39, with the English list of words. `undefined` when nothing is wrong. */
export function findPhraseProblem(phrase: string): PhraseProblem | undefined {
  const words = phrase.split(' ');
  if (![12, 15, 18, 21, 24].includes(words.length)) return 'length';
  const indices = words.map((word) => english.indexOf(word));
  if (indices.includes(-1)) return 'word';
  return hasChecksum(indices) ? undefined : 'checksum';
}

/** Accounts `from` to `from + count - 1` of a phrase without problems: path `m/44'/60'/0'/0/index` (BIP-44). */
export async function derivePhraseAccounts(
  phrase: string,
  { from, count }: { from: number; count: number },
): Promise<PhraseAccount[]> {
  const parent = await parentKey(phrase);
  try {
    const indices = Array.from({ length: count }, (_, at) => from + at);
    return await Promise.all(
      indices.map(async (index) => ({
        index,
        address: await usePrivateKey(childKey(parent, index), ({ address }) => address),
      })),
    );
  } finally {
    parent.wipePrivateData();
  }
}

/** The 32 bytes of the private key of one account. */
export async function derivePhraseKey(phrase: string, index: number): Promise<Uint8Array> {
  const parent = await parentKey(phrase);
  try {
    return childKey(parent, index);
  } finally {
    parent.wipePrivateData();
  }
}

/** Each word is 11 bits; of every 33 bits the last is checksum: the first bits of the hash of the others. */
function hasChecksum(indices: readonly number[]): boolean {
  const bits = indices.map((index) => index.toString(2).padStart(11, '0')).join('');
  const entropyBits = (bits.length / 33) * 32;
  const entropy = Uint8Array.from({ length: entropyBits / 8 }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  );
  const [first = 0] = sha256(entropy, 'bytes');
  entropy.fill(0);
  return first.toString(2).padStart(8, '0').startsWith(bits.slice(entropyBits));
}

async function parentKey(phrase: string): Promise<HDKey> {
  const seed = await seedOf(phrase);
  const root = HDKey.fromMasterSeed(seed);
  seed.fill(0);
  try {
    return root.derive("m/44'/60'/0'/0");
  } finally {
    root.wipePrivateData();
  }
}

/** BIP-39: without a password of its own. */
async function seedOf(phrase: string): Promise<Uint8Array> {
  const text = new TextEncoder();
  const { subtle } = globalThis.crypto;
  const words = text.encode(phrase);
  const base = await subtle.importKey('raw', words, 'PBKDF2', false, ['deriveBits']);
  words.fill(0);
  const salt = text.encode('mnemonic');
  const how = { name: 'PBKDF2', hash: 'SHA-512', salt, iterations: 2_048 };
  return new Uint8Array(await subtle.deriveBits(how, base, 512));
}

function childKey(parent: HDKey, index: number): Uint8Array {
  const child = parent.deriveChild(index);
  const key = child.privateKey?.slice();
  child.wipePrivateData();
  if (key === undefined) throw new Error('The phrase has no such key.');
  return key;
}
