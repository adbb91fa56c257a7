import { describe, expect, test } from 'vitest';
import { readAnswer, readPageEvent, readPoll, readPollReply } from './protocol.ts';

const address = `0x${'ab'.repeat(20)}`;
const transactionHash = `0x${'22'.repeat(32)}`;
const review = { purpose: 'Test', rows: [{ name: 'Name', value: 'Value' }], warnings: [] };
const pageState = {
  number: 1,
  purpose: 'Test',
  chain: { id: 1, name: 'Test' },
  account: null,
  steps: [{ step: 'connect', state: 'current' }],
  ended: null,
};
const chain = {
  chainId: '0x1',
  chainName: 'Test',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: ['https://rpc.example'],
  blockExplorerUrls: [],
};
const signRequest = { kind: 'sign', id: 'a', address, chainId: 1, text: 'Hello', review };
const sendRequest = {
  kind: 'send',
  id: 'a',
  address,
  chainId: 1,
  to: address,
  data: '0x',
  value: '0x0',
  review,
};
const createPollReply = (request: unknown): unknown => ({
  state: pageState,
  requestId: 'a',
  request,
});

test.each([
  ['a valid poll', readPoll, { state: 0, requestId: null }],
  [
    'a valid poll reply without a request',
    readPollReply,
    { state: pageState, requestId: null, request: null },
  ],
  [
    'a valid poll reply with a connect request',
    readPollReply,
    createPollReply({ kind: 'connect', id: 'a', address: null }),
  ],
  [
    'a valid poll reply with a network request',
    readPollReply,
    createPollReply({ kind: 'network', id: 'a', chain }),
  ],
  ['a valid poll reply with a sign request', readPollReply, createPollReply(signRequest)],
  ['a valid poll reply with a send request', readPollReply, createPollReply(sendRequest)],
  [
    'a valid connect result',
    readAnswer,
    { id: 'a', result: { kind: 'connect', address, chainId: 1 } },
  ],
  [
    'a valid sign result',
    readAnswer,
    { id: 'a', result: { kind: 'sign', address, chainId: 1, signature: '0x' } },
  ],
  ['a valid answer with an error', readAnswer, { id: 'a', error: 'rejected' }],
  ['a valid page event', readPageEvent, { event: 'page-closed' }],
])('the wallet page protocol accepts %s', (_description, read, message) => {
  expect(read(structuredClone(message))).toEqual(message);
});

const messageReaders = [readPoll, readPollReply, readAnswer, readPageEvent];

describe('validation of wallet page messages', () => {
  test.each([
    undefined,
    null,
    '',
    'text',
    0,
    Number.NaN,
    true,
    [],
    {},
    { version: '1' },
    { event: 'run-command' },
    JSON.parse('{"__proto__":{"version":1}}'),
  ])('rejects the value %j in every reader', (value) => {
    for (const read of messageReaders) expect(read(value)).toBeUndefined();
  });

  test.each([
    ['a negative state number', { state: -1, requestId: null }],
    ['a fractional state number', { state: 0.5, requestId: null }],
    ['an ID that contains markup', { state: 0, requestId: '<a>' }],
    ['an ID that is too long', { state: 0, requestId: 'a'.repeat(65) }],
    ['an unknown field', { state: 0, requestId: null, more: 1 }],
  ])('rejects a poll with %s', (_, value) => {
    expect(readPoll(value)).toBeUndefined();
  });

  test.each([
    ['an unknown kind', { ...signRequest, kind: 'pay' }],
    ['no review', { ...signRequest, review: undefined }],
    ['a text that is too long', { ...signRequest, text: 'x'.repeat(8_193) }],
    ['an address of another length', { ...sendRequest, to: '0xab' }],
    ['data that is not hexadecimal', { ...sendRequest, data: '0xzz' }],
    ['data with half a byte', { ...sendRequest, data: '0x1' }],
    ['a value with a leading zero', { ...sendRequest, value: '0x01' }],
    ['a value that is a number', { ...sendRequest, value: 0 }],
    ['a chain ID of zero', { ...sendRequest, chainId: 0 }],
    ['an unknown field', { ...sendRequest, gasPrice: '0x1' }],
  ])('rejects a request with %s', (_, value) => {
    expect(readPollReply(createPollReply(value))).toBeUndefined();
  });

  test.each([
    [
      'a result and an error',
      { id: 'a', result: { kind: 'network', chainId: 1 }, error: 'rejected' },
    ],
    ['neither a result nor an error', { id: 'a' }],
    ['a free-text error', { id: 'a', error: 'User rejected' }],
    [
      'a zero hash',
      { id: 'a', result: { kind: 'send', address, chainId: 1, hash: `0x${'0'.repeat(64)}` } },
    ],
    [
      'a long hash',
      { id: 'a', result: { kind: 'send', address, chainId: 1, hash: `${transactionHash}00` } },
    ],
    [
      'a huge signature',
      {
        id: 'a',
        result: { kind: 'sign', address, chainId: 1, signature: `0x${'11'.repeat(20_001)}` },
      },
    ],
    ['a chain ID that is a string', { id: 'a', result: { kind: 'network', chainId: '0x1' } }],
  ])('rejects an answer with %s', (_, value) => {
    expect(readAnswer(value)).toBeUndefined();
  });
});
