import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { foreignQuotingEnclave, createQuote } from '../../../test/service/tee/hardware.ts';
import { localRoots } from './local-context.fixture.ts';
import { checkQuotingEnclave, checkTdxModule, readQuote } from './quote.ts';

const truth = {
  reportData: Buffer.alloc(64),
  isDebugged: false,
  isExpired: false,
  hasUnknownRoot: false,
};
const trust = { roots: localRoots, now: Date.UTC(2026, 0) };
const intelSigner = Buffer.from(
  'dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5',
  'hex',
);

test('the quoting enclave and the TDX module are to be Intel’s', () => {
  const quote = readQuote(createQuote(truth));
  expect(() => checkQuotingEnclave(quote, trust)).not.toThrow();
  expect(() => checkTdxModule(quote)).not.toThrow();
});

test.each([
  ['that somebody else signed', foreignQuotingEnclave],
  ['that nobody signed', { signer: Buffer.alloc(32), product: 2 }],
  [
    'whose signer is Intel’s but for a bit',
    { signer: Buffer.from(intelSigner).fill(0xc4, 31), product: 2 },
  ],
  ['that quotes for processes, not for machines', { signer: intelSigner, product: 1 }],
  ['of no product', { signer: intelSigner, product: 0 }],
  ['whose product is 2 in its second byte', { signer: intelSigner, product: 0x02_00 }],
])('no quoting enclave %s vouches for a key', (_, quotingEnclave) => {
  const quote = readQuote(createQuote({ ...truth, quotingEnclave }));
  expect(() => checkQuotingEnclave(quote, trust)).toThrow('not Intel’s');
});

const digest = createHash('sha384').update('signer of an own module').digest();

test.each([
  ['somebody else signed it', Buffer.concat([digest, Buffer.alloc(8)])],
  ['its attributes say it is for tests', Buffer.concat([Buffer.alloc(48), Buffer.alloc(8, 1)])],
  ['its last attribute is set', Buffer.concat([Buffer.alloc(55), Buffer.from([0x80])])],
])('no TDX module is believed when %s', (_, tdxModule) => {
  const quote = readQuote(createQuote({ ...truth, tdxModule }));
  expect(() => checkTdxModule(quote)).toThrow('TDX module');
});
