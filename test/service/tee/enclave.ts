import { randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3';
import { isRecord, type JsonRecord } from '../../../src/base/json.ts';
import { ApiError } from '../api-error.ts';
import { EncryptionKey, encryptFor } from './cipher.ts';
import { foreignQuotingEnclave, createQuote } from './hardware.ts';
import type { EnclaveMisbehavior } from './misbehavior.ts';

/**
 * Simulates the trusted execution environment of some models. Returns attestations, and decrypts messages that are
 * encrypted for its key.
 */
export class Enclave {
  /** Misbehavior of the enclave that a test has set. */
  misbehavior: EnclaveMisbehavior = {};
  #key = new EncryptionKey();

  get publicKey(): string {
    return this.#key.publicKey.toString('hex');
  }

  /** Replaces the key of the enclave, and ends its misbehavior. */
  reset(): void {
    this.misbehavior = {};
    this.#key = new EncryptionKey();
  }

  /**
   * Returns the body of `GET /tee/attestation`.
   * @throws ApiError 502 if a test has set attestation to fail
   */
  createAttestation(model: string, nonce: string): JsonRecord {
    const { attestation: attestationMisbehavior } = this.misbehavior;
    if (attestationMisbehavior === 'refuses') {
      throw new ApiError(502, {
        error: 'The enclave does not answer',
        code: 'TEE_ATTESTATION_FAILED',
      });
    }
    const address = keccak_256(this.#key.publicKey.subarray(1)).subarray(12);
    const quotedNonce =
      attestationMisbehavior === 'nonce' ? randomBytes(32) : Buffer.from(nonce, 'hex');
    const quote = createQuote({
      reportData: Buffer.concat([address, Buffer.alloc(12), quotedNonce]),
      isDebugged: attestationMisbehavior === 'debug',
      isExpired: attestationMisbehavior === 'expired',
      hasUnknownRoot: attestationMisbehavior === 'root',
      ...(attestationMisbehavior === 'quoting-enclave'
        ? { quotingEnclave: foreignQuotingEnclave }
        : {}),
    });
    // Changes the first byte of the quote's signature.
    if (attestationMisbehavior === 'signature') quote[636] = (quote[636] ?? 0) ^ 1;
    return {
      verified: true,
      nonce,
      model: attestationMisbehavior === 'model' ? 'another-model' : model,
      tee_provider: 'local',
      intel_quote: quote.toString('hex'),
      nvidia_payload: JSON.stringify({ arch: 'HOPPER', nonce, evidence_list: [] }),
      signing_key:
        attestationMisbehavior === 'key'
          ? new EncryptionKey().publicKey.toString('hex')
          : this.publicKey,
      ...(attestationMisbehavior === 'key'
        ? {}
        : { signing_address: `0x${Buffer.from(address).toString('hex')}` }),
    };
  }

  /**
   * Decrypts the messages of a chat body.
   * @throws ApiError 400 if a message is not encrypted for this enclave
   */
  decryptChat(body: JsonRecord): JsonRecord {
    const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
    return { ...body, messages: messages.map((message) => this.#decryptMessage(message)) };
  }

  #decryptMessage(message: unknown): unknown {
    try {
      if (this.misbehavior.answer === 'refuses') throw new Error('No');
      const content = isRecord(message) ? message['content'] : undefined;
      return { ...(message as JsonRecord), content: this.#key.decryptText(String(content)) };
    } catch {
      throw new ApiError(400, {
        error: 'A message could not be decrypted',
        code: 'TEE_DECRYPTION_FAILED',
      });
    }
  }
}

/** Encrypts the fragments of an answer, and applies the misbehavior of the enclave. */
export class AnswerEncryptor {
  readonly #clientKey: Buffer;
  readonly #misbehavior: EnclaveMisbehavior['answer'];
  #sentFragments: string[] = [];

  constructor(clientKey: Buffer, { answer }: EnclaveMisbehavior) {
    this.#clientKey = answer === 'other-reader' ? new EncryptionKey().publicKey : clientKey;
    this.#misbehavior = answer;
  }

  encryptText(text: string): string {
    const ciphertext = encryptFor(this.#clientKey, text);
    this.#sentFragments.push(ciphertext);
    const isSecondFragment = this.#sentFragments.length === 2;
    if (this.#misbehavior === 'plain' || (isSecondFragment && this.#misbehavior === 'half-plain'))
      return text;
    if (!isSecondFragment) return ciphertext;
    if (this.#misbehavior === 'replayed') return this.#sentFragments[0] ?? ciphertext;
    if (this.#misbehavior === 'cut') return ciphertext.slice(0, ciphertext.length - 8);
    if (this.#misbehavior === 'tampered')
      return `${ciphertext.slice(0, -1)}${ciphertext.endsWith('0') ? '1' : '0'}`;
    return ciphertext;
  }
}
