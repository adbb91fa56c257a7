import { expect, test } from 'vitest';
import type { KeyState } from '../key-state.ts';
import { Emitter } from '../../base/event.ts';
import { observeSignIn, isSignedIn } from './account.ts';

const validBaseUrl = 'https://service.example/api/v1';
const usableKey: KeyState = { kind: 'usable', key: 'k', source: 'stored' };

const unencryptedOrigins = new Set(['http://192.168.1.5:8080']);
const createAccountState = (key: KeyState, baseUrl = validBaseUrl) => ({
  key,
  profile: createProfile(baseUrl),
  unencryptedOrigins,
});
const createProfile = (baseUrl: string) => ({ id: 'default', baseUrl, vendorPrefix: 'service' });

test.each<[string, KeyState, string]>([
  ['a usable key', usableKey, validBaseUrl],
  ['a wallet', { kind: 'wallet', address: '0x1' }, validBaseUrl],
  ['an expected key that was not read yet', { kind: 'unread', isKeyExpected: true }, validBaseUrl],
  ['a usable key and a confirmed unencrypted address', usableKey, 'http://192.168.1.5:8080/v1'],
])('isSignedIn returns true for an account with %s', (_, key, baseUrl) => {
  expect(isSignedIn(createAccountState(key, baseUrl))).toBe(true);
});

test.each<[string, KeyState, string]>([
  ['no expected key', { kind: 'unread', isKeyExpected: false }, validBaseUrl],
  ['no key', { kind: 'none' }, validBaseUrl],
  ['a lost key', { kind: 'lost' }, validBaseUrl],
  [
    'a key of another origin',
    { kind: 'other-origin', origin: 'https://other.example' },
    validBaseUrl,
  ],
  ['a usable key but no address', usableKey, ''],
  ['a usable key and an unencrypted public address', usableKey, 'http://elsewhere.example'],
  ['a usable key and an unconfirmed unencrypted address', usableKey, 'http://192.168.1.6:8080/v1'],
])('isSignedIn returns false for an account with %s', (_, key, baseUrl) => {
  expect(isSignedIn(createAccountState(key, baseUrl))).toBe(false);
});

test('observeSignIn sets the context keys to the sign-in state and the source of the key, immediately and after each change, until it is disposed', () => {
  const onDidChangeEmitter = new Emitter<void>();
  const account = {
    ...createAccountState({ kind: 'none' }),
    onDidChange: onDidChangeEmitter.event,
  };
  const calls: unknown[] = [];
  const observation = observeSignIn(account, { set: (...args) => void calls.push(args) });
  account.key = usableKey;
  onDidChangeEmitter.fire();
  account.key = { kind: 'usable', key: 'key-1234', source: 'environment' };
  onDidChangeEmitter.fire();
  observation.dispose();
  account.key = { kind: 'none' };
  onDidChangeEmitter.fire();
  expect(calls).toEqual([
    ['signedIn', false],
    ['environmentKey', false],
    ['signedIn', true],
    ['environmentKey', false],
    ['signedIn', true],
    ['environmentKey', true],
  ]);
});
