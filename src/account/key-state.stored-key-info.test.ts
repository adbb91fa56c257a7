import { expect, test } from 'vitest';
import { decodeStoredKey, encodeStoredKey, matchesKey, type StoredKey } from './key-state.ts';

const keyWithAllFields: StoredKey = {
  id: 'k-1',
  last6: 'a1b2c3',
  type: 'ADMIN',
  description: 'This laptop',
  origin: 'https://api.service.test',
  expiresAt: '2027-01-15T08:00:00.000Z',
  consumptionLimit: { usd: 1.5, diem: 0.1 },
  limitPeriod: 'MONTH',
  modelPrivacy: 'PRIVATE_ONLY',
  workspace: { id: 'ws', name: 'shop' },
};
const keyWithRequiredFields: StoredKey = {
  last6: 'a1b2c3',
  type: 'INFERENCE',
  origin: 'https://api.service.test',
};

test.each([keyWithAllFields, keyWithRequiredFields])(
  'decodeStoredKey restores stored key info from the encoded JSON',
  (key) => {
    const json: unknown = JSON.parse(JSON.stringify(encodeStoredKey(key)));
    expect(decodeStoredKey(json)).toEqual(key);
  },
);

test.each([undefined, null, 7, '', [], {}, { last6: 'a' }, { last6: 7, origin: 'x' }])(
  'decodeStoredKey rejects %j as stored key info',
  (value) => {
    expect(decodeStoredKey(value)).toBeUndefined();
  },
);

test.each([
  { id: 7, apiKeyType: 'ROOT', description: [], expiresAt: 'soon', consumptionLimit: 7 },
  { consumptionLimit: { usd: -1, diem: '1e9' }, limitPeriod: 'WEEK', workspace: { name: 'n' } },
])('decodeStoredKey omits the invalid fields of the stored key info %j', (invalidFields) => {
  const { last6, origin } = keyWithRequiredFields;
  expect(decodeStoredKey({ ...invalidFields, last6, origin })).toEqual(keyWithRequiredFields);
});

test.each([
  ['SERVICE_INFERENCE_KEY_xa1b2c3', true],
  ['SERVICE_INFERENCE_KEY_xa1b2c4', false],
])('matchesKey checks whether stored key info belongs to the key %s: %s', (key, expected) => {
  expect(matchesKey(keyWithAllFields, key)).toBe(expected);
});
