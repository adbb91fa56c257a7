import * as l10n from '@vscode/l10n';
import { type Abi, BaseError, HttpRequestError, TimeoutError } from 'viem';
import { type ChainClient, tokenAbi } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import { awaitChainCall, toChainError, revertReason } from './chain-errors.ts';
import type { StakeForm, StakingStep } from './stake-journal.ts';
import type { StakingState } from './staking-state.ts';
import {
  encodeStepCall,
  isStepProven,
  type StepCall,
  type StepParameters,
} from './staking-steps.ts';
import { WalletError } from '../wallet-failure.ts';

export interface CallSequence {
  readonly from: Address;
  readonly calls: readonly StepCall[];
  /** A number that is read after them. */
  readonly read: {
    readonly address: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
  };
}

/**
 * Runs calls one after the other on top of the newest block (`eth_simulateV1`), without sending any: a stake needs an
 * allowance that is not there yet.
 * @returns what is read afterwards and the gas that the calls took; why one of them failed; or that the node has no
 * such simulation
 * @throws WalletError `chain-unreachable`
 */
export async function simulateSequence(
  client: ChainClient,
  { from, calls, read }: CallSequence,
): Promise<{ value: bigint; gas: bigint } | { reason: string } | 'unsupported'> {
  const { address: to, ...reading } = read;
  try {
    const [block] = await client.simulateBlocks({
      blocks: [
        { calls: [...calls.map((call) => ({ account: from, ...call })), { to, ...reading }] },
      ],
    });
    const results = block?.calls ?? [];
    const failed = results.find(({ status }) => status !== 'success');
    if (failed !== undefined) return { reason: revertReason(failed.error) ?? '' };
    const value = results.at(-1)?.result;
    if (results.length !== calls.length + 1 || typeof value !== 'bigint') return 'unsupported';
    return { value, gas: results.slice(0, -1).reduce((sum, { gasUsed }) => sum + gasUsed, 0n) };
  } catch (error) {
    if (isMissing(error)) return 'unsupported';
    throw toChainError(error, 'chain');
  }
}

/** Nodes say in several ways that they do not have a method; a node that does not answer at all is something else. */
const isMissing = (error: unknown): boolean =>
  !(error instanceof BaseError) || error.walk((each) => isSilence(each)) === null;

const isSilence = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof HttpRequestError && error.status === undefined);

/** How an amount will be staked, found without sending anything. */
export interface StakePlan {
  readonly steps: readonly StakingStep[];
  /** Absent when the chain's node cannot simulate it before the approval; it is found after it then. */
  readonly form?: StakeForm;
  readonly allowanceAfter: bigint;
  /** Of all steps together, in the currency's smallest unit, as estimated now; absent when it cannot be. */
  readonly fee?: bigint;
}

/** `reset` is needed by tokens that change an allowance only from 0. */
const ways: readonly (readonly StakingStep[])[] = [
  ['approve', 'stake'],
  ['reset', 'approve', 'stake'],
];
const forms: readonly StakeForm[] = ['amount', 'recipient-and-amount'];

/**
 * Finds the steps and the call form by simulating them in a row on the chain's node.
 * @throws WalletError `insufficient-funds`, `reverted`, `chain-unreachable`
 */
export async function planStake(
  client: ChainClient,
  subject: StepParameters,
  state: StakingState,
): Promise<StakePlan> {
  if (state.balance < subject.amount)
    throw new WalletError('insufficient-funds', l10n.t('The balance is less than the amount.'));
  const enough = state.allowance >= subject.amount;
  const choices = enough ? [['stake'] as const] : ways.slice(0, state.allowance === 0n ? 1 : 2);
  const allowanceAfter = enough ? state.allowance - subject.amount : 0n;
  const found = await firstThatWorks(client, { subject, state, choices });
  const fee = found.gas === undefined ? undefined : await feeOf(client, found.gas);
  if ((fee ?? 1n) > state.currencyBalance)
    throw new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
  const { steps, form } = found;
  return {
    steps,
    allowanceAfter,
    ...(form === undefined ? {} : { form }),
    ...(fee === undefined ? {} : { fee }),
  };
}

interface Found {
  readonly steps: readonly StakingStep[];
  readonly form?: StakeForm;
  readonly gas?: bigint;
}

interface Search {
  readonly subject: StepParameters;
  readonly state: StakingState;
  readonly choices: readonly (readonly StakingStep[])[];
}

async function firstThatWorks(client: ChainClient, search: Search): Promise<Found> {
  let reason = '';
  for (const steps of search.choices) {
    for (const form of forms) {
      const tried = await tryOut(client, { ...search, steps, form });
      if (tried === 'unsupported') return withoutSimulation(client, search);
      if (typeof tried === 'bigint') return { steps, form, gas: tried };
      reason ||= tried.reason;
    }
  }
  throw new WalletError(
    'reverted',
    reason === '' ? l10n.t('The contracts refuse.') : l10n.t('The contracts refuse: {0}.', reason),
  );
}

/** @returns the gas of all steps; why they fail; or that the node cannot tell */
async function tryOut(
  client: ChainClient,
  { subject, state, steps, form }: Search & { steps: readonly StakingStep[]; form: StakeForm },
): Promise<bigint | { reason: string } | 'unsupported'> {
  const calls = steps.map((step) => encodeStepCall(step, { ...subject, form }));
  const balance = { abi: tokenAbi, functionName: 'balanceOf', args: [subject.from] } as const;
  const outcome = await simulateSequence(client, {
    from: subject.from,
    calls,
    read: { address: subject.staking, ...balance },
  });
  if (outcome === 'unsupported' || 'reason' in outcome) return outcome;
  // A contract that takes every call has not staked anything.
  const measured = { amount: subject.amount, before: state.staked, now: outcome.value };
  return isStepProven('stake', measured)
    ? outcome.gas
    : { reason: l10n.t('the staked balance would not rise') };
}

/** Only what already can be simulated by itself decides; the contract's other form is tried after the approval. */
async function withoutSimulation(client: ChainClient, search: Search): Promise<Found> {
  const [first = []] = search.choices;
  if (first[0] === 'stake')
    return { steps: first, form: await findStakeForm(client, search.subject) };
  const approves = await wouldSucceed(client, search.subject, 'approve');
  return { steps: (approves ? first : search.choices[1]) ?? first };
}

/**
 * The call form that the contract takes, once the allowance is there.
 * @throws WalletError `reverted` when it takes none, `chain-unreachable`
 */
export async function findStakeForm(
  client: ChainClient,
  subject: StepParameters,
): Promise<StakeForm> {
  if (await wouldSucceed(client, { ...subject, form: 'amount' }, 'stake')) return 'amount';
  const form = 'recipient-and-amount';
  await simulateStep(client, { ...subject, form }, 'stake');
  return form;
}

/**
 * Tries one step without sending it.
 * @throws WalletError `reverted`, `chain-unreachable`
 */
export async function simulateStep(
  client: ChainClient,
  subject: StepParameters,
  step: StakingStep,
): Promise<void> {
  const call = { account: subject.from, ...encodeStepCall(step, subject) };
  await awaitChainCall(client.call(call), 'contract');
}

export async function wouldSucceed(
  client: ChainClient,
  subject: StepParameters,
  step: StakingStep,
): Promise<boolean> {
  try {
    await simulateStep(client, subject, step);
    return true;
  } catch (error) {
    const known = toChainError(error, 'contract');
    if (known.failure.code === 'reverted') return false;
    throw known;
  }
}

/** With a quarter more gas than was simulated: storage may cost more when it comes to it. */
async function feeOf(client: ChainClient, gas: bigint): Promise<bigint> {
  const price = await awaitChainCall(client.getGasPrice(), 'chain');
  return (gas * price * 5n) / 4n;
}

/**
 * Tries one step by itself, and estimates its fee in the currency's smallest unit.
 * @throws WalletError `insufficient-funds`, `reverted`, `chain-unreachable`
 */
export async function planStep(
  client: ChainClient,
  step: StakingStep,
  { subject, state }: { subject: StepParameters; state: StakingState },
): Promise<{ readonly fee: bigint }> {
  await simulateStep(client, subject, step);
  const call = { account: subject.from, ...encodeStepCall(step, subject) };
  const gas = await awaitChainCall(client.estimateGas(call), 'contract');
  const fee = await feeOf(client, gas);
  if (fee <= state.currencyBalance) return { fee };
  throw new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
}
