import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { deriveScrypt } from './keystore-crypto.ts';

const textEncoder = new TextEncoder();

test.each([
  // Test vectors from RFC 7914 §12.
  [
    'password',
    'NaCl',
    1_024,
    8,
    16,
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  ],
  [
    'pleaseletmein',
    'SodiumChloride',
    16_384,
    8,
    1,
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  ],
])(
  'deriveScrypt derives the RFC 7914 key for the password “%s”',
  async (password, salt, n, r, p, expected) => {
    const parameters = { salt: textEncoder.encode(salt), n, r, p, length: 64 };
    const key = await deriveScrypt(textEncoder.encode(password), parameters);
    expect(Buffer.from(key).toString('hex')).toBe(expected);
  },
);

test('deriveScrypt derives a key for parameters that Node.js rejects', async () => {
  const [password, salt] = ['testpassword', 'salt'].map((text) => textEncoder.encode(text));
  expect(() =>
    scryptSync(password!, salt!, 32, { N: 65_536, r: 1, p: 1, maxmem: 2 ** 30 }),
  ).toThrow();
  const parameters = { salt: salt!, n: 65_536, r: 1, p: 2, length: 32 };
  const key = await deriveScrypt(password!, parameters);
  expect(Buffer.from(key).toString('hex')).toBe(
    '592dd6239c77d07f34200090acba3976ce8fe11799ca11a26873753a9f73a9f0',
  );
});
