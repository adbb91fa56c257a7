import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

/** Private key and self-signed certificate for test servers. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** Creates a certificate for the DNS names (RFC 5280). The certificate is valid until 2049. */
export function selfSigned(...names: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const name = sequence(
    der(0x31, sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('Test')))),
  );
  const time = (text: string): Buffer => der(0x17, Buffer.from(text));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey,
    der(0xa3, sequence(subjectAltName(names), isAuthority)),
  );
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature));
  return { key: privateKey, cert: pem(certificate) };
}

const subjectAltName = (names: readonly string[]): Buffer =>
  extension('551d11', sequence(...names.map((name) => der(0x82, Buffer.from(name)))));

const extension = (oid: string, value: Buffer): Buffer =>
  sequence(der(0x06, Buffer.from(oid, 'hex')), der(0x04, value));

export const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

export const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));

export const bitString = (bytes: Buffer): Buffer =>
  der(0x03, Buffer.concat([Buffer.from([0]), bytes]));

export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export const pem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
