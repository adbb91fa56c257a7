import { expect, test } from 'vitest';
import { decodeTopUp, encodeTopUp, type TopUpRecord } from './signed-top-up.ts';

const record: TopUpRecord = {
  origin: 'https://api.service.test',
  chainId: 31_337,
  asset: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  symbol: 'USDC',
  decimals: 6,
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10_000_000n,
  nonce: `0x${'ab'.repeat(32)}`,
  validBefore: 1_800_000_000n,
  block: 12n,
};

test('decodeTopUp restores a record from the encoded JSON', () => {
  expect(decodeTopUp(JSON.parse(JSON.stringify(encodeTopUp(record))))).toEqual(record);
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
  expect(decodeTopUp({ ...encodeTopUp(record), [name]: value })).toBeUndefined();
});

test.each([null, 7, 'x', []])('decodeTopUp rejects %j as a record', (json) => {
  expect(decodeTopUp(json)).toBeUndefined();
});
