import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { EncryptionKey, encryptFor } from '../../../test/service/tee/cipher.ts';
import { createKeyPair, Opener, seal } from './sealed-text.ts';

/** A private key of 1 has the generator as its public key. */
const generator =
  '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798' +
  '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';

const texts = ['', 'a', 'Grüße 👋\n\u0000', 'x'.repeat(100_000)];

test.each(texts)('another library reads what is sealed (%#)', async (text) => {
  const enclave = new EncryptionKey();
  expect(enclave.decrypt(await seal(text, enclave.publicKey, randomBytes))).toBe(text);
});

test.each(texts)('what another library seals is opened (%#)', async (text) => {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  expect(await new Opener(privateKey).open(encryptFor(Buffer.from(publicKey), text))).toBe(text);
});

test('the same randomness gives the same bytes: public key, nonce, ciphertext with tag', async () => {
  const fixed = (count: number): Uint8Array => {
    const bytes = new Uint8Array(count);
    bytes[count - 1] = 1;
    return bytes;
  };
  const sealed = await seal('hi', Buffer.from(generator, 'hex'), fixed);
  expect(sealed.slice(0, 130)).toBe(generator);
  expect(sealed.slice(130, 154)).toBe('000000000000000000000001');
  expect(sealed).toHaveLength(2 * (65 + 12 + 2 + 16));
  const opener = new Opener(fixed(32));
  expect(await opener.open(sealed)).toBe('hi');
});

test('no two are the same', async () => {
  const { publicKey } = createKeyPair(randomBytes);
  const both = await Promise.all([1, 2].map(() => seal('a', publicKey, randomBytes)));
  expect(both[0]?.slice(0, 130)).not.toBe(both[1]?.slice(0, 130));
});

const changed = (sealed: string, at: number): string => {
  const index = at < 0 ? sealed.length + at : at;
  const digit = sealed[index] === '0' ? '1' : '0';
  return sealed.slice(0, index) + digit + sealed.slice(index + 1);
};

test.each<[string, (sealed: string) => string]>([
  ['nothing', () => ''],
  ['clear text', () => 'Hello'],
  ['clear text in hexadecimal', () => Buffer.from('Hello').toString('hex').repeat(40)],
  ['half a digit', (sealed) => `${sealed}0`],
  ['a cut one', (sealed) => sealed.slice(0, -2)],
  ['one with more behind it', (sealed) => `${sealed}00`],
  ['another tag', (sealed) => changed(sealed, -1)],
  ['another text', (sealed) => changed(sealed, 155)],
  ['another nonce', (sealed) => changed(sealed, 131)],
  ['a key that is no point', (sealed) => changed(sealed, 4)],
  ['one for another key', () => encryptFor(new EncryptionKey().publicKey, 'Hello')],
])('%s is not opened', async (_, change) => {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  const sealed = encryptFor(Buffer.from(publicKey), 'Hello');
  await expect(new Opener(privateKey).open(change(sealed))).rejects.toThrow();
});

test('nothing is opened a second time', async () => {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  const opener = new Opener(privateKey);
  const sealed = encryptFor(Buffer.from(publicKey), 'Hello');
  await opener.open(sealed);
  await expect(opener.open(sealed)).rejects.toThrow('before');
});

test.each(['', '04', `04${'11'.repeat(64)}`, `04${'00'.repeat(64)}`])(
  'nothing is sealed for %s, which is no key',
  async (key) => {
    await expect(seal('a', Buffer.from(key, 'hex'), randomBytes)).rejects.toThrow();
  },
);
