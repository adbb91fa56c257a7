import { expect, test } from 'vitest';
import { type KeySources, keyState } from './key-state.ts';

const here = 'https://api.service.test';
const elsewhere = 'https://other.test';
const none = { stored: undefined, environment: undefined, expected: false, origin: here };
const bound = (origin: string, key = 'canary-key') => ({ origin, key });

test('returns a key as usable for the origin to which it is bound', () => {
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
])('does not return the key for another origin: %s', (origin) => {
  const state = keyState({ ...none, stored: bound(here), origin });
  expect(state).toEqual({ kind: 'other-origin', origin: here });
});

test('prefers the stored key to the environment key', () => {
  const environment = bound(here, 'from-environment');
  expect(keyState({ ...none, stored: bound(here), environment })).toMatchObject({
    source: 'stored',
  });
});

test('prefers the workspace key to the stored key and the environment key', () => {
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
])('returns no other key if the workspace key is unusable: %j', (workspace, problem) => {
  const others = { stored: bound(here, 'stored'), environment: bound(here, 'from-environment') };
  const state = keyState({ ...none, ...others, workspace });
  expect(state).toEqual({ ...problem, source: 'workspace' });
});

test('uses the environment key if the stored key is missing, unreadable, or of another origin', () => {
  const environment = bound(here, 'from-environment');
  for (const stored of [undefined, bound(elsewhere), 'unreadable'] as const) {
    expect(keyState({ ...none, stored, environment })).toMatchObject({ key: 'from-environment' });
  }
});

test('does not return the environment key for another origin', () => {
  const environment = bound(elsewhere, 'from-environment');
  expect(keyState({ ...none, environment })).toEqual({ kind: 'other-origin', origin: elsewhere });
});

test('distinguishes a missing key, a lost key and an unreadable key', () => {
  expect(keyState(none)).toEqual({ kind: 'none' });
  expect(keyState({ ...none, expected: true })).toEqual({ kind: 'lost' });
  expect(keyState({ ...none, stored: 'unreadable', expected: true })).toEqual({
    kind: 'unreadable',
  });
});
