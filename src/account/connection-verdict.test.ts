import { expect, test } from 'vitest';
import { type FailureCode, failureTable } from '../service/http/failure.ts';
import type { RateLimits } from '../service/api-keys.ts';
import {
  findInvalidPrefixSetting,
  type ConnectionAttempt,
  evaluateConnection,
} from './connection-verdict.ts';

const createFailedAttempt = (code: FailureCode): ConnectionAttempt => ({
  ok: false,
  failure: { code, message: code },
});
const createLimitsAttempt = (fields: Partial<RateLimits>): ConnectionAttempt => ({
  ok: true,
  limits: { isAccessPermitted: true, balances: {}, ...fields },
});

test('evaluateConnection maps each failure code to its connection problem', () => {
  const codes = Object.keys(failureTable) as FailureCode[];
  const problemEntries = codes.map((code) => {
    const verdict = evaluateConnection(createFailedAttempt(code));
    return [code, verdict.ok ? 'ok' : verdict.problem];
  });
  expect(
    Object.fromEntries(problemEntries.filter(([, problem]) => problem !== 'unexpected-response')),
  ).toEqual({
    'no-address': 'no-address',
    'invalid-address': 'invalid-address',
    'no-key': 'no-key',
    'payment-required': 'no-key',
    'no-pay-per-request': 'no-key',
    'invalid-key': 'wrong-key',
    unauthorized: 'wrong-key',
    forbidden: 'wrong-key',
    'out-of-funds': 'no-credits',
    'wallet-out-of-funds': 'no-credits',
    'spend-limit': 'no-credits',
    'not-found': 'wrong-address',
    timeout: 'offline',
    offline: 'offline',
    tls: 'tls',
    proxy: 'proxy',
    redirected: 'wrong-address',
    'unexpected-response': 'wrong-address',
    interrupted: 'offline',
  });
});

test.each([
  ['unknown balances', createLimitsAttempt({})],
  ['a positive balance', createLimitsAttempt({ balances: { usd: 0.01, diem: 0 } })],
  ['unknown limits', { ok: true } as const],
])('evaluateConnection accepts a connection attempt with %s', (_, attempt) => {
  expect(evaluateConnection(attempt)).toMatchObject({ ok: true });
});

test.each([
  ['balances of zero', createLimitsAttempt({ balances: { usd: 0, diem: 0 } })],
  [
    'a balance but without access',
    createLimitsAttempt({ isAccessPermitted: false, balances: { usd: 5 } }),
  ],
])('evaluateConnection reports missing credits for a connection attempt with %s', (_, attempt) => {
  expect(evaluateConnection(attempt)).toMatchObject({ ok: false, problem: 'no-credits' });
});

test('evaluateConnection reports the other transport as reachable if that transport returns any response, including an error', () => {
  for (const attempt of [createLimitsAttempt({}), createFailedAttempt('unauthorized')]) {
    expect(evaluateConnection(createFailedAttempt('tls'), attempt)).toMatchObject({
      problem: 'tls',
      isOtherTransportReachable: true,
    });
  }
});

test('evaluateConnection reports the other transport as not reachable if that transport fails or was not tried, or if the key is rejected', () => {
  expect(
    evaluateConnection(createFailedAttempt('proxy'), createFailedAttempt('offline')),
  ).toMatchObject({
    isOtherTransportReachable: false,
  });
  expect(evaluateConnection(createFailedAttempt('proxy'))).toMatchObject({
    isOtherTransportReachable: false,
  });
  expect(
    evaluateConnection(createFailedAttempt('unauthorized'), createLimitsAttempt({})),
  ).toMatchObject({
    isOtherTransportReachable: false,
  });
});

const vendorWordSetting = 'inferenceService.vendorWord';

test.each([
  ['default', 'a-b', {}, vendorWordSetting],
  ['default', 'a', {}, vendorWordSetting],
  ['default', 7, {}, vendorWordSetting],
  ['default', 'acme', {}, undefined],
  ['default', ' ', {}, undefined],
  ['default', undefined, {}, undefined],
  ['lab', 'acme', { lab: { vendorWord: 'a-b' } }, 'inferenceService.profiles.lab.vendorWord'],
  ['lab', 'a-b', { lab: { vendorWord: 'acme' } }, undefined],
  ['lab', 'a-b', { lab: {} }, undefined],
  ['lab', 'a-b', 'text', undefined],
])(
  'findInvalidPrefixSetting, given the profile %j, the vendor prefix %j and the profile settings %j, returns %j',
  (profileId, vendorWord, profiles, expected) =>
    expect(findInvalidPrefixSetting({ vendorWord, profiles }, profileId)).toBe(expected),
);
