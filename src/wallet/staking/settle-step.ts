import { wait } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Hash } from '../chain.ts';
import { awaitChainCall } from './chain-errors.ts';
import {
  checkTransaction,
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
import { encodeStepCall, isStepProven, readStepValue } from './staking-steps.ts';
import { type TransactionOutcome, watchTransaction } from './watch-transaction.ts';
import { WalletError, type WalletFailure, type WalletFailureCode } from '../wallet-failure.ts';

/** A record whose transaction has a hash. */
type Sent = StakingRecord & { readonly sending: PendingTransaction & { readonly hash: Hash } };

/** A step that is proved. */
export interface SettledStep {
  /** Without the transaction. */
  readonly record: StakingRecord;
  /** Of the transaction that did it. */
  readonly hash: Hash;
}

/**
 * Waits for a transaction that was sent, and proves by the chain's state that it did what it should.
 * @throws WalletError `wallet-lied`, `stopped`, `chain-unreachable` or one of `transaction-…`
 */
export async function settleStep(parts: StakingContext, record: Sent): Promise<SettledStep> {
  const known = await identify(parts, record);
  const { hash, ...sending } = known.sending;
  const end = await watchTransaction(
    parts.client,
    { ...sending, from: record.from, hash, seen: known.seen },
    {
      confirmations: parts.chain.confirmations,
      timing: parts.timing,
      clock: parts.clock,
      signal: parts.signal,
      onNews: (news) => parts.onProgress(sending.step, news),
    },
  );
  if (end.end === 'confirmed') return confirmed(parts, known, end.hash);
  const { sending: _, ...rest } = record;
  // What can never come does not have to be remembered.
  if (['failed', 'cancelled', 'replaced'].includes(end.end)) await parts.journal.write(rest);
  throw errorOf(end);
}

/**
 * Finds out what became of a transaction of a flow that was interrupted.
 * @returns the record without it, and the hash when it came
 * @throws WalletError as {@link settleStep}; `transaction-unknown` when the person does not want it sent once more
 */
export async function resumeStep(
  parts: StakingContext,
  record: StakingRecord & { readonly sending: PendingTransaction },
): Promise<SettledStep | { readonly record: StakingRecord; readonly hash?: never }> {
  const hash = record.sending.hash ?? (await findHash(parts, record));
  if (hash === undefined) return ask(parts, record);
  const sent = { ...record, sending: { ...record.sending, hash } };
  await parts.journal.write(sent);
  try {
    return await settleStep(parts, sent);
  } catch (error) {
    if (!isDropped(error)) throw error;
    return ask(parts, record);
  }
}

/** The nonce is its own, or that which the wallet was expected to take. */
async function identify(parts: StakingContext, record: Sent): Promise<Sent & { seen: boolean }> {
  const shown = await lookFor(parts, record.sending.hash);
  if (shown === undefined) return { ...record, seen: false };
  await check(parts, record, shown);
  const known = { ...record, sending: { ...record.sending, nonce: shown.nonce } };
  if (shown.nonce !== record.sending.nonce) await parts.journal.write(known);
  return { ...known, seen: true };
}

async function check(parts: StakingContext, record: Sent, shown: NodeTransaction): Promise<void> {
  try {
    checkTransaction(shown, { ...record.sending, from: record.from, chainId: parts.chain.id });
  } catch (error) {
    // The hash is of no use, but what was asked for may have been sent as well.
    const { hash: _, ...sending } = record.sending;
    await parts.journal.write({ ...record, sending });
    throw error;
  }
}

/** A node may hear of it a moment after the wallet. */
async function lookFor(
  { client, clock, signal, timing }: StakingContext,
  hash: Hash,
): Promise<NodeTransaction | undefined> {
  for (let left = looks; ; left -= 1) {
    const shown = await findTransaction(client, hash).catch(() => undefined);
    if (shown !== undefined || left === 0) return shown;
    await stoppable(wait(timing.pollMs, { clock, signal }), hash);
  }
}

const looks = 3;

async function confirmed(parts: StakingContext, record: Sent, hash: Hash): Promise<SettledStep> {
  const { step } = record.sending;
  const shown = await awaitChainCall(findTransaction(parts.client, hash), 'chain');
  if (shown !== undefined) await check(parts, record, shown);
  parts.onProgress(step, { type: 'proof' });
  await prove(parts, record, hash);
  const { sending: _, ...rest } = record;
  await parts.journal.write(rest);
  parts.onProgress(step, { type: 'done' });
  return { record: rest, hash };
}

/** A node that stands behind another may still tell the old state. */
async function prove(parts: StakingContext, record: Sent, hash: Hash): Promise<void> {
  const { client, clock, signal, timing } = parts;
  const { step } = record.sending;
  const { amount, measureBefore: before } = record;
  const deadline = clock.now() + timing.missingMs;
  for (;;) {
    const now = await readStepValue(client, step, record);
    if (isStepProven(step, { amount, before, now })) return;
    if (clock.now() >= deadline) break;
    await stoppable(wait(timing.pollMs, { clock, signal }), hash);
  }
  const shown = await awaitChainCall(findTransaction(client, hash), 'chain');
  if (shown?.blockNumber == null)
    throw new WalletError(
      'transaction-reorganised',
      'The block is not in the chain any more.',
      hash,
    );
  const { sending: _, ...rest } = record;
  await parts.journal.write(rest);
  const detail = 'It is in the chain, but what it should have changed has not changed.';
  throw new WalletError('transaction-failed', detail, hash);
}

/** A crash came between asking the wallet and noting the hash. */
async function findHash(
  { client, chain }: StakingContext,
  { from, sending }: StakingRecord & { readonly sending: PendingTransaction },
): Promise<Hash | undefined> {
  const expected = { ...sending, from, chainId: chain.id };
  const used = await awaitChainCall(
    client.getTransactionCount({ address: from, blockTag: 'latest' }),
    'chain',
  );
  const found = used > sending.nonce ? await findReplacement(client, expected) : undefined;
  return found?.same === true ? found.hash : findPendingTransaction(client, expected);
}

async function ask(
  parts: StakingContext,
  record: StakingRecord & { readonly sending: PendingTransaction },
): Promise<{ record: StakingRecord }> {
  const { sending, ...rest } = record;
  if (!(await parts.confirmResend(sending))) {
    const detail = 'It is not known whether the transaction was sent.';
    throw new WalletError('transaction-unknown', detail, sending.hash);
  }
  await parts.journal.write(rest);
  return { record: rest };
}

async function stoppable(waiting: Promise<void>, hash: Hash): Promise<void> {
  await waiting.catch(() => {
    throw new WalletError('stopped', 'Nobody waits for the transaction any more.', hash);
  });
}

/** The last failure of a transaction that was dropped. */
class Dropped extends WalletError {}

const isDropped = (error: unknown): boolean => error instanceof Dropped;

function errorOf(end: Exclude<TransactionOutcome, { end: 'confirmed' }>): WalletError {
  const { hash } = end;
  switch (end.end) {
    case 'failed':
      return new WalletError('transaction-failed', 'The contract refused it.', hash);
    case 'cancelled':
      return new WalletError('transaction-cancelled', 'It was cancelled in the wallet.', hash);
    case 'replaced':
      return new WalletError('transaction-replaced', 'Another one took its place.', hash);
    case 'reorganised':
      return new WalletError(
        'transaction-reorganised',
        'The block is not in the chain any more.',
        hash,
      );
    case 'pending':
      return new WalletError('transaction-unknown', 'It is still waiting for a block.', hash);
    case 'dropped':
      return new Dropped('transaction-unknown', 'The node does not know it.', hash);
  }
}

/**
 * Sends one transaction and waits until what it changes has changed. The journal knows of it before the wallet does.
 * @throws WalletError; the journal still knows of the transaction where it may have been sent, or may still come
 */
export async function sendStep(
  parts: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<SettledStep> {
  const intent = await prepare(parts, record, step);
  await parts.journal.write(intent);
  parts.onProgress(step, { type: 'wallet' });
  const hash = await askWallet(parts, intent);
  const sent = { ...intent, sending: { ...intent.sending, hash } };
  await parts.journal.write(sent);
  return settleStep(parts, sent);
}

type Intent = StakingRecord & { readonly sending: PendingTransaction };

/** No wallet is asked for what the contract would refuse. */
async function prepare(
  { client, signal }: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<Intent> {
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

async function askWallet(parts: StakingContext, intent: Intent): Promise<Hash> {
  const { chain, signer, signal, journal } = parts;
  const { sending, ...record } = intent;
  const { step, to, data } = sending;
  const review = parts.review(step, record);
  try {
    const maxFee = record.fee === undefined ? undefined : record.fee * feeRise;
    const transaction = { chainId: chain.id, to, data, value: 0n, review, ...omitUndefined({ maxFee }) };
    return await orStopped(signer.sendTransaction(transaction, signal), signal);
  } catch (error) {
    const failure = error instanceof WalletError ? error.failure : undefined;
    if (failure?.code === 'transaction-unknown' && failure.hash !== undefined) return failure.hash;
    if (isNothingSent(failure)) await journal.write(record);
    if (error instanceof WalletError) throw error;
    throw new WalletError('internal-error', 'The wallet failed in a way that is not known.');
  }
}

/** Fees rise between the review and the signature; what rises further was not agreed to. */
const feeRise = 3n;

/** With a hash something was sent, whatever else went wrong. */
const isNothingSent = (failure: WalletFailure | undefined): boolean =>
  failure !== undefined && failure.hash === undefined && nothingWasSent.has(failure.code);

/** After any other failure the wallet may still hold the question, or have sent it. */
const nothingWasSent: ReadonlySet<WalletFailureCode> = new Set([
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

/** No wallet can hold up a person who does not want to wait for it. */
async function orStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new WalletError('stopped', 'It was stopped while the wallet was asked.'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
