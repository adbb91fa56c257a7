import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** Private key and self-signed certificate for test servers. */
export interface SelfSignedCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Creates a certificate for the DNS names (RFC 5280). The certificate is valid until 2049. */
export function createSelfSignedCertificate(...names: readonly string[]): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  const ecdsaWithSha256 = encodeSequence(encodeDer(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const name = encodeSequence(
    encodeDer(
      0x31,
      encodeSequence(
        encodeDer(0x06, Buffer.from('550403', 'hex')),
        encodeDer(0x0c, Buffer.from('Test')),
      ),
    ),
  );
  const encodeTime = (text: string): Buffer => encodeDer(0x17, Buffer.from(text));
  const body = encodeSequence(
    encodeDer(0xa0, encodeDer(0x02, Buffer.from([2]))),
    encodeDer(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    encodeSequence(encodeTime('200101000000Z'), encodeTime('491231235959Z')),
    name,
    publicKey,
    encodeDer(0xa3, encodeSequence(encodeSubjectAltName(names), authorityExtension)),
  );
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const certificate = encodeSequence(body, ecdsaWithSha256, encodeBitString(signature));
  return { key: privateKey, cert: toPem(certificate) };
}

const encodeSubjectAltName = (names: readonly string[]): Buffer =>
  encodeExtension(
    '551d11',
    encodeSequence(...names.map((name) => encodeDer(0x82, Buffer.from(name)))),
  );

const encodeExtension = (oid: string, value: Buffer): Buffer =>
  encodeSequence(encodeDer(0x06, Buffer.from(oid, 'hex')), encodeDer(0x04, value));

export const encodeSequence = (...parts: readonly Buffer[]): Buffer =>
  encodeDer(0x30, Buffer.concat(parts));

export const authorityExtension = encodeExtension(
  '551d13',
  encodeSequence(encodeDer(0x01, Buffer.from([0xff]))),
);

export const encodeBitString = (bytes: Buffer): Buffer =>
  encodeDer(0x03, Buffer.concat([Buffer.from([0]), bytes]));

export function encodeDer(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

export const toPem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
