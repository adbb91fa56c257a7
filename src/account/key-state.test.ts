import { expect, test } from 'vitest';
import { type KeySources, keyState } from './key-state.ts';

const here = 'https://api.service.test';
const elsewhere = 'https://other.test';
const none = { stored: undefined, environment: undefined, expected: false, origin: here };
const bound = (origin: string, key = 'canary-key') => ({ origin, key });

test('a key is usable for exactly its own origin', () => {
  expect(keyState({ ...none, stored: bound(here) })).toEqual({
    kind: 'usable',
    key: 'canary-key',
    source: 'stored',
  });
});

test.each([
  'https://api.service.test.evil.test',
  'https://api.service.test:8443',
  'http://api.service.test',
  'https://API.service.test',
  undefined,
])('it is not given for %s', (origin) => {
  const state = keyState({ ...none, stored: bound(here), origin });
  expect(state).toEqual({ kind: 'other-origin', origin: here });
});

test('the stored key comes before the one of the environment', () => {
  const environment = bound(here, 'from-environment');
  expect(keyState({ ...none, stored: bound(here), environment })).toMatchObject({
    source: 'stored',
  });
});

test('the key of the workspace comes before both', () => {
  const others = { stored: bound(here, 'stored'), environment: bound(here, 'from-environment') };
  const state = (workspace: KeySources['workspace']) => keyState({ ...none, ...others, workspace });
  expect(state(bound(here, 'of-workspace'))).toEqual({
    kind: 'usable',
    key: 'of-workspace',
    source: 'workspace',
  });
});

test.each<[KeySources['workspace'], object]>([
  [bound(elsewhere), { kind: 'other-origin', origin: elsewhere }],
  ['unreadable', { kind: 'unreadable' }],
  ['lost', { kind: 'lost' }],
])('no wider key takes the place of that of the workspace: %j', (workspace, problem) => {
  const others = { stored: bound(here, 'stored'), environment: bound(here, 'from-environment') };
  const state = keyState({ ...none, ...others, workspace });
  expect(state).toEqual({ ...problem, source: 'workspace' });
});

test('the environment stands in for a key that is missing, of another origin, or unreadable', () => {
  const environment = bound(here, 'from-environment');
  for (const stored of [undefined, bound(elsewhere), 'unreadable'] as const) {
    expect(keyState({ ...none, stored, environment })).toMatchObject({ key: 'from-environment' });
  }
});

test('the key of the environment is bound to its origin too', () => {
  const environment = bound(elsewhere, 'from-environment');
  expect(keyState({ ...none, environment })).toEqual({ kind: 'other-origin', origin: elsewhere });
});

test('without any key it is known whether there should be one', () => {
  expect(keyState(none)).toEqual({ kind: 'none' });
  expect(keyState({ ...none, expected: true })).toEqual({ kind: 'lost' });
  expect(keyState({ ...none, stored: 'unreadable', expected: true })).toEqual({
    kind: 'unreadable',
  });
});
