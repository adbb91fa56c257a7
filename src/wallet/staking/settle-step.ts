import { wait } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import { awaitChainCall } from './chain-errors.ts';
import {
  checkTransaction,
  type ExpectedNewTransaction,
  findPendingTransaction,
  findReplacement,
  type NodeTransaction,
  findTransaction,
} from './find-transaction.ts';
import type {
  PendingTransaction,
  StakingContext,
  StakingRecord,
  StakingStep,
} from './stake-journal.ts';
import { simulateStep } from './stake-plan.ts';
import { encodeStepCall, hasStepEffect, readStepValue } from './staking-steps.ts';
import { type TransactionOutcome, watchTransaction } from './watch-transaction.ts';
import { WalletError, type WalletFailure, type WalletFailureCode } from '../wallet-failure.ts';

/** Journal record of a sent transaction, whose hash is known. */
type SentRecord = StakingRecord & {
  readonly sending: PendingTransaction & { readonly hash: Hash };
};

/** A completed step, whose effect was verified in the chain's state. */
export interface SettledStep {
  /** Journal record, from which the completed transaction was removed. */
  readonly record: StakingRecord;
  /** Hash of the mined transaction. */
  readonly hash: Hash;
}

/**
 * Waits for the outcome of a sent transaction, and verifies its effect in the chain's state.
 * @throws WalletError `wallet-lied`, `stopped`, `chain-unreachable`, or a code that starts with `transaction-`
 */
export async function settleStep(
  context: StakingContext,
  record: SentRecord,
): Promise<SettledStep> {
  const updatedRecord = await updateNonce(context, record);
  const { hash, ...sending } = updatedRecord.sending;
  const outcome = await watchTransaction(
    context.client,
    { ...sending, from: record.from, hash, isKnownToNode: updatedRecord.isKnownToNode },
    {
      confirmations: context.chain.confirmations,
      timing: context.timing,
      clock: context.clock,
      signal: context.signal,
      onEvent: (event) => context.onProgress(sending.step, event),
    },
  );
  if (outcome.end === 'confirmed') return settleConfirmedStep(context, updatedRecord, outcome.hash);
  const { sending: _, ...recordWithoutTransaction } = record;
  // The journal must not contain a transaction that can never be mined.
  if (['failed', 'cancelled', 'replaced'].includes(outcome.end))
    await context.journal.write(recordWithoutTransaction);
  throw toWalletError(outcome);
}

/**
 * Finishes the pending step of an interrupted flow. If its transaction was not sent or was dropped, asks the user
 * whether to resend the transaction. If the user agrees, removes the transaction from the record but sends nothing.
 * @returns the record without the transaction, and the hash if the transaction was mined
 * @throws WalletError under the same conditions as {@link settleStep}; `transaction-unknown` when the user declines to
 *   resend
 */
export async function resumeStep(
  context: StakingContext,
  record: StakingRecord & { readonly sending: PendingTransaction },
): Promise<SettledStep | { readonly record: StakingRecord; readonly hash?: never }> {
  const hash = record.sending.hash ?? (await findTransactionHash(context, record));
  if (hash === undefined) return confirmAndRemoveHash(context, record);
  const sentRecord = { ...record, sending: { ...record.sending, hash } };
  await context.journal.write(sentRecord);
  try {
    return await settleStep(context, sentRecord);
  } catch (error) {
    if (!isDroppedError(error)) throw error;
    return confirmAndRemoveHash(context, record);
  }
}

/**
 * Reads the actual nonce of the transaction from the node and returns the record with this nonce. If the node does not
 * find the transaction, the record contains the expected nonce.
 */
async function updateNonce(
  context: StakingContext,
  record: SentRecord,
): Promise<SentRecord & { isKnownToNode: boolean }> {
  const transaction = await findTransactionWithRetries(context, record.sending.hash);
  if (transaction === undefined) return { ...record, isKnownToNode: false };
  await checkSentTransaction(context, record, transaction);
  const updatedRecord = { ...record, sending: { ...record.sending, nonce: transaction.nonce } };
  if (transaction.nonce !== record.sending.nonce) await context.journal.write(updatedRecord);
  return { ...updatedRecord, isKnownToNode: true };
}

async function checkSentTransaction(
  context: StakingContext,
  record: SentRecord,
  transaction: NodeTransaction,
): Promise<void> {
  try {
    checkTransaction(transaction, {
      ...record.sending,
      from: record.from,
      chainId: context.chain.id,
    });
  } catch (error) {
    // The wallet returned a wrong hash, but may have sent the requested transaction as well.
    const { hash: _, ...sending } = record.sending;
    await context.journal.write({ ...record, sending });
    throw error;
  }
}

/**
 * Finds a transaction by its hash. Retries, because the transaction may reach the wallet's node before it reaches the
 * configured node. Returns `undefined` if all attempts fail.
 */
async function findTransactionWithRetries(
  { client, clock, signal, timing }: StakingContext,
  hash: Hash,
): Promise<NodeTransaction | undefined> {
  for (let remainingRetries = maxRetries; ; remainingRetries -= 1) {
    const transaction = await findTransaction(client, hash).catch(() => undefined);
    if (transaction !== undefined || remainingRetries === 0) return transaction;
    await rejectIfStopped(wait(timing.pollIntervalMs, { clock, signal }), hash);
  }
}

const maxRetries = 3;

async function settleConfirmedStep(
  context: StakingContext,
  record: SentRecord,
  hash: Hash,
): Promise<SettledStep> {
  const { step } = record.sending;
  const transaction = await awaitChainCall(findTransaction(context.client, hash), 'chain');
  if (transaction !== undefined) await checkSentTransaction(context, record, transaction);
  context.onProgress(step, { type: 'proof' });
  await waitForStepEffect(context, record, hash);
  const { sending: _, ...recordWithoutTransaction } = record;
  await context.journal.write(recordWithoutTransaction);
  context.onProgress(step, { type: 'done' });
  return { record: recordWithoutTransaction, hash };
}

/**
 * Verifies the effect of a mined transaction. Polls, because a lagging node may return the old
 * state.
 */
async function waitForStepEffect(
  context: StakingContext,
  record: SentRecord,
  hash: Hash,
): Promise<void> {
  const { client, clock, signal, timing } = context;
  const { step } = record.sending;
  const { amount, measureBefore: valueBefore } = record;
  const deadline = clock.now() + timing.maxMissingMs;
  for (;;) {
    const currentValue = await readStepValue(client, step, record);
    if (hasStepEffect(step, { amount, valueBefore, currentValue })) return;
    if (clock.now() >= deadline) break;
    await rejectIfStopped(wait(timing.pollIntervalMs, { clock, signal }), hash);
  }
  const transaction = await awaitChainCall(findTransaction(client, hash), 'chain');
  if (transaction?.blockNumber == null)
    throw new WalletError('transaction-reorganised', 'The block is no longer in the chain.', hash);
  const { sending: _, ...recordWithoutTransaction } = record;
  await context.journal.write(recordWithoutTransaction);
  const detail = 'The transaction is in the chain, but its expected effect is missing.';
  throw new WalletError('transaction-failed', detail, hash);
}

/**
 * Finds the transaction of a step for which the journal contains no hash, because VS Code crashed before the hash was
 * stored. Returns its hash; `undefined` if no such transaction is found.
 */
async function findTransactionHash(
  { client, chain }: StakingContext,
  { from, sending }: StakingRecord & { readonly sending: PendingTransaction },
): Promise<Hash | undefined> {
  const expectedTransaction = { ...sending, from, chainId: chain.id };
  return (
    (await findMinedHash(client, expectedTransaction)) ??
    (await findPendingTransaction(client, expectedTransaction)) ??
    // The transaction may have been mined between the two requests.
    findMinedHash(client, expectedTransaction)
  );
}

async function findMinedHash(
  client: ChainClient,
  expected: ExpectedNewTransaction,
): Promise<Hash | undefined> {
  const nonceCount = await awaitChainCall(
    client.getTransactionCount({ address: expected.from, blockTag: 'latest' }),
    'chain',
  );
  if (nonceCount <= expected.nonce) return undefined;
  const replacement = await findReplacement(client, expected);
  return replacement?.hasSameEffect === true ? replacement.hash : undefined;
}

async function confirmAndRemoveHash(
  context: StakingContext,
  record: StakingRecord & { readonly sending: PendingTransaction },
): Promise<{ record: StakingRecord }> {
  const { sending, ...recordWithoutTransaction } = record;
  if (!(await context.confirmResend(sending))) {
    const detail = 'It is not known whether the transaction was sent.';
    throw new WalletError('transaction-unknown', detail, sending.hash);
  }
  await context.journal.write(recordWithoutTransaction);
  return { record: recordWithoutTransaction };
}

async function rejectIfStopped(delayPromise: Promise<void>, hash: Hash): Promise<void> {
  await delayPromise.catch(() => {
    throw new WalletError('stopped', 'Stopped waiting for the transaction.', hash);
  });
}

/** Thrown when the node dropped the transaction, so that {@link resumeStep} can ask the user whether to resend it. */
class DroppedTransactionError extends WalletError {}

const isDroppedError = (error: unknown): boolean => error instanceof DroppedTransactionError;

function toWalletError(outcome: Exclude<TransactionOutcome, { end: 'confirmed' }>): WalletError {
  const { hash } = outcome;
  switch (outcome.end) {
    case 'failed':
      return new WalletError('transaction-failed', 'The contract refused it.', hash);
    case 'cancelled':
      return new WalletError('transaction-cancelled', 'It was cancelled in the wallet.', hash);
    case 'replaced':
      return new WalletError('transaction-replaced', 'Another transaction replaced it.', hash);
    case 'reorganised':
      return new WalletError(
        'transaction-reorganised',
        'The block is no longer in the chain.',
        hash,
      );
    case 'pending':
      return new WalletError('transaction-unknown', 'It is still waiting for a block.', hash);
    case 'dropped':
      return new DroppedTransactionError('transaction-unknown', 'The node does not know it.', hash);
  }
}

/**
 * Sends one transaction and waits until the chain's state proves its effect. Writes the journal before the wallet
 * request.
 * @throws WalletError if the step fails; the journal then contains the transaction if it may have been sent or may be
 *   mined later
 */
export async function sendStep(
  context: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<SettledStep> {
  const preparedRecord = await prepareStep(context, record, step);
  await context.journal.write(preparedRecord);
  context.onProgress(step, { type: 'wallet' });
  const hash = await requestTransaction(context, preparedRecord);
  const sentRecord = { ...preparedRecord, sending: { ...preparedRecord.sending, hash } };
  await context.journal.write(sentRecord);
  return settleStep(context, sentRecord);
}

type PreparedRecord = StakingRecord & { readonly sending: PendingTransaction };

/**
 * Simulates the step, so that the wallet never receives a request that would revert. Returns the record with the
 * transaction to request.
 */
async function prepareStep(
  { client, signal }: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<PreparedRecord> {
  if (signal.aborted) throw new WalletError('stopped', 'It was stopped before anything was sent.');
  await simulateStep(client, record, step);
  const [measureBefore, nonce, block] = await Promise.all([
    readStepValue(client, step, record),
    awaitChainCall(
      client.getTransactionCount({ address: record.from, blockTag: 'pending' }),
      'chain',
    ),
    awaitChainCall(client.getBlockNumber(), 'chain'),
  ]);
  return {
    ...record,
    measureBefore,
    sending: { step, ...encodeStepCall(step, record), nonce, block },
  };
}

async function requestTransaction(
  context: StakingContext,
  preparedRecord: PreparedRecord,
): Promise<Hash> {
  const { chain, signer, signal, journal } = context;
  const { sending, ...record } = preparedRecord;
  const { step, to, data } = sending;
  const review = context.createReview(step, record);
  try {
    const maxFee = record.fee === undefined ? undefined : record.fee * maxFeeFactor;
    const transaction = {
      chainId: chain.id,
      to,
      data,
      value: 0n,
      review,
      ...omitUndefined({ maxFee }),
    };
    return await waitForAnswer(signer.sendTransaction(transaction, signal), signal);
  } catch (error) {
    const failure = error instanceof WalletError ? error.failure : undefined;
    if (failure?.code === 'transaction-unknown' && failure.hash !== undefined) return failure.hash;
    if (wasNothingSent(failure)) await journal.write(record);
    if (error instanceof WalletError) throw error;
    throw new WalletError('internal-error', 'The wallet failed for an unknown reason.');
  }
}

/** Maximum ratio of the actual fee to the fee that the user saw in the review. */
const maxFeeFactor = 3n;

/**
 * Checks whether a failure proves that no transaction was sent. A failure with a hash belongs to a
 * sent transaction.
 */
const wasNothingSent = (failure: WalletFailure | undefined): boolean =>
  failure !== undefined && failure.hash === undefined && unsentFailureCodes.has(failure.code);

/**
 * Codes of failures that prove that no transaction was sent. After any other failure, the wallet may be showing the
 * request or may have sent the transaction.
 */
const unsentFailureCodes: ReadonlySet<WalletFailureCode> = new Set([
  'rejected',
  'no-wallet',
  'wallet-busy',
  'page-unavailable',
  'account-changed',
  'wrong-chain',
  'chain-unreachable',
  'wrong-password',
  'invalid-keystore',
  'insufficient-funds',
  'reverted',
  'unsafe-request',
]);

/** Returns the wallet's answer, or rejects with `stopped` when the signal aborts. */
async function waitForAnswer<T>(answerPromise: Promise<T>, signal: AbortSignal): Promise<T> {
  let rejectAsStopped = (): void => {};
  const rejectionPromise = new Promise<never>((_resolve, reject) => {
    rejectAsStopped = () =>
      reject(new WalletError('stopped', 'It was stopped while the wallet was asked.'));
    if (signal.aborted) rejectAsStopped();
    else signal.addEventListener('abort', rejectAsStopped, { once: true });
  });
  try {
    return await Promise.race([answerPromise, rejectionPromise]);
  } finally {
    signal.removeEventListener('abort', rejectAsStopped);
  }
}
