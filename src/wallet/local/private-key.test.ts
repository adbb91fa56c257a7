import { expect, test } from 'vitest';
import { parsePrivateKey, usePrivateKey } from './private-key.ts';

const keyDigits = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

test.each([keyDigits, `0x${keyDigits}`, ` 0x${keyDigits.toUpperCase()}\n`])(
  'parsePrivateKey parses the key %j',
  async (text) => {
    const key = parsePrivateKey(text);
    expect(await usePrivateKey(key ?? new Uint8Array(), ({ address }) => address)).toBe(
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    );
  },
);

test.each([
  '',
  keyDigits.slice(1),
  `${keyDigits}0`,
  `0x0x${keyDigits}`,
  keyDigits.replace('a', 'g'),
  '0'.repeat(64),
  // The curve order and the largest 256-bit number.
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
  'f'.repeat(64),
])('parsePrivateKey rejects the key %j', (text) => {
  expect(parsePrivateKey(text)).toBeUndefined();
});

test('parsePrivateKey accepts the largest valid key', () => {
  const largestKey = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140';
  expect(parsePrivateKey(largestKey)).toHaveLength(32);
});

test.each(['returns', 'throws'])(
  'usePrivateKey overwrites the key when the callback %s',
  async (outcome) => {
    const key = parsePrivateKey(keyDigits) ?? new Uint8Array();
    await usePrivateKey(key, () => {
      if (outcome === 'throws') throw new Error(outcome);
    }).catch(() => {});
    expect(key).toEqual(new Uint8Array(32));
  },
);
