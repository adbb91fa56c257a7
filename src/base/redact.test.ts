import { expect, test } from 'vitest';
import { redact, redacted } from './redact.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const privateKey = `0x${'ab'.repeat(32)}`;

test.each([
  ['known value', 'the key canary-1 is bad, canary-1!', `the key ${redacted} is bad, ${redacted}!`],
  ['bearer', 'Authorization: Bearer abc.DEF-123', `Authorization: Bearer ${redacted}`],
  ['basic', 'proxy-authorization: basic bWU6cA==', `proxy-authorization: basic ${redacted}`],
  ['token', `invalid token ${jwt}.`, `invalid token ${redacted}.`],
  ['private key', `key ${privateKey}`, `key ${redacted}`],
  ['signature', `sig 0x${'0F'.repeat(65)}`, `sig ${redacted}`],
  ['sign-in header', 'X-Sign-In-With-X: eyJhIjoxfQ==', `X-Sign-In-With-X: ${redacted}`],
  ['sign-in field', '"SIGN-IN-WITH-X":"abc+/="', `"SIGN-IN-WITH-X":"${redacted}"`],
  ['payment', 'PAYMENT-SIGNATURE: abc=', `PAYMENT-SIGNATURE: ${redacted}`],
  ['key of the service', 'use SERVICE_ADMIN_KEY_a-b_c', `use ${redacted}`],
])('hides a %s', (_what, text, expected) => {
  expect(redact(text, ['canary-1', ''])).toBe(expected);
});

test('leaves other text alone', () => {
  const text = 'A wallet 0x52908400098527886E0F7030069857D2E4169EE7 and the bearer of bad news';
  expect(redact('Specified model not found: llama', [])).toBe('Specified model not found: llama');
  expect(redact(text, [])).toContain('0x52908400098527886E0F7030069857D2E4169EE7');
});
