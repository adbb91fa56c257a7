import { expect, test } from 'vitest';
import { WalletError } from '../wallet-failure.ts';
import { checkValidationToken, computeRemainingLifetimeMs } from './validation-token.ts';

const nowMs = Date.UTC(2026, 10, 21, 20);
const nowSeconds = nowMs / 1_000;
const secondsPerMinute = 60;
const validClaims = {
  iss: 'service',
  aud: 'keys',
  iat: nowSeconds,
  exp: nowSeconds + 15 * secondsPerMinute,
  jti: 'a1',
};

const encodeTokenPart = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const createToken = (payload: unknown, header: unknown = { alg: 'ES256', typ: 'JWT' }): string =>
  `${encodeTokenPart(header)}.${encodeTokenPart(payload)}.c2lnbmF0dXJl`;
const checkToken = (token: string, clockAheadMs = 0) =>
  checkValidationToken({ token, receivedAt: nowMs, serverTime: nowMs + clockAheadMs });

test('checkValidationToken accepts a signed token within its lifetime and returns its claims', () => {
  const token = createToken(validClaims);
  expect(checkToken(token)).toEqual({
    token,
    expiresAt: nowMs + 15 * secondsPerMinute * 1_000,
    clockAheadMs: 0,
    claims: [
      { name: 'iss', value: 'service' },
      { name: 'aud', value: 'keys' },
      { name: 'jti', value: 'a1' },
    ],
  });
});

test.each([
  ['only an expiry claim', createToken({ exp: validClaims.exp })],
  ['a symmetric algorithm', createToken(validClaims, { alg: 'HS256' })],
  ['another curve', createToken(validClaims, { alg: 'EdDSA' })],
  ['a lifetime of 20 minutes', createToken({ exp: nowSeconds + 20 * secondsPerMinute })],
  ['an issue time five seconds ahead', createToken({ ...validClaims, iat: nowSeconds + 5 })],
  [
    'fractional times',
    createToken({ ...validClaims, iat: nowSeconds - 0.5, exp: nowSeconds + 60.5 }),
  ],
])('checkValidationToken accepts a token with %s', (_description, token) => {
  expect(checkToken(token).token).toBe(token);
});

const signInText = `evil.example wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nURI: https://evil.example\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2026-11-21T20:00:00Z`;
const typedData = JSON.stringify({ types: {}, domain: {}, primaryType: 'Permit', message: {} });
const [header = '', payload = '', signature = ''] = createToken(validClaims).split('.');

test.each([
  ['an empty text', ''],
  ['a sign-in message', signInText],
  ['a sign-in message in base64url', encodeTokenPart(signInText)],
  ['a sign-in message as its payload', createToken(signInText)],
  ['a hash', `0x${'ab'.repeat(32)}`],
  ['a hash without 0x', 'ab'.repeat(32)],
  ['typed data', typedData],
  ['a transaction', '0x02f8700182'],
  ['a sentence', 'I hereby transfer all my tokens'],
  ['a megabyte', `${header}.${'A'.repeat(1_000_000)}.${signature}`],
  ['a token over 4 KiB', createToken({ ...validClaims, pad: 'x'.repeat(3_000) })],
  ['an empty signature', `${header}.${payload}.`],
  ['two parts', `${header}.${payload}`],
  ['four parts', `${header}.${payload}.${signature}.${signature}`],
  ['five parts, like an encrypted token', `${header}.${payload}.${signature}.a.b`],
  ['a trailing newline', `${createToken(validClaims)}\n`],
  ['a newline inside', `${header}.\n${payload}.${signature}`],
  ['a text before the token', `sign this: ${createToken(validClaims)}`],
  ['base64 padding', `${header}=.${payload}.${signature}`],
  [
    'base64 instead of base64url',
    createToken({ ...validClaims, a: '???>>>' }).replaceAll('_', '/'),
  ],
  ['a look-alike dot', `${header}․${payload}․${signature}`],
  ['no algorithm', createToken(validClaims, { typ: 'JWT' })],
  ['the algorithm none', createToken(validClaims, { alg: 'none' })],
  ['the algorithm None', createToken(validClaims, { alg: 'None' })],
  ['the algorithm NONE', createToken(validClaims, { alg: 'NONE' })],
  ['an algorithm that is not a string', createToken(validClaims, { alg: ['ES256'] })],
  ['an empty algorithm', createToken(validClaims, { alg: '' })],
  ['critical extensions', createToken(validClaims, { alg: 'ES256', crit: ['b64'], b64: false })],
  ['an unencoded payload', createToken(validClaims, { alg: 'ES256', b64: false })],
  ['a header that is a list', createToken(validClaims, [])],
  ['a header that is not JSON', createToken(validClaims, '{')],
  ['claims that are a list', createToken([validClaims])],
  ['claims that are a string', createToken('"x"')],
  ['claims that are null', createToken('null')],
  ['claims that are not UTF-8', `${header}.${Buffer.from([0x7b, 0xff]).toString('base64url')}.a`],
  ['a part of invalid length', `${header}.a.a`],
  ['an expiry that is a string', createToken({ exp: String(validClaims.exp) })],
  ['an expiry of null', createToken({ exp: null })],
  ['an infinite expiry', createToken('{"exp":1e999}')],
  ['a negative expiry', createToken({ exp: -1 })],
  ['an expiry in the past', createToken({ exp: nowSeconds - 1 })],
  ['an expiry equal to the current time', createToken({ exp: nowSeconds })],
  ['an expiry in 21 minutes', createToken({ exp: nowSeconds + 21 * secondsPerMinute })],
  ['an expiry in milliseconds', createToken({ exp: nowMs + 60_000 })],
  [
    'an issue time in the future',
    createToken({ ...validClaims, iat: nowSeconds + 5 * secondsPerMinute }),
  ],
  [
    'an issue time an hour ago',
    createToken({ ...validClaims, iat: nowSeconds - 60 * secondsPerMinute }),
  ],
  ['an issue time that is a string', createToken({ ...validClaims, iat: 'now' })],
  [
    'a not-before time in the future',
    createToken({ ...validClaims, nbf: nowSeconds + 10 * secondsPerMinute }),
  ],
])('checkValidationToken rejects invalid token input: %s', (_description, token) => {
  let thrownError: unknown;
  try {
    checkToken(token);
  } catch (error) {
    thrownError = error;
  }
  expect(thrownError).toBeInstanceOf(WalletError);
  const { failure, stack } = thrownError as WalletError;
  expect(failure.code).toBe('unsafe-request');
  if (token.length > 40) expect(`${failure.detail} ${stack}`).not.toContain(token.slice(0, 40));
});

test.each([
  ['ahead of', 10],
  ['behind', -10],
])(
  'computeRemainingLifetimeMs measures the lifetime by a service clock that is 10 minutes %s the local clock',
  (_direction, minutes) => {
    const aheadMs = minutes * secondsPerMinute * 1_000;
    const token = createToken({ exp: (nowMs + aheadMs) / 1_000 + 15 * secondsPerMinute });
    const checkedToken = checkToken(token, aheadMs);
    expect(checkedToken.clockAheadMs).toBe(aheadMs);
    expect(computeRemainingLifetimeMs(checkedToken, nowMs)).toBe(15 * secondsPerMinute * 1_000);
    expect(computeRemainingLifetimeMs(checkedToken, nowMs + 20 * secondsPerMinute * 1_000)).toBe(0);
  },
);

test('checkValidationToken rejects a token that has expired by the service clock but not by the local clock', () => {
  expect(() => checkToken(createToken(validClaims), 16 * secondsPerMinute * 1_000)).toThrow(
    WalletError,
  );
});

test('checkValidationToken rejects a token if the local clock and the service clock differ by days', () => {
  const aheadMs = 2 * 24 * 60 * secondsPerMinute * 1_000;
  expect(() =>
    checkToken(createToken({ exp: (nowMs + aheadMs) / 1_000 + secondsPerMinute }), aheadMs),
  ).toThrow(WalletError);
});

test('checkValidationToken escapes control characters in claims, and limits the length and number of the claims', () => {
  const manyClaims = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`claim${index}`, index]),
  );
  const hostileClaims = {
    'na\nme': 'a\u202eb',
    long: 'x'.repeat(500),
    deep: { a: [1] },
    ...manyClaims,
  };
  const { claims } = checkToken(
    createToken({ exp: validClaims.exp, ...hostileClaims, aud: ['a', 'b'] }),
  );
  expect(claims).toHaveLength(13);
  expect(claims.slice(0, 4)).toEqual([
    { name: 'aud', value: '["a","b"]' },
    { name: 'na[U+2028]me', value: 'a[U+202E]b' },
    { name: 'long', value: `${'x'.repeat(119)}…` },
    { name: 'deep', value: '{"a":[1]}' },
  ]);
  expect(claims.at(-1)).toEqual({ name: '…', value: '+22' });
});

test.each([
  ['no issue time', {}, 15 * secondsPerMinute],
  ['a past issue time', { iat: nowSeconds - 5 * secondsPerMinute }, 10 * secondsPerMinute],
  ['an issue time slightly in the future', { iat: nowSeconds + 30 }, 15 * secondsPerMinute],
])(
  'checkValidationToken assumes a lifetime of at most 15 minutes for a token with %s and without an expiry',
  (_case, claims, lifetimeSeconds) => {
    expect(checkToken(createToken({ iss: 'service', ...claims })).expiresAt).toBe(
      nowMs + lifetimeSeconds * 1_000,
    );
  },
);

test('checkValidationToken rejects a token without an expiry claim if the token was issued 15 minutes ago', () => {
  expect(() => checkToken(createToken({ iat: nowSeconds - 15 * secondsPerMinute }))).toThrow(
    WalletError,
  );
});
