import { createPublicClient, custom } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { type ChainClient, type CheckedStakingChain, createChainClient } from '../chain-client.ts';
import { WalletError } from '../wallet-failure.ts';
import { planStake } from './stake-plan.ts';
import { encodeStepCall } from './staking-steps.ts';
import { stakeAmount, Staker } from './staking.fixture.ts';
import { readStakingState } from './staking-state.ts';
import { runStaking } from './stake-flow.ts';

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

const getErrorCode = (error: unknown): string =>
  error instanceof WalletError ? error.failure.code : String(error);

const createPlan = async (staker: Staker, changes: { amount?: bigint } = {}) =>
  planStake(staker.context.client, { ...staker.parameters, ...changes }, await staker.readState());

const approveAmount = (staker: Staker, amount: bigint) =>
  staker.signer.sendTransaction({
    ...encodeStepCall('approve', { ...staker.parameters, amount }),
    chainId: staker.chain.id,
    value: 0n,
    review: { purpose: '', rows: [], warnings: [] },
  });

/** Returns a client of the same chain that does not support `unsupportedMethods`. */
function createLimitedClient(
  staker: Staker,
  ...unsupportedMethods: readonly string[]
): ChainClient {
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (unsupportedMethods.includes(method)) {
      throw Object.assign(new Error('the method does not exist'), { code: -32_601 });
    }
    return runningChain.request(method, params);
  };
  const { chain } = staker.context.client;
  return createPublicClient({ chain, transport: custom({ request }), cacheTime: 0 }) as ChainClient;
}

describe('a stake plan', () => {
  test('is created without sending a transaction', async () => {
    const staker = new Staker(runningChain);
    const plan = await createPlan(staker);
    expect(plan).toMatchObject({
      steps: ['approve', 'stake'],
      stakeSignature: 'amount',
      allowanceAfter: 0n,
    });
    expect(plan.fee).toBeGreaterThan(0n);
    expect(await staker.readState()).toMatchObject({ stakedBalance: 0n, allowance: 0n });
  });

  test.each([
    ['stakingOwn', 'amount'],
    ['stakingFor', 'recipient-and-amount'],
  ] as const)(
    'contains the stake signature of the contract %s before an allowance exists',
    async (name, form) => {
      const staker = new Staker(runningChain, { staking: runningChain.facts.variants[name] });
      expect((await createPlan(staker)).stakeSignature).toBe(form);
    },
  );

  test.each([
    ['the allowance is sufficient', false, stakeAmount + 1n, ['stake'], 1n],
    ['the allowance is too small', false, 1n, ['approve', 'stake'], 0n],
    ['the token requires a reset', true, 1n, ['reset', 'approve', 'stake'], 0n],
    ['the token requires a reset, but the allowance is 0', true, 0n, ['approve', 'stake'], 0n],
  ])(
    'contains only the required steps if %s',
    async (_name, requiresReset, allowanceBefore, steps, allowanceAfter) => {
      const { resetToken: token, resetStaking: staking } = runningChain.facts.variants;
      const staker = new Staker(runningChain, requiresReset ? { token, staking } : {});
      if (allowanceBefore > 0n) await approveAmount(staker, allowanceBefore);
      expect(await createPlan(staker)).toMatchObject({ steps, allowanceAfter });
    },
  );

  test.each([
    ['an amount above the balance', 1, { amount: 1_001n * 10n ** 18n }, 'insufficient-funds'],
    ['a balance of zero', 5, {}, 'insufficient-funds'],
  ] as const)('is rejected for %s', async (_name, index, changes, expected) =>
    expect(await createPlan(new Staker(runningChain, {}, index), changes).catch(getErrorCode)).toBe(
      expected,
    ),
  );

  test('is rejected if the account can’t pay the fees', async () => {
    const staker = new Staker(runningChain);
    await runningChain.request('anvil_setBalance', [staker.signer.address, '0x1']);
    expect(await createPlan(staker).catch(getErrorCode)).toBe('insufficient-funds');
  });

  test('is rejected for a contract that accepts every call but stakes nothing', async () => {
    const staker = new Staker(runningChain);
    const state = await staker.readState();
    // This code returns 32 zero bytes for every call.
    await runningChain.request('anvil_setCode', [staker.chain.staking, '0x60206000f3']);
    const planPromise = planStake(staker.context.client, staker.parameters, state);
    await expect(planPromise).rejects.toMatchObject({
      failure: {
        code: 'reverted',
        detail: 'The staked balance would not rise.',
      },
    });
  });

  test('fails with a general message if the contract reverts without a reason', async () => {
    const staker = new Staker(runningChain);
    const state = await staker.readState();
    // This code reverts without data.
    await runningChain.request('anvil_setCode', [staker.chain.staking, '0x60006000fd']);
    const error = await planStake(staker.context.client, staker.parameters, state).catch(
      (reason) => reason,
    );
    expect((error as WalletError).failure).toEqual({
      code: 'reverted',
      detail: 'The contract gave no reason.',
    });
  });

  test('fails with the contract’s error as one line of visible characters', async () => {
    const staker = new Staker(runningChain);
    const state = await staker.readState();
    await runningChain.request('anvil_setCode', [
      staker.chain.staking,
      compileRevertingContract('A\n\u{202E}B'.repeat(80)),
    ]);
    const error = await planStake(staker.context.client, staker.parameters, state).catch(
      (item) => item,
    );
    const { code: failure, detail } = (error as WalletError).failure;
    expect(failure).toBe('reverted');
    expect(detail).toMatch(/^[\x20-\x7E]{1,120}\.$/u);
    expect(detail).toContain('A B');
  });
});

describe('planStake at a node without `eth_simulateV1`', () => {
  test.each(['stakingContract', 'stakingOwn', 'stakingFor'] as const)(
    'creates a plan without the stake signature of the contract %s',
    async (name) => {
      const { facts } = runningChain;
      const staking = name === 'stakingContract' ? facts.stakingContract : facts.variants[name];
      const staker = new Staker(runningChain, { staking });
      staker.context = { ...staker.context, client: createLimitedClient(staker, 'eth_simulateV1') };
      const plan = await createPlan(staker);
      expect(plan).toEqual({ steps: ['approve', 'stake'], allowanceAfter: 0n });
      const result = await runStaking(staker.context, await staker.createRecord());
      expect(result).toMatchObject({ stakedBalance: stakeAmount, allowance: 0n });
    },
  );

  test('creates a plan with a reset if the token requires a reset', async () => {
    const { resetToken: token, resetStaking: staking } = runningChain.facts.variants;
    const staker = new Staker(runningChain, { token, staking });
    await approveAmount(staker, 1n);
    staker.context = { ...staker.context, client: createLimitedClient(staker, 'eth_simulateV1') };
    expect((await createPlan(staker)).steps).toEqual(['reset', 'approve', 'stake']);
  });

  test('creates a plan with the stake signature if the allowance is sufficient', async () => {
    const staker = new Staker(runningChain, { staking: runningChain.facts.variants.stakingFor });
    await approveAmount(staker, stakeAmount);
    staker.context = { ...staker.context, client: createLimitedClient(staker, 'eth_simulateV1') };
    const stakeSignature = 'recipient-and-amount';
    expect(await createPlan(staker)).toEqual({
      steps: ['stake'],
      stakeSignature,
      allowanceAfter: 0n,
    });
  });
});

describe('readStakingState', () => {
  const initialBalance = 1_000n * 10n ** 18n;

  test('reads the balances and the allowance from the chain', async () =>
    expect(await new Staker(runningChain).readState()).toEqual({
      symbol: 'STK',
      decimals: 18,
      balance: initialBalance,
      stakedBalance: 0n,
      allowance: 0n,
      currencyBalance: 10n ** 22n,
    }));

  const read = async (changes: Partial<CheckedStakingChain>) => {
    const { context, chain, signer } = new Staker(runningChain);
    const token = { address: chain.token, symbol: 'STK', decimals: 18 };
    const checkedChain = { client: context.client, chain, token, staking: token, ...changes };
    return readStakingState(checkedChain, signer.address).catch((error: unknown) =>
      error instanceof WalletError ? error.failure : error,
    );
  };

  const emptyAddress = `0x${'77'.repeat(20)}` as const;
  test.each([
    ['a node of another chain', { id: 1 }, 'chain-mismatch'],
    ['a token address without a contract', { token: emptyAddress }, 'not-a-contract'],
    ['a staking address without a contract', { staking: emptyAddress }, 'not-a-contract'],
  ] as const)('rejects $0 with the error “$2”', async (_name, changes, expected) => {
    const chain = { ...new Staker(runningChain).chain, ...changes };
    expect(await read({ chain })).toMatchObject({ code: expected });
  });

  test('rejects an address that is both the token and the staking contract', async () => {
    const { chain } = new Staker(runningChain);
    const invalidChain = { ...chain, token: chain.staking };
    expect(await read({ chain: invalidChain })).toMatchObject({ code: 'not-a-contract' });
  });

  test('never includes the node’s URL in an error, because the URL may contain a key', async () => {
    const { chain } = new Staker(runningChain);
    const client = createChainClient({ ...chain, rpcUrl: 'http://127.0.0.1:9/canary-rpc-key' });
    const failure = await read({ client });
    expect(failure).toMatchObject({ code: 'chain-unreachable' });
    expect(JSON.stringify(failure)).not.toContain('canary');
  });
});

/** Returns contract code that reverts every call with `Error(string)`. */
function compileRevertingContract(text: string): string {
  const bytes = Buffer.from(text);
  const encodeWord = (value: number) => value.toString(16).padStart(64, '0');
  const paddedBytes = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
  bytes.copy(paddedBytes);
  const data = `08c379a0${encodeWord(32)}${encodeWord(bytes.length)}${paddedBytes.toString('hex')}`;
  const sizeHex = (data.length / 2).toString(16).padStart(4, '0');
  // PUSH2 size, PUSH1 offset, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, REVERT
  return `0x61${sizeHex}600e60003961${sizeHex}6000fd${data}`;
}
