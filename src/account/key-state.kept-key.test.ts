import { expect, test } from 'vitest';
import { decodeKeptKey, encodeKeptKey, isOfKey, type KeptKey } from './key-state.ts';

const whole: KeptKey = {
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
const least: KeptKey = { last6: 'a1b2c3', type: 'INFERENCE', origin: 'https://api.service.test' };

test.each([whole, least])('survives being kept as JSON', (key) => {
  const kept: unknown = JSON.parse(JSON.stringify(encodeKeptKey(key)));
  expect(decodeKeptKey(kept)).toEqual(key);
});

test.each([undefined, null, 7, '', [], {}, { last6: 'a' }, { last6: 7, origin: 'x' }])(
  '%j is not what was kept',
  (value) => {
    expect(decodeKeptKey(value)).toBeUndefined();
  },
);

test.each([
  { id: 7, apiKeyType: 'ROOT', description: [], expiresAt: 'soon', consumptionLimit: 7 },
  { consumptionLimit: { usd: -1, diem: '1e9' }, limitPeriod: 'WEEK', workspace: { name: 'n' } },
])('what is odd in %j is left out', (odd) => {
  const { last6, origin } = least;
  expect(decodeKeptKey({ ...odd, last6, origin })).toEqual(least);
});

test.each([
  ['SERVICE_INFERENCE_KEY_xa1b2c3', true],
  ['SERVICE_INFERENCE_KEY_xa1b2c4', false],
])('knows whether it is of %s', (key, is) => {
  expect(isOfKey(whole, key)).toBe(is);
});
