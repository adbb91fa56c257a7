import { expect, test } from 'vitest';
import type { KeyState } from '../key-state.ts';
import { Emitter } from '../../base/event.ts';
import { observeSignIn, isSignedIn } from './account.ts';

const address = 'https://service.example/api/v1';
const usable: KeyState = { kind: 'usable', key: 'k', source: 'stored' };

const stateOf = (key: KeyState, baseUrl = address) => ({ key, profile: profileAt(baseUrl) });
const profileAt = (baseUrl: string) => ({ id: 'default', baseUrl, vendorWord: 'service' });

test.each<[KeyState, string, boolean]>([
  [usable, address, true],
  [{ kind: 'wallet', address: '0x1' }, address, true],
  [{ kind: 'unread', expected: true }, address, true],
  [{ kind: 'unread', expected: false }, address, false],
  [{ kind: 'none' }, address, false],
  [{ kind: 'lost' }, address, false],
  [{ kind: 'other-origin', origin: 'https://other.example' }, address, false],
  [usable, '', false],
  [usable, 'http://elsewhere.example', false],
])('an account with the key %j and the address "%s" is signed in: %s', (key, baseUrl, expected) => {
  expect(isSignedIn(stateOf(key, baseUrl))).toBe(expected);
});

test('sets the context key to the sign-in state at once and after each change until disposed', () => {
  const changed = new Emitter<void>();
  const account = { ...stateOf({ kind: 'none' }), onDidChange: changed.event };
  const calls: unknown[] = [];
  const observation = observeSignIn(account, { set: (...args) => void calls.push(args) });
  account.key = usable;
  changed.fire();
  observation.dispose();
  account.key = { kind: 'none' };
  changed.fire();
  expect(calls).toEqual([
    ['signedIn', false],
    ['signedIn', true],
  ]);
});
