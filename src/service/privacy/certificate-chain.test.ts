import { expect, test } from 'vitest';
import { createCertificate, createP256Key } from '../../../test/service/tee/certificates.ts';
import { verifyCertificateChain, intelRootKey } from './certificate-chain.ts';

const nowMs = Date.parse('2026-11-21T00:00:00Z');

/** Certificates that Intel publishes: the platform CA and the root CA. */
const platformPem = `-----BEGIN CERTIFICATE-----
MIICljCCAj2gAwIBAgIVAJVvXc29G+HpQEnJ1PQzzgFXC95UMAoGCCqGSM49BAMC
MGgxGjAYBgNVBAMMEUludGVsIFNHWCBSb290IENBMRowGAYDVQQKDBFJbnRlbCBD
b3Jwb3JhdGlvbjEUMBIGA1UEBwwLU2FudGEgQ2xhcmExCzAJBgNVBAgMAkNBMQsw
CQYDVQQGEwJVUzAeFw0xODA1MjExMDUwMTBaFw0zMzA1MjExMDUwMTBaMHAxIjAg
BgNVBAMMGUludGVsIFNHWCBQQ0sgUGxhdGZvcm0gQ0ExGjAYBgNVBAoMEUludGVs
IENvcnBvcmF0aW9uMRQwEgYDVQQHDAtTYW50YSBDbGFyYTELMAkGA1UECAwCQ0Ex
CzAJBgNVBAYTAlVTMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENSB/7t21lXSO
2Cuzpxw74eJB72EyDGgW5rXCtx2tVTLq6hKk6z+UiRZCnqR7psOvgqFeSxlmTlJl
eTmi2WYz3qOBuzCBuDAfBgNVHSMEGDAWgBQiZQzWWp00ifODtJVSv1AbOScGrDBS
BgNVHR8ESzBJMEegRaBDhkFodHRwczovL2NlcnRpZmljYXRlcy50cnVzdGVkc2Vy
dmljZXMuaW50ZWwuY29tL0ludGVsU0dYUm9vdENBLmRlcjAdBgNVHQ4EFgQUlW9d
zb0b4elAScnU9DPOAVcL3lQwDgYDVR0PAQH/BAQDAgEGMBIGA1UdEwEB/wQIMAYB
Af8CAQAwCgYIKoZIzj0EAwIDRwAwRAIgXsVki0w+i6VYGW3UF/22uaXe0YJDj1Ue
nA+TjD1ai5cCICYb1SAmD5xkfTVpvo4UoyiSYxrDWLmUR4CI9NKyfPN+
-----END CERTIFICATE-----
`;
const rootPem = `-----BEGIN CERTIFICATE-----
MIICjzCCAjSgAwIBAgIUImUM1lqdNInzg7SVUr9QGzknBqwwCgYIKoZIzj0EAwIw
aDEaMBgGA1UEAwwRSW50ZWwgU0dYIFJvb3QgQ0ExGjAYBgNVBAoMEUludGVsIENv
cnBvcmF0aW9uMRQwEgYDVQQHDAtTYW50YSBDbGFyYTELMAkGA1UECAwCQ0ExCzAJ
BgNVBAYTAlVTMB4XDTE4MDUyMTEwNDUxMFoXDTQ5MTIzMTIzNTk1OVowaDEaMBgG
A1UEAwwRSW50ZWwgU0dYIFJvb3QgQ0ExGjAYBgNVBAoMEUludGVsIENvcnBvcmF0
aW9uMRQwEgYDVQQHDAtTYW50YSBDbGFyYTELMAkGA1UECAwCQ0ExCzAJBgNVBAYT
AlVTMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEC6nEwMDIYZOj/iPWsCzaEKi7
1OiOSLRFhWGjbnBVJfVnkY4u3IjkDYYL0MxO4mqsyYjlBalTVYxFP2sJBK5zlKOB
uzCBuDAfBgNVHSMEGDAWgBQiZQzWWp00ifODtJVSv1AbOScGrDBSBgNVHR8ESzBJ
MEegRaBDhkFodHRwczovL2NlcnRpZmljYXRlcy50cnVzdGVkc2VydmljZXMuaW50
ZWwuY29tL0ludGVsU0dYUm9vdENBLmRlcjAdBgNVHQ4EFgQUImUM1lqdNInzg7SV
Ur9QGzknBqwwDgYDVR0PAQH/BAQDAgEGMBIGA1UdEwEB/wQIMAYBAf8CAQEwCgYI
KoZIzj0EAwIDSQAwRgIhAOW/5QkR+S9CiSDcNoowLuPRLsWGf/Yi7GSX94BgwTwg
AiEA4J0lrHoMs+Xo5o/sX6O9QWxHRAvZUGOdRQ7cvqRXaqI=
-----END CERTIFICATE-----
`;

test('verifyCertificateChain accepts the certificate chain that Intel publishes for the pinned root key', () => {
  const key = verifyCertificateChain(platformPem + rootPem, { roots: [intelRootKey], now: nowMs });
  expect(key.asymmetricKeyType).toBe('ec');
});

const ownKey = createP256Key(Buffer.alloc(32, 1));
const otherKey = createP256Key(Buffer.alloc(32, 2));
const leafKey = createP256Key(Buffer.alloc(32, 3));
const rootIssuer = { name: 'Root', key: ownKey };
const createPem = (change: Partial<Parameters<typeof createCertificate>[0]> = {}): string =>
  createCertificate({
    subject: 'A',
    key: leafKey,
    issuer: rootIssuer,
    isAuthority: false,
    expiryYear: 2049,
    ...change,
  });
const ownRootPem = createPem({ subject: 'Root', key: ownKey, isAuthority: true });

test('verifyCertificateChain accepts a certificate chain to a root that the caller trusts instead of the pinned root', () => {
  expect(() =>
    verifyCertificateChain(createPem() + ownRootPem, { roots: [ownKey.point], now: nowMs }),
  ).not.toThrow();
});

test.each([
  ['an empty text', '', /certificates/u],
  [
    'a chain to a root that is not pinned',
    createPem() + ownRootPem,
    /root certificate/u,
    [intelRootKey],
  ],
  ['only a root', ownRootPem, /certificates/u],
  ['a chain without a root', createPem(), /root certificate/u],
  ['a chain in the wrong order', ownRootPem + createPem(), /CA/u],
  [
    'a signature by a different issuer of the same name',
    createPem({ issuer: { name: 'Root', key: otherKey } }) + ownRootPem,
    /issuer/u,
  ],
  ['an expired certificate', createPem({ expiryYear: 2024 }) + ownRootPem, /notAfter/u],
  [
    'an issuer that is not a CA',
    createPem({ issuer: { name: 'B', key: otherKey } }) +
      createPem({ subject: 'B', key: otherKey }) +
      ownRootPem,
    /CA/u,
  ],
  ['too many certificates', ownRootPem.repeat(9), /certificates/u],
  [
    'invalid certificate data',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    /./u,
  ],
])(
  'verifyCertificateChain rejects an invalid certificate chain: %s',
  (_, pem, message, roots = [ownKey.point]) => {
    expect(() => verifyCertificateChain(pem, { roots, now: nowMs })).toThrow(message);
  },
);
