import { webcrypto } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1';
import { decodeHex, encodeHex } from './bytes.ts';

/** Secp256k1 key pair for one request. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  /** Uncompressed public key, 65 bytes. */
  readonly publicKey: Uint8Array;
}

export type RandomBytes = (count: number) => Uint8Array;

const publicKeyLength = 65;
const nonceLength = 12;
const tagLength = 16;
const minLength = publicKeyLength + nonceLength + tagLength;
const hkdfInfo = new TextEncoder().encode('ecdsa_encryption');

export function createKeyPair(randomBytes: RandomBytes): KeyPair {
  const privateKey = createPrivateKey(randomBytes);
  return { privateKey, publicKey: secp256k1.getPublicKey(privateKey, false) };
}

/**
 * Encrypts a text for the owner of the public key `recipientKey`. Uses an ephemeral key pair, ECDH on secp256k1,
 * HKDF-SHA256 without salt over the x coordinate of the shared point, and AES-256-GCM. Returns hexadecimal text: public
 * key (65 bytes) ‖ nonce (12 bytes) ‖ ciphertext and tag.
 * @throws Error if `recipientKey` is not a point on the curve.
 */
export async function sealText(
  text: string,
  recipientKey: Uint8Array,
  randomBytes: RandomBytes,
): Promise<string> {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  const key = await deriveSharedKey(privateKey, recipientKey, 'encrypt');
  const iv = randomBytes(nonceLength);
  const data = new TextEncoder().encode(text);
  const ciphertext = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, data);
  return encodeHex(Buffer.concat([publicKey, iv, new Uint8Array(ciphertext)]));
}

/** Decrypts texts that were encrypted for one key. Rejects repeated ciphertexts. */
export class SealedTextOpener {
  readonly #privateKey: Uint8Array;
  /** AES key for texts from the most recent sender. Cached, because a sender may use one key pair for many texts. */
  #cachedKey: { readonly senderKey: string; readonly key: webcrypto.CryptoKey } | undefined;
  readonly #openedTexts = new Set<string>();

  constructor(privateKey: Uint8Array) {
    this.#privateKey = privateKey;
  }

  /**
   * Decrypts a result of {@link sealText}.
   * @throws Error if the text is malformed, modified, encrypted for another key, or was decrypted before.
   */
  async open(sealedText: string): Promise<string> {
    const bytes = decodeHex(sealedText);
    if (bytes === undefined || bytes.length < minLength) throw new Error('Not a valid ciphertext.');
    const headerHex = encodeHex(bytes.subarray(0, publicKeyLength + nonceLength));
    if (this.#openedTexts.has(headerHex)) throw new Error('This ciphertext was already decrypted.');
    this.#openedTexts.add(headerHex);
    const key = await this.#deriveKey(bytes.subarray(0, publicKeyLength));
    const iv = bytes.subarray(publicKeyLength, publicKeyLength + nonceLength);
    const data = bytes.subarray(publicKeyLength + nonceLength);
    const text = await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
  }

  async #deriveKey(publicKey: Uint8Array): Promise<webcrypto.CryptoKey> {
    const sender = encodeHex(publicKey);
    if (this.#cachedKey?.senderKey !== sender) {
      this.#cachedKey = {
        senderKey: sender,
        key: await deriveSharedKey(this.#privateKey, publicKey, 'decrypt'),
      };
    }
    return this.#cachedKey.key;
  }
}

async function deriveSharedKey(
  privateKey: Uint8Array,
  publicKey: Uint8Array,
  usage: 'encrypt' | 'decrypt',
): Promise<webcrypto.CryptoKey> {
  const x = secp256k1.getSharedSecret(privateKey, publicKey).subarray(1);
  const secret = await webcrypto.subtle.importKey('raw', x, 'HKDF', false, ['deriveKey']);
  return webcrypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: hkdfInfo },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    [usage],
  );
}

/** Generates a random private key. Draws another random number in the rare case that the first is not a valid key. */
function createPrivateKey(randomBytes: RandomBytes): Uint8Array {
  for (;;) {
    const candidate = randomBytes(32);
    if (secp256k1.utils.isValidPrivateKey(candidate)) return candidate;
  }
}
