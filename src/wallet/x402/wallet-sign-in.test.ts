import { verifyMessage } from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { isRecord } from '../../base/json.ts';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { listModels } from '../../service/models.ts';
import { decodeHeaderJson, x402HeaderProfiles } from '../../service/payment-requirements.ts';
import { WalletError } from '../wallet-failure.ts';
import { CountingSigner, knownPrivateKey } from './counting-signer.fixture.ts';
import { createWalletSignIn, type WalletSignInOptions } from './wallet-sign-in.ts';

const { signal } = new AbortController();
const modelListAnswer = { body: ['{"data":[]}'] };
const createRefusal = (code: string) => ({
  status: 401,
  body: [JSON.stringify({ error: 'No', code: `X402_SIGN_IN_${code}` })],
});

function createContext(
  answers: readonly ScriptedAnswer[],
  options: Partial<WalletSignInOptions> = {},
) {
  const service = createScriptedService(...answers);
  const signer = new CountingSigner(knownPrivateKey);
  let lastByte = 0;
  const signIn = createWalletSignIn({
    getSigner: async () => signer,
    chainId: 31_337,
    headers: x402HeaderProfiles.v2,
    now: () => service.clock.now(),
    randomBytes: (count) => new Uint8Array(count).fill(++lastByte),
    review: { purpose: '', rows: [], warnings: [] },
    ...options,
  });
  const getEndpoint = async () => ({ ...(await service.context.getEndpoint()), signIn });
  const context: ServiceContext = { ...service.context, getEndpoint };
  const decodeHeader = (index: number, name = 'SIGN-IN-WITH-X'): Record<string, unknown> => {
    const json = decodeHeaderJson(service.requests[index]?.headers[name]);
    if (!isRecord(json)) throw new Error(`Request ${index} has no ${name}.`);
    return json;
  };
  return { ...service, context, signer, decodeHeader };
}

test('the wallet sign-in signs a separate sign-in message for each request and sends no API key', async () => {
  const { context, requests, signer, decodeHeader, clock } = createContext([modelListAnswer]);
  await listModels(context, { signal });
  await listModels(context, { type: 'all', signal });
  expect(requests).toHaveLength(2);
  for (const [index, request] of requests.entries()) {
    expect(Object.keys(request.headers).toSorted()).toEqual(['SIGN-IN-WITH-X', 'accept']);
    const { address, message, signature, timestamp, chainId, ...rest } = decodeHeader(index);
    expect(rest).toEqual({});
    expect([address, chainId, timestamp]).toEqual([signer.address, 31_337, clock.now()]);
    const text = String(message);
    expect(parseSiweMessage(text).uri).toBe(request.url.href);
    const signedMessage = {
      address: signer.address,
      message: text,
      signature: signature as `0x${string}`,
    };
    expect(await verifyMessage(signedMessage)).toBe(true);
  }
  expect(signer.signedMessages.map((text) => parseSiweMessage(text).nonce)).toEqual([
    '0101010101010101',
    '0202020202020202',
  ]);
});

test('the wallet sign-in adds only the header `X-Sign-In-With-X` if the setting `x402Headers` is "compatible"', async () => {
  const { context, requests, decodeHeader } = createContext([modelListAnswer], {
    headers: x402HeaderProfiles.compatible,
  });
  await listModels(context, { signal });
  expect(Object.keys(requests[0]?.headers ?? {}).toSorted()).toEqual([
    'X-Sign-In-With-X',
    'accept',
  ]);
  expect(decodeHeader(0, 'X-Sign-In-With-X')['chainId']).toBe(31_337);
});

test('the wallet sign-in retries with a new nonce after the service reports a reused nonce', async () => {
  const { context, requests, clock, signer } = createContext([
    createRefusal('NONCE_REUSED'),
    modelListAnswer,
  ]);
  const modelsPromise = listModels(context, { signal });
  await clock.advance(60_000);
  await modelsPromise;
  expect(requests).toHaveLength(2);
  expect(new Set(signer.signedMessages.map((text) => parseSiweMessage(text).nonce)).size).toBe(2);
});

test('the wallet sign-in does not retry after the service rejects the domain', async () => {
  const { context, requests } = createContext([createRefusal('DOMAIN_MISMATCH')]);
  const request = expect(listModels(context, { signal })).rejects;
  await request.toMatchObject({ failure: { code: 'sign-in-refused' } });
  expect(requests).toHaveLength(1);
});

test('the wallet sign-in signs a separate message for each of several concurrent requests', async () => {
  const { context, signer } = createContext([modelListAnswer]);
  await Promise.all(Array.from({ length: 20 }, () => listModels(context, { signal })));
  expect(new Set(signer.signedMessages).size).toBe(20);
});

test.each([
  ['no-wallet', 'no-wallet'],
  ['wrong-password', 'no-wallet'],
  ['stopped', 'stopped'],
] as const)(
  'the wallet sign-in sends no request after the wallet failure %s and reports the failure %s',
  async (walletFailureCode, serviceFailureCode) => {
    const { context, requests } = createContext([modelListAnswer], {
      getSigner: () => Promise.reject(new WalletError(walletFailureCode, 'why')),
    });
    await expect(listModels(context, { signal })).rejects.toMatchObject({
      failure: { code: serviceFailureCode },
    });
    expect(requests).toHaveLength(0);
  },
);

test('the wallet sign-in reports a low balance without paying', async () => {
  const body = JSON.stringify({
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    topUpInstructions: { receiverWallet: '0x2222222222222222222222222222222222222222' },
    siwxChallenge: { info: { domain: 'evil.test', nonce: 'theirnonce' } },
  });
  const { context, requests, signer } = createContext([{ status: 402, body: [body] }]);
  const request = expect(listModels(context, { signal })).rejects;
  await request.toMatchObject({ failure: { code: 'wallet-out-of-funds' } });
  expect(requests).toHaveLength(1);
  expect(signer.signedPayments).toEqual([]);
  expect(signer.signedMessages.join()).not.toMatch(/evil|theirnonce/);
});
