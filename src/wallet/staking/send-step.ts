import { defined } from '../../base/json.ts';
import type { Hash } from '../chain.ts';
import { WalletError, type WalletFailure, type WalletFailureCode } from '../wallet-failure.ts';
import { chainAnswer } from './chain-errors.ts';
import { type Settled, settleStep } from './settle-step.ts';
import { simulate } from './stake-plan.ts';
import type { Sending, StakingRecord, StakingStep } from './stake-journal.ts';
import type { StakingParts } from './staking-parts.ts';
import { callOf, measureOf } from './staking-steps.ts';

/**
 * Sends one transaction and waits until what it changes has changed. The journal knows of it before the wallet does.
 * @throws WalletError; the journal still knows of the transaction where it may have been sent, or may still come
 */
export async function sendStep(
  parts: StakingParts,
  record: StakingRecord,
  step: StakingStep,
): Promise<Settled> {
  const intent = await prepare(parts, record, step);
  await parts.journal.write(intent);
  parts.onProgress(step, { type: 'wallet' });
  const hash = await askWallet(parts, intent);
  const sent = { ...intent, sending: { ...intent.sending, hash } };
  await parts.journal.write(sent);
  return settleStep(parts, sent);
}

type Intent = StakingRecord & { readonly sending: Sending };

/** No wallet is asked for what the contract would refuse. */
async function prepare(
  { client, signal }: StakingParts,
  record: StakingRecord,
  step: StakingStep,
): Promise<Intent> {
  if (signal.aborted) throw new WalletError('stopped', 'It was stopped before anything was sent.');
  await simulate(client, record, step);
  const [measureBefore, nonce, block] = await Promise.all([
    measureOf(client, step, record),
    chainAnswer(client.getTransactionCount({ address: record.from, blockTag: 'pending' }), 'chain'),
    chainAnswer(client.getBlockNumber(), 'chain'),
  ]);
  return { ...record, measureBefore, sending: { step, ...callOf(step, record), nonce, block } };
}

async function askWallet(parts: StakingParts, intent: Intent): Promise<Hash> {
  const { chain, signer, signal, journal } = parts;
  const { sending, ...record } = intent;
  const { step, to, data } = sending;
  const review = parts.review(step, record);
  try {
    const mostFee = record.fee === undefined ? undefined : record.fee * feeRise;
    const transaction = { chainId: chain.id, to, data, value: 0n, review, ...defined({ mostFee }) };
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
