import { expect, test } from 'vitest';
import { decodeTopUp, encodeTopUp } from './signed-top-up.ts';
import { topUpRecord } from './top-up-record.fixture.ts';

test('decodeTopUp restores a record from the encoded JSON', () => {
  expect(decodeTopUp(JSON.parse(JSON.stringify(encodeTopUp(topUpRecord))))).toEqual(topUpRecord);
});

test.each<[string, unknown]>([
  ['value', '-1'],
  ['value', 5],
  ['value', '9'.repeat(79)],
  ['validBefore', '1e9'],
  ['block', null],
  ['nonce', '0xab'],
  ['nonce', 'z'.repeat(66)],
  ['asset', '0x1'],
  ['from', undefined],
  ['to', '0x70997970c51812dc3A010C7d01b50e0d17dc79C8'],
  ['chainId', '31337'],
  ['origin', 7],
  ['version', 2],
])('decodeTopUp rejects a record in which %s is %j', (name, value) => {
  expect(decodeTopUp({ ...encodeTopUp(topUpRecord), [name]: value })).toBeUndefined();
});

test.each([null, 7, 'x', []])('decodeTopUp rejects %j as a record', (json) => {
  expect(decodeTopUp(json)).toBeUndefined();
});
