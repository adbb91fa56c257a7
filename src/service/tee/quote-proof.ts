import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isSame } from './bytes.ts';
import { chainKey, type RootKey } from './certificate-chain.ts';
import type { Quote } from './quote.ts';

/**
 * Checks that the report was signed by the key of the quote.
 * @throws Error that says what is wrong
 */
export function checkSignature({ keyType, signed, signature, attestationKey }: Quote): void {
  if (keyType !== 2) throw new Error(`The key of the quote is of type ${keyType}.`);
  if (!isSigned(signed, signature, p256Key(attestationKey))) {
    throw new Error('The report was not signed by the key of the quote.');
  }
}

/**
 * Checks that a quoting enclave that the chain's first certificate vouches for, and that nobody debugs, made the key.
 * @throws Error that says what is wrong
 */
export function checkQuotingEnclave(
  quote: Quote,
  trust: { readonly roots: readonly RootKey[]; readonly now: number },
): void {
  const { quotingReport, quotingSignature, quotingData, attestationKey } = quote;
  const signer = chainKey(quote.certificates, trust);
  if (!isSigned(quotingReport, quotingSignature, signer)) {
    throw new Error(
      'The quoting enclave’s report was not signed by the chain’s first certificate.',
    );
  }
  const vouched = createHash('sha256').update(attestationKey).update(quotingData).digest();
  const expected = Buffer.concat([vouched, Buffer.alloc(32)]);
  if (!isSame(quotingReport.subarray(320, 384), expected)) {
    throw new Error('The quoting enclave vouches for another key.');
  }
  // Flags of an enclave (Intel SDM, ATTRIBUTES): bit 1 is DEBUG.
  if (((quotingReport[48] ?? 0) & 0b10) !== 0) throw new Error('The quoting enclave is debugged.');
}

const isSigned = (data: Uint8Array, signature: Uint8Array, key: KeyObject): boolean =>
  verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);

function p256Key(point: Uint8Array): KeyObject {
  const half = (from: number): string =>
    Buffer.from(point.subarray(from, from + 32)).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: half(0), y: half(32) };
  return createPublicKey({ key: jwk, format: 'jwk' });
}
