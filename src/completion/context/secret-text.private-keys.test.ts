import { expect, test } from 'vitest';
import { isPrivateKeyBoundary, isSecretText, isLikelyEnvironmentFile } from './secret-text.ts';

test.each([
  ['-----BEGIN PRIVATE KEY-----', true],
  ['-----BEGIN RSA PRIVATE KEY-----', true],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', true],
  ['-----BEGIN ENCRYPTED PRIVATE KEY-----', true],
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----', true],
  ['const key = "-----BEGIN EC PRIVATE KEY-----\\nMHc";', true],
  ['-----END PRIVATE KEY-----', true],
  ['-----BEGIN PUBLIC KEY-----', false],
  ['-----BEGIN CERTIFICATE-----', false],
  ['// Your PRIVATE KEY goes here.', false],
  [`-----BEGIN ${'A '.repeat(500_000)}PRIVATE KEY`, false],
])(
  'isPrivateKeyBoundary returns true only for the first or last line of a private key (line %#)',
  (line, expected) => {
    expect(isPrivateKeyBoundary(line)).toBe(expected);
  },
);

test('isSecretText finds a private key only in a text that contains a key boundary', () => {
  expect(isSecretText('a\nb\n-----BEGIN PRIVATE KEY-----\nMII')).toBe(true);
  expect(isSecretText('a\nb\nMII')).toBe(false);
});

test.each([
  ['API_TOKEN=abc'],
  ['# of the shop\nAPI_TOKEN=abc\nPORT=80\n'],
  ['export DB_PASSWORD="x"\r\nPORT = 80'],
])('isLikelyEnvironmentFile detects that the text %j is an environment file', (text) => {
  expect(isLikelyEnvironmentFile(text.split('\n'))).toBe(true);
});

test.each([
  ['export const LIMIT = 3;'],
  ['LIMIT = 3\ndef f():\n  return 1\n'],
  ['a=1\nb=2'],
  [''],
  ['# nothing'],
])('isLikelyEnvironmentFile detects that the text %j is not an environment file', (text) => {
  expect(isLikelyEnvironmentFile(text.split('\n'))).toBe(false);
});
