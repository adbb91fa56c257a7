import { type KeyObject, X509Certificate } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { areBytesEqual } from './bytes.ts';

/** Public P-256 key: x and y, 32 bytes each. */
export type RootKey = Uint8Array;

/**
 * Public key of the certificate "Intel SGX Root CA", in which every genuine chain ends. Intel publishes the
 * certificate; its SHA-256 fingerprint is 44a0196b…cfab674d3.
 */
export const intelRootKey: RootKey = Uint8Array.from(
  Buffer.from(
    '0ba9c4c0c0c86193a3fe23d6b02cda10a8bbd4e88e48b4458561a36e705525f5' +
      '67918e2edc88e40d860bd0cc4ee26aacc988e505a953558c453f6b0904ae7394',
    'hex',
  ),
);

/**
 * Hash of the key that signs Intel's quoting enclaves (MRSIGNER). The quoting enclave for TDX has product id 2. Source:
 * identity of the enclave "TD_QE" at https://api.trustedservices.intel.com/tdx/certification/v4/qe/identity.
 */
export const quotingSignerHash: Uint8Array = Uint8Array.from(
  Buffer.from('dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5', 'hex'),
);

const maxCertificates = 8;

/**
 * Verifies a certificate chain and returns the public key of the first certificate. Each certificate must be valid at
 * `now` (milliseconds since the Unix epoch) and signed by the next certificate. The last certificate must be
 * self-signed with a trusted root key. Does not check revocation.
 * @throws Error if the chain is invalid
 */
export function verifyCertificateChain(
  pem: string,
  { roots, now }: { roots: readonly RootKey[]; now: number },
): KeyObject {
  const chain = parseCertificates(pem);
  const [firstCertificate] = chain;
  if (firstCertificate === undefined)
    throw new Error(l10n.t('Not as expected: {0}', 'certificates'));
  for (const [index, certificate] of chain.entries()) {
    checkValidityPeriod(certificate, now);
    const issuer = chain[index + 1];
    if (issuer !== undefined) checkIssuer(certificate, issuer);
  }
  const lastCertificate = chain.at(-1) ?? firstCertificate;
  const root = roots.find((key) => areBytesEqual(key, exportPoint(lastCertificate.publicKey)));
  if (root === undefined) throw new Error(l10n.t('Not as expected: {0}', 'root certificate'));
  if (!lastCertificate.verify(lastCertificate.publicKey))
    throw new Error(l10n.t('Not as expected: {0}', 'root certificate'));
  if (chain.length < 2) throw new Error(l10n.t('Not as expected: {0}', 'certificates'));
  return firstCertificate.publicKey;
}

function parseCertificates(pem: string): X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/gu) ?? [];
  if (texts.length > maxCertificates)
    throw new Error(l10n.t('Not as expected: {0}', 'certificates'));
  return texts.map((text) => new X509Certificate(text));
}

function checkValidityPeriod({ validFrom, validTo }: X509Certificate, now: number): void {
  const [validFromMs, validToMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (!(validFromMs <= now))
    throw new Error(l10n.t('Not as expected: {0}', `notBefore ${validFrom}`));
  if (!(now <= validToMs)) throw new Error(l10n.t('Not as expected: {0}', `notAfter ${validTo}`));
}

function checkIssuer(certificate: X509Certificate, issuer: X509Certificate): void {
  if (!issuer.ca) throw new Error(l10n.t('Not as expected: {0}', 'CA'));
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
    throw new Error(l10n.t('Not as expected: {0}', 'issuer'));
  }
}

/** Returns the coordinates x and y of a public P-256 key, 32 bytes each. Returns no bytes for other keys. */
function exportPoint(key: KeyObject): Uint8Array {
  if (key.asymmetricKeyType !== 'ec') return new Uint8Array();
  const { crv, x, y } = key.export({ format: 'jwk' });
  if (crv !== 'P-256' || x === undefined || y === undefined) return new Uint8Array();
  return Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
