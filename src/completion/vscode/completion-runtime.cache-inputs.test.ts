import { expect, test } from 'vitest';
import { type CacheInputs, hashCacheInputs } from './completion-runtime.ts';

const inputs: CacheInputs = {
  profile: { id: 'default', baseUrl: 'https://service.test', vendorPrefix: 'service' },
  key: { kind: 'usable', key: 'canary-key', source: 'stored' },
  model: 'coder',
  route: 'chat',
  settings: { isAutomatic: true, canSuggestInComments: true, canPrefetch: true },
};

test('hashCacheInputs returns the same fixed-length hash for equal inputs', () => {
  expect(hashCacheInputs(structuredClone(inputs))).toBe(hashCacheInputs(inputs));
  expect(hashCacheInputs(inputs)).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
});

test.each([
  ['profile', { profile: { ...inputs.profile, baseUrl: 'https://other.test' } }],
  ['key', { key: { ...inputs.key, key: 'canary-kez' } as CacheInputs['key'] }],
  ['kind of key', { key: { kind: 'lost' } as const }],
  ['model', { model: undefined }],
  ['route', { route: 'completions' as const }],
  ['setting', { settings: { ...inputs.settings, canPrefetch: false } }],
])('hashCacheInputs returns a different hash for a different %s', (_, changedInputs) => {
  expect(hashCacheInputs({ ...inputs, ...changedInputs })).not.toBe(hashCacheInputs(inputs));
});
