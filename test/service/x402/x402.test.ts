import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  createPublicClient,
  encodeFunctionData,
  http,
  parseAbi,
  serializeErc6492Signature,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usdcAbi } from '../../../src/wallet/chain-client.ts';
import { type RunningChain, startChain } from '../chain/start-chain.ts';
import { createChatRequest, postJson, startTestService } from '../test-service.ts';

import type { TopUpMisbehavior } from './misbehavior.ts';
import {
  createSigner,
  toBase64,
  createPayment,
  type PaymentOptions,
  createSignIn,
  type SignInOptions,
} from './x402-client.fixture.ts';

let runningChain: RunningChain;
let snapshotId: string;
beforeAll(async () => {
  runningChain = await startChain();
});
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
});
afterEach(() => runningChain.revertToSnapshot(snapshotId));
afterAll(() => runningChain.stop());

type Service = Awaited<ReturnType<typeof startService>>;

async function startService() {
  const service = await startTestService({ chain: runningChain });
  await service.control.setLimits({ rpm: 10_000, tpm: 1e9 });
  return service;
}

const getFirstSigner = () => createSigner(runningChain.facts, 1);

const sendTopUp = (service: Service, header?: string, name = 'PAYMENT-SIGNATURE') =>
  fetch(`${service.baseUrl}/x402/top-up`, {
    method: 'POST',
    redirect: 'manual',
    ...(header !== undefined && { headers: { [name]: header } }),
  });

const sendPayment = async (service: Service, options: Partial<PaymentOptions> = {}) =>
  sendTopUp(
    service,
    toBase64(await createPayment(runningChain.facts, { account: getFirstSigner(), ...options })),
  );

async function sendSignedRequest(
  service: Service,
  path: string,
  options: Partial<SignInOptions> & { body?: unknown; name?: string } = {},
): Promise<Response> {
  const url = options.url ?? `${service.baseUrl}${path}`;
  const { chainId } = runningChain.facts;
  const header = await createSignIn({ account: getFirstSigner(), chainId, ...options, url });
  return sendRequestWithHeader(service, path, { ...options, header });
}

function sendRequestWithHeader(
  service: Service,
  path: string,
  { header, body, name = 'SIGN-IN-WITH-X' }: { header: string; body?: unknown; name?: string },
): Promise<Response> {
  const headers = { [name]: header };
  if (body === undefined) return fetch(`${service.baseUrl}${path}`, { headers });
  return fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const setBalance = (service: Service, usd: number) =>
  service.control.changeAccount({ id: `x402:${getFirstSigner().address.toLowerCase()}`, usd });

const readUsdcBalance = (owner: `0x${string}`) =>
  createPublicClient({ transport: http(runningChain.rpcUrl), cacheTime: 0 }).readContract({
    address: runningChain.facts.usdc,
    abi: usdcAbi,
    functionName: 'balanceOf',
    args: [owner],
  });

const decodeHeader = (header: string | null): unknown =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString());

describe('a top-up', () => {
  test('without a payment returns the payment requirements in the body and in a header', async () => {
    const service = await startService();
    const reply = await sendTopUp(service);
    expect(reply.status).toBe(402);
    const body = (await reply.json()) as object;
    expect(body).toMatchObject({
      x402Version: 2,
      resource: { url: `${service.baseUrl}/x402/top-up` },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:31337',
          amount: '5000000',
          asset: runningChain.facts.usdc,
          payTo: runningChain.facts.payTo,
          maxTimeoutSeconds: 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
    });
    expect(decodeHeader(reply.headers.get('payment-required'))).toEqual(body);
  });

  test('transfers the money on the chain, and credits the wallet', async () => {
    const service = await startService();
    const reply = await sendPayment(service, { amount: 25_000_000n });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      success: true,
      data: {
        walletAddress: getFirstSigner().address.toLowerCase(),
        amountCredited: 25,
        newBalance: 25,
        paymentId: expect.any(String),
      },
    });
    expect(decodeHeader(reply.headers.get('payment-response'))).toEqual({
      success: true,
      network: 'eip155:31337',
      payer: getFirstSigner().address,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(await readUsdcBalance(getFirstSigner().address)).toBe(975_000_000n);
    expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(25_000_000n);
  });

  test.each(['X-402-Payment', 'X-PAYMENT'])('accepts the payment header %s', async (name) => {
    const service = await startService();
    const payment = await createPayment(runningChain.facts, { account: getFirstSigner() });
    expect((await sendTopUp(service, toBase64(payment), name)).status).toBe(200);
  });

  test('accepts a payment in the flat format of x402 version 1', async () => {
    const service = await startService();
    const { payload } = await createPayment(runningChain.facts, { account: getFirstSigner() });
    const flatPayment = { x402Version: 1, scheme: 'exact', network: 'eip155:31337', payload };
    expect((await sendTopUp(service, toBase64(flatPayment))).status).toBe(200);
  });

  test('accepts payments from the client of the official x402 packages', async () => {
    const service = await startService();
    const firstReply = await sendTopUp(service);
    const client = new x402Client().register('eip155:31337', new ExactEvmScheme(getFirstSigner()));
    const network = 'eip155:31337';
    const allowedAsset = {
      network,
      asset: runningChain.facts.usdc,
      maxAmountPerPayment: '5000000',
    } as const;
    client.setSpendControls({ allowedAssets: [allowedAsset] });
    const httpClient = new x402HTTPClient(client);
    const paymentRequired = httpClient.getPaymentRequiredResponse((name) =>
      firstReply.headers.get(name),
    );
    const payload = await httpClient.createPaymentPayload(paymentRequired);
    const [[name, header] = []] = Object.entries(httpClient.encodePaymentSignatureHeader(payload));
    const reply = await sendTopUp(service, header, name);
    expect(await reply.json()).toMatchObject({ data: { amountCredited: 5 } });
  });

  test('credits a payment only once', async () => {
    const service = await startService();
    const header = toBase64(await createPayment(runningChain.facts, { account: getFirstSigner() }));
    expect((await sendTopUp(service, header)).status).toBe(200);
    const secondReply = await sendTopUp(service, header);
    expect(secondReply.status).toBe(400);
    expect(await secondReply.json()).toMatchObject({
      error: 'PAYMENT_VERIFICATION_FAILED',
      details: { reason: 'invalid_exact_evm_nonce_already_used' },
    });
    expect(await readUsdcBalance(getFirstSigner().address)).toBe(995_000_000n);
    const balanceReply = await sendSignedRequest(
      service,
      `/x402/balance/${getFirstSigner().address}`,
    );
    expect(await balanceReply.json()).toMatchObject({ data: { balanceUsd: 5 } });
  });

  test('settles only one of two concurrent requests with the same payment', async () => {
    const service = await startService();
    const header = toBase64(await createPayment(runningChain.facts, { account: getFirstSigner() }));
    const replies = await Promise.all([sendTopUp(service, header), sendTopUp(service, header)]);
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 409]);
    const rejectedReply = replies.find(({ status }) => status === 409);
    expect(await rejectedReply?.json()).toMatchObject({ error: 'PAYMENT_IN_PROGRESS' });
  });

  test('settles concurrent payments of several wallets', async () => {
    const service = await startService();
    const accounts = [1, 2, 3].map((index) => createSigner(runningChain.facts, index));
    const replies = await Promise.all(accounts.map((account) => sendPayment(service, { account })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(15_000_000n);
  });

  const otherRecipient = '0x3333333333333333333333333333333333333333';
  test.each<[string, string, Partial<PaymentOptions>]>([
    ['another scheme', 'UNSUPPORTED_SCHEME', { accepted: { scheme: 'upto' } }],
    ['another network', 'UNSUPPORTED_NETWORK', { accepted: { network: 'eip155:1' } }],
    ['another token', 'UNSUPPORTED_TOKEN', { accepted: { asset: otherRecipient } }],
    ['another payee', 'INVALID_PAYMENT_RECIPIENT', { accepted: { payTo: otherRecipient } }],
    [
      'another signed payee',
      'INVALID_PAYMENT_RECIPIENT',
      { authorization: { to: otherRecipient } },
    ],
    ['an amount below $5', 'AMOUNT_TOO_LOW', { amount: 4_999_999n }],
    ['an amount above $10,000', 'AMOUNT_TOO_HIGH', { amount: 10_000_000_001n }],
    ['an amount of 0', 'INVALID_AMOUNT', { amount: 0n }],
    ['a signature for another token', 'X402_INVALID_PAYMENT', { domain: { name: 'US Dollar' } }],
    ['a signature for another chain', 'X402_INVALID_PAYMENT', { domain: { chainId: 1 } }],
    [
      "an amount above the wallet's balance",
      'PAYMENT_VERIFICATION_FAILED',
      { amount: 1_000_000_001n },
    ],
    [
      'an expired authorization',
      'PAYMENT_VERIFICATION_FAILED',
      { authorization: { validBefore: '1' } },
    ],
    [
      'an authorization for a later time',
      'PAYMENT_VERIFICATION_FAILED',
      { authorization: { validAfter: '99999999999', validBefore: '999999999999' } },
    ],
  ])('rejects a payment with %s, and returns the code %s', async (_, code, options) => {
    const service = await startService();
    const reply = await sendPayment(service, options);
    expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([400, code]);
    expect(await readUsdcBalance(getFirstSigner().address)).toBe(1_000_000_000n);
  });

  test.each<[string, string, (payment: Awaited<ReturnType<typeof createPayment>>) => unknown]>([
    ['no JSON', 'INVALID_PAYMENT_FORMAT', () => 'hello'],
    ['no payload', 'INVALID_PAYMENT_FORMAT', () => ({ x402Version: 2 })],
    ['a list', 'INVALID_PAYMENT_FORMAT', () => []],
    [
      'no signature',
      'INVALID_PAYMENT',
      ({ accepted, payload }) => ({ accepted, payload: { ...payload, signature: undefined } }),
    ],
    [
      'an invalid payer address',
      'INVALID_PAYMENT_PAYER',
      ({ accepted, payload: { signature, authorization } }) => {
        return {
          accepted,
          payload: { signature, authorization: { ...authorization, from: '0x1' } },
        };
      },
    ],
    [
      'an amount changed after the signature',
      'X402_INVALID_PAYMENT',
      ({ accepted, payload: { signature, authorization } }) => {
        const changedAuthorization = { ...authorization, value: '6000000' };
        return { accepted, payload: { signature, authorization: changedAuthorization } };
      },
    ],
  ])('rejects a payment header with %s, and returns the code %s', async (_, code, change) => {
    const service = await startService();
    const payment = await createPayment(runningChain.facts, { account: getFirstSigner() });
    const reply = await sendTopUp(service, toBase64(change(payment)));
    expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([400, code]);
  });

  test('returns 402 if the settlement fails', async () => {
    const service = await startService();
    // The account that settles payments has no native currency for the fee.
    await runningChain.request('anvil_setBalance', [
      runningChain.facts.accounts[0]!.address,
      '0x0',
    ]);
    const reply = await sendPayment(service);
    expect(reply.status).toBe(402);
    expect(await reply.json()).toMatchObject({ error: 'SETTLEMENT_FAILED' });
    const balance = await sendSignedRequest(service, `/x402/balance/${getFirstSigner().address}`);
    expect(await balance.json()).toMatchObject({ data: { balanceUsd: 0 } });
  });

  test('returns 503 if the service has no chain', async () => {
    const service = await startTestService();
    const reply = await sendTopUp(service);
    expect(reply.status).toBe(503);
    expect(await reply.json()).toMatchObject({ error: 'X402_NOT_CONFIGURED' });
  });

  test('is limited to ten requests per minute', async () => {
    const service = await startTestService({ chain: runningChain });
    const statuses = [];
    for (let count = 0; count < 11; count++) statuses.push((await sendTopUp(service)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 402), 429]);
  });

  test('accepts a payment from a contract account that is not deployed yet', async () => {
    const service = await startService();
    const owner = getFirstSigner();
    const { accountFactory } = runningChain.facts.variants;
    const abi = parseAbi([
      'function create(address owner, bytes32 salt) returns (address)',
      'function addressOf(address owner, bytes32 salt) view returns (address)',
    ]);
    const args = [owner.address, `0x${'0'.repeat(64)}`] as const;
    const client = createPublicClient({ transport: http(runningChain.rpcUrl) });
    const walletAddress = await client.readContract({
      address: accountFactory,
      abi,
      functionName: 'addressOf',
      args,
    });
    const mintAbi = parseAbi(['function mint(address to, uint256 value)']);
    const data = encodeFunctionData({
      abi: mintAbi,
      functionName: 'mint',
      args: [walletAddress, 7_000_000n],
    });
    const deployerAddress = runningChain.facts.accounts[0]!.address;
    await runningChain.request('eth_sendTransactionSync', [
      { from: deployerAddress, to: runningChain.facts.usdc, data },
    ]);
    const payment = await createPayment(runningChain.facts, {
      account: owner,
      authorization: { from: walletAddress },
    });
    payment.payload.signature = serializeErc6492Signature({
      address: accountFactory,
      data: encodeFunctionData({ abi, functionName: 'create', args }),
      signature: payment.payload.signature,
    });
    const reply = await sendTopUp(service, toBase64(payment));
    expect(await reply.json()).toMatchObject({ data: { amountCredited: 5 } });
    expect(await readUsdcBalance(walletAddress)).toBe(2_000_000n);
  });
});

describe('top-ups with a configured fault', () => {
  const otherRecipient = '0x4444444444444444444444444444444444444444';
  test.each<[string, TopUpMisbehavior, object]>([
    ['payee', { offer: { payTo: otherRecipient } }, { accepts: [{ payTo: otherRecipient }] }],
    ['token', { offer: { asset: otherRecipient } }, { accepts: [{ asset: otherRecipient }] }],
    ['amount', { offer: { amount: '9999000000' } }, { accepts: [{ amount: '9999000000' }] }],
    ['network', { offer: { network: 'eip155:1' } }, { accepts: [{ network: 'eip155:1' }] }],
    [
      'time limit',
      { offer: { maxTimeoutSeconds: 1e9 } },
      { accepts: [{ maxTimeoutSeconds: 1e9 }] },
    ],
    [
      'name of the token',
      { offer: { extra: { name: 'Other', version: '9' } } },
      { accepts: [{ extra: { name: 'Other', version: '9' } }] },
    ],
    [
      'URL of the resource',
      { resource: 'https://evil.example/' },
      { resource: { url: 'https://evil.example/' } },
    ],
  ])('change the %s in the payment requirements', async (_, misbehavior, expected) => {
    const service = await startService();
    await service.control.setTopUpMisbehavior(misbehavior);
    const reply = await sendTopUp(service);
    expect(await reply.json()).toMatchObject(expected);
    expect(decodeHeader(reply.headers.get('payment-required'))).toMatchObject(expected);
    await service.control.setTopUpMisbehavior({});
    expect(await (await sendTopUp(service)).json()).not.toMatchObject(expected);
  });

  test.each([
    ['settled-timeout', 504, 5],
    ['unsettled-timeout', 504, 0],
    ['unsettled-success', 200, 0],
  ] as const)(
    'with the fault %s return the status %i and transfer $%i',
    async (settlement, status, movedUsd) => {
      const service = await startService();
      await service.control.setTopUpMisbehavior({ settlement });
      expect((await sendPayment(service)).status).toBe(status);
      expect(await readUsdcBalance(runningChain.facts.payTo)).toBe(BigInt(movedUsd) * 1_000_000n);
      const balance = await sendSignedRequest(service, `/x402/balance/${getFirstSigner().address}`);
      expect(await balance.json()).toMatchObject({ data: { balanceUsd: movedUsd } });
    },
  );

  test('with the fault `settled-silence` transfer the money, but send no reply', async () => {
    const service = await startService();
    await service.control.setTopUpMisbehavior({ settlement: 'settled-silence' });
    const controller = new AbortController();
    const header = toBase64(await createPayment(runningChain.facts, { account: getFirstSigner() }));
    const reply = fetch(`${service.baseUrl}/x402/top-up`, {
      method: 'POST',
      headers: { 'payment-signature': header },
      signal: controller.signal,
    });
    await expect.poll(() => readUsdcBalance(runningChain.facts.payTo)).toBe(5_000_000n);
    controller.abort();
    await expect(reply).rejects.toThrow();
  });

  test('can redirect the client to another URL', async () => {
    const service = await startService();
    await service.control.setTopUpMisbehavior({ redirect: 'http://127.0.0.1:9/' });
    const reply = await sendTopUp(service);
    expect([reply.status, reply.headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/']);
  });
});

describe('a wallet sign-in', () => {
  const body = createChatRequest('Hi');

  test.each(['SIGN-IN-WITH-X', 'X-Sign-In-With-X'])(
    "in the header %s pays from the wallet's balance",
    async (name) => {
      const service = await startService();
      await setBalance(service, 1);
      const reply = await sendSignedRequest(service, '/chat/completions', { body, name });
      expect(reply.status).toBe(200);
      const { cost } = (await reply.json()) as { cost: { usd: number; diem: number } };
      expect(cost.usd).toBeGreaterThan(0);
      expect(cost.diem).toBe(0);
      const remainingBalance = reply.headers.get('x-balance-remaining');
      expect(remainingBalance).toBe((1 - cost.usd).toFixed(6));
      const balance = await sendSignedRequest(service, `/x402/balance/${getFirstSigner().address}`);
      expect(await balance.json()).toMatchObject({
        data: { balanceUsd: Number(remainingBalance) },
      });
    },
  );

  test('takes precedence over an API key', async () => {
    const service = await startService();
    const { chainId } = runningChain.facts;
    const url = `${service.baseUrl}/chat/completions`;
    const header = await createSignIn({ account: getFirstSigner(), chainId, url });
    const reply = await postJson(
      service,
      { path: '/chat/completions', body },
      { headers: { 'sign-in-with-x': header } },
    );
    expect(reply.status).toBe(402);
  });

  test('can contain the fields of the sign-in message instead of its text', async () => {
    const service = await startService();
    await setBalance(service, 1);
    const url = `${service.baseUrl}/chat/completions`;
    const { chainId } = runningChain.facts;
    const { message, ...rest } = JSON.parse(
      Buffer.from(
        await createSignIn({ account: getFirstSigner(), chainId, url }),
        'base64',
      ).toString(),
    ) as { message: string };
    const readField = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1];
    const messageFields = {
      ...rest,
      domain: new URL(url).host,
      uri: url,
      statement: 'Sign in',
      nonce: readField('Nonce'),
      issuedAt: readField('Issued At'),
    };
    const header = toBase64(messageFields);
    expect(
      (await sendRequestWithHeader(service, '/chat/completions', { header, body })).status,
    ).toBe(200);
  });

  test('can be signed by a contract account', async () => {
    const service = await startService();
    const owner = getFirstSigner();
    const { accountFactory } = runningChain.facts.variants;
    const abi = parseAbi([
      'function create(address owner, bytes32 salt) returns (address)',
      'function addressOf(address owner, bytes32 salt) view returns (address)',
    ]);
    const args = [owner.address, `0x${'1'.repeat(64)}`] as const;
    const client = createPublicClient({ transport: http(runningChain.rpcUrl) });
    const contractCall = { address: accountFactory, abi, functionName: 'addressOf', args } as const;
    const address = await client.readContract(contractCall);
    const { chainId } = runningChain.facts;
    const data = encodeFunctionData({ abi, functionName: 'create', args });
    const path = `/x402/balance/${address}`;
    const header = await createSignIn({
      account: {
        ...owner,
        address,
        signMessage: async (message) =>
          serializeErc6492Signature({
            address: accountFactory,
            data,
            signature: await owner.signMessage(message),
          }),
      },
      chainId,
      url: `${service.baseUrl}${path}`,
    });
    expect((await sendRequestWithHeader(service, path, { header })).status).toBe(200);
  });

  const createTimeInMinutes = (count: number): Date => new Date(Date.now() + count * 60_000);
  const textWithoutDomain =
    'URI: http://a/\nVersion: 1\nChain ID: 31337\nNonce: abcdefgh\nIssued At: 2026-01-01T00:00:00Z';
  const otherAddress = '0x5555555555555555555555555555555555555555';
  test.each<[string, string, () => Partial<SignInOptions>]>([
    ['with another address', 'ADDRESS_MISMATCH', () => ({ payload: { address: otherAddress } })],
    ['with an invalid address', 'INVALID_WALLET', () => ({ payload: { address: 'bob' } })],
    ['without a signature', 'INVALID_PAYLOAD', () => ({ payload: { signature: undefined } })],
    ['with another signature', 'INVALID_SIGNATURE', () => ({ payload: { signature: '0x12' } })],
    ['with an invalid chain id', 'INVALID_CHAIN_ID', () => ({ payload: { chainId: 'main' } })],
    ['with two different chain ids', 'CHAIN_MISMATCH', () => ({ payload: { chainId: 1 } })],
    [
      'for another chain',
      'UNSUPPORTED_CHAIN',
      () => ({ message: { chainId: 1 }, payload: { chainId: 'eip155:1' } }),
    ],
    ['with an arbitrary text', 'MISSING_NONCE', () => ({ payload: { message: 'Let me in' } })],
    [
      'without an address in the text',
      'INVALID_MESSAGE',
      () => ({ payload: { message: textWithoutDomain } }),
    ],
    ['for another host', 'DOMAIN_MISMATCH', () => ({ message: { domain: 'evil.example' } })],
    ['for another port', 'DOMAIN_MISMATCH', () => ({ message: { domain: '127.0.0.1:1' } })],
    ['for another URI', 'DOMAIN_MISMATCH', () => ({ message: { uri: 'http://127.0.0.1/' } })],
    [
      'with a timestamp that differs from the signed text',
      'TIMESTAMP_MISMATCH',
      () => ({ payload: { timestamp: Date.now() - 31_000 } }),
    ],
    [
      'that is older than 5 minutes',
      'EXPIRED',
      () => ({
        message: { issuedAt: createTimeInMinutes(-5.1) },
        payload: { timestamp: undefined },
      }),
    ],
    [
      'after its expiration time',
      'EXPIRED',
      () => ({ message: { expirationTime: createTimeInMinutes(-0.1) } }),
    ],
    [
      'that is valid for an hour',
      'INVALID_MESSAGE',
      () => ({ message: { expirationTime: createTimeInMinutes(60) } }),
    ],
    [
      'from the future',
      'FUTURE_TIMESTAMP',
      () => ({
        message: { issuedAt: createTimeInMinutes(0.6) },
        payload: { timestamp: undefined },
      }),
    ],
    [
      'before its start time',
      'NOT_BEFORE',
      () => ({ message: { notBefore: createTimeInMinutes(1) } }),
    ],
  ])('%s is rejected with the code %s', async (_, code, options) => {
    const service = await startService();
    await setBalance(service, 1);
    const reply = await sendSignedRequest(service, '/chat/completions', { body, ...options() });
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ code: `X402_SIGN_IN_${code}` });
  });

  test.each([
    ['a value that is not base64', '{"a":1}', 'PARSE_ERROR'],
    ['base64 of text that is not JSON', toBase64('hello'), 'PARSE_ERROR'],
    ['base64 of JSON that is not an object', toBase64('[]'), 'INVALID_PAYLOAD'],
    ['10,000 letters', 'A'.repeat(10_000), 'PARSE_ERROR'],
  ])('is rejected if the header contains %s', async (_, header, code) => {
    const service = await startService();
    const reply = await sendRequestWithHeader(service, '/chat/completions', { header, body });
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ code: `X402_SIGN_IN_${code}` });
  });

  test('can use a nonce only once per wallet within 5.5 minutes', async () => {
    const service = await startService();
    const nonce = 'abcdefgh12345678';
    const path = `/x402/balance/${getFirstSigner().address}`;
    const requestBalance = () => sendSignedRequest(service, path, { message: { nonce } });
    expect((await requestBalance()).status).toBe(200);
    expect((await requestBalance()).status).toBe(401);
    const secondSigner = createSigner(runningChain.facts, 2);
    const otherSignIn = { account: secondSigner, message: { nonce } };
    expect(
      (await sendSignedRequest(service, `/x402/balance/${secondSigner.address}`, otherSignIn))
        .status,
    ).toBe(200);
  });

  test('can reuse a nonce after 5.5 minutes', async () => {
    const service = await startService();
    const nonce = 'abcdefgh12345678';
    const path = `/x402/balance/${getFirstSigner().address}`;
    const startTime = Date.now();
    await service.control.changeClock({ set: new Date(startTime).toISOString() });
    const requestBalance = (delayMs: number) => {
      const issuedAt = new Date(startTime + delayMs);
      return sendSignedRequest(service, path, {
        message: { nonce, issuedAt },
        payload: { timestamp: undefined },
      });
    };
    expect((await requestBalance(0)).status).toBe(200);
    await service.control.changeClock({ advance: 300_000 });
    expect((await requestBalance(300_000)).status).toBe(401);
    await service.control.changeClock({ advance: 31_000 });
    expect((await requestBalance(331_000)).status).toBe(200);
  });

  test('is rejected with an error code if its nonce is reused', async () => {
    const service = await startService();
    await setBalance(service, 1);
    const { chainId } = runningChain.facts;
    const url = `${service.baseUrl}/chat/completions`;
    const header = await createSignIn({ account: getFirstSigner(), chainId, url });
    const sendChat = () => sendRequestWithHeader(service, '/chat/completions', { header, body });
    expect((await sendChat()).status).toBe(200);
    expect(await (await sendChat()).json()).toMatchObject({ code: 'X402_SIGN_IN_NONCE_REUSED' });
  });

  test('of a wallet with less than $0.10 gets an error with top-up instructions', async () => {
    const service = await startService();
    await setBalance(service, 0.099999);
    const reply = await sendSignedRequest(service, '/chat/completions', { body });
    expect(reply.status).toBe(402);
    expect(await reply.json()).toMatchObject({
      code: 'PAYMENT_REQUIRED',
      reason: 'insufficient_balance',
      currentBalanceUsd: 0.099999,
      minimumBalanceUsd: 0.1,
      minimumTopUpUsd: 5,
      suggestedTopUpUsd: 10,
      topUpInstructions: {
        receiverWallet: runningChain.facts.payTo,
        tokenAddress: runningChain.facts.usdc,
        tokenDecimals: 6,
      },
      siwxChallenge: { info: { domain: new URL(service.baseUrl).host } },
    });
  });

  test('never lets requests make the balance negative', async () => {
    const service = await startService();
    await setBalance(service, 0.1);
    const usage = { prompt_tokens: 0, completion_tokens: 1e7 };
    await service.control.addScripts({ steps: [{ content: 'x' }], usage });
    const reply = await sendSignedRequest(service, '/chat/completions', { body });
    expect(reply.headers.get('x-balance-remaining')).toBe('0.000000');
    expect(await reply.json()).toMatchObject({ cost: { usd: 0.1 } });
  });

  test('is limited to five concurrent requests per wallet', async () => {
    const service = await startService();
    await setBalance(service, 1);
    const steps = [{ content: 'x' }, { hold: 'go' }];
    await service.control.addScripts({ steps, times: 5 });
    const replyPromises = Array.from({ length: 5 }, () =>
      sendSignedRequest(service, '/chat/completions', {
        body: createChatRequest('Hi', { stream: true }),
      }),
    );
    const replies = await Promise.all(replyPromises);
    const sixthReply = await sendSignedRequest(service, '/chat/completions', { body });
    expect(sixthReply.status).toBe(429);
    expect(await sixthReply.json()).toMatchObject({ code: 'X402_CONCURRENCY_LIMIT' });
    await service.control.releasePause('go');
    await Promise.all(replies.map((reply) => reply.text()));
    await expect
      .poll(async () => (await sendSignedRequest(service, '/chat/completions', { body })).status)
      .toBe(200);
  });

  test('is required on inference routes, which reject payment headers', async () => {
    const service = await startService();
    const headers = { 'payment-signature': 'x' };
    const reply = await postJson(service, { path: '/chat/completions', body }, { headers });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ code: 'PAYMENT_HEADER_NOT_ACCEPTED' });
  });

  test('is rejected on routes that accept API keys only', async () => {
    const service = await startService();
    const reply = await sendSignedRequest(service, '/api_keys/rate_limits');
    expect(reply.status).toBe(401);
  });

  test('gives access to a wallet balance that no API key can spend', async () => {
    const service = await startService();
    await setBalance(service, 5);
    const initialAccount = (await service.control.getAccounts()).accounts.find(
      ({ id }) => id === 'main',
    );
    expect((await postJson(service, { path: '/chat/completions', body })).status).toBe(200);
    const { accounts } = await service.control.getAccounts();
    const getUsdBalance = (idPrefix: string) =>
      accounts.find(({ id }) => id.startsWith(idPrefix))?.usd;
    expect(getUsdBalance('x402:')).toBe(5_000_000);
    expect(getUsdBalance('main')).toBe(initialAccount?.usd);
  });
});

describe('the data of a wallet', () => {
  test('contains the balance and the payment history', async () => {
    const service = await startService();
    await sendPayment(service);
    await sendSignedRequest(service, '/chat/completions', { body: createChatRequest('Hi') });
    const wallet = getFirstSigner().address;
    const balance = (await (
      await sendSignedRequest(service, `/x402/balance/${wallet}`)
    ).json()) as {
      data: { balanceUsd: number };
    };
    expect(balance).toEqual({
      success: true,
      data: {
        walletAddress: wallet.toLowerCase(),
        balanceUsd: expect.any(Number),
        canConsume: true,
        minimumTopUpUsd: 5,
        suggestedTopUpUsd: 10,
      },
    });
    const { balanceUsd } = balance.data;
    const historyReply = await sendSignedRequest(service, `/x402/transactions/${wallet}`);
    expect(await historyReply.json()).toEqual({
      success: true,
      data: {
        walletAddress: wallet.toLowerCase(),
        currentBalance: balanceUsd,
        transactions: [
          {
            id: 'charge-1',
            amount: expect.closeTo(balanceUsd - 5, 6),
            balanceAfter: balanceUsd,
            type: 'CHARGE',
            createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
            requestId: null,
            modelId: 'assistant-large-480b',
          },
          expect.objectContaining({ amount: 5, balanceAfter: 5, type: 'TOP_UP', modelId: null }),
        ],
        pagination: { limit: 50, offset: 0, hasMore: false },
      },
    });
  });

  test('contains the payment history in pages', async () => {
    const service = await startService();
    for (let count = 0; count < 3; count++) await sendPayment(service);
    const requestPage = async (query: string) => {
      const path = `/x402/transactions/${getFirstSigner().address}?${query}`;
      const reply = (await (await sendSignedRequest(service, path)).json()) as {
        data: { transactions: { balanceAfter: number }[]; pagination: { hasMore: boolean } };
      };
      const { transactions, pagination } = reply.data;
      return [transactions.map(({ balanceAfter }) => balanceAfter), pagination.hasMore];
    };
    expect(await requestPage('limit=2')).toEqual([[15, 10], true]);
    expect(await requestPage('limit=2&offset=2')).toEqual([[5], false]);
    const rejectedReply = await sendSignedRequest(
      service,
      `/x402/transactions/${getFirstSigner().address}?limit=101`,
    );
    expect(rejectedReply.status).toBe(400);
  });

  test('is returned only after a sign-in with the same wallet', async () => {
    const service = await startService();
    const path = `/x402/balance/${getFirstSigner().address}`;
    const anonymousReply = await fetch(`${service.baseUrl}${path}`);
    expect(anonymousReply.status).toBe(402);
    expect(await anonymousReply.json()).toMatchObject({ accepts: [] });
    const otherReply = await sendSignedRequest(service, path, {
      account: createSigner(runningChain.facts, 2),
    });
    expect(otherReply.status).toBe(403);
    expect(await otherReply.json()).toEqual({
      error: 'You can only access balance for your own wallet',
    });
    const rejectedReply = await sendSignedRequest(service, path, {
      message: { domain: 'evil.example' },
    });
    expect(rejectedReply.status).toBe(401);
    expect(await rejectedReply.json()).toEqual({ error: 'Invalid Sign-in-with-x signature' });
    expect((await fetch(`${service.baseUrl}/x402/balance/bob`)).status).toBe(400);
  });
});

test('a request without credentials gets the payment requirements for the running chain', async () => {
  const service = await startService();
  const reply = await fetch(`${service.baseUrl}/chat/completions`, { method: 'POST' });
  expect(reply.status).toBe(402);
  expect(await reply.json()).toMatchObject({
    accepts: [
      {
        network: 'eip155:31337',
        amount: '10000000',
        asset: runningChain.facts.usdc,
        payTo: runningChain.facts.payTo,
      },
    ],
    extensions: {
      'sign-in-with-x': { supportedChains: [{ chainId: 'eip155:31337', type: 'eip191' }, {}] },
    },
  });
});
