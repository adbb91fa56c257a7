import { describe, expect, test } from 'vitest';
import { type FailureCode, failureTable } from '../service/http/failure.ts';
import { getHealth, getPersistentFailure } from './health.ts';

const createFailure = (code: FailureCode) => ({ code, message: code });
const usableKey = { kind: 'usable', key: 'canary-key', source: 'stored' } as const;

describe('getPersistentFailure', () => {
  test('returns only failures that require user action', () => {
    const codes = Object.keys(failureTable) as FailureCode[];
    const persistentCodes = codes.filter((code) =>
      getPersistentFailure(undefined, createFailure(code)),
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

  test('keeps the current persistent failure after a temporary failure', () => {
    const currentFailure = createFailure('unauthorized');
    expect(getPersistentFailure(currentFailure, createFailure('rate-limited'))).toBe(
      currentFailure,
    );
  });

  test('returns a newer persistent failure, and no failure after a successful response', () => {
    const currentFailure = createFailure('unauthorized');
    expect(getPersistentFailure(currentFailure, createFailure('tls'))).toEqual(
      createFailure('tls'),
    );
    expect(getPersistentFailure(currentFailure, {})).toBeUndefined();
  });
});

test.each<['clears' | 'keeps', FailureCode]>([
  ['clears', 'tls'],
  ['clears', 'proxy'],
  ['clears', 'redirected'],
  ['keeps', 'unauthorized'],
  ['keeps', 'invalid-key'],
  ['keeps', 'out-of-funds'],
  ['keeps', 'spend-limit'],
])(
  'getPersistentFailure %s the failure "%s" after a successful request without a key',
  (effect, code) => {
    const currentFailure = createFailure(code);
    expect(getPersistentFailure(currentFailure, 'reached')).toBe(
      effect === 'keeps' ? currentFailure : undefined,
    );
  },
);

describe('getHealth', () => {
  test('returns "signed-out" without an address or without a key, regardless of the failure', () => {
    expect(getHealth(usableKey, createFailure('no-address'))).toEqual({ status: 'signed-out' });
    expect(getHealth({ kind: 'none' }, createFailure('tls'))).toEqual({ status: 'signed-out' });
  });

  test('returns the status of the last session until the key is read', () => {
    expect(getHealth({ kind: 'unread', isKeyExpected: true }, undefined).status).toBe('signed-in');
    expect(getHealth({ kind: 'unread', isKeyExpected: false }, undefined).status).toBe(
      'signed-out',
    );
  });

  test('returns "signed-in" with a usable key, and "needs-attention" after a persistent failure', () => {
    expect(getHealth(usableKey, undefined)).toEqual({ status: 'signed-in' });
    const failure = createFailure('out-of-funds');
    expect(getHealth(usableKey, failure)).toEqual({
      status: 'needs-attention',
      reason: { kind: 'failure', failure },
    });
  });

  test('returns "needs-attention" for an invalid address', () => {
    expect(getHealth({ kind: 'none' }, createFailure('invalid-address')).status).toBe(
      'needs-attention',
    );
  });

  test.each([
    { kind: 'other-origin', origin: 'https://other.test' },
    { kind: 'unreadable' },
    { kind: 'lost' },
  ] as const)(
    'returns "needs-attention" with the key problem "$kind" instead of a service failure',
    (key) => {
      expect(getHealth(key, createFailure('unauthorized'))).toEqual({
        status: 'needs-attention',
        reason: { kind: 'key', key },
      });
    },
  );
});
