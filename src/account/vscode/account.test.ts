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

test.each<[KeyState, string, boolean]>([
  [usableKey, validBaseUrl, true],
  [{ kind: 'wallet', address: '0x1' }, validBaseUrl, true],
  [{ kind: 'unread', isKeyExpected: true }, validBaseUrl, true],
  [{ kind: 'unread', isKeyExpected: false }, validBaseUrl, false],
  [{ kind: 'none' }, validBaseUrl, false],
  [{ kind: 'lost' }, validBaseUrl, false],
  [{ kind: 'other-origin', origin: 'https://other.example' }, validBaseUrl, false],
  [usableKey, '', false],
  [usableKey, 'http://elsewhere.example', false],
  [usableKey, 'http://192.168.1.5:8080/v1', true],
  [usableKey, 'http://192.168.1.6:8080/v1', false],
])(
  'isSignedIn checks whether an account with the key %j and the address "%s" is signed in: %s',
  (key, baseUrl, expected) => {
    expect(isSignedIn(createAccountState(key, baseUrl))).toBe(expected);
  },
);

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
