import { expect, test } from 'vitest';
import { decodeKeyRecord, encodeKeyRecord, isOfKey, type KeyRecord } from './key-record.ts';

const whole: KeyRecord = {
  id: 'k-1',
  last6: 'a1b2c3',
  type: 'ADMIN',
  description: 'This laptop',
  origin: 'https://api.service.test',
  expiresAt: 1_800_000_000_000,
  limit: { usd: 1_500_000_000n, diem: 1n, period: 'MONTH' },
  workspace: { id: 'ws', name: 'shop' },
};
const least: KeyRecord = {
  last6: 'a1b2c3',
  type: 'INFERENCE',
  description: '',
  origin: 'https://api.service.test',
  limit: {},
};

test.each([whole, least])('survives being kept as JSON', (record) => {
  const kept: unknown = JSON.parse(JSON.stringify(encodeKeyRecord(record)));
  expect(decodeKeyRecord(kept)).toEqual(record);
});

test.each([undefined, null, 7, '', [], {}, { last6: 'a' }, { last6: 7, origin: 'x' }])(
  '%j is no record',
  (value) => {
    expect(decodeKeyRecord(value)).toBeUndefined();
  },
);

test.each([
  { id: 7, type: 'ROOT', description: [], expiresAt: 'soon', consumptionLimit: 7, workspace: 'w' },
  { consumptionLimit: { usd: -1, diem: '1e9' }, limitPeriod: 'WEEK', workspace: { name: 'n' } },
])('what is odd in %j is left out', (odd) => {
  const { last6, origin } = least;
  expect(decodeKeyRecord({ ...odd, last6, origin })).toEqual(least);
});

test.each([
  ['SERVICE_INFERENCE_KEY_xa1b2c3', true],
  ['SERVICE_INFERENCE_KEY_xa1b2c4', false],
])('knows whether it is of %s', (key, is) => {
  expect(isOfKey(whole, key)).toBe(is);
});
