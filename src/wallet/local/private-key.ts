import { bytesToHex, hexToBytes } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Hex } from '../chain.ts';

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
export const keyBytes = (key: Hex): Uint8Array => hexToBytes(key);

/** How a key is stored. Text cannot be overwritten: for storage alone. */
export const storedForm = (key: Uint8Array): Hex => bytesToHex(key);

/**
 * What `run` makes of the account of `key`. The bytes are overwritten afterwards; what viem made of them is text, which
 * cannot be, and goes with the next collection of garbage.
 */
export async function withKey<T>(
  key: Uint8Array,
  run: (account: PrivateKeyAccount) => T | Promise<T>,
): Promise<T> {
  try {
    return await run(privateKeyToAccount(bytesToHex(key)));
  } finally {
    key.fill(0);
  }
}
