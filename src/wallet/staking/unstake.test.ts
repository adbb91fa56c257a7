import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import type { WalletError } from '../wallet-failure.ts';
import { runStaking } from './stake-flow.ts';
import { stakeAmount, Staker } from './staking.fixture.ts';
import { readUnstakeTerms } from './staking-state.ts';

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

/** Returns a staker for account 4, which has a stake of 100 tokens. */
const createStaker = (): Staker => new Staker(runningChain, {}, 4);
const readTerms = ({ context, parameters }: Staker) => readUnstakeTerms(context.client, parameters);
const weekSeconds = 7 * 24 * 60 * 60;
const stakedAmount = 100n * 10n ** 18n;

async function advanceTime(seconds: number): Promise<void> {
  const { timestamp } = await createStaker().context.client.getBlock();
  await runningChain.setNextBlockTime(Number(timestamp) + seconds);
  await runningChain.mineBlocks();
}

describe('unstaking', () => {
  test('requires the cooldown that the contract reports', async () => {
    const cooldown = { pendingAmount: 0n, secondsLeft: 0 };
    expect(await readTerms(createStaker())).toEqual({
      cooldownSeconds: weekSeconds,
      stakedBalance: stakedAmount,
      cooldown,
    });
  });

  test('is not possible if the contract has no unstaking functions', async () => {
    const { stakingOwn } = runningChain.facts.variants;
    expect(await readTerms(new Staker(runningChain, { staking: stakingOwn }))).toBeUndefined();
  });

  test('starts the cooldown and withdraws the amount after the cooldown', async () => {
    const staker = createStaker();
    const result = await runStaking(staker.context, await staker.createRecord('unstake'));
    expect(result.stakedBalance).toBe(stakedAmount - stakeAmount);
    const terms = await readTerms(staker);
    expect(terms?.cooldown.pendingAmount).toBe(stakeAmount);
    expect(terms?.cooldown.secondsLeft).toBeGreaterThan(weekSeconds - 60);
    await advanceTime(weekSeconds);
    expect((await readTerms(staker))?.cooldown).toEqual({
      pendingAmount: stakeAmount,
      secondsLeft: 0,
    });
    await runStaking(staker.context, await staker.createRecord('withdraw'));
    expect((await staker.readState()).balance).toBe(stakeAmount);
    expect(staker.signer.requests).toHaveLength(2);
    expect(staker.journal.storedText).toBeUndefined();
  });

  test('requests no withdrawal from the wallet before the cooldown ends', async () => {
    const staker = createStaker();
    await runStaking(staker.context, await staker.createRecord('unstake'));
    const withdrawalPromise = runStaking(staker.context, await staker.createRecord('withdraw'));
    const error = await withdrawalPromise.catch((reason: unknown) => reason);
    expect((error as WalletError).failure).toEqual({
      code: 'reverted',
      detail: 'Staking: the waiting time is not over.',
    });
    expect(staker.signer.requests).toHaveLength(1);
    expect(staker.journal.storedText).toBeUndefined();
  });

  test('is not possible with an implausible cooldown', async () => {
    const staker = createStaker();
    const data = `0x${'f'.repeat(64)}`;
    const { client } = staker.context;
    const forgedClient = Object.assign(Object.create(client) as typeof client, {
      readContract: async (call: Parameters<typeof client.readContract>[0]) =>
        call.functionName === 'cooldownDuration' ? BigInt(data) : client.readContract(call),
    });
    expect(await readUnstakeTerms(forgedClient, staker.parameters)).toBeUndefined();
  });
});
