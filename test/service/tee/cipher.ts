import { createCipheriv, createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** secp256k1 key pair. Uses Node's crypto library, so that it shares no code with the client's implementation. */
export class EncryptionKey {
  readonly #ecdh = createECDH('secp256k1');

  constructor() {
    this.#ecdh.generateKeys();
  }

  /** Uncompressed public key with a length of 65 bytes. */
  get publicKey(): Buffer {
    return this.#ecdh.getPublicKey();
  }

  /** Derives the AES-256 key that is shared with the owner of `publicKey`. */
  deriveSharedKey(publicKey: Buffer): Buffer {
    const secret = this.#ecdh.computeSecret(publicKey);
    return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'ecdsa_encryption', 32));
  }

  /**
   * Decrypts a ciphertext.
   * @throws Error if the text is not encrypted for this key
   */
  decryptText(ciphertext: string): string {
    const bytes = Buffer.from(ciphertext, 'hex');
    if (bytes.length < 93 || bytes.toString('hex') !== ciphertext.toLowerCase()) {
      throw new Error('No ciphertext');
    }
    const key = this.deriveSharedKey(bytes.subarray(0, 65));
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(65, 77));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(77, -16)), decipher.final()]).toString();
  }
}

/**
 * Encrypts a text for the owner of a public key. Returns the concatenation of the ephemeral public key, the nonce, the
 * ciphertext and the tag, in hexadecimal.
 */
export function encryptFor(recipientKey: Buffer, text: string): string {
  const ephemeralKey = new EncryptionKey();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', ephemeralKey.deriveSharedKey(recipientKey), nonce);
  const sealedBytes = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([ephemeralKey.publicKey, nonce, sealedBytes]).toString('hex');
}
