import {
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  serializeErc6492Signature,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../../test/service/chain/start-chain.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { systemClock } from '../base/clock.ts';
import type { Chain } from './chain.ts';
import { createChainClient } from './chain-client.ts';
import { checkAddress, checkSentTransaction, checkSignature } from './verify.ts';
import type { WalletError } from './wallet-failure.ts';

const factoryAbi = parseAbi([
  'function create(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
]);
const signedText = 'Hello';
const salt: Hex = `0x${'00'.repeat(32)}`;
const unreachableUrl = 'http://127.0.0.1:9';

let localChain: RunningChain;
let chain: Chain;

beforeAll(async () => {
  localChain = await startChain();
  const { chainId, name, rpcUrl, currency, token, stakingContract } = localChain.facts;
  chain = {
    ...{ id: chainId, name, rpcUrl, currency, token },
    staking: stakingContract,
    confirmations: 1,
  };
});

afterAll(() => localChain.stop());

const createClient = (rpcUrl = chain.rpcUrl) => createChainClient({ ...chain, rpcUrl });
const getAccount = (index: number) =>
  privateKeyToAccount(localChain.facts.accounts[index]!.privateKey);
const createWallet = (index: number) =>
  createWalletClient({
    account: getAccount(index),
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.currency,
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    }),
    transport: http(chain.rpcUrl),
  });
const getFailureCode = (checkPromise: Promise<unknown>): Promise<string> =>
  checkPromise.then(
    () => 'fine',
    (error: WalletError) => error.failure.code,
  );

describe('checkAddress', () => {
  test.each([
    ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  ])('adds the checksum to %s', (input, expected) => {
    expect(checkAddress(input)).toBe(expected);
  });

  test.each(['', '0x', '0x7099', 'vitalik.eth', '0x70997970C51812dc3A010C7d01b50e0d17dc79c8'])(
    'rejects the address %j',
    (input) => {
      expect(() => checkAddress(input)).toThrow('“address” cannot be used');
    },
  );
});

describe('a signature', () => {
  test('by the account’s key is accepted without a chain request', async () => {
    const { address } = getAccount(1);
    const signature = await getAccount(1).signMessage({ message: signedText });
    const signedMessage = {
      client: createClient(unreachableUrl),
      address,
      text: signedText,
      signature,
    };
    expect(await getFailureCode(checkSignature(signedMessage))).toBe('fine');
  });

  test.each<[string, () => Promise<Hex>]>([
    ['by another key', () => getAccount(2).signMessage({ message: signedText })],
    ['over another text', () => getAccount(1).signMessage({ message: `${signedText}!` })],
    ['without bytes', async () => '0x'],
    ['of arbitrary bytes', async () => `0x${'11'.repeat(65)}`],
    ['that is too long', async () => `0x${'11'.repeat(2_000)}`],
    ['with a malformed ERC-6492 suffix', async () => `0x11${'6492'.repeat(16)}`],
  ])('%s is rejected', async (_, sign) => {
    const { address } = getAccount(1);
    const signedMessage = {
      client: createClient(),
      address,
      text: signedText,
      signature: await sign(),
    };
    expect(await getFailureCode(checkSignature(signedMessage))).toBe('wallet-lied');
  });

  test.each<[string, Hex]>([
    ['without digits', '0x'],
    ['with half a byte', '0x123'],
    ['that is not hexadecimal', 'yes' as Hex],
    ['above the size limit', `0x${'ab'.repeat(100_000)}`],
  ])('%s is rejected without a chain request', async (_, signature) => {
    const { address } = getAccount(1);
    const signedMessage = {
      client: createClient(unreachableUrl),
      address,
      text: signedText,
      signature,
    };
    expect(await getFailureCode(checkSignature(signedMessage))).toBe('wallet-lied');
  });

  test('of a contract account is rejected if no chain client is available', async () => {
    const { address } = getAccount(1);
    const signature = await getAccount(2).signMessage({ message: signedText });
    expect(await getFailureCode(checkSignature({ address, text: signedText, signature }))).toBe(
      'wallet-lied',
    );
  });

  test('never appears in the error of an unreachable chain', async () => {
    const signature: Hex = `0x${'ab'.repeat(65)}`;
    const rejectWithSignature = () => Promise.reject(new Error(signature));
    const failingClient = {
      getCode: async () => '0x60',
      verifyMessage: rejectWithSignature,
    } as unknown;
    const signedMessage = {
      client: failingClient as ReturnType<typeof createClient>,
      text: signedText,
      signature,
    };
    const error = await checkSignature({ ...signedMessage, address: getAccount(1).address }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ failure: { code: 'chain-unreachable' } });
    expect(String((error as Error).stack)).not.toContain(signature);
  });

  test('of a contract account is verified by the chain before and after deployment', async () => {
    const factory = localChain.facts.variants.accountFactory;
    const owner = getAccount(1);
    const args = [owner.address, salt] as const;
    const address = await createClient().readContract({
      ...{ address: factory, abi: factoryAbi, functionName: 'addressOf' },
      args,
    });
    const signature = await owner.signMessage({ message: signedText });
    const data = encodeFunctionData({ abi: factoryAbi, functionName: 'create', args });
    const predeploySignature = serializeErc6492Signature({ address: factory, data, signature });
    const checkMessage = (message: { text: string; signature: Hex }): Promise<string> =>
      getFailureCode(checkSignature({ client: createClient(), address, ...message }));
    expect(await checkMessage({ text: signedText, signature: predeploySignature })).toBe('fine');
    expect(await checkMessage({ text: 'Other', signature: predeploySignature })).toBe(
      'wallet-lied',
    );
    expect(await checkMessage({ text: signedText, signature })).toBe('wallet-lied');
    await createWallet(1).sendTransaction({ to: factory, data });
    expect(await checkMessage({ text: signedText, signature })).toBe('fine');
    expect(await checkMessage({ text: 'Other', signature })).toBe('wallet-lied');
  });

  test('of a contract account fails verification with the code `chain-unreachable` if the node does not respond', async () => {
    const { address } = getAccount(1);
    const signature = await getAccount(2).signMessage({ message: signedText });
    const signedMessage = {
      client: createClient(unreachableUrl),
      address,
      text: signedText,
      signature,
    };
    expect(await getFailureCode(checkSignature(signedMessage))).toBe('chain-unreachable');
  });
});

describe('a transaction', () => {
  const clock = systemClock;
  const { signal } = new AbortController();
  const to = '0x00000000000000000000000000000000000000aa';
  const createFields = () =>
    ({ from: getAccount(1).address, chainId: chain.id, to, data: '0x1234', value: 0n }) as const;

  test.each([
    ['with the requested fields', {}, 'fine'],
    ['from another account', { from: '0x00000000000000000000000000000000000000bb' }, 'wallet-lied'],
    ['to another address', { to: '0x00000000000000000000000000000000000000bb' }, 'wallet-lied'],
    ['with other data', { data: '0x1235' }, 'wallet-lied'],
    ['with extra data', { data: '0x123400' }, 'wallet-lied'],
    ['with another value', { value: 1n }, 'wallet-lied'],
    ['for another chain', { chainId: 1 }, 'wallet-lied'],
  ] as const)('$0 is verified with the result “$2”', async (_, changes, code) => {
    const hash = await createWallet(1).sendTransaction({ to, data: '0x1234' });
    const sentTransaction = {
      client: createClient(),
      hash,
      clock,
      signal,
      ...createFields(),
      ...changes,
    };
    expect(await getFailureCode(checkSentTransaction(sentTransaction))).toBe(code);
  });

  test('of the legacy type is accepted', async () => {
    const hash = await createWallet(1).sendTransaction({ to, data: '0x1234', type: 'legacy' });
    expect(
      await getFailureCode(
        checkSentTransaction({ client: createClient(), hash, clock, signal, ...createFields() }),
      ),
    ).toBe('fine');
  });

  const hash: Hex = `0x${'5a'.repeat(32)}`;

  test('is rejected if the chain does not return it within 30 seconds', async () => {
    const clock = new ManualClock();
    const checkPromise = checkSentTransaction({
      client: createClient(),
      hash,
      clock,
      signal,
      ...createFields(),
    });
    const codePromise = getFailureCode(checkPromise);
    for (let poll = 0; poll < 60; poll++) {
      await expect.poll(() => clock.pendingTimerCount).toBe(1);
      await clock.advance(500);
    }
    expect(await codePromise).toBe('wallet-lied');
    await expect(checkPromise).rejects.toMatchObject({ failure: { hash } });
  });

  test('fails verification with the code `transaction-unknown` if the user cancels the search', async () => {
    const clock = new ManualClock();
    const abortController = new AbortController();
    const codePromise = getFailureCode(
      checkSentTransaction({
        client: createClient(),
        hash,
        clock,
        signal: abortController.signal,
        ...createFields(),
      }),
    );
    await expect.poll(() => clock.pendingTimerCount).toBe(1);
    abortController.abort();
    expect(await codePromise).toBe('transaction-unknown');
  });

  test('fails verification with the code `chain-unreachable` if the node does not respond', async () => {
    const sentTransaction = {
      client: createClient(unreachableUrl),
      hash,
      clock,
      signal,
      ...createFields(),
    };
    expect(await getFailureCode(checkSentTransaction(sentTransaction))).toBe('chain-unreachable');
  });
});
