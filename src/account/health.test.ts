import { describe, expect, test } from 'vitest';
import { type FailureCode, failureTable } from '../service/http/failure.ts';
import { healthOf, persistentFailure } from './health.ts';

const createFailure = (code: FailureCode) => ({ code, message: code });
const usable = { kind: 'usable', key: 'canary-key', source: 'stored' } as const;

describe('persistentFailure', () => {
  test('returns only failures that require user action', () => {
    const codes = Object.keys(failureTable) as FailureCode[];
    const persistentCodes = codes.filter((code) =>
      persistentFailure(undefined, createFailure(code)),
    );
    expect(persistentCodes).toEqual([
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

  test('keeps the current lasting failure after a temporary failure', () => {
    const current = createFailure('unauthorized');
    expect(persistentFailure(current, createFailure('rate-limited'))).toBe(current);
  });

  test('returns a newer lasting failure, and no failure after a successful response', () => {
    const current = createFailure('unauthorized');
    expect(persistentFailure(current, createFailure('tls'))).toEqual(createFailure('tls'));
    expect(persistentFailure(current, {})).toBeUndefined();
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
])('after a successful request without a key, the failure "%s" %s', (code, effect) => {
  const current = createFailure(code);
  expect(persistentFailure(current, 'reached')).toBe(effect === 'stays' ? current : undefined);
});

describe('healthOf', () => {
  test('returns "signed-out" without an address or without a key, regardless of the failure', () => {
    expect(healthOf(usable, createFailure('no-address'))).toEqual({ status: 'signed-out' });
    expect(healthOf({ kind: 'none' }, createFailure('tls'))).toEqual({ status: 'signed-out' });
  });

  test('returns the status of the last session before the key is read', () => {
    expect(healthOf({ kind: 'unread', expected: true }, undefined).status).toBe('signed-in');
    expect(healthOf({ kind: 'unread', expected: false }, undefined).status).toBe('signed-out');
  });

  test('returns "signed-in" with a usable key, and "needs-attention" after a lasting failure', () => {
    expect(healthOf(usable, undefined)).toEqual({ status: 'signed-in' });
    const failure = createFailure('out-of-funds');
    expect(healthOf(usable, failure)).toEqual({
      status: 'needs-attention',
      reason: { kind: 'failure', failure },
    });
  });

  test('returns "needs-attention" for an invalid address', () => {
    expect(healthOf({ kind: 'none' }, createFailure('invalid-address')).status).toBe(
      'needs-attention',
    );
  });

  test.each([
    { kind: 'other-origin', origin: 'https://other.test' },
    { kind: 'unreadable' },
    { kind: 'lost' },
  ] as const)(
    'returns "needs-attention" with the key problem "$kind" in place of a service failure',
    (key) => {
      expect(healthOf(key, createFailure('unauthorized'))).toEqual({
        status: 'needs-attention',
        reason: { kind: 'key', key },
      });
    },
  );
});
