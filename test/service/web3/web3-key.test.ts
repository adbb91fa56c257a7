import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  zeroHash,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serializeErc6492Signature } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../chain/start-chain.ts';
import type { Control } from '../control.ts';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

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

type Service = LocalService & { readonly control: Control };
const startService = (): Promise<Service> => startTestService({ chain: runningChain });

/** Returns the account with the total stake on the chain, which is 100 tokens. */
const getStaker = () => privateKeyToAccount(runningChain.facts.accounts[4]!.privateKey);
const getNonStaker = () => privateKeyToAccount(runningChain.facts.accounts[5]!.privateKey);

const mintPath = '/api_keys/generate_web3_key';

async function getToken(service: LocalService): Promise<string> {
  const reply = await fetch(service.baseUrl + mintPath);
  expect(reply.status).toBe(200);
  return ((await reply.json()) as { token: string }).token;
}

async function postKey(service: LocalService, body: unknown) {
  const reply = await fetch(service.baseUrl + mintPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: await reply.json() };
}

/** Creates a valid request body for a key. `overrides` replaces fields. */
async function createValidBody(
  service: LocalService,
  overrides: object = {},
  account = getStaker(),
) {
  const token = await getToken(service);
  const signature = await account.signMessage({ message: token });
  return { address: account.address, signature, token, apiKeyType: 'INFERENCE', ...overrides };
}

async function mintKey(service: LocalService, overrides: object = {}) {
  const mintedKey = await postKey(service, await createValidBody(service, overrides));
  expect(mintedKey.status).toBe(200);
  return mintedKey.body.data;
}

async function countKeys({ control }: Service): Promise<number> {
  // Two of the keys exist at the start of the service.
  return (await control.getAccounts()).keys.length - 2;
}

describe('the token for the wallet to sign', () => {
  test('is a JWT that is valid for 15 minutes, and is in the reply both at the top level and in `data`', async () => {
    const service = await startService();
    const reply = await fetch(service.baseUrl + mintPath);
    const body = (await reply.json()) as { token: string };
    expect(body).toEqual({ success: true, token: body.token, data: { token: body.token } });
    expect(decodeProtectedHeader(body.token)).toEqual({ alg: 'ES256', typ: 'JWT' });
    const claims = decodeJwt(body.token);
    expect(claims).toEqual({
      iss: 'inference-service',
      aud: 'web3-api-key',
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 900,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await getToken(service)).not.toBe(body.token);
  });

  test.each([
    ['2027-03-01T12:10:00.000Z', 10],
    ['2027-03-01T11:50:00.000Z', -10],
  ])(
    'contains the time of the service clock, as the Date header does, if the clock is set to %s',
    async (clockTime) => {
      const service = await startService();
      await service.control.changeClock({ set: clockTime });
      const reply = await fetch(service.baseUrl + mintPath);
      const { token } = (await reply.json()) as { token: string };
      const computeClockDifference = (time: number): number =>
        Math.abs(time - Date.parse(clockTime));
      expect(computeClockDifference(Date.parse(reply.headers.get('date')!))).toBeLessThan(60_000);
      expect(computeClockDifference((decodeJwt(token).iat ?? 0) * 1000)).toBeLessThan(60_000);
    },
  );
});

describe('a wallet with a stake', () => {
  test('gets a key, whose secret is in one reply only, both at the top level and in `data`', async () => {
    const service = await startService();
    const expiresAt = '2099-01-01';
    const limits = {
      apiKeyType: 'ADMIN',
      description: 'From a test',
      expiresAt,
      consumptionLimit: { usd: 5, vcu: 2 },
      limitPeriod: 'MONTH',
      modelPrivacy: 'PRIVATE_ONLY',
    };
    const { status, body } = await postKey(service, await createValidBody(service, limits));
    expect(status).toBe(200);
    const data = {
      id: expect.any(String),
      apiKey: expect.stringMatching(/^SERVICE_ADMIN_KEY_[A-Za-z0-9]{43}$/),
      apiKeyType: 'ADMIN',
      description: 'From a test',
      expiresAt: '2099-01-01T00:00:00.000Z',
      consumptionLimit: { usd: 5, diem: 2, vcu: 2 },
      limitPeriod: 'MONTH',
      modelPrivacy: 'PRIVATE_ONLY',
    };
    expect(body.data).toEqual(data);
    expect(body).toEqual({ success: true, data: body.data, ...body.data });
    const accountsJson = JSON.stringify(await service.control.getAccounts());
    expect(accountsJson).not.toContain(body.apiKey);
    const reply = await fetch(`${service.baseUrl}/api_keys`, {
      headers: { authorization: `Bearer ${body.apiKey}` },
    });
    expect((await reply.json()).data).toMatchObject([{ id: body.id, description: 'From a test' }]);
  });

  test('gets a key without limit and expiry by default', async () => {
    const service = await startService();
    expect(await mintKey(service)).toMatchObject({
      description: 'Web3 API Key',
      expiresAt: null,
      consumptionLimit: { usd: null, diem: null, vcu: null },
      limitPeriod: 'LIFETIME',
      modelPrivacy: 'ALL',
    });
  });

  test('can send its address in lower or upper case', async () => {
    const service = await startService();
    const { address } = getStaker();
    for (const addressForm of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      await mintKey(service, { address: addressForm });
    }
    const { accounts } = await service.control.getAccounts();
    expect(accounts.map(({ id }) => id)).toEqual(['main', address.toLowerCase()]);
  });

  test.each([
    ['without an envelope', 'bare'],
    ['in an envelope', 'enveloped'],
  ] as const)('gets the reply %s if configured', async (_, shape) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ shape });
    const getData = (body: Record<string, unknown>): unknown =>
      shape === 'bare' ? body : body['data'];
    const tokenReply = await (await fetch(service.baseUrl + mintPath)).json();
    const { token } = getData(tokenReply) as { token: string };
    expect(tokenReply).toEqual(shape === 'bare' ? { token } : { success: true, data: { token } });
    const signature = await getStaker().signMessage({ message: token });
    const body = { address: getStaker().address, signature, token, apiKeyType: 'INFERENCE' };
    const mintedKey = (await postKey(service, body)).body;
    expect(getData(mintedKey)).toMatchObject({ apiKey: expect.any(String) });
    expect('data' in mintedKey).toBe(shape === 'enveloped');
    expect('apiKey' in mintedKey).toBe(shape === 'bare');
  });

  test('can reuse a token, unless the service is configured for one key per token', async () => {
    const service = await startService();
    const body = await createValidBody(service);
    expect((await postKey(service, body)).status).toBe(200);
    expect((await postKey(service, body)).status).toBe(200);
    await service.control.changeWeb3Settings({ oneKeyPerToken: true });
    const secondBody = await createValidBody(service);
    const replies = await Promise.all([postKey(service, secondBody), postKey(service, secondBody)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect((await postKey(service, secondBody)).body).toEqual({
      error: 'JWT has already been used',
    });
    expect(await countKeys(service)).toBe(3);
  });

  test('gets at most 20 keys a minute, even with concurrent requests', async () => {
    const service = await startService();
    const body = await createValidBody(service);
    const replies = await Promise.all(Array.from({ length: 30 }, () => postKey(service, body)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
    expect(await countKeys(service)).toBe(20);
  });
});

const accountAbi = parseAbi([
  'function create(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
]);
const stakeAbi = parseAbi(['function stake(address recipient, uint256 amount)']);
const approveAbi = parseAbi(['function approve(address spender, uint256 amount)']);

/** Stakes tokens for `recipient`. The first account that has tokens pays them, but the recipient owns the stake. */
async function stakeFor(recipient: Address, amount: bigint): Promise<void> {
  const { token, stakingContract, accounts } = runningChain.facts;
  const account = privateKeyToAccount(accounts[1]!.privateKey);
  const walletClient = createWalletClient({ account, transport: http(runningChain.rpcUrl) });
  const sendTransaction = (to: Address, data: Hex): Promise<Hex> =>
    walletClient.sendTransaction({ to, data, chain: null });
  const approvalCall = { abi: approveAbi, args: [stakingContract, amount] } as const;
  await sendTransaction(token, encodeFunctionData(approvalCall));
  await sendTransaction(
    stakingContract,
    encodeFunctionData({ abi: stakeAbi, args: [recipient, amount] }),
  );
}

describe('a contract wallet', () => {
  const getOwner = () => getNonStaker();
  const getFactory = () => runningChain.facts.variants.accountFactory;

  async function computeContractAddress(): Promise<Address> {
    const client = createPublicClient({ transport: http(runningChain.rpcUrl) });
    const args = [getOwner().address, zeroHash] as const;
    return client.readContract({
      address: getFactory(),
      abi: accountAbi,
      functionName: 'addressOf',
      args,
    });
  }

  async function deployContract(): Promise<void> {
    const wallet = createWalletClient({
      account: getOwner(),
      transport: http(runningChain.rpcUrl),
    });
    const data = encodeFunctionData({
      abi: accountAbi,
      functionName: 'create',
      args: [getOwner().address, zeroHash],
    });
    await wallet.sendTransaction({ to: getFactory(), data, chain: null });
  }

  async function createContractBody(service: LocalService, ownerAccount = getOwner()) {
    const address = await computeContractAddress();
    await stakeFor(address, 10n ** 18n);
    return createValidBody(service, { address }, ownerAccount);
  }

  test('mints a key if it is deployed (EIP-1271)', async () => {
    const service = await startService();
    await deployContract();
    expect((await postKey(service, await createContractBody(service))).status).toBe(200);
    const foreignReply = await postKey(service, await createContractBody(service, getStaker()));
    expect(foreignReply.body).toEqual({ error: 'Wallet signature does not match' });
  });

  test('mints a key before it is deployed (ERC-6492)', async () => {
    const service = await startService();
    const body = await createContractBody(service);
    const unwrappedReply = await postKey(service, body);
    expect(unwrappedReply.body).toEqual({ error: 'Wallet signature does not match' });
    const data = encodeFunctionData({
      abi: accountAbi,
      functionName: 'create',
      args: [getOwner().address, zeroHash],
    });
    const signature = serializeErc6492Signature({
      address: getFactory(),
      data,
      signature: body.signature,
    });
    expect((await postKey(service, { ...body, signature })).status).toBe(200);
  });

  test('can send its signature again if the chain was unreachable', async () => {
    const service = await startService();
    await deployContract();
    const body = await createContractBody(service);
    await service.control.changeWeb3Settings({ rpcFailures: 1 });
    const rejectedReply = await postKey(service, body);
    expect(rejectedReply.body).toEqual({ error: 'Could not verify wallet signature' });
    expect((await postKey(service, body)).status).toBe(200);
  });
});

describe('a minting request', () => {
  const zeroSignature = `0x${'00'.repeat(65)}`;
  const swapCase = (address: string): string =>
    address.replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );

  async function signToken(service: LocalService, token: string) {
    const signature = await getStaker().signMessage({ message: token });
    return createValidBody(service, { token, signature });
  }

  type CreateBody = (service: Service) => Promise<object>;
  const invalidRequests: readonly (readonly [string, string, CreateBody])[] = [
    [
      'an invalid address',
      'Invalid wallet address',
      (service) => createValidBody(service, { address: '0x12' }),
    ],
    [
      'an empty address',
      'Invalid wallet address',
      (service) => createValidBody(service, { address: '' }),
    ],
    [
      'a name as address',
      'Invalid wallet address',
      (service) => createValidBody(service, { address: 'me.eth' }),
    ],
    [
      'a wrong checksum',
      'Invalid wallet address',
      (service) => createValidBody(service, { address: swapCase(getStaker().address) }),
    ],
    ['a token that is not a JWT', 'JWT is malformed', (service) => signToken(service, 'not-a-jwt')],
    ['an empty token', 'JWT is malformed', (service) => signToken(service, '')],
    ['a token of two parts', 'JWT is malformed', (service) => signToken(service, 'a.b')],
    [
      'a token of three invalid parts',
      'JWT is malformed',
      (service) => signToken(service, 'a.b.c'),
    ],
    [
      'a line break after the token',
      'JWT is malformed',
      async (service) => signToken(service, `${await getToken(service)}\n`),
    ],
    [
      'changed claims',
      'JWT signature is invalid',
      async (service) => {
        const [header, , tokenSignature] = (await getToken(service)).split('.');
        const claims = Buffer.from('{"iss":"me"}').toString('base64url');
        return signToken(service, `${header}.${claims}.${tokenSignature}`);
      },
    ],
    [
      'a token of another service',
      'JWT signature is invalid',
      async (service) => {
        const { privateKey } = await generateKeyPair('ES256');
        const claims = decodeJwt(await getToken(service));
        const token = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256' })
          .sign(privateKey);
        return signToken(service, token);
      },
    ],
    [
      'an unsigned token',
      'JWT signature is invalid',
      async (service) =>
        signToken(service, new UnsecuredJWT(decodeJwt(await getToken(service))).encode()),
    ],
    [
      'a token signed with a shared secret',
      'JWT signature is invalid',
      async (service) => {
        const claims = decodeJwt(await getToken(service));
        const token = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new Uint8Array(32));
        return signToken(service, token);
      },
    ],
    [
      'a token of another issuer',
      'JWT claims are invalid',
      async (service) => {
        await service.control.changeWeb3Settings({ token: 'foreign' });
        return createValidBody(service);
      },
    ],
    [
      'a token of 15 minutes ago',
      'JWT has expired',
      async (service) => {
        const body = await createValidBody(service);
        await service.control.changeClock({ advance: 15 * 60_000 });
        return body;
      },
    ],
    [
      'no signature',
      'Wallet signature does not match',
      (service) => createValidBody(service, { signature: '' }),
    ],
    [
      'a signature of half a byte',
      'Wallet signature does not match',
      (service) => createValidBody(service, { signature: '0x1' }),
    ],
    [
      'a signature of zeros',
      'Wallet signature does not match',
      (service) => createValidBody(service, { signature: zeroSignature }),
    ],
    [
      'a very long signature',
      'Wallet signature does not match',
      (service) => createValidBody(service, { signature: `0x${'ab'.repeat(20_000)}` }),
    ],
    [
      'the signature of another wallet',
      'Wallet signature does not match',
      async (service) => ({
        ...(await createValidBody(service, {}, getNonStaker())),
        address: getStaker().address,
      }),
    ],
    [
      'a signature of another text',
      'Wallet signature does not match',
      async (service) => createValidBody(service, { token: await getToken(service) }),
    ],
    [
      'no stake',
      'Wallet has no staked STK on Local Chain',
      (service) => createValidBody(service, {}, getNonStaker()),
    ],
  ];

  test.each(invalidRequests)(
    'with %s is rejected with the error "%s"',
    async (_, error, createBody) => {
      const service = await startService();
      const body = await createBody(service);
      expect(await postKey(service, body)).toEqual({ status: 400, body: { error } });
      expect(await countKeys(service)).toBe(0);
    },
  );

  test('is accepted with a token just before the end of its 15 minutes', async () => {
    const service = await startService();
    await service.control.changeClock({ set: new Date().toISOString() });
    const body = await createValidBody(service);
    await service.control.changeClock({ advance: 15 * 60_000 - 5000 });
    expect((await postKey(service, body)).status).toBe(200);
  });

  test.each([
    ['no address', { address: undefined }, 'Required'],
    ['a number as the address', { address: 5 }, 'Expected string, received number'],
    ['no signature', { signature: undefined }, 'Required'],
    ['null as the token', { token: null }, 'Expected string, received null'],
    [
      'an unknown key type',
      { apiKeyType: 'USER' },
      "Expected 'INFERENCE' | 'ADMIN', received 'USER'",
    ],
    ['no key type', { apiKeyType: undefined }, 'Required'],
    ['a description of 65 characters', { description: 'x'.repeat(65) }, 'at most 64 character(s)'],
    ['an expiry in the past', { expiresAt: '2020-01-01' }, 'Expiry must be in the future'],
    [
      'a text as a spending limit',
      { consumptionLimit: { usd: '5' } },
      'Expected number, received string',
    ],
    ['an unknown field', { chainId: 1 }, "Unrecognized key(s) in object: 'chainId'"],
  ])('is rejected if it contains %s', async (_, overrides, message) => {
    const service = await startService();
    const { status, body } = await postKey(service, await createValidBody(service, overrides));
    expect(status).toBe(400);
    expect(body.error).toBe('Invalid request parameters');
    expect(body.issues).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  test('with several errors is rejected with the error that comes first in a fixed order', async () => {
    const service = await startService();
    const { control } = service;
    let body: Record<string, unknown> = {
      address: 'x',
      signature: zeroSignature,
      token: 'x',
      apiKeyType: 'ROOT',
    };
    const sendAndCorrectBody = async (correctedFields: object): Promise<string> => {
      const reply = await postKey(service, body);
      body = { ...body, ...correctedFields };
      return reply.body.error;
    };
    const [header, claims, tokenSignature = ''] = (await getToken(service)).split('.');
    const changedCharacter = tokenSignature[5] === 'A' ? 'B' : 'A';
    const forgedToken = [
      header,
      claims,
      tokenSignature.slice(0, 5) + changedCharacter + tokenSignature.slice(6),
    ].join('.');
    await control.changeWeb3Settings({ token: 'foreign' });
    const foreignToken = await getToken(service);
    await control.changeWeb3Settings({ token: 'expired' });
    const expiredToken = await getToken(service);
    const validToken = await getToken(service);
    const signature = await getNonStaker().signMessage({ message: validToken });
    expect([
      await sendAndCorrectBody({ apiKeyType: 'INFERENCE' }),
      await sendAndCorrectBody({ address: getNonStaker().address }),
      await sendAndCorrectBody({ token: forgedToken }),
      await sendAndCorrectBody({ token: foreignToken }),
      await sendAndCorrectBody({ token: expiredToken }),
      await sendAndCorrectBody({ token: validToken }),
      await sendAndCorrectBody({ signature }),
      await sendAndCorrectBody({}),
    ]).toEqual([
      'Invalid request parameters',
      'Invalid wallet address',
      'JWT is malformed',
      'JWT signature is invalid',
      'JWT claims are invalid',
      'JWT has expired',
      'Wallet signature does not match',
      'Wallet has no staked STK on Local Chain',
    ]);
  });

  test('is rejected as unverifiable if the chain is unreachable', async () => {
    await using otherChain = await startChain();
    const service = await startTestService({ chain: otherChain });
    const body = await createValidBody(service);
    await otherChain.stop();
    const error = 'Could not verify wallet signature';
    expect(await postKey(service, body)).toEqual({ status: 400, body: { error } });
  });

  test('is rejected because of a missing chain only after the token was checked', async () => {
    const service = await startTestService();
    const malformedReply = await postKey(service, await createValidBody(service, { token: 'x' }));
    expect(malformedReply.body).toEqual({ error: 'JWT is malformed' });
    const { status, body } = await postKey(service, await createValidBody(service));
    expect(status).toBe(503);
    expect(body).toEqual({ error: 'No chain is connected to this service' });
  });

  test('is rejected with an unsupported content type', async () => {
    const service = await startService();
    const reply = await fetch(service.baseUrl + mintPath, { method: 'POST', body: 'x' });
    expect(reply.status).toBe(415);
  });
});

describe('the funding of a minted key', () => {
  const midnight = '2026-11-21T00:00:00Z';

  async function sendChat(service: LocalService, key: string): Promise<number> {
    return (await postChat(service, createChatRequest('Hi'), { key })).status;
  }

  async function readSpendable(
    { control }: Service,
    wallet = getStaker().address,
  ): Promise<number> {
    const { accounts } = await control.getAccounts();
    return accounts.find(({ id }) => id === wallet.toLowerCase())!.spendable.diem;
  }

  test('starts at the next 00:00 UTC, even though the key is valid immediately', async () => {
    const service = await startService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T23:50:00Z' });
    const { apiKey } = await mintKey(service);
    const rateLimitsReply = await fetch(`${service.baseUrl}/api_keys/rate_limits`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect((await rateLimitsReply.json()).data).toMatchObject({
      accessPermitted: false,
      balances: { USD: 0, DIEM: 0, BUNDLED_CREDITS: 0 },
      nextEpochBegins: '2026-11-21T00:00:00.000Z',
    });
    expect(await sendChat(service, apiKey)).toBe(402);
    await control.changeClock({ set: midnight });
    expect(await sendChat(service, apiKey)).toBe(200);
  });

  test('is immediate if configured, or after a deposit', async () => {
    const service = await startService();
    await service.control.changeWeb3Settings({ firstAllocation: 'at-once' });
    const { apiKey } = await mintKey(service);
    expect(await sendChat(service, apiKey)).toBe(200);
    const otherService = await startService();
    const secondKey = (await mintKey(otherService)).apiKey;
    await otherService.control.changeAccount({ id: getStaker().address, usd: 1 });
    expect(await sendChat(otherService, secondKey)).toBe(200);
  });

  test("depends on the wallet's share of the staking pool at 00:00 UTC", async () => {
    const service = await startService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T23:50:00Z' });
    await control.changeWeb3Settings({ dailyDiem: 40 });
    await mintKey(service);
    expect(await readSpendable(service)).toBe(0);
    await control.changeClock({ set: midnight });
    expect(await readSpendable(service)).toBe(40_000_000);
    await stakeFor(getNonStaker().address, 300n * 10n ** 18n);
    expect(await readSpendable(service)).toBe(40_000_000);
    await control.changeClock({ set: '2026-11-22T00:00:00Z' });
    expect(await readSpendable(service)).toBe(10_000_000);
  });

  test.each([
    ['can', 'exactly 0.1 tokens', 10n ** 17n, true],
    ['cannot', 'less than 0.1 tokens', 10n ** 17n - 1n, false],
  ])('%s be spent if the stake is %s', async (_verb, _stake, amount, canSpend) => {
    const service = await startService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T23:50:00Z' });
    await stakeFor(getNonStaker().address, amount);
    const mintedKey = await postKey(service, await createValidBody(service, {}, getNonStaker()));
    expect(mintedKey.status).toBe(200);
    await control.changeClock({ set: midnight });
    expect((await readSpendable(service, getNonStaker().address)) > 0).toBe(canSpend);
    expect(await sendChat(service, mintedKey.body.apiKey)).toBe(canSpend ? 200 : 402);
  });

  test('is zero while the chain is unreachable, and is restored afterwards', async () => {
    const service = await startService();
    const { control } = service;
    await control.changeClock({ set: '2026-11-20T23:50:00Z' });
    const { apiKey } = await mintKey(service);
    await control.changeClock({ set: midnight });
    await control.changeWeb3Settings({ rpcFailures: 3 });
    expect(await sendChat(service, apiKey)).toBe(402);
    expect(await sendChat(service, apiKey)).toBe(200);
  });

  test('is shared by all keys of one wallet', async () => {
    const service = await startService();
    await service.control.changeAccount({ id: getStaker().address, usd: 0.001 });
    const [firstKey, secondKey] = [await mintKey(service), await mintKey(service)];
    expect(await sendChat(service, firstKey.apiKey)).toBe(200);
    expect(await sendChat(service, secondKey.apiKey)).toBe(402);
  });
});

describe('the minting endpoints with a configured fault', () => {
  test.each([
    [
      'a sign-in sentence',
      'sign-in-sentence',
      /^evil\.example wants you to sign in with your Ethereum account:\n0x/,
    ],
    ['a digest', 'digest', /^0x[0-9a-f]{64}$/],
    ['typed data', 'typed-data', /^\{"types":/],
    ['a token with a newline', 'newline', /^[\w-]+\.[\w-]+\.[\w-]+\n/],
    ['a token without a signature', 'alg-none', /^[\w-]+\.[\w-]+\.$/],
    ['a token of a million characters', 'huge', /^.{1000000,}$/],
  ] as const)(
    'return %s in place of a valid token to one request',
    async (_, token, tokenPattern) => {
      const service = await startService();
      await service.control.changeWeb3Settings({ token });
      expect(await getToken(service)).toMatch(tokenPattern);
      expect(await getToken(service)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    },
  );

  test.each([
    ['is expired', 'expired', (age: number) => age < 0],
    ['is valid for more than an hour', 'long-life', (age: number) => age > 3600],
  ] as const)('return a token that %s', async (_, token, isExpectedAge) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ token });
    const { exp = 0 } = decodeJwt(await getToken(service));
    expect(isExpectedAge(exp - Date.now() / 1000)).toBe(true);
  });

  test.each([
    ['an object in place of the token', 'not-a-string', { jwt: expect.any(String) }],
    ['no token', 'missing', undefined],
    ['the configured text in place of the token', { text: 'as I like it' }, 'as I like it'],
  ] as const)('return %s', async (_, tokenFault, token) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ token: tokenFault });
    const body = await (await fetch(service.baseUrl + mintPath)).json();
    expect(body.token).toEqual(token);
    expect(body.data.token).toEqual(token);
  });

  test.each([
    ['no key', 'missing', (key: unknown) => key === undefined],
    [
      'a key with invalid characters',
      'malformed',
      (key: unknown) => /[\s\u202e]/.test(String(key)),
    ],
    ['a key that is too long', 'too-long', (key: unknown) => String(key).length > 100_000],
    ['a key with a line break', 'newline', (key: unknown) => String(key).includes('\r\n')],
    ['an object in place of the key', 'not-a-string', (key: unknown) => typeof key === 'object'],
  ] as const)('mint a key, but return %s to one request', async (_, key, isExpectedKey) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ key });
    const { status, body } = await postKey(service, await createValidBody(service));
    expect(status).toBe(200);
    expect([isExpectedKey(body.apiKey), isExpectedKey(body.data.apiKey)]).toEqual([true, true]);
    expect(await countKeys(service)).toBe(1);
    expect((await mintKey(service)).apiKey).toMatch(/^SERVICE_INFERENCE_KEY_/);
  });

  test.each([
    ['invalid-address', 'Invalid wallet address'],
    ['token-expired', 'JWT has expired'],
    ['token-signature', 'JWT signature is invalid'],
    ['token-claims', 'JWT claims are invalid'],
    ['token-malformed', 'JWT is malformed'],
    ['wrong-signature', 'Wallet signature does not match'],
    ['signature-unverified', 'Could not verify wallet signature'],
    ['no-stake', 'Wallet has no staked STK on Local Chain'],
  ] as const)('reject one request for the reason "%s", and mint no key', async (refusal, error) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ refusal });
    const body = await createValidBody(service);
    expect(await postKey(service, body)).toEqual({ status: 400, body: { error } });
    expect(await countKeys(service)).toBe(0);
    expect((await postKey(service, body)).status).toBe(200);
  });

  test('mint a key, and reset the connection without a reply', async () => {
    const service = await startService();
    await service.control.changeWeb3Settings({ loseReply: true });
    await expect(postKey(service, await createValidBody(service))).rejects.toThrow('fetch failed');
    expect(await countKeys(service)).toBe(1);
    const recordedRequest = await service.control.waitForRequest(
      ({ method, closedAt }) => method === 'POST' && closedAt !== undefined,
    );
    expect(recordedRequest.abortedByClient).toBe(false);
    await mintKey(service);
  });

  test('behave normally after a reset of the service', async () => {
    const service = await startService();
    const { control } = service;
    await mintKey(service);
    await control.changeWeb3Settings({
      token: 'digest',
      shape: 'bare',
      rpcFailures: 5,
      refusal: 'no-stake',
    });
    await control.reset();
    expect(await countKeys(service)).toBe(0);
    await mintKey(service);
  });

  test('cannot be configured with unknown faults', async () => {
    const { control } = await startService();
    await expect(control.changeWeb3Settings({ token: 'nice' as 'digest' })).rejects.toThrow(
      'POST /web3',
    );
    await expect(control.changeWeb3Settings({ key2: 'x' } as object)).rejects.toThrow('POST /web3');
  });
});
