import { expect, test } from 'vitest';
import { decodeBoundKey, encodeBoundKey, type KeySources, resolveKeyState } from './key-state.ts';

const serviceOrigin = 'https://api.service.test';
const otherOrigin = 'https://other.test';
const sourcesWithoutKeys = {
  stored: undefined,
  environment: undefined,
  isKeyExpected: false,
  origin: serviceOrigin,
};
const createBoundKey = (origin: string, key = 'canary-key') => ({ origin, key });

test('resolveKeyState returns a key as usable if the profile has the origin to which the key is bound', () => {
  expect(resolveKeyState({ ...sourcesWithoutKeys, stored: createBoundKey(serviceOrigin) })).toEqual(
    {
      kind: 'usable',
      key: 'canary-key',
      source: 'stored',
    },
  );
});

test.each([
  ['has another domain', 'https://api.service.test.evil.test'],
  ['has another port', 'https://api.service.test:8443'],
  ['is not encrypted', 'http://api.service.test'],
  ['contains uppercase letters', 'https://API.service.test'],
  ['is missing', undefined],
])('resolveKeyState does not return a stored key if the origin of the profile %s', (_, origin) => {
  const state = resolveKeyState({
    ...sourcesWithoutKeys,
    stored: createBoundKey(serviceOrigin),
    origin,
  });
  expect(state).toEqual({ kind: 'other-origin', origin: serviceOrigin });
});

test('resolveKeyState prefers the stored key to the environment key', () => {
  const environment = createBoundKey(serviceOrigin, 'from-environment');
  expect(
    resolveKeyState({ ...sourcesWithoutKeys, stored: createBoundKey(serviceOrigin), environment }),
  ).toMatchObject({
    source: 'stored',
  });
});

test('resolveKeyState prefers the workspace key to the stored key and the environment key', () => {
  const otherKeys = {
    stored: createBoundKey(serviceOrigin, 'stored'),
    environment: createBoundKey(serviceOrigin, 'from-environment'),
  };
  const resolveWithWorkspace = (workspace: KeySources['workspace']) =>
    resolveKeyState({ ...sourcesWithoutKeys, ...otherKeys, workspace });
  expect(resolveWithWorkspace(createBoundKey(serviceOrigin, 'of-workspace'))).toEqual({
    kind: 'usable',
    key: 'of-workspace',
    source: 'workspace',
  });
});

test.each<[string, KeySources['workspace'], object]>([
  [
    'belongs to another origin',
    createBoundKey(otherOrigin),
    { kind: 'other-origin', origin: otherOrigin },
  ],
  ['is unreadable', 'unreadable', { kind: 'unreadable' }],
  ['is lost', 'lost', { kind: 'lost' }],
])('resolveKeyState returns no other key if the workspace key %s', (_, workspace, problem) => {
  const otherKeys = {
    stored: createBoundKey(serviceOrigin, 'stored'),
    environment: createBoundKey(serviceOrigin, 'from-environment'),
  };
  const state = resolveKeyState({ ...sourcesWithoutKeys, ...otherKeys, workspace });
  expect(state).toEqual({ ...problem, source: 'workspace' });
});

test('resolveKeyState uses the environment key if the stored key is missing, unreadable or bound to another origin', () => {
  const environment = createBoundKey(serviceOrigin, 'from-environment');
  for (const storedKey of [undefined, createBoundKey(otherOrigin), 'unreadable'] as const) {
    expect(
      resolveKeyState({ ...sourcesWithoutKeys, stored: storedKey, environment }),
    ).toMatchObject({
      key: 'from-environment',
    });
  }
});

test('resolveKeyState does not return an environment key that is bound to another origin', () => {
  const environment = createBoundKey(otherOrigin, 'from-environment');
  expect(resolveKeyState({ ...sourcesWithoutKeys, environment })).toEqual({
    kind: 'other-origin',
    origin: otherOrigin,
  });
});

test('resolveKeyState requires no key for a server that answered a request without a key', () => {
  const keylessSources = {
    stored: undefined,
    environment: undefined,
    isKeyExpected: false,
    isKeyless: true,
  };
  expect(resolveKeyState({ ...keylessSources, origin: 'http://127.0.0.1:8080' })).toEqual({
    kind: 'keyless',
  });
  expect(resolveKeyState({ ...keylessSources, origin: undefined, isKeyExpected: true })).toEqual({
    kind: 'lost',
  });
});

test('decodeBoundKey accepts a placeholder key only for a server on this machine', () => {
  const read = (origin: string) => decodeBoundKey(encodeBoundKey({ origin, key: 'none' }));
  expect(read('http://127.0.0.1:8080')).toEqual({ origin: 'http://127.0.0.1:8080', key: 'none' });
  expect(read('https://api.test')).toBe('unreadable');
});

test('resolveKeyState returns "none" without a key, "lost" if an expected key is missing, and "unreadable" for an unreadable key', () => {
  expect(resolveKeyState(sourcesWithoutKeys)).toEqual({ kind: 'none' });
  expect(resolveKeyState({ ...sourcesWithoutKeys, isKeyExpected: true })).toEqual({ kind: 'lost' });
  expect(
    resolveKeyState({ ...sourcesWithoutKeys, stored: 'unreadable', isKeyExpected: true }),
  ).toEqual({
    kind: 'unreadable',
  });
});
