import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { createChainClient } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import { watchForReorg } from './watch-transaction.ts';
import { runStaking } from './stake-flow.ts';
import { Staker } from './staking.fixture.ts';

let runningChain: RunningChain;
let staker: Staker;
let transactionHash: Hash;
// Each test has its own chain, because a reorganization also affects the snapshots of a chain.
beforeEach(async () => {
  runningChain = await startChain();
  staker = new Staker(runningChain);
  ({ hash: transactionHash } = await runStaking(staker.context, await staker.createRecord()));
}, 60_000);
afterEach(() => runningChain.stop());

const createOptions = (maxWaitMs: number) => ({
  blockCount: 3,
  pollIntervalMs: 5,
  maxWaitMs,
  clock: systemClock,
  signal: new AbortController().signal,
});

test('watchForReorg returns "unsure" if too few blocks follow the transaction', async () =>
  expect(await watchForReorg(staker.context.client, transactionHash, createOptions(50))).toBe(
    'unsure',
  ));

test('watchForReorg returns "unsure" if the node does not respond', async () => {
  const client = createChainClient({ ...staker.chain, rpcUrl: 'http://127.0.0.1:9' });
  expect(await watchForReorg(client, transactionHash, createOptions(50))).toBe('unsure');
});

test('watchForReorg returns "unsure" if a lagging node returns a block number below that of the transaction', async () => {
  const { client } = staker.context;
  const { blockNumber } = await client.getTransactionReceipt({ hash: transactionHash });
  const laggingClient = Object.assign(Object.create(client) as typeof client, {
    getBlockNumber: async () => blockNumber - 1n,
  });
  expect(await watchForReorg(laggingClient, transactionHash, createOptions(100))).toBe('unsure');
});

test('watchForReorg returns "unsure" if the user cancels', async () => {
  const signal = AbortSignal.abort();
  const outcomePromise = watchForReorg(staker.context.client, transactionHash, {
    ...createOptions(60_000),
    signal,
  });
  expect(await outcomePromise).toBe('unsure');
});

test('watchForReorg reports a reorganization that removes the transaction’s block', async () => {
  await runningChain.request('evm_setAutomine', [false]);
  const outcomePromise = watchForReorg(
    staker.context.client,
    transactionHash,
    createOptions(10_000),
  );
  await runningChain.request('anvil_reorg', [1, []]);
  await runningChain.request('anvil_dropTransaction', [transactionHash]).catch(() => undefined);
  expect(await outcomePromise).toBe('reorganised');
});

test('watchForReorg confirms the transaction after enough blocks', async () => {
  await runningChain.mineBlocks(3);
  expect(await watchForReorg(staker.context.client, transactionHash, createOptions(10_000))).toBe(
    'kept',
  );
});
