import { expect, test } from 'vitest';
import { WalletError } from '../wallet-failure.ts';
import { checkValidationToken, remainingLifetimeMs } from './validation-token.ts';

const now = Date.UTC(2026, 10, 21, 20);
const seconds = now / 1_000;
const minute = 60;
const good = { iss: 'service', aud: 'keys', iat: seconds, exp: seconds + 15 * minute, jti: 'a1' };

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const tokenOf = (payload: unknown, header: unknown = { alg: 'ES256', typ: 'JWT' }): string =>
  `${encode(header)}.${encode(payload)}.c2lnbmF0dXJl`;
const check = (token: string, clockAheadMs = 0) =>
  checkValidationToken({ token, receivedAt: now, serverTime: now + clockAheadMs });

test('takes a signed token within its life, and says what it claims', () => {
  const token = tokenOf(good);
  expect(check(token)).toEqual({
    token,
    expiresAt: now + 15 * minute * 1_000,
    clockAheadMs: 0,
    claims: [
      { name: 'iss', value: 'service' },
      { name: 'aud', value: 'keys' },
      { name: 'jti', value: 'a1' },
    ],
  });
});

test.each([
  ['no claim but its end', tokenOf({ exp: good.exp })],
  ['a symmetric algorithm', tokenOf(good, { alg: 'HS256' })],
  ['another curve', tokenOf(good, { alg: 'EdDSA' })],
  ['a life of 20 minutes', tokenOf({ exp: seconds + 20 * minute })],
  ['issued a moment ahead', tokenOf({ ...good, iat: seconds + 5 })],
  ['times in fractions', tokenOf({ ...good, iat: seconds - 0.5, exp: seconds + 60.5 })],
])('takes a token with %s', (_what, token) => {
  expect(check(token).token).toBe(token);
});

const signIn = `evil.example wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nURI: https://evil.example\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2026-11-21T20:00:00Z`;
const typedData = JSON.stringify({ types: {}, domain: {}, primaryType: 'Permit', message: {} });
const [header = '', payload = '', signature = ''] = tokenOf(good).split('.');

test.each([
  ['nothing', ''],
  ['a text to sign in with', signIn],
  ['a text to sign in with, in base64', encode(signIn)],
  ['a text to sign in with as its claims', tokenOf(signIn)],
  ['a hash', `0x${'ab'.repeat(32)}`],
  ['a hash without 0x', 'ab'.repeat(32)],
  ['typed data', typedData],
  ['a transaction', '0x02f8700182'],
  ['words', 'I hereby transfer all my tokens'],
  ['a megabyte', `${header}.${'A'.repeat(1_000_000)}.${signature}`],
  ['a little more than 4 KiB', tokenOf({ ...good, pad: 'x'.repeat(3_000) })],
  ['no signature', `${header}.${payload}.`],
  ['two parts', `${header}.${payload}`],
  ['four parts', `${header}.${payload}.${signature}.${signature}`],
  ['five parts, as encrypted ones have', `${header}.${payload}.${signature}.a.b`],
  ['a newline at its end', `${tokenOf(good)}\n`],
  ['a newline within', `${header}.\n${payload}.${signature}`],
  ['a text before it', `sign this: ${tokenOf(good)}`],
  ['padding', `${header}=.${payload}.${signature}`],
  ['base64 that is not for addresses', tokenOf({ ...good, a: '???>>>' }).replaceAll('_', '/')],
  ['a look-alike dot', `${header}․${payload}․${signature}`],
  ['no algorithm', tokenOf(good, { typ: 'JWT' })],
  ['the algorithm none', tokenOf(good, { alg: 'none' })],
  ['the algorithm None', tokenOf(good, { alg: 'None' })],
  ['the algorithm NONE', tokenOf(good, { alg: 'NONE' })],
  ['an algorithm that is no text', tokenOf(good, { alg: ['ES256'] })],
  ['an empty algorithm', tokenOf(good, { alg: '' })],
  ['critical extensions', tokenOf(good, { alg: 'ES256', crit: ['b64'], b64: false })],
  ['contents that are not encoded', tokenOf(good, { alg: 'ES256', b64: false })],
  ['a header that is a list', tokenOf(good, [])],
  ['a header that is no JSON', tokenOf(good, '{')],
  ['claims that are a list', tokenOf([good])],
  ['claims that are text', tokenOf('"x"')],
  ['claims that are null', tokenOf('null')],
  ['claims that are not UTF-8', `${header}.${Buffer.from([0x7b, 0xff]).toString('base64url')}.a`],
  ['a part of impossible length', `${header}.a.a`],
  ['no end', tokenOf({ iss: 'service' })],
  ['an end that is text', tokenOf({ exp: String(good.exp) })],
  ['an end that is null', tokenOf({ exp: null })],
  ['an end without end', tokenOf('{"exp":1e999}')],
  ['a negative end', tokenOf({ exp: -1 })],
  ['an end that has passed', tokenOf({ exp: seconds - 1 })],
  ['an end that is now', tokenOf({ exp: seconds })],
  ['an end in 21 minutes', tokenOf({ exp: seconds + 21 * minute })],
  ['an end in milliseconds', tokenOf({ exp: now + 60_000 })],
  ['a beginning in the future', tokenOf({ ...good, iat: seconds + 5 * minute })],
  ['a beginning long ago', tokenOf({ ...good, iat: seconds - 60 * minute })],
  ['a beginning that is text', tokenOf({ ...good, iat: 'now' })],
  ['not yet valid', tokenOf({ ...good, nbf: seconds + 10 * minute })],
])('refuses what has, or is, %s', (_what, token) => {
  let thrown: unknown;
  try {
    check(token);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(WalletError);
  const { failure, stack } = thrown as WalletError;
  expect(failure.code).toBe('unsafe-request');
  if (token.length > 40) expect(`${failure.detail} ${stack}`).not.toContain(token.slice(0, 40));
});

test.each([10, -10])('measures life by the service’s clock, %i minutes from ours', (minutes) => {
  const ahead = minutes * minute * 1_000;
  const token = tokenOf({ exp: (now + ahead) / 1_000 + 15 * minute });
  const checked = check(token, ahead);
  expect(checked.clockAheadMs).toBe(ahead);
  expect(remainingLifetimeMs(checked, now)).toBe(15 * minute * 1_000);
  expect(remainingLifetimeMs(checked, now + 20 * minute * 1_000)).toBe(0);
});

test('refuses a token whose life is over by the service’s clock only', () => {
  expect(() => check(tokenOf(good), 16 * minute * 1_000)).toThrow(WalletError);
});

test('refuses to guess when the clocks are days apart', () => {
  const ahead = 2 * 24 * 60 * minute * 1_000;
  expect(() => check(tokenOf({ exp: (now + ahead) / 1_000 + minute }), ahead)).toThrow(WalletError);
});

test('shows claims without their tricks, and not all of too many', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`claim${at}`, at]));
  const hostile = { 'na\nme': 'a\u202eb', long: 'x'.repeat(500), deep: { a: [1] }, ...many };
  const { claims } = check(tokenOf({ exp: good.exp, ...hostile, aud: ['a', 'b'] }));
  expect(claims).toHaveLength(13);
  expect(claims.slice(0, 4)).toEqual([
    { name: 'aud', value: '["a","b"]' },
    { name: 'na[U+2028]me', value: 'a[U+202E]b' },
    { name: 'long', value: `${'x'.repeat(119)}…` },
    { name: 'deep', value: '{"a":[1]}' },
  ]);
  expect(claims.at(-1)).toEqual({ name: '…', value: '+22' });
});
