import { describe, expect, test } from 'vitest';
import {
  decodeStakingRecord,
  encodeStakingRecord,
  isForChain,
  type StakingRecord,
} from './stake-journal.ts';

const createAddress = (digit: string) => `0x${digit.repeat(40)}` as const;
const stakingRecord: StakingRecord = {
  purpose: 'stake',
  chainId: 31_337,
  from: createAddress('1'),
  token: createAddress('2'),
  staking: createAddress('3'),
  amount: 2n ** 200n,
  allowanceBefore: 0n,
  measureBefore: 7n,
  form: 'recipient-and-amount',
  fee: 10n ** 15n,
  time: 1_700_000_000_000,
  sending: {
    step: 'approve',
    to: createAddress('2'),
    data: '0x095ea7b3',
    nonce: 4,
    block: 12n,
    hash: `0x${'ab'.repeat(32)}`,
  },
};

describe('a staking record', () => {
  const { sending, form: _form, fee: _fee, ...minimalRecord } = stakingRecord;
  const { hash: _hash, ...withoutHash } = sending!;

  test.each([stakingRecord, minimalRecord, { ...minimalRecord, sending: withoutHash }])(
    'is restored from the encoded JSON',
    (value) => expect(decodeStakingRecord(encodeStakingRecord(value))).toEqual(value),
  );

  const fields = JSON.parse(encodeStakingRecord(stakingRecord)) as Record<string, unknown>;
  const sendingRecord = fields['sending'] as Record<string, unknown>;
  const invalidRecords: readonly [string, unknown][] = [
    ['no content', undefined],
    ['a list', []],
    ['a newer version', { ...fields, version: 2 }],
    ['no purpose', { ...fields, purpose: undefined }],
    ['a fee below zero', { ...fields, fee: '-1' }],
    ['another purpose', { ...fields, purpose: 'transfer' }],
    ['an inherited property name as its purpose', { ...fields, purpose: 'constructor' }],
    ['a chain that is a string', { ...fields, chainId: '31337' }],
    ['a negative chain', { ...fields, chainId: -1 }],
    ['a short address', { ...fields, from: '0x12' }],
    ['an address with a wrong checksum', { ...fields, from: `0x${'aB'.repeat(20)}` }],
    ['an amount that is a number', { ...fields, amount: 5 }],
    ['an amount with a sign', { ...fields, amount: '-5' }],
    ['an amount above 256 bits', { ...fields, amount: '9'.repeat(78) }],
    ['a hexadecimal amount', { ...fields, amount: '0x10' }],
    ['another call form', { ...fields, form: 'all' }],
    ['an incomplete transaction', { ...fields, sending: { step: 'approve' } }],
    ['a transaction that is a string', { ...fields, sending: 'approve' }],
    ['another step', { ...fields, sending: { ...sendingRecord, step: 'transfer' } }],
    ['an invalid hash', { ...fields, sending: { ...sendingRecord, hash: '0x12' } }],
    ['a fractional nonce', { ...fields, sending: { ...sendingRecord, nonce: 1.5 } }],
    ['invalid data', { ...fields, sending: { ...sendingRecord, data: 'approve' } }],
    [
      'very long data',
      { ...fields, sending: { ...sendingRecord, data: `0x${'ab'.repeat(5_000)}` } },
    ],
  ];
  test.each(invalidRecords)('with %s is rejected', (_name, value) =>
    expect(decodeStakingRecord(JSON.stringify(value) ?? '')).toBeUndefined(),
  );

  test('is rejected if a crash truncated the file', () => {
    const text = encodeStakingRecord(stakingRecord);
    for (let length = 0; length < text.length; length += 1)
      expect(decodeStakingRecord(text.slice(0, length))).toBeUndefined();
  });

  test('is restored without unknown fields', () =>
    expect(decodeStakingRecord(JSON.stringify({ ...fields, privateKey: 'canary' }))).toEqual(
      stakingRecord,
    ));
});

test.each([
  ['accepts', 'the configured chain and contracts', {}, true],
  ['rejects', 'another chain', { id: 1 }, false],
  ['rejects', 'another token', { token: createAddress('4') }, false],
  ['rejects', 'another staking contract', { staking: createAddress('4') }, false],
])('isForChain %s a record of %s', (_result, _name, changes, expected) => {
  const { chainId: id, token, staking } = stakingRecord;
  const currency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  const chain = { id, token, staking, name: '', rpcUrl: '', currency, confirmations: 1 };
  expect(isForChain(stakingRecord, { ...chain, ...changes })).toBe(expected);
});
