import { expect, test } from 'vitest';
import { measureGrowth } from '../../test/support/growth.ts';
import { redact, redactionMark } from './redact.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const privateKey = `0x${'ab'.repeat(32)}`;

test.each([
  [
    'known secret',
    'the key canary-1 is bad, canary-1!',
    `the key ${redactionMark} is bad, ${redactionMark}!`,
  ],
  ['bearer token', 'Authorization: Bearer abc.DEF-123', `Authorization: Bearer ${redactionMark}`],
  [
    'basic credential',
    'proxy-authorization: basic bWU6cA==',
    `proxy-authorization: basic ${redactionMark}`,
  ],
  ['JSON web token', `invalid token ${jwt}.`, `invalid token ${redactionMark}.`],
  ['private key', `key ${privateKey}`, `key ${redactionMark}`],
  ['signature', `sig 0x${'0F'.repeat(65)}`, `sig ${redactionMark}`],
  ['sign-in header', 'X-Sign-In-With-X: eyJhIjoxfQ==', `X-Sign-In-With-X: ${redactionMark}`],
  ['sign-in field', '"SIGN-IN-WITH-X":"abc+/="', `"SIGN-IN-WITH-X":"${redactionMark}"`],
  ['payment header', 'PAYMENT-SIGNATURE: abc=', `PAYMENT-SIGNATURE: ${redactionMark}`],
  ['service API key', 'use SERVICE_ADMIN_KEY_a-b_c', `use ${redactionMark}`],
])('redact replaces a %s in a text', (_description, text, expected) => {
  expect(redact(text, ['canary-1', ''])).toBe(expected);
});

test('redact does not replace a key shorter than 8 characters, because the key can occur inside other words', () => {
  expect(redact('None of the models', ['none', 'o'])).toBe('None of the models');
});

test('redact preserves text without secrets', () => {
  const text = 'A wallet 0x52908400098527886E0F7030069857D2E4169EE7 and the bearer of bad news';
  expect(redact('Specified model not found: breeze', [])).toBe('Specified model not found: breeze');
  expect(redact(text, [])).toContain('0x52908400098527886E0F7030069857D2E4169EE7');
});

test.each([
  ['whitespace after a scheme', (size: number) => `bearer${' '.repeat(size)}`],
  ['many token prefixes', (size: number) => '-eyJaaaa'.repeat(size / 8)],
  ['whitespace after a header', (size: number) => `sign-in-with-x${' '.repeat(size)}`],
  ['an endless word', (size: number) => 'A'.repeat(size)],
  ['endless hexadecimal digits', (size: number) => `0x${'a'.repeat(size)}g`],
])('redact takes linear time for %s', (_description, text) => {
  const { timeRatio } = measureGrowth((size) => void redact(text(size), ['canary-1']), {
    smallSize: 16_000,
    smallCount: 8,
  });
  expect(timeRatio).toBeLessThan(4);
});

test('redact truncates text without exposing part of a secret', () => {
  const key = 'k'.repeat(60) + 'END!';
  const repeatedKey = key.repeat(200);
  for (const length of [1, 63, 64, 65, 200, 300]) {
    expect(redact(repeatedKey, [key], length)).not.toMatch(/k{3}/);
    expect(redact(repeatedKey, [key], length).length).toBeLessThanOrEqual(length);
  }
});

test('redact replaces a whole secret even if the secret starts with another secret', () => {
  expect(redact('canary-1-and-more', ['canary-1', 'canary-1-and-more'])).toBe(redactionMark);
});
