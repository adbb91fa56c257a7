import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { foreignQuotingEnclave, createQuote } from '../../../test/service/tee/hardware.ts';
import { localRoots } from './local-context.fixture.ts';
import { checkQuotingEnclave, checkTdxModule, readQuote } from './quote.ts';

const validProof = {
  reportData: Buffer.alloc(64),
  isDebugged: false,
  isExpired: false,
  hasUnknownRoot: false,
};
const trustOptions = { roots: localRoots, now: Date.UTC(2026, 0) };
const intelSigner = Buffer.from(
  'dc9e2a7c6f948f17474e34a7fc43ed030f7c1563f1babddf6340c82e0e54a8c5',
  'hex',
);

test('checkQuotingEnclave and checkTdxModule accept Intel’s quoting enclave and TDX module', () => {
  const quote = readQuote(createQuote(validProof));
  expect(() => checkQuotingEnclave(quote, trustOptions)).not.toThrow();
  expect(() => checkTdxModule(quote)).not.toThrow();
});

test.each([
  ['with a foreign signer', foreignQuotingEnclave],
  ['without a signer', { signer: Buffer.alloc(32), productId: 2 }],
  [
    'with a signer that differs from Intel’s in one bit',
    { signer: Buffer.from(intelSigner).fill(0xc4, 31), productId: 2 },
  ],
  ['for processes instead of virtual machines', { signer: intelSigner, productId: 1 }],
  ['with product 0', { signer: intelSigner, productId: 0 }],
  ['with product 2 in the second byte', { signer: intelSigner, productId: 0x02_00 }],
])('checkQuotingEnclave rejects a quoting enclave %s', (_, quotingEnclave) => {
  const quote = readQuote(createQuote({ ...validProof, quotingEnclave }));
  expect(() => checkQuotingEnclave(quote, trustOptions)).toThrow('QE identity');
});

const signerDigest = createHash('sha384').update('signer of an own module').digest();

test.each([
  ['with a foreign signer', Buffer.concat([signerDigest, Buffer.alloc(8)])],
  ['with debug attributes', Buffer.concat([Buffer.alloc(48), Buffer.alloc(8, 1)])],
  ['with the last attribute bit set', Buffer.concat([Buffer.alloc(55), Buffer.from([0x80])])],
])('checkTdxModule rejects a TDX module %s', (_, tdxModule) => {
  const quote = readQuote(createQuote({ ...validProof, tdxModule }));
  expect(() => checkTdxModule(quote)).toThrow('TDX module');
});
