import { createWalletClient, http, parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type RunningChain, startChain } from '../../../test/service/chain/start-chain.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { type ChainClient, createChainClient } from '../chain-client.ts';
import type { Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import { encodeStepCall } from './staking-steps.ts';
import { quickTiming, Staker } from './staking.fixture.ts';
import {
  type SentTransaction,
  type TransactionOutcome,
  type WatchEvent,
  type WatchOptions,
  watchTransaction,
} from './watch-transaction.ts';

let runningChain: RunningChain;
let snapshotId: string;
beforeAll(async () => {
  runningChain = await startChain();
}, 60_000);
beforeEach(async () => {
  snapshotId = await runningChain.takeSnapshot();
  await runningChain.request('evm_setAutomine', [false]);
});
afterEach(async () => {
  await runningChain.request('anvil_dropAllTransactions');
  await runningChain.revertToSnapshot(snapshotId);
  await runningChain.request('evm_setAutomine', [true]);
});
afterAll(() => runningChain.stop());

interface SendOptions {
  readonly to?: Hex;
  readonly data?: Hex;
  readonly nonce?: number;
  readonly gasPriceGwei?: number;
  readonly gas?: bigint;
}

/** Sends transactions from account 1. The transactions stay pending until a block is mined. */
class TestWallet {
  readonly staker = new Staker(runningChain);
  readonly account = privateKeyToAccount(runningChain.facts.accounts[1]!.privateKey);
  readonly #wallet = createWalletClient({
    account: this.account,
    transport: http(runningChain.rpcUrl),
  });
  readonly call = encodeStepCall('approve', this.staker.parameters);

  sendTransaction({
    to,
    data,
    nonce,
    gasPriceGwei = 3,
    gas = 100_000n,
  }: SendOptions = {}): Promise<Hash> {
    return this.#wallet.sendTransaction({
      to: to ?? this.call.to,
      data: data ?? this.call.data,
      ...(nonce === undefined ? {} : { nonce }),
      gasPrice: parseGwei(String(gasPriceGwei)),
      gas,
      chain: null,
    });
  }

  /** Returns the data that the journal would store about a sent transaction. */
  async createSentTransaction(hash: Hash, isKnownToNode = true): Promise<SentTransaction> {
    const { client } = this.staker.context;
    const from = this.account.address;
    const nonce = await client.getTransactionCount({ address: from });
    return {
      hash,
      from,
      ...this.call,
      nonce,
      isKnownToNode,
      block: await client.getBlockNumber(),
    };
  }
}

/**
 * Timing for tests in which the node loses a transaction and later returns it again. The limits are long enough for a
 * slow machine.
 */
const patientTiming = { ...quickTiming, maxMissingMs: 60_000, maxWaitMs: 60_000 };

/** Watches a transaction and runs the callback of each event. */
function watchWithCallbacks(
  transaction: SentTransaction,
  {
    eventCallbacks = {},
    client = createChainClient(new Staker(runningChain).chain),
    ...changes
  }: Partial<WatchOptions> & {
    eventCallbacks?: Partial<Record<string, () => unknown>>;
    client?: ChainClient;
  } = {},
): Promise<TransactionOutcome> {
  return watchTransaction(client, transaction, {
    confirmations: 1,
    timing: quickTiming,
    clock: systemClock,
    signal: new AbortController().signal,
    onEvent: (event) => void eventCallbacks[formatEvent(event)]?.(),
    ...changes,
  });
}

const formatEvent = (event: WatchEvent): string =>
  event.type === 'confirmations' ? `confirmations ${event.count}` : event.type;

describe('a transaction', () => {
  test('is confirmed only after the requested number of blocks', async () => {
    const wallet = new TestWallet();
    const hash = await wallet.sendTransaction();
    const minedEvents: string[] = [];
    const createEventCallback = (name: string) => () => {
      minedEvents.push(name);
      return runningChain.mineBlocks();
    };
    const eventCallbacks = {
      pending: createEventCallback('pending'),
      'confirmations 1': createEventCallback('1'),
      'confirmations 2': createEventCallback('2'),
    };
    const outcome = await watchWithCallbacks(await wallet.createSentTransaction(hash), {
      confirmations: 3,
      eventCallbacks,
    });
    expect(outcome).toEqual({ end: 'confirmed', hash });
    expect(minedEvents).toEqual(['pending', '1', '2']);
  });

  test('is reported as failed when the call reverts', async () => {
    const wallet = new TestWallet();
    const data = encodeStepCall('stake', wallet.staker.parameters).data;
    const to = wallet.staker.chain.staking;
    const hash = await wallet.sendTransaction({ data, to });
    const transaction = { ...(await wallet.createSentTransaction(hash)), to, data };
    expect(
      await watchWithCallbacks(transaction, {
        eventCallbacks: { pending: () => runningChain.mineBlocks() },
      }),
    ).toEqual({
      end: 'failed',
      hash,
    });
  });

  test('is confirmed with the new hash after the user raises its fee', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    let secondHash: Hash | undefined;
    const eventCallbacks = {
      pending: async () => {
        secondHash = await wallet.sendTransaction({ nonce: transaction.nonce, gasPriceGwei: 9 });
        await runningChain.mineBlocks();
      },
    };
    const outcome = await watchWithCallbacks(transaction, { eventCallbacks });
    expect(outcome).toEqual({ end: 'confirmed', hash: secondHash });
    expect(outcome.hash).not.toBe(transaction.hash);
  });

  test.each([
    ['cancelled', (wallet: TestWallet) => ({ to: wallet.account.address, data: '0x' as const })],
    ['replaced', () => ({ to: runningChain.facts.usdc })],
    [
      'replaced',
      (wallet: TestWallet) => ({
        data: encodeStepCall('approve', { ...wallet.staker.parameters, amount: 1n }).data,
      }),
    ],
  ] as const)(
    'is reported as %s if another transaction used its nonce',
    async (outcome, createChanges) => {
      const wallet = new TestWallet();
      const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
      let secondHash: Hash | undefined;
      const eventCallbacks = {
        pending: async () => {
          secondHash = await wallet.sendTransaction({
            ...createChanges(wallet),
            nonce: transaction.nonce,
            gasPriceGwei: 9,
          });
          await runningChain.mineBlocks(3);
        },
      };
      expect(await watchWithCallbacks(transaction, { eventCallbacks })).toEqual({
        end: outcome,
        hash: secondHash,
      });
    },
  );

  test('is reported as replaced even if the replacement already has many confirmations', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    const hash = await wallet.sendTransaction({
      to: wallet.account.address,
      nonce: transaction.nonce,
      gasPriceGwei: 9,
    });
    await runningChain.mineBlocks(20);
    // The transaction has data, so it is not a cancellation.
    expect(await watchWithCallbacks(transaction)).toEqual({ end: 'replaced', hash });
  });

  test('is confirmed if a reorganization removes its replacement during the search for the replacement', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    const replacementHash = await wallet.sendTransaction({
      to: wallet.account.address,
      data: '0x',
      nonce: transaction.nonce,
      gasPriceGwei: 9,
    });
    await runningChain.mineBlocks();
    const { client } = wallet.staker.context;
    let isRemoved = false;
    const getTransactionReceipt = async (request: { readonly hash: Hash }) => {
      if (request.hash === replacementHash && !isRemoved) {
        isRemoved = true;
        await dropFromChain(replacementHash);
        await resendTransaction(wallet, transaction);
      }
      return client.getTransactionReceipt(request);
    };
    const outcome = await watchWithCallbacks(transaction, {
      client: Object.assign(Object.create(client) as typeof client, { getTransactionReceipt }),
      timing: patientTiming,
    });
    expect(isRemoved).toBe(true);
    expect(outcome).toEqual({ end: 'confirmed', hash: transaction.hash });
  });

  test('is confirmed and not reported as replaced if the node returns the transaction’s block before its receipt', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    await runningChain.mineBlocks();
    const { client } = wallet.staker.context;
    let receiptRequestCount = 0;
    const getTransactionReceipt = (request: { readonly hash: Hash }) => {
      receiptRequestCount += 1;
      const hash: Hash = receiptRequestCount <= 2 ? `0x${'ab'.repeat(32)}` : request.hash;
      return client.getTransactionReceipt({ hash });
    };
    const events: string[] = [];
    const outcome = await watchWithCallbacks(transaction, {
      client: Object.assign(Object.create(client) as typeof client, { getTransactionReceipt }),
      timing: patientTiming,
      onEvent: (event) => events.push(event.type),
    });
    expect(outcome).toEqual({ end: 'confirmed', hash: transaction.hash });
    expect(events).toEqual([]);
  });

  test('is reported as dropped if the node drops the transaction', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    const eventCallbacks = {
      pending: () => runningChain.request('anvil_dropTransaction', [transaction.hash]),
    };
    expect(await watchWithCallbacks(transaction, { eventCallbacks })).toEqual({
      end: 'dropped',
      hash: transaction.hash,
    });
  });

  test('is reported as dropped if the node never returned the transaction and its nonce is used', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(`0x${'ab'.repeat(32)}`, false);
    await wallet.sendTransaction({ to: wallet.account.address });
    await runningChain.mineBlocks();
    expect(await watchWithCallbacks(transaction)).toEqual({
      end: 'dropped',
      hash: transaction.hash,
    });
  });

  test('is reported as pending after the maximum wait', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    const timing = { ...quickTiming, maxWaitMs: 100 };
    expect(await watchWithCallbacks(transaction, { timing })).toEqual({
      end: 'pending',
      hash: transaction.hash,
    });
  });

  test('is confirmed after a reorganization removes and restores the transaction', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    await runningChain.mineBlocks();
    const events: string[] = [];
    const outcome = await watchWithCallbacks(transaction, {
      confirmations: 2,
      timing: patientTiming,
      onEvent: (event) => {
        events.push(formatEvent(event));
        if (events.at(-1) === 'confirmations 1' && events.length === 1)
          void dropFromChain(transaction.hash);
        if (event.type === 'reorganised') void resendTransaction(wallet, transaction);
      },
    });
    expect(outcome).toEqual({ end: 'confirmed', hash: transaction.hash });
    expect(events).toContain('reorganised');
  });

  test('is reported as reorganized if a reorganization removes the transaction permanently', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    await runningChain.mineBlocks();
    const eventCallbacks = { 'confirmations 1': () => dropFromChain(transaction.hash) };
    const outcome = await watchWithCallbacks(transaction, { confirmations: 2, eventCallbacks });
    expect(outcome).toEqual({ end: 'reorganised', hash: transaction.hash });
  });
});

describe('the wait for a transaction', () => {
  test('ends when the user cancels', async () => {
    const wallet = new TestWallet();
    const transaction = await wallet.createSentTransaction(await wallet.sendTransaction());
    const abortController = new AbortController();
    const eventCallbacks = { pending: () => abortController.abort() };
    await expect(
      watchWithCallbacks(transaction, { eventCallbacks, signal: abortController.signal }),
    ).rejects.toMatchObject({
      failure: { code: 'stopped', hash: transaction.hash },
    });
  });

  test('ends when the node does not respond', async () => {
    const client = createChainClient({
      ...new Staker(runningChain).chain,
      rpcUrl: 'http://127.0.0.1:9',
    });
    const silentClient = Object.assign(Object.create(client), {
      getTransactionReceipt: async () => {
        throw new Error('No answer');
      },
    }) as typeof client;
    const clock = new ManualClock();
    const transaction = {
      hash: `0x${'ab'.repeat(32)}`,
      nonce: 0,
      isKnownToNode: true,
      block: 0n,
    } as const;
    const from = runningChain.facts.accounts[1]!.address;
    const outcomePromise = watchTransaction(
      silentClient,
      { ...transaction, from, to: from, data: '0x' },
      {
        confirmations: 1,
        timing: { pollIntervalMs: 2_000, maxMissingMs: 90_000, maxWaitMs: 900_000 },
        clock,
        signal: new AbortController().signal,
        onEvent() {},
      },
    ).catch((error: unknown) => (error instanceof WalletError ? error.failure.code : error));
    await clock.advance(88_000);
    expect(clock.pendingTimerCount).toBe(1);
    await clock.advance(4_000);
    expect(await outcomePromise).toBe('chain-unreachable');
  });
});

/** Replaces the last block with one that does not contain the transaction. */
async function dropFromChain(hash: Hash): Promise<void> {
  await runningChain.request('anvil_reorg', [1, []]);
  await runningChain.request('anvil_dropTransaction', [hash]).catch(() => undefined);
}

/** Sends the same transaction again. The same nonce and fields result in the same hash. */
async function resendTransaction(wallet: TestWallet, { nonce }: SentTransaction): Promise<void> {
  await wallet.sendTransaction({ nonce });
  await runningChain.mineBlocks(2);
}
