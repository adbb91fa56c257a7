import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import type { Hash } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import type { StakingRecord } from './stake-journal.ts';
import { runStaking } from './stake-flow.ts';
import { stakeAmount, Staker } from './staking.fixture.ts';

let runningChain: RunningChain;
let snapshotId: string;
beforeAll(async () => {
  runningChain = await startChain();
}, 60_000);
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
});
afterEach(async () => {
  await runningChain.request('evm_setAutomine', [true]);
  await runningChain.request('anvil_dropAllTransactions');
  await runningChain.revertToSnapshot(snapshotId);
});
afterAll(() => runningChain.stop());

class CrashError extends Error {}

const getErrorCode = (error: unknown): string => {
  if (error instanceof WalletError) return error.failure.code;
  return error instanceof CrashError ? 'crash' : String(error);
};

/** Returns a staker for the same account in a reloaded window. Both stakers share only the journal. */
function createReloadedStaker(originalStaker: Staker): Staker {
  const reloadedStaker = new Staker(runningChain);
  reloadedStaker.journal.storedText = originalStaker.journal.storedText;
  return reloadedStaker;
}

async function resumeStake(staker: Staker): Promise<string> {
  const record = await staker.journal.read();
  if (record === undefined) return 'nothing to resume';
  return runStaking(staker.context, record).then(() => 'done', getErrorCode);
}

/** Returns the number of transactions that the account has sent. */
const countSentTransactions = (staker: Staker): Promise<number> =>
  staker.context.client.getTransactionCount({ address: staker.signer.address });

const startFlow = async (staker: Staker): Promise<string> =>
  runStaking(staker.context, await staker.createRecord()).then(() => 'done', getErrorCode);

describe('a staking flow that resumes after a crash', () => {
  /**
   * Number of the journal write that fails. The flow writes the journal before and after each of its two wallet
   * requests, and after each verified effect.
   */
  test.each([2, 3, 4, 5, 6])(
    'sends no transaction twice if journal write %d failed',
    async (failingWrite) => {
      const originalStaker = new Staker(runningChain);
      originalStaker.journal.failingWrite = failingWrite;
      expect(await startFlow(originalStaker)).toMatch(/disk is full/);
      const reloadedStaker = createReloadedStaker(originalStaker);
      expect(await resumeStake(reloadedStaker)).toBe('done');
      expect(reloadedStaker.resendQuestions).toEqual([]);
      expect(await countSentTransactions(reloadedStaker)).toBe(2);
      expect(await reloadedStaker.readState()).toMatchObject({
        stakedBalance: stakeAmount,
        allowance: 0n,
      });
      expect(reloadedStaker.journal.storedText).toBeUndefined();
    },
  );

  const crashAfterSending = (staker: Staker) =>
    staker.signer.answers.push(async (_request, send) => {
      await send();
      throw new CrashError();
    });

  test('finds the pending transaction and continues the flow', async () => {
    const originalStaker = new Staker(runningChain);
    const record = await originalStaker.createRecord();
    await runningChain.request('evm_setAutomine', [false]);
    crashAfterSending(originalStaker);
    expect(await runStaking(originalStaker.context, record).catch(getErrorCode)).toBe(
      'internal-error',
    );
    const reloadedStaker = createReloadedStaker(originalStaker);
    reloadedStaker.runAfterProgress('approve pending', () =>
      runningChain.request('evm_setAutomine', [true]),
    );
    reloadedStaker.runAfterProgress('approve pending', () => runningChain.mineBlocks());
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(reloadedStaker.resendQuestions).toEqual([]);
    expect(await countSentTransactions(reloadedStaker)).toBe(2);
  });

  test('finds a transaction that is mined during the search', async () => {
    const originalStaker = new Staker(runningChain);
    const record = await originalStaker.createRecord();
    await runningChain.request('evm_setAutomine', [false]);
    crashAfterSending(originalStaker);
    await runStaking(originalStaker.context, record).catch(getErrorCode);
    const reloadedStaker = createReloadedStaker(originalStaker);
    const { client } = reloadedStaker.context;
    // The node mines the transaction before it returns the pending block.
    const getBlock = async (request: { readonly blockTag?: string }) => {
      if (request.blockTag === 'pending')
        await runningChain.request('evm_setAutomine', [true]).then(() => runningChain.mineBlocks());
      return client.getBlock(request as Parameters<typeof client.getBlock>[0]);
    };
    reloadedStaker.context = {
      ...reloadedStaker.context,
      client: Object.assign(Object.create(client) as typeof client, { getBlock }),
    };
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(reloadedStaker.resendQuestions).toEqual([]);
    expect(await countSentTransactions(reloadedStaker)).toBe(2);
  });

  test('requests confirmation before a resend if no transaction was sent', async () => {
    const originalStaker = new Staker(runningChain);
    originalStaker.signer.answers.push(async () => {
      throw new CrashError();
    });
    await startFlow(originalStaker);
    const reloadedStaker = createReloadedStaker(originalStaker);
    expect(await resumeStake(reloadedStaker)).toBe('transaction-unknown');
    expect(reloadedStaker.resendQuestions).toEqual(['approve']);
    expect(reloadedStaker.signer.requests).toEqual([]);
    reloadedStaker.isResendConfirmed = true;
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(await countSentTransactions(reloadedStaker)).toBe(2);
  });

  test('requests confirmation before a resend if another transaction used the expected nonce', async () => {
    const originalStaker = new Staker(runningChain);
    originalStaker.signer.answers.push(async (_request, send) => {
      await send({ to: runningChain.facts.usdc });
      throw new CrashError();
    });
    await startFlow(originalStaker);
    const reloadedStaker = createReloadedStaker(originalStaker);
    expect(await resumeStake(reloadedStaker)).toBe('transaction-unknown');
    expect(reloadedStaker.resendQuestions).toEqual(['approve']);
  });

  test('continues with the stake if only the approval was mined', async () => {
    const originalStaker = new Staker(runningChain);
    originalStaker.signer.answers.push(
      async (_request, send) => send(),
      async () => {
        throw new WalletError('rejected', 'The person said no.');
      },
    );
    expect(await startFlow(originalStaker)).toBe('rejected');
    const reloadedStaker = createReloadedStaker(originalStaker);
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(reloadedStaker.signer.requests).toHaveLength(1);
  });
});

describe('an unfinished transaction', () => {
  /**
   * Sends the approval without mining a block, and calls `changeWhilePending` with its hash and nonce.
   */
  async function interruptFlow(
    staker: Staker,
    changeWhilePending: (hash: Hash, nonce: number) => Promise<unknown>,
  ): Promise<string> {
    const record = await staker.createRecord();
    await runningChain.request('evm_setAutomine', [false]);
    staker.runAfterProgress('approve pending', async () => {
      const { sending } = (await staker.journal.read()) as StakingRecord;
      await changeWhilePending(sending!.hash!, sending!.nonce);
    });
    return runStaking(staker.context, record).then(() => 'done', getErrorCode);
  }

  test('is resent only with the user’s consent if the node dropped the transaction', async () => {
    const originalStaker = new Staker(runningChain);
    const dropTransaction = (hash: Hash) => runningChain.request('anvil_dropTransaction', [hash]);
    expect(await interruptFlow(originalStaker, dropTransaction)).toBe('transaction-unknown');
    await runningChain.request('evm_setAutomine', [true]);
    const reloadedStaker = createReloadedStaker(originalStaker);
    expect(await resumeStake(reloadedStaker)).toBe('transaction-unknown');
    expect([reloadedStaker.resendQuestions, reloadedStaker.signer.requests]).toEqual([
      ['approve'],
      [],
    ]);
    reloadedStaker.isResendConfirmed = true;
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(await countSentTransactions(reloadedStaker)).toBe(2);
  });

  test('is monitored again after a reload if the user stopped waiting', async () => {
    const originalStaker = new Staker(runningChain);
    const stop = async () => originalStaker.abortController.abort();
    expect(await interruptFlow(originalStaker, stop)).toBe('stopped');
    await runningChain.request('evm_setAutomine', [true]);
    await runningChain.mineBlocks();
    const reloadedStaker = createReloadedStaker(originalStaker);
    expect(await resumeStake(reloadedStaker)).toBe('done');
    expect(reloadedStaker.resendQuestions).toEqual([]);
    expect(await countSentTransactions(reloadedStaker)).toBe(2);
  });

  test('is removed from the journal together with the staking flow if the user cancels the transaction in the wallet', async () => {
    const originalStaker = new Staker(runningChain);
    const cancelTransaction = async () => {
      const from = originalStaker.signer.address;
      const { nonce } = (await originalStaker.journal.read())!.sending!;
      await runningChain.request('eth_sendTransaction', [
        { from, to: from, value: '0x0', nonce: `0x${nonce.toString(16)}`, gasPrice: '0x2540be400' },
      ]);
      await runningChain.mineBlocks();
    };
    expect(await interruptFlow(originalStaker, cancelTransaction)).toBe('transaction-cancelled');
    expect(originalStaker.journal.storedText).toBeUndefined();
    expect(await originalStaker.readState()).toMatchObject({ stakedBalance: 0n, allowance: 0n });
  });
});

describe('a reorganized stake', () => {
  test('is reported as reorganized if the node drops the block before the effect of the stake is verified', async () => {
    const staker = new Staker(runningChain);
    staker.runAfterProgress('stake proof', () => undefined);
    const { client } = staker.context;
    // The node drops the block immediately before the effect of the stake is verified.
    const reorganizingClient = Object.assign(Object.create(client) as typeof client, {
      readContract: async (call: Parameters<typeof client.readContract>[0]) => {
        if (staker.progressMessages.at(-1) === 'stake proof' && call.functionName === 'balanceOf')
          await removeStakeBlock(staker);
        return client.readContract(call);
      },
    });
    const record = await staker.createRecord();
    staker.context = { ...staker.context, client: reorganizingClient };
    expect(await runStaking(staker.context, record).catch(getErrorCode)).toBe(
      'transaction-reorganised',
    );
    expect((await staker.journal.read())?.sending?.step).toBe('stake');
  });

  async function removeStakeBlock(staker: Staker): Promise<void> {
    const { hash } = (await staker.journal.read())!.sending!;
    if ((await runningChain.request('eth_getTransactionReceipt', [hash])) === null) return;
    await runningChain.request('evm_setAutomine', [false]);
    await runningChain.request('anvil_reorg', [1, []]);
    await runningChain.request('anvil_dropTransaction', [hash]).catch(() => undefined);
  }
});
