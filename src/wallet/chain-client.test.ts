import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStakingChain } from '../../test/service/chain/chain-facts.ts';
import { type RunningChain, startChain } from '../../test/service/chain/start-chain.ts';
import { startHttpServer } from '../../test/support/loopback.ts';
import {
  CheckedChainCache,
  type ChainClient,
  checkChain,
  createChainClient,
  formatBalance,
  readBalances,
  requireStakingChain,
  findRpcProblem,
} from './chain-client.ts';
import type { Chain } from './chain.ts';

let runningChain: RunningChain;
let chain: Chain;
beforeAll(async () => {
  runningChain = await startChain();
  chain = createStakingChain(runningChain.facts);
}, 60_000);
afterAll(() => runningChain.stop());

const neverAbortedSignal = new AbortController().signal;
const checkChangedChain = (changes: Partial<Chain> = {}, signal = neverAbortedSignal) => {
  const changedChain = { ...chain, ...changes };
  return checkChain(createChainClient(changedChain), changedChain, signal);
};

test('checkChain reads the symbol and decimals of each contract', async () => {
  expect(await checkChangedChain()).toMatchObject({
    chain,
    token: { address: chain.token, symbol: 'STK', decimals: 18 },
    staking: { address: chain.staking, symbol: 'sSTK', decimals: 18 },
    usdc: { address: chain.usdc, symbol: 'USDC', decimals: 6 },
  });
});

test('checkChain accepts a chain without USDC', async () => {
  const { usdc: _, ...chainWithoutUsdc } = chain;
  const checkedChain = await checkChain(
    createChainClient(chainWithoutUsdc),
    chainWithoutUsdc,
    neverAbortedSignal,
  );
  expect(checkedChain).not.toHaveProperty('usdc');
});

test('checkChain accepts a chain without staking contracts, but requireStakingChain rejects the chain', async () => {
  const { token: _token, staking: _staking, ...plainChain } = chain;
  const checkedChain = await checkChain(
    createChainClient(plainChain),
    plainChain,
    neverAbortedSignal,
  );
  const { address } = runningChain.facts.accounts[4]!;
  const balances = await readBalances(checkedChain, address, neverAbortedSignal);
  expect(Object.keys(balances)).toEqual(['nativeCurrency', 'usdc']);
  expect(() => requireStakingChain(checkedChain)).toThrow('token, stakingContract');
});

test('findRpcProblem reports a node with another chain id, without quoting the node’s URL', async () => {
  const { id, rpcUrl } = chain;
  expect(await findRpcProblem({ id, rpcUrl }, neverAbortedSignal)).toBeUndefined();
  expect(await findRpcProblem({ id: 8453, rpcUrl }, neverAbortedSignal)).toBe(
    'Chain 31337 answers instead of 8453.',
  );
  const problem = await findRpcProblem(
    { id, rpcUrl: 'http://127.0.0.1:1/key' },
    neverAbortedSignal,
  );
  expect(problem).toMatch(/^The node could not be checked\. .*no connection/u);
  expect(problem).not.toContain('127.0.0.1');
});

test.each([
  ['“STK”', 'STK', 'STK'],
  ['“USD₮0”', 'USD₮0', 'USD₮0'],
  ['with hidden characters and a newline', 'A\u202E\u200B\nB', 'AB'],
  ['“100 USDC to me”', '100 USDC to me', '100USDCtome'],
  ['of 1,000 letters', 'x'.repeat(1_000), 'x'.repeat(12)],
  ['without characters', '', '?'],
  ['of blank characters', ' \u2800', '?'],
])('checkChain returns a token symbol $0 as “$2”', async (_description, symbol, expected) => {
  const client = {
    getChainId: async () => chain.id,
    getCode: async () => '0x00',
    readContract: async ({ functionName }: { functionName: string }) =>
      ({ symbol, decimals: 6, balanceOf: 0n })[functionName],
  } as unknown as ChainClient;
  expect(await checkChain(client, chain, neverAbortedSignal)).toMatchObject({
    token: { symbol: expected },
  });
});

test('checkChain rejects a node that serves another chain', async () => {
  await expect(checkChangedChain({ id: 8453 })).rejects.toMatchObject({
    failure: {
      code: 'chain-mismatch',
      detail: 'Chain 31337 answers instead of 8453.',
    },
  });
});

describe('checkChain', () => {
  test.each(['token', 'staking', 'usdc'] as const)(
    'rejects an address without a contract as the %s contract',
    async (name) => {
      const address = runningChain.facts.accounts[5]!.address;
      await expect(checkChangedChain({ [name]: address })).rejects.toMatchObject({
        failure: { code: 'not-a-contract', detail: expect.stringContaining(address) },
      });
    },
  );

  test.each([
    ['a contract without metadata', 'noMetadataToken'],
    ['a contract with false metadata', 'falseMetadataToken'],
    ['an account factory', 'accountFactory'],
  ] as const)(
    'rejects %s as the token, because the contract reports no valid metadata',
    async (_contract, name) => {
      await expect(
        checkChangedChain({ token: runningChain.facts.variants[name] }),
      ).rejects.toMatchObject({
        failure: { code: 'not-a-contract' },
      });
    },
  );
});

describe('a failing RPC node', () => {
  test.each([
    ['HTTP 500', 500, 'text/plain', 'oops'],
    ['an HTML page', 200, 'text/html', '<html>canary</html>'],
    [
      'a JSON-RPC error',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}',
    ],
    [
      'a result that is not a number',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":1,"result":"canary"}',
    ],
  ])(
    'is reported without the node’s URL and response after %s',
    async (_description, status, type, body) => {
      await using server = await startHttpServer((_request, response) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
      const { failure } = await getFailure(
        checkChangedChain({ rpcUrl: `http://127.0.0.1:${server.port}/secret-canary` }),
      );
      expect(failure.code).toMatch(/^chain-(?:unreachable|mismatch)$/);
      expect(failure.detail).not.toContain('canary');
    },
  );

  test('no longer delays the caller after the user cancels', async () => {
    const requestReceived = Promise.withResolvers<void>();
    await using server = await startHttpServer(() => requestReceived.resolve());
    const abortController = new AbortController();
    const failurePromise = getFailure(
      checkChangedChain({ rpcUrl: `http://127.0.0.1:${server.port}` }, abortController.signal),
    );
    await requestReceived.promise;
    abortController.abort();
    expect(await failurePromise).toMatchObject({ failure: { code: 'stopped' } });
  });
});

describe('CheckedChainCache', () => {
  test('shares one check of a chain until the settings of the chain change', async () => {
    const openedUrls: string[] = [];
    const cache = new CheckedChainCache((chain) => {
      openedUrls.push(chain.name);
      return createChainClient(chain);
    });
    const [firstChain, secondChain] = await Promise.all([
      cache.get(chain, neverAbortedSignal),
      cache.get(chain, neverAbortedSignal),
    ]);
    await cache.get({ ...chain, name: 'Other' }, neverAbortedSignal);
    expect(firstChain).toBe(secondChain);
    expect(openedUrls).toEqual([chain.name, 'Other']);
  });

  test('does not cache a failed check', async () => {
    let id = 1;
    const cache = new CheckedChainCache(() => createChainClient({ ...chain, id: id++ }));
    const wrongChain = { ...chain, id: 1 };
    await expect(cache.get(wrongChain, neverAbortedSignal)).rejects.toThrow();
    await expect(cache.get(wrongChain, neverAbortedSignal)).rejects.toThrow();
    expect(id).toBe(3);
  });
});

describe('readBalances', () => {
  test('returns the balances of all tokens', async () => {
    const checkedChain = await checkChangedChain();
    const { address } = runningChain.facts.accounts[4]!;
    const { nativeCurrency, token, stakedToken, usdc } = await readBalances(
      checkedChain,
      address,
      neverAbortedSignal,
    );
    expect(nativeCurrency).toMatchObject({ symbol: 'ETH', decimals: 18 });
    expect(nativeCurrency.value).toBeGreaterThan(0n);
    expect([token, stakedToken, usdc].map((balance) => balance && formatBalance(balance))).toEqual([
      '0 STK',
      '100 sSTK',
      '0 USDC',
    ]);
  });

  test('returns the other balances if one balance can’t be read', async () => {
    const checkedChain = requireStakingChain(await checkChangedChain());
    const token = { ...checkedChain.token, address: runningChain.facts.accounts[5]!.address };
    const { address } = runningChain.facts.accounts[4]!;
    const balances = await readBalances({ ...checkedChain, token }, address, neverAbortedSignal);
    expect(balances.token).toMatchObject({ symbol: 'STK', value: undefined });
    expect(balances.stakedToken && formatBalance(balances.stakedToken)).toBe('100 sSTK');
  });

  test('rejects if no balance can be read', async () => {
    const checkedChain = await checkChangedChain();
    const client = createChainClient({ ...chain, rpcUrl: 'http://127.0.0.1:1' });
    const { address } = runningChain.facts.accounts[4]!;
    await expect(
      readBalances({ ...checkedChain, client }, address, neverAbortedSignal),
    ).rejects.toMatchObject({
      failure: { code: 'chain-unreachable' },
    });
  });
});

async function getFailure(
  promise: Promise<unknown>,
): Promise<{ failure: { code: string; detail: string } }> {
  return promise.then(
    () => expect.unreachable('It did not fail'),
    (error) => error,
  );
}
