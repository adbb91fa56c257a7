import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { systemClock } from '../../base/clock.ts';
import { createStakingChain } from '../../../test/service/chain/chain-facts.ts';
import type { RunningChain } from '../../../test/service/chain/start-chain.ts';
import { checkChain, requireStakingChain, createChainClient } from '../chain-client.ts';
import type { Address, Hash, StakingChain } from '../chain.ts';
import type { Signer, TransactionToSend } from '../signer.ts';
import {
  decodeStakingRecord,
  encodeStakingRecord,
  type StakingJournal,
  type StakingProgress,
  type StakingContext,
  type StakingPurpose,
  type StakingRecord,
} from './stake-journal.ts';
import { createStakingRecord } from './stake-flow.ts';
import { planStake } from './stake-plan.ts';
import { readStakingState, type StakingState } from './staking-state.ts';
import type { WatchTiming } from './watch-transaction.ts';

export const stakeAmount = 25n * 10n ** 18n;

/** Short intervals for tests. The limits allow several polls on a busy machine. */
export const quickTiming: WatchTiming = { pollIntervalMs: 10, maxMissingMs: 400, maxWaitMs: 5_000 };

/** Wallet that sends every requested transaction, unless a test has queued another answer. */
export class TestSigner implements Signer {
  readonly kind = 'private-key';
  readonly address: Address;
  readonly requests: TransactionToSend[] = [];
  /** Answers to the next requests, in order. */
  readonly answers: ((
    transaction: TransactionToSend,
    send: (changes?: Partial<TransactionToSend>) => Promise<Hash>,
  ) => Promise<Hash>)[] = [];
  readonly #send: (transaction: TransactionToSend) => Promise<Hash>;

  constructor(running: RunningChain, index: number) {
    const account = privateKeyToAccount(running.facts.accounts[index]!.privateKey);
    const wallet = createWalletClient({ account, transport: http(running.rpcUrl) });
    this.address = account.address;
    this.#send = ({ to, data, value }) =>
      // The gas price is fixed, so that a test can replace a transaction. The gas is fixed, because
      // a transaction may be meant to fail.
      wallet.sendTransaction({ to, data, value, chain: null, gas: 300_000n, gasPrice });
  }

  async signMessage(): Promise<never> {
    throw new Error('Staking signs no message');
  }

  async sendTransaction(transaction: TransactionToSend): Promise<Hash> {
    this.requests.push(transaction);
    const send = (changes: Partial<TransactionToSend> = {}): Promise<Hash> =>
      this.#send({ ...transaction, ...changes });
    const answer = this.answers.shift();
    return answer === undefined ? send() : answer(transaction, send);
  }
}

export const gasPrice = 3_000_000_000n;

/** Journal in memory that stores the record as text, as a file does. */
export class MemoryJournal implements StakingJournal {
  readonly writtenTexts: string[] = [];
  storedText: string | undefined;
  /** Number of the write that fails, from 1; 0 for none. */
  failingWrite = 0;

  async read(): Promise<StakingRecord | undefined> {
    return this.storedText === undefined ? undefined : decodeStakingRecord(this.storedText);
  }

  async write(record: StakingRecord): Promise<void> {
    if (this.writtenTexts.length + 1 === this.failingWrite) throw new Error('The disk is full');
    this.storedText = encodeStakingRecord(record);
    this.writtenTexts.push(this.storedText);
  }

  async clear(): Promise<void> {
    this.storedText = undefined;
  }
}

/** An account on the test chain with all dependencies of a staking flow. */
export class Staker {
  readonly runningChain: RunningChain;
  readonly chain: StakingChain;
  readonly signer: TestSigner;
  readonly journal = new MemoryJournal();
  readonly abortController = new AbortController();
  readonly progressMessages: string[] = [];
  readonly resendQuestions: string[] = [];
  isResendConfirmed = false;
  context: StakingContext;
  #onEvent: ((text: string) => unknown)[] = [];

  constructor(running: RunningChain, changes: Partial<StakingChain> = {}, index = 1) {
    this.runningChain = running;
    this.chain = { ...createStakingChain(running.facts), ...changes };
    this.signer = new TestSigner(running, index);
    this.context = {
      client: createChainClient(this.chain, { pollingMs: 10 }),
      chain: this.chain,
      signer: this.signer,
      journal: this.journal,
      clock: systemClock,
      timing: quickTiming,
      signal: this.abortController.signal,
      createReview: () => ({ purpose: 'A test', rows: [], warnings: [] }),
      onProgress: (step, progress) => this.#handleProgress(`${step} ${formatProgress(progress)}`),
      confirmResend: async ({ step }) => {
        this.resendQuestions.push(step);
        return this.isResendConfirmed;
      },
    };
  }

  async readState(): Promise<StakingState> {
    const { client, signal } = this.context;
    const checked = requireStakingChain(await checkChain(client, this.chain, signal));
    return readStakingState(checked, this.signer.address);
  }

  get parameters() {
    const { token, staking } = this.chain;
    return { token, staking, from: this.signer.address, amount: stakeAmount };
  }

  async createRecord(purpose: StakingPurpose = 'stake'): Promise<StakingRecord> {
    const state = await this.readState();
    const { client } = this.context;
    const plan = purpose === 'stake' ? await planStake(client, this.parameters, state) : undefined;
    const facts = { chainId: this.chain.id, state, time: 1_700_000_000_000 };
    return createStakingRecord(
      purpose,
      this.parameters,
      plan === undefined ? facts : { ...facts, plan },
    );
  }

  /** Calls `run` the next time that the progress message `text` is reported. */
  runAfterProgress(text: string, run: () => unknown): void {
    this.#onEvent.push((message) => {
      if (message !== text) return false;
      void run();
      return true;
    });
  }

  #handleProgress(text: string): void {
    this.progressMessages.push(text);
    this.#onEvent = this.#onEvent.filter((handler) => handler(text) !== true);
  }
}

function formatProgress(progress: StakingProgress): string {
  return progress.type === 'confirmations'
    ? `confirmations ${progress.count}/${progress.requiredCount}`
    : progress.type;
}
