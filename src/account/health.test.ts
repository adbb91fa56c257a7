import { describe, expect, test } from 'vitest';
import { type FailureCode, failureTable } from '../service/http/failure.ts';
import { healthOf, lastingFailure } from './health.ts';

const failureOf = (code: FailureCode) => ({ code, message: code });
const usable = { kind: 'usable', key: 'canary-key', source: 'stored' } as const;

describe('the lasting failure', () => {
  test('is one that waits for the person, of all there are', () => {
    const codes = Object.keys(failureTable) as FailureCode[];
    const lasting = codes.filter((code) => lastingFailure(undefined, failureOf(code)));
    expect(lasting).toEqual([
      'invalid-address',
      'invalid-key',
      'unauthorized',
      'out-of-funds',
      'wallet-out-of-funds',
      'no-wallet',
      'sign-in-refused',
      'spend-limit',
      'tls',
      'proxy',
      'redirected',
    ]);
  });

  test('outlives a passing one', () => {
    const current = failureOf('unauthorized');
    expect(lastingFailure(current, failureOf('rate-limited'))).toBe(current);
  });

  test('gives way to a newer one, and ends with a reply', () => {
    const current = failureOf('unauthorized');
    expect(lastingFailure(current, failureOf('tls'))).toEqual(failureOf('tls'));
    expect(lastingFailure(current, {})).toBeUndefined();
  });
});

test.each<[FailureCode, 'stays' | 'ends']>([
  ['tls', 'ends'],
  ['proxy', 'ends'],
  ['redirected', 'ends'],
  ['unauthorized', 'stays'],
  ['invalid-key', 'stays'],
  ['out-of-funds', 'stays'],
  ['spend-limit', 'stays'],
])('a reply that took no key shows that %s %s', (code, what) => {
  const current = failureOf(code);
  expect(lastingFailure(current, 'reached')).toBe(what === 'stays' ? current : undefined);
});

describe('the health', () => {
  test('without address or key is signed out, whatever failed', () => {
    expect(healthOf(usable, failureOf('no-address'))).toEqual({ status: 'signed-out' });
    expect(healthOf({ kind: 'none' }, failureOf('tls'))).toEqual({ status: 'signed-out' });
  });

  test('before the key is read is what it was the last time', () => {
    expect(healthOf({ kind: 'unread', expected: true }, undefined).status).toBe('signed-in');
    expect(healthOf({ kind: 'unread', expected: false }, undefined).status).toBe('signed-out');
  });

  test('with a key is signed in until something lasts', () => {
    expect(healthOf(usable, undefined)).toEqual({ status: 'signed-in' });
    const failure = failureOf('out-of-funds');
    expect(healthOf(usable, failure)).toEqual({
      status: 'needs-attention',
      reason: { kind: 'failure', failure },
    });
  });

  test('with an address that cannot be used needs attention', () => {
    expect(healthOf({ kind: 'none' }, failureOf('invalid-address')).status).toBe('needs-attention');
  });

  test.each([
    { kind: 'other-origin', origin: 'https://other.test' },
    { kind: 'unreadable' },
    { kind: 'lost' },
  ] as const)('with a key that is $kind needs attention for the key first', (key) => {
    expect(healthOf(key, failureOf('unauthorized'))).toEqual({
      status: 'needs-attention',
      reason: { kind: 'key', key },
    });
  });
});
