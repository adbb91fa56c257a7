import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { EncryptionKey, encryptFor } from '../../../test/service/tee/cipher.ts';
import { createKeyPair, SealedTextOpener, sealText } from './sealed-text.ts';

/** Public key for the private key 1: the generator point of the curve. */
const curveGenerator =
  '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798' +
  '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';

const plainTexts = ['', 'a', 'Grüße 👋\n\u0000', 'x'.repeat(100_000)];

test.each(plainTexts)(
  'sealText encrypts sample text %# so that another library can decrypt the text',
  async (text) => {
    const enclaveKey = new EncryptionKey();
    expect(enclaveKey.decryptText(await sealText(text, enclaveKey.publicKey, randomBytes))).toBe(
      text,
    );
  },
);

test.each(plainTexts)(
  'SealedTextOpener decrypts sample text %# that another library encrypted',
  async (text) => {
    const { privateKey, publicKey } = createKeyPair(randomBytes);
    expect(
      await new SealedTextOpener(privateKey).open(encryptFor(Buffer.from(publicKey), text)),
    ).toBe(text);
  },
);

test('sealText returns the public key, the nonce, and the ciphertext with its tag', async () => {
  const createFixedBytes = (count: number): Uint8Array => {
    const bytes = new Uint8Array(count);
    bytes[count - 1] = 1;
    return bytes;
  };
  const sealedText = await sealText('hi', Buffer.from(curveGenerator, 'hex'), createFixedBytes);
  expect(sealedText.slice(0, 130)).toBe(curveGenerator);
  expect(sealedText.slice(130, 154)).toBe('000000000000000000000001');
  expect(sealedText).toHaveLength(2 * (65 + 12 + 2 + 16));
  const opener = new SealedTextOpener(createFixedBytes(32));
  expect(await opener.open(sealedText)).toBe('hi');
});

test('sealText encrypts the same text with a different key pair each time', async () => {
  const { publicKey } = createKeyPair(randomBytes);
  const sealedTexts = await Promise.all([1, 2].map(() => sealText('a', publicKey, randomBytes)));
  expect(sealedTexts[0]?.slice(0, 130)).not.toBe(sealedTexts[1]?.slice(0, 130));
});

const changeDigit = (sealedText: string, position: number): string => {
  const index = position < 0 ? sealedText.length + position : position;
  const digit = sealedText[index] === '0' ? '1' : '0';
  return sealedText.slice(0, index) + digit + sealedText.slice(index + 1);
};

test.each<[string, (sealedText: string) => string]>([
  ['empty text', () => ''],
  ['plain text', () => 'Hello'],
  ['plain text in hexadecimal', () => Buffer.from('Hello').toString('hex').repeat(40)],
  ['an odd number of digits', (sealedText) => `${sealedText}0`],
  ['a truncated message', (sealedText) => sealedText.slice(0, -2)],
  ['a message with trailing data', (sealedText) => `${sealedText}00`],
  ['a changed tag', (sealedText) => changeDigit(sealedText, -1)],
  ['changed ciphertext', (sealedText) => changeDigit(sealedText, 155)],
  ['a changed nonce', (sealedText) => changeDigit(sealedText, 131)],
  ['a key that is not on the curve', (sealedText) => changeDigit(sealedText, 4)],
  ['a message for another key', () => encryptFor(new EncryptionKey().publicKey, 'Hello')],
])('SealedTextOpener rejects %s', async (_, change) => {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  const sealedText = encryptFor(Buffer.from(publicKey), 'Hello');
  await expect(new SealedTextOpener(privateKey).open(change(sealedText))).rejects.toThrow();
});

test('SealedTextOpener rejects a text that was already decrypted', async () => {
  const { privateKey, publicKey } = createKeyPair(randomBytes);
  const opener = new SealedTextOpener(privateKey);
  const sealedText = encryptFor(Buffer.from(publicKey), 'Hello');
  await opener.open(sealedText);
  await expect(opener.open(sealedText)).rejects.toThrow('already');
});

test.each([
  ['an empty key', ''],
  ['a key of one byte', '04'],
  ['a key that is not on the curve', `04${'11'.repeat(64)}`],
  ['a key whose coordinates are zero', `04${'00'.repeat(64)}`],
])('sealText does not encrypt for %s', async (_description, key) => {
  await expect(sealText('a', Buffer.from(key, 'hex'), randomBytes)).rejects.toThrow();
});
