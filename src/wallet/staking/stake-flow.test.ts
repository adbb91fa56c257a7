import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import type { Hash } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import { runStaking } from './stake-flow.ts';
import { decodeStakingRecord, encodeStakingRecord } from './stake-journal.ts';
import { encodeStepCall, getStepSignature } from './staking-steps.ts';
import { stakeAmount, Staker } from './staking.fixture.ts';

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

/**
 * Returns the calls that the flow requested from the wallet. Each string contains the step and the function signature.
 */
const listRequestedCalls = ({ signer, parameters }: Staker): string[] =>
  signer.requests.map(({ to, data }) => {
    const matchingCall = (['reset', 'approve', 'stake', 'unstake', 'withdraw'] as const)
      .flatMap((step) =>
        (['amount', 'recipient-and-amount'] as const).map((form) => ({ step, form })),
      )
      .find(({ step, form }) => {
        const call = encodeStepCall(step, { ...parameters, form });
        return call.data === data && call.to === to;
      });
    return matchingCall === undefined
      ? data
      : `${matchingCall.step} ${getStepSignature(matchingCall.step, matchingCall.form)}`;
  });

const emptyRequest = { value: 0n, review: { purpose: '', rows: [], warnings: [] } };

const getErrorCode = (error: unknown): string =>
  error instanceof WalletError ? error.failure.code : String(error);

const runStakeFlow = async (staker: Staker): Promise<string> =>
  runStaking(staker.context, await staker.createRecord()).then(() => 'done', getErrorCode);

async function approveAllowance(staker: Staker, amount: bigint): Promise<void> {
  const call = encodeStepCall('approve', { ...staker.parameters, amount });
  await staker.signer.sendTransaction({ ...call, ...emptyRequest, chainId: staker.chain.id });
  staker.signer.requests.length = 0;
}

describe('a stake', () => {
  test('approves exactly the amount, stakes the amount and leaves no allowance', async () => {
    const staker = new Staker(runningChain);
    const result = await runStaking(staker.context, await staker.createRecord());
    expect(result).toMatchObject({ stakedBalance: stakeAmount, allowance: 0n });
    expect(listRequestedCalls(staker)).toEqual([
      'approve approve(address,uint256)',
      'stake stake(uint256)',
    ]);
    expect(await staker.readState()).toMatchObject({ stakedBalance: stakeAmount, allowance: 0n });
    expect(staker.journal.storedText).toBeUndefined();
  });

  test('limits the fee of each transaction to three times the displayed fee', async () => {
    const staker = new Staker(runningChain);
    const record = await staker.createRecord();
    await runStaking(staker.context, decodeStakingRecord(encodeStakingRecord(record))!);
    expect(record.fee).toBeGreaterThan(0n);
    expect(staker.signer.requests.map(({ maxFee }) => maxFee)).toEqual(
      ['approve', 'stake'].map(() => record.fee! * 3n),
    );
  });

  test('reports each progress event of a step only once', async () => {
    const staker = new Staker(runningChain, { confirmations: 2 });
    for (const step of ['approve', 'stake'])
      staker.runAfterProgress(`${step} confirmations 1/2`, () => runningChain.mineBlocks());
    expect(await runStakeFlow(staker)).toBe('done');
    const progressKinds = ['wallet', 'confirmations 1/2', 'proof', 'done'];
    expect(staker.progressMessages).toEqual(
      ['approve', 'stake'].flatMap((step) => progressKinds.map((kind) => `${step} ${kind}`)),
    );
  });

  test.each([
    ['stakingOwn', 'stake stake(uint256)'],
    ['stakingFor', 'stake stake(address,uint256)'],
  ] as const)(
    'uses the stake signature that the contract %s supports',
    async (contractName, expectedCall) => {
      const staker = new Staker(runningChain, {
        staking: runningChain.facts.variants[contractName],
      });
      expect(await runStakeFlow(staker)).toBe('done');
      expect(listRequestedCalls(staker)).toEqual([
        'approve approve(address,uint256)',
        expectedCall,
      ]);
      expect(await staker.readState()).toMatchObject({ stakedBalance: stakeAmount, allowance: 0n });
    },
  );

  test('requests no approval if the allowance is sufficient', async () => {
    const staker = new Staker(runningChain);
    await approveAllowance(staker, stakeAmount + 5n);
    const result = await runStaking(staker.context, await staker.createRecord());
    expect(listRequestedCalls(staker)).toEqual(['stake stake(uint256)']);
    expect(result.allowance).toBe(5n);
  });

  test('approves the full amount if the allowance is too small', async () => {
    const staker = new Staker(runningChain);
    await approveAllowance(staker, 5n);
    expect(await runStakeFlow(staker)).toBe('done');
    expect(listRequestedCalls(staker)[0]).toBe('approve approve(address,uint256)');
    expect((await staker.readState()).allowance).toBe(0n);
  });

  test('resets the allowance first if the token requires a reset', async () => {
    const { resetToken: token, resetStaking: staking } = runningChain.facts.variants;
    const staker = new Staker(runningChain, { token, staking });
    await approveAllowance(staker, 5n);
    expect(await runStakeFlow(staker)).toBe('done');
    expect(listRequestedCalls(staker)).toEqual([
      'reset approve(address,uint256)',
      'approve approve(address,uint256)',
      'stake stake(uint256)',
    ]);
    expect(await staker.readState()).toMatchObject({ stakedBalance: stakeAmount, allowance: 0n });
  });

  test('is in the journal before the wallet receives a request', async () => {
    const staker = new Staker(runningChain);
    const records: unknown[] = [];
    for (const _ of ['approve', 'stake'])
      staker.signer.answers.push(async (_request, send) => {
        const { sending } = (await staker.journal.read()) ?? {};
        records.push([sending?.step, sending?.hash]);
        return send();
      });
    expect(await runStakeFlow(staker)).toBe('done');
    expect(records).toEqual([
      ['approve', undefined],
      ['stake', undefined],
    ]);
  });

  test('sends nothing if the journal can’t be written', async () => {
    const staker = new Staker(runningChain);
    staker.journal.failingWrite = 1;
    expect(await runStakeFlow(staker)).toMatch(/disk is full/);
    expect(staker.signer.requests).toEqual([]);
  });
});

describe('the wallet receives no request', () => {
  test('if the contract call would revert', async () => {
    const staker = new Staker(runningChain);
    const record = await staker.createRecord();
    await approveAllowance(staker, stakeAmount);
    // The account transfers its whole balance after the plan is made, so the stake would revert.
    await staker.signer.sendTransaction({
      chainId: staker.chain.id,
      to: staker.chain.token,
      data: encodeTransferCall(),
      ...emptyRequest,
    });
    staker.signer.requests.length = 0;
    expect(await runStaking(staker.context, record).catch(getErrorCode)).toBe('reverted');
    expect(staker.signer.requests).toEqual([]);
  });

  test('if the user cancels before the request', async () => {
    const staker = new Staker(runningChain);
    const record = await staker.createRecord();
    staker.abortController.abort();
    expect(await runStaking(staker.context, record).catch(getErrorCode)).toBe('stopped');
    expect(staker.signer.requests).toEqual([]);
  });

  test('if the wallet’s account has changed since the start', async () => {
    const staker = new Staker(runningChain);
    const record = await staker.createRecord();
    const { context } = new Staker(runningChain, {}, 2);
    expect(await runStaking(context, record).catch(getErrorCode)).toBe('account-changed');
  });
});

describe('the staking flow with a misbehaving wallet', () => {
  const rejectRequest = async (): Promise<never> => {
    throw new WalletError('rejected', 'The person said no.');
  };

  test('leaves no journal record if the wallet rejects the approval', async () => {
    const staker = new Staker(runningChain);
    staker.signer.answers.push(rejectRequest);
    expect(await runStakeFlow(staker)).toBe('rejected');
    expect(staker.journal.storedText).toBeUndefined();
  });

  test('can revoke the approval after the wallet rejects the stake', async () => {
    const staker = new Staker(runningChain);
    staker.signer.answers.push(async (_request, send) => send(), rejectRequest);
    expect(await runStakeFlow(staker)).toBe('rejected');
    expect((await staker.readState()).allowance).toBe(stakeAmount);
    expect((await staker.journal.read())?.sending).toBeUndefined();
    const result = await runStaking(staker.context, await staker.createRecord('revoke'));
    expect(result).toMatchObject({ stakedBalance: 0n, allowance: 0n });
    expect(staker.journal.storedText).toBeUndefined();
  });

  test('fails with the code `wallet-lied` if the wallet approves more than the amount', async () => {
    const staker = new Staker(runningChain);
    const { data } = encodeStepCall('approve', { ...staker.parameters, amount: 2n ** 256n - 1n });
    staker.signer.answers.push(async (_request, send) => send({ data }));
    expect(await runStakeFlow(staker)).toBe('wallet-lied');
    expect(staker.signer.requests).toHaveLength(1);
    expect((await staker.journal.read())?.sending?.hash).toBeUndefined();
  });

  test('fails with the code `wallet-lied` if the wallet calls another contract', async () => {
    const staker = new Staker(runningChain);
    const to = runningChain.facts.usdc;
    staker.signer.answers.push(async (_request, send) => send({ to }));
    expect(await runStakeFlow(staker)).toBe('wallet-lied');
  });

  test('fails with the code `wallet-lied` if the wallet returns a transaction of another account', async () => {
    const staker = new Staker(runningChain);
    const otherStaker = new Staker(runningChain, {}, 2);
    staker.signer.answers.push(async (transaction) =>
      otherStaker.signer.sendTransaction(transaction),
    );
    expect(await runStakeFlow(staker)).toBe('wallet-lied');
  });

  test('keeps the record if the wallet returns the hash of an older identical transaction', async () => {
    const staker = new Staker(runningChain);
    const { context, parameters, signer } = staker;
    const send = (step: 'approve' | 'revoke'): Promise<Hash> =>
      signer.sendTransaction({
        ...encodeStepCall(step, parameters),
        ...emptyRequest,
        chainId: staker.chain.id,
      });
    const olderHash = await send('approve');
    await send('revoke');
    signer.answers.push(async () => olderHash);
    expect(await runStakeFlow(staker)).toBe('wallet-lied');
    const { sending } = (await staker.journal.read()) ?? {};
    expect(sending).toMatchObject({ step: 'approve' });
    expect(sending?.hash).toBeUndefined();
    expect(sending?.nonce).toBe(
      await context.client.getTransactionCount({ address: signer.address }),
    );
  });

  test('fails with the code `transaction-unknown` if the chain does not find the returned hash', async () => {
    const staker = new Staker(runningChain);
    staker.signer.answers.push(async () => `0x${'ab'.repeat(32)}`);
    expect(await runStakeFlow(staker)).toBe('transaction-unknown');
    expect((await staker.journal.read())?.sending).toMatchObject({ step: 'approve' });
  });

  test.each(['rejected', 'wrong-chain', 'account-changed', 'chain-unreachable'] as const)(
    'removes the record after the wallet failure “%s”, unless the failure contains a transaction hash',
    async (failureCode) => {
      const staker = new Staker(runningChain);
      staker.signer.answers.push(async () => {
        throw new WalletError(failureCode, 'A test.');
      });
      expect(await runStakeFlow(staker)).toBe(failureCode);
      expect(staker.journal.storedText).toBeUndefined();
      staker.signer.answers.push(async () => {
        throw new WalletError(failureCode, 'A test.', `0x${'ab'.repeat(32)}`);
      });
      expect(await runStakeFlow(staker)).toBe(failureCode);
      expect((await staker.journal.read())?.sending).toMatchObject({ step: 'approve' });
    },
  );

  test('continues if the wallet reports a failure with the hash of a sent transaction', async () => {
    const staker = new Staker(runningChain);
    staker.signer.answers.push(async (_request, send) => {
      throw new WalletError('transaction-unknown', 'A test.', await send());
    });
    expect(await runStakeFlow(staker)).toBe('done');
    expect(staker.signer.requests).toHaveLength(2);
  });

  test('keeps the record if the user cancels while the wallet does not respond', async () => {
    const staker = new Staker(runningChain);
    staker.signer.answers.push(() => new Promise(() => staker.abortController.abort()));
    expect(await runStakeFlow(staker)).toBe('stopped');
    expect((await staker.journal.read())?.sending).toMatchObject({ step: 'approve' });
  });
});

const encodeTransferCall = () =>
  `0xa9059cbb${'0'.repeat(24)}${'11'.repeat(20)}${(10n ** 21n).toString(16).padStart(64, '0')}` as const;
