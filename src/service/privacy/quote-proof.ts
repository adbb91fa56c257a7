import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { ByteReader, isSame } from './bytes.ts';
import { chainKey, quotingSigner, type RootKey } from './certificate-chain.ts';
import type { Quote } from './quote.ts';

/**
 * Checks that the report was signed by the key of the quote.
 * @throws Error that says what is wrong
 */
export function checkSignature({ keyType, signed, signature, attestationKey }: Quote): void {
  if (keyType !== 2) throw new Error(l10n.t('The key of the quote is of type {0}.', keyType));
  if (!isSigned(signed, signature, p256Key(attestationKey))) {
    throw new Error(l10n.t('The report was not signed by the key of the quote.'));
  }
}

/**
 * Checks that Intel's quoting enclave, which the chain's first certificate vouches for and nobody debugs, made the key.
 * Genuine hardware reports any enclave, also one that signs whatever it is given.
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
      l10n.t('The quoting enclave’s report was not signed by the chain’s first certificate.'),
    );
  }
  const vouched = createHash('sha256').update(attestationKey).update(quotingData).digest();
  const expected = Buffer.concat([vouched, Buffer.alloc(32)]);
  if (!isSame(quotingReport.subarray(320, 384), expected)) {
    throw new Error(l10n.t('The quoting enclave vouches for another key.'));
  }
  if (!isSame(quotingReport.subarray(128, 160), quotingSigner) || product(quotingReport) !== 2) {
    throw new Error(l10n.t('The quoting enclave is not Intel’s for TDX.'));
  }
  // Flags of an enclave (Intel SDM, ATTRIBUTES): bit 1 is DEBUG.
  if (((quotingReport[48] ?? 0) & 0b10) !== 0)
    throw new Error(l10n.t('The quoting enclave is debugged.'));
}

/**
 * Checks that the TDX module, which reports the machine, is one that Intel signed for production: only of such a one signer
 * (MRSIGNERSEAM) and attributes (SEAMATTRIBUTES) are zero (Intel, "TDX Module Base Architecture Specification").
 * @throws Error that says what is wrong
 */
export function checkTdxModule({ report }: Quote): void {
  const isIntels = [report.moduleSigner, report.moduleAttributes].every((bytes) =>
    bytes.every((byte) => byte === 0),
  );
  if (!isIntels) throw new Error(l10n.t('The TDX module is not Intel’s.'));
}

/** ISVPRODID of an enclave's report. */
const product = (report: Uint8Array): number => new ByteReader(report.subarray(256)).number(2);

const isSigned = (data: Uint8Array, signature: Uint8Array, key: KeyObject): boolean =>
  verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);

function p256Key(point: Uint8Array): KeyObject {
  const half = (from: number): string =>
    Buffer.from(point.subarray(from, from + 32)).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: half(0), y: half(32) };
  return createPublicKey({ key: jwk, format: 'jwk' });
}
