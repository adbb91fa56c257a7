import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import {
  encodeBitString,
  encodeDer,
  authorityExtension,
  toPem,
  encodeSequence,
} from '../../support/certificate.ts';

/** A P-256 key pair. */
export interface P256Key {
  readonly privateKey: KeyObject;
  /** Public key: x and y, 32 bytes each. */
  readonly point: Buffer;
}

/** Creates the key pair for a 32-byte private scalar. */
export function createP256Key(scalar: Buffer): P256Key {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey().subarray(1);
  const readText = (bytes: Buffer): string => bytes.toString('base64url');
  const [x, y] = [readText(point.subarray(0, 32)), readText(point.subarray(32))];
  const key = { kty: 'EC', crv: 'P-256', d: readText(scalar), x, y } as const;
  return { privateKey: createPrivateKey({ key, format: 'jwk' }), point };
}

interface CertificateOptions {
  readonly subject: string;
  readonly key: P256Key;
  readonly issuer: { readonly name: string; readonly key: P256Key };
  readonly isAuthority: boolean;
  /** Year from 2000 to 2099, at the start of which the certificate expires. */
  readonly expiryYear: number;
}

/** Creates a certificate (RFC 5280) in PEM format, valid from 2020. */
export function createCertificate({
  subject,
  key,
  issuer,
  isAuthority,
  expiryYear,
}: CertificateOptions): string {
  const encodeTime = (text: string): Buffer => encodeDer(0x17, Buffer.from(text));
  const body = encodeSequence(
    encodeDer(0xa0, encodeDer(0x02, Buffer.from([2]))),
    encodeDer(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    encodeCommonName(issuer.name),
    encodeSequence(
      encodeTime('200101000000Z'),
      encodeTime(`${String(expiryYear % 100).padStart(2, '0')}0101000000Z`),
    ),
    encodeCommonName(subject),
    encodePublicKeyInfo(key.point),
    ...(isAuthority ? [encodeDer(0xa3, encodeSequence(authorityExtension))] : []),
  );
  const signature = sign('sha256', body, issuer.key.privateKey);
  return toPem(encodeSequence(body, ecdsaWithSha256, encodeBitString(signature)));
}

const encodeOid = (hex: string): Buffer => encodeDer(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = encodeSequence(encodeOid('2a8648ce3d040302'));

const encodePublicKeyInfo = (point: Buffer): Buffer =>
  encodeSequence(
    encodeSequence(encodeOid('2a8648ce3d0201'), encodeOid('2a8648ce3d030107')),
    encodeBitString(Buffer.concat([Buffer.from([4]), point])),
  );

const encodeCommonName = (name: string): Buffer =>
  encodeSequence(
    encodeDer(0x31, encodeSequence(encodeOid('550403'), encodeDer(0x0c, Buffer.from(name)))),
  );
