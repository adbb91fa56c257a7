import { expect, test } from 'vitest';
import { type CacheInputs, hashCacheInputs } from './completion-runtime.ts';

const basis: CacheInputs = {
  profile: { id: 'default', baseUrl: 'https://service.test', vendorWord: 'service' },
  key: { kind: 'usable', key: 'canary-key', source: 'stored' },
  model: 'coder',
  route: 'chat',
  settings: { automatic: true, inComments: true, prefetch: true },
};

test('returns the same hash for equal inputs, without the key', () => {
  expect(hashCacheInputs(structuredClone(basis))).toBe(hashCacheInputs(basis));
  expect(hashCacheInputs(basis)).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
});

test.each([
  ['profile', { profile: { ...basis.profile, baseUrl: 'https://other.test' } }],
  ['key', { key: { ...basis.key, key: 'canary-kez' } as CacheInputs['key'] }],
  ['kind of key', { key: { kind: 'lost' } as const }],
  ['model', { model: undefined }],
  ['route', { route: 'completions' as const }],
  ['setting', { settings: { ...basis.settings, prefetch: false } }],
])('returns another hash for another %s', (_, part) => {
  expect(hashCacheInputs({ ...basis, ...part })).not.toBe(hashCacheInputs(basis));
});
