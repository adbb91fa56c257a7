import { createPublicClient, createWalletClient, encodeFunctionData, http, parseAbi } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { serializeErc6492Signature } from 'viem/utils';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createStakingChain } from '../../../test/service/chain/chain-facts.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import {
  createChatRequest,
  postChat,
  startTestService,
} from '../../../test/service/test-service.ts';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { createDirectTransport } from '../../service/http/direct-transport.ts';
import type { MintProblem } from '../../service/web3-key.ts';
import { createChainClient } from '../chain-client.ts';
import type { Address, Hex } from '../chain.ts';
import { type MintRequest, type MintEntry, mintKey } from './mint.ts';

let runningChain: RunningChain;
let snapshotId: string;
beforeAll(async () => {
  runningChain = await startChain();
}, 60_000);
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
});
afterEach(() => runningChain.revertToSnapshot(snapshotId));
afterAll(() => runningChain.stop());

const getAccount = (index: number): PrivateKeyAccount =>
  privateKeyToAccount(runningChain.facts.accounts[index]!.privateKey);
/** Returns an account that has a stake. */
const getStaker = () => getAccount(4);
const getAccountWithoutStake = () => getAccount(5);

const startService = () => startTestService({ chain: runningChain });
type Service = Awaited<ReturnType<typeof startService>>;

interface TestWallet {
  readonly address: Address;
  readonly sign: (text: string) => Promise<Hex>;
}

const createWallet = (account: PrivateKeyAccount): TestWallet => ({
  address: account.address,
  sign: (message) => account.signMessage({ message }),
});

/** Function that changes a request body before the body reaches the service. */
type TamperBody = (body: Record<string, unknown>) => Record<string, unknown>;

interface MintChanges {
  readonly wallet?: TestWallet;
  readonly tamperBody?: TamperBody;
  readonly extraRequestFields?: Partial<MintRequest>;
}

function mintKeyAt(
  service: Service,
  { wallet = createWallet(getStaker()), tamperBody, extraRequestFields }: MintChanges = {},
) {
  const signedTexts: string[] = [];
  const journal = new Set<MintEntry>();
  const mint: MintRequest = {
    signer: {
      kind: 'private-key',
      address: wallet.address,
      signMessage: ({ text }) => {
        signedTexts.push(text);
        return wallet.sign(text);
      },
      sendTransaction: () => Promise.reject(new Error('Minting sends no transaction.')),
    },
    options: { type: 'INFERENCE', description: 'Test', consumptionLimit: { usd: 5 } },
    signal: new AbortController().signal,
    service: createContext(service, tamperBody),
    chainClient: createChainClient(createStakingChain(runningChain.facts)),
    journal: {
      storeEntry: async (entry) => void journal.add(entry),
      removeEntry: async (entry) => void journal.delete(entry),
    },
    createReview: () => ({ purpose: '', rows: [], warnings: [] }),
    ...extraRequestFields,
  };
  return { newKeyPromise: mintKey(mint), signedTexts, journal };
}

function createContext(
  { baseUrl }: Service,
  tamperBody: TamperBody = (body) => body,
): ServiceContext {
  const transport = createDirectTransport();
  return {
    getEndpoint: async () => ({ baseUrl: new URL(baseUrl), vendorPrefix: 'service' }),
    getTransport: async () => ({
      send: ({ body, ...request }) =>
        transport.send(
          typeof body === 'string'
            ? { ...request, body: JSON.stringify(tamperBody(JSON.parse(body))) }
            : request,
        ),
      close: () => transport.close(),
    }),
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  };
}

async function countKeys({ control }: Service): Promise<number> {
  // The service has two keys before the test.
  return (await control.getAccounts()).keys.length - 2;
}

test('mintKey mints a key for an account with a stake, and the key authorizes a chat request', async () => {
  const service = await startService();
  await service.control.changeWeb3Settings({ firstAllocation: 'at-once' });
  const { newKeyPromise, signedTexts, journal } = mintKeyAt(service);
  const { apiKey, record } = await newKeyPromise;
  expect(record).toMatchObject({ description: 'Test', consumptionLimit: { usd: 5 } });
  expect((await postChat(service, createChatRequest('Hi'), { key: apiKey })).status).toBe(200);
  expect(signedTexts).toHaveLength(1);
  expect(journal.size).toBe(0);
});

test.each(['bare', 'enveloped'] as const)(
  'mintKey accepts a response body whose key record is %s',
  async (shape) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ shape });
    expect((await mintKeyAt(service).newKeyPromise).apiKey).toMatch(/^SERVICE_INFERENCE_KEY_/);
  },
);

describe('a request that the service rejects', () => {
  const causes: readonly (readonly [MintProblem, number, (service: Service) => MintChanges])[] = [
    ['invalid-address', 1, () => ({ tamperBody: (body) => ({ ...body, address: '0x12' }) })],
    ['token-expired', 2, (service) => ({ wallet: createSlowWallet(service) })],
    [
      'token-signature',
      2,
      () => ({ tamperBody: (body) => ({ ...body, token: forgeToken(body) }) }),
    ],
    ['token-malformed', 2, () => ({ tamperBody: (body) => ({ ...body, token: 'x' }) })],
    [
      'wrong-signature',
      1,
      () => ({ tamperBody: (body) => ({ ...body, signature: `0x${'00'.repeat(65)}` }) }),
    ],
    ['no-stake', 1, () => ({ wallet: createWallet(getAccountWithoutStake()) })],
    [
      'invalid-options',
      1,
      () => ({ tamperBody: (body) => ({ ...body, expiresAt: '2020-01-01' }) }),
    ],
  ];

  test.each(causes)(
    'fails with the problem “%s” (number of signatures: %i)',
    async (problem, signatureCount, createChanges) => {
      const service = await startService();
      const { newKeyPromise, signedTexts, journal } = mintKeyAt(service, createChanges(service));
      await expect(newKeyPromise).rejects.toMatchObject({ problem });
      expect(signedTexts).toHaveLength(signatureCount);
      expect(new Set(signedTexts).size).toBe(signatureCount);
      expect(await countKeys(service)).toBe(0);
      expect(journal.size).toBe(0);
    },
  );

  test('fails with the problem `token-claims` if the service rejects the token again after a second signature', async () => {
    const service = await startService();
    const changePromises: Promise<void>[] = [];
    const onProgress: MintRequest['onProgress'] = ({ step }) => {
      if (step === 'sign')
        changePromises.push(service.control.changeWeb3Settings({ token: 'foreign' }));
    };
    await service.control.changeWeb3Settings({ token: 'foreign' });
    const { newKeyPromise, signedTexts } = mintKeyAt(service, {
      wallet: { ...createWallet(getStaker()), sign: createDelayedSign(changePromises) },
      extraRequestFields: { onProgress },
    });
    await expect(newKeyPromise).rejects.toMatchObject({ problem: 'token-claims' });
    expect(signedTexts).toHaveLength(2);
  });

  test('fails with the problem `signature-unverified` after one signature and five requests', async () => {
    const service = await startService();
    await service.control.changeWeb3Settings({ rpcFailures: 100 });
    const { newKeyPromise, signedTexts } = mintKeyAt(service);
    await expect(newKeyPromise).rejects.toMatchObject({ problem: 'signature-unverified' });
    expect(signedTexts).toHaveLength(1);
    const postRequests = (await service.control.getRequests()).filter(
      ({ method }) => method === 'POST',
    );
    expect(postRequests).toHaveLength(5);
  });

  /** Returns a signing function that waits until all promises in `promises` have resolved. */
  const createDelayedSign = (promises: readonly Promise<void>[]) => async (message: string) => {
    await Promise.all(promises);
    return getStaker().signMessage({ message });
  };

  /** Returns a wallet that advances the service clock by 15 minutes before it signs. */
  const createSlowWallet = ({ control }: Service): TestWallet => ({
    address: getStaker().address,
    sign: async (message) => {
      await control.changeClock({ advance: 15 * 60_000 });
      return getStaker().signMessage({ message });
    },
  });

  /** Replaces the claims of a token but keeps its signature. */
  function forgeToken({ token }: Record<string, unknown>): string {
    const [header, , signature] = String(token).split('.');
    return [header, Buffer.from('{"iss":"me"}').toString('base64url'), signature].join('.');
  }
});

describe('a retry', () => {
  test('uses a new token after the service rejects a token of a foreign issuer', async () => {
    const service = await startService();
    await service.control.changeWeb3Settings({ token: 'foreign' });
    const { newKeyPromise, signedTexts } = mintKeyAt(service);
    expect((await newKeyPromise).apiKey).toMatch(/^SERVICE_/);
    expect(signedTexts).toHaveLength(2);
    expect(await countKeys(service)).toBe(1);
  });

  test('uses the same signature if the service failed to query the chain', async () => {
    const service = await startService();
    await service.control.changeWeb3Settings({ rpcFailures: 2 });
    const { newKeyPromise, signedTexts } = mintKeyAt(service);
    expect((await newKeyPromise).apiKey).toMatch(/^SERVICE_/);
    expect(signedTexts).toHaveLength(1);
    expect(await countKeys(service)).toBe(1);
  });
});

test.each([
  ['is a sign-in sentence', 'sign-in-sentence'],
  ['is a digest', 'digest'],
  ['is typed data', 'typed-data'],
  ['has expired', 'expired'],
  ['has a long lifetime', 'long-life'],
  ['has the algorithm “none”', 'alg-none'],
  ['is huge', 'huge'],
  ['contains a newline', 'newline'],
  ['is not a string', 'not-a-string'],
  ['is missing', 'missing'],
] as const)('mintKey requests no signature if the token %s', async (_problem, token) => {
  const service = await startService();
  await service.control.changeWeb3Settings({ token });
  const { newKeyPromise, signedTexts } = mintKeyAt(service);
  await expect(newKeyPromise).rejects.toMatchObject({
    failure: { code: expect.stringMatching(/^(?:unsafe-request|unexpected-response)$/) },
  });
  expect(signedTexts).toEqual([]);
  const postRequests = (await service.control.getRequests()).filter(
    ({ method }) => method === 'POST',
  );
  expect(postRequests).toEqual([]);
});

test.each([
  ['is missing', 'missing'],
  ['is malformed', 'malformed'],
  ['is too long', 'too-long'],
  ['contains a newline', 'newline'],
  ['is not a string', 'not-a-string'],
] as const)(
  'mintKey reports a possibly lost key if the key in the response %s',
  async (_problem, key) => {
    const service = await startService();
    await service.control.changeWeb3Settings({ key });
    const { newKeyPromise, journal } = mintKeyAt(service);
    await expect(newKeyPromise).rejects.toMatchObject({ problem: 'maybe-minted' });
    expect(await countKeys(service)).toBe(1);
    expect(journal.size).toBe(1);
  },
);

test('mintKey sends no second key request if the response is lost', async () => {
  const service = await startService();
  await service.control.changeWeb3Settings({ loseReply: true });
  const { newKeyPromise, journal } = mintKeyAt(service);
  await expect(newKeyPromise).rejects.toMatchObject({ problem: 'maybe-minted' });
  expect(await countKeys(service)).toBe(1);
  expect(journal.size).toBe(1);
});

test.each([
  ['ahead of', 10],
  ['behind', -10],
])(
  'mintKey mints a key if the service clock is 10 minutes %s the local clock',
  async (_direction, minutes) => {
    const service = await startService();
    await service.control.changeClock({ advance: minutes * 60_000 });
    expect((await mintKeyAt(service).newKeyPromise).apiKey).toMatch(/^SERVICE_/);
  },
);

describe('a contract account', () => {
  const abi = parseAbi([
    'function create(address owner, bytes32 salt) returns (address)',
    'function addressOf(address owner, bytes32 salt) view returns (address)',
    'function approve(address spender, uint256 amount)',
    'function stake(address recipient, uint256 amount)',
  ]);
  const salt: Hex = `0x${'00'.repeat(32)}`;
  const getFactoryAddress = (): Address => runningChain.facts.variants.accountFactory;
  const encodeCreateCall = (): Hex =>
    encodeFunctionData({
      abi,
      functionName: 'create',
      args: [getAccountWithoutStake().address, salt],
    });

  const computeAccountAddress = (): Promise<Address> =>
    createPublicClient({ transport: http(runningChain.rpcUrl) }).readContract({
      address: getFactoryAddress(),
      abi,
      functionName: 'addressOf',
      args: [getAccountWithoutStake().address, salt],
    });

  async function send(account: PrivateKeyAccount, to: Address, data: Hex): Promise<void> {
    const client = createWalletClient({ account, transport: http(runningChain.rpcUrl) });
    await client.sendTransaction({ to, data, chain: null });
  }

  async function stakeFor(recipient: Address): Promise<void> {
    const { token, stakingContract } = runningChain.facts;
    const oneToken = 10n ** 18n;
    const approveCall = {
      abi,
      functionName: 'approve',
      args: [stakingContract, oneToken],
    } as const;
    const stakeCall = { abi, functionName: 'stake', args: [recipient, oneToken] } as const;
    await send(getAccount(1), token, encodeFunctionData(approveCall));
    await send(getAccount(1), stakingContract, encodeFunctionData(stakeCall));
  }

  test('mints a key after deployment (EIP-1271)', async () => {
    const service = await startService();
    const address = await computeAccountAddress();
    await send(getAccountWithoutStake(), getFactoryAddress(), encodeCreateCall());
    await stakeFor(address);
    const wallet = { ...createWallet(getAccountWithoutStake()), address };
    expect((await mintKeyAt(service, { wallet }).newKeyPromise).apiKey).toMatch(/^SERVICE_/);
  });

  test('mints a key before deployment (ERC-6492)', async () => {
    const service = await startService();
    const address = await computeAccountAddress();
    await stakeFor(address);
    const sign = async (message: string): Promise<Hex> => {
      const signature = await getAccountWithoutStake().signMessage({ message });
      return serializeErc6492Signature({
        address: getFactoryAddress(),
        data: encodeCreateCall(),
        signature,
      });
    };
    expect((await mintKeyAt(service, { wallet: { address, sign } }).newKeyPromise).apiKey).toMatch(
      /^SERVICE_/,
    );
  });

  test('sends no mint request with a signature of another owner', async () => {
    const service = await startService();
    const address = await computeAccountAddress();
    await send(getAccountWithoutStake(), getFactoryAddress(), encodeCreateCall());
    const { newKeyPromise } = mintKeyAt(service, {
      wallet: { ...createWallet(getStaker()), address },
    });
    await expect(newKeyPromise).rejects.toMatchObject({ failure: { code: 'wallet-lied' } });
    const postRequests = (await service.control.getRequests()).filter(
      ({ method }) => method === 'POST',
    );
    expect(postRequests).toEqual([]);
  });
});
