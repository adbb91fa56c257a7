import * as l10n from '@vscode/l10n';
import { type Abi, BaseError, HttpRequestError, TimeoutError } from 'viem';
import { type ChainClient, tokenAbi } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import { awaitChainCall, toChainError, getRevertReason } from './chain-errors.ts';
import type { StakeSignature, StakingStep } from './stake-journal.ts';
import type { StakingState } from './staking-state.ts';
import {
  encodeStepCall,
  hasStepEffect,
  type StepCall,
  type StepParameters,
} from './staking-steps.ts';
import { WalletError } from '../wallet-failure.ts';

export interface CallSequence {
  readonly from: Address;
  readonly calls: readonly StepCall[];
  /** Contract call that returns a number. Runs after `calls` in the same simulation. */
  readonly finalCall: {
    readonly address: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
  };
}

/**
 * Simulates calls in order on the latest block (`eth_simulateV1`) and sends nothing. Staking needs a sequence, because
 * a simulated stake call fails if no approval precedes it.
 * @returns the value of `finalCall` and the gas used; the revert reason; or `unsupported` when the node lacks the method
 * @throws WalletError `chain-unreachable` if the node does not answer
 */
export async function simulateSequence(
  client: ChainClient,
  { from, calls, finalCall }: CallSequence,
): Promise<{ value: bigint; gas: bigint } | { reason: string } | 'unsupported'> {
  const { address: to, ...readCall } = finalCall;
  try {
    const [block] = await client.simulateBlocks({
      blocks: [
        { calls: [...calls.map((call) => ({ account: from, ...call })), { to, ...readCall }] },
      ],
    });
    const callResults = block?.calls ?? [];
    const failedResult = callResults.find(({ status }) => status !== 'success');
    if (failedResult !== undefined) return { reason: getRevertReason(failedResult.error) ?? '' };
    const value = callResults.at(-1)?.result;
    if (callResults.length !== calls.length + 1 || typeof value !== 'bigint') return 'unsupported';
    return { value, gas: callResults.slice(0, -1).reduce((sum, { gasUsed }) => sum + gasUsed, 0n) };
  } catch (error) {
    if (isUnsupportedMethod(error)) return 'unsupported';
    throw toChainError(error, 'chain');
  }
}

/**
 * Checks whether an error means that the node lacks the simulation method. Nodes report this in different ways, so
 * every error counts, unless the node did not respond.
 */
const isUnsupportedMethod = (error: unknown): boolean =>
  !(error instanceof BaseError) || error.walk((cause) => isUnreachable(cause)) === null;

const isUnreachable = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof HttpRequestError && error.status === undefined);

/** Plan for staking an amount. Found by simulation, so nothing is sent. */
export interface StakePlan {
  readonly steps: readonly StakingStep[];
  /**
   * Solidity signature of the contract function `stake`. Absent if the node cannot simulate staking before the
   * approval; {@link findStakeSignature} then finds the signature after the approval.
   */
  readonly stakeSignature?: StakeSignature;
  readonly allowanceAfter: bigint;
  /** Estimated total fee in the currency's smallest unit; absent when it cannot be estimated. */
  readonly fee?: bigint;
}

/**
 * Sequences of steps that the simulation tries in this order. Some tokens reject a change of an allowance that is not
 * 0, so they need `reset` first.
 */
const stepSequences: readonly (readonly StakingStep[])[] = [
  ['approve', 'stake'],
  ['reset', 'approve', 'stake'],
];
const stakeSignatures: readonly StakeSignature[] = ['amount', 'recipient-and-amount'];

/**
 * Finds the steps and the Solidity signature of `stake` by simulation on the chain's node.
 * @throws WalletError with one of the codes `insufficient-funds`, `reverted` or `chain-unreachable`
 */
export async function planStake(
  client: ChainClient,
  parameters: StepParameters,
  state: StakingState,
): Promise<StakePlan> {
  if (state.balance < parameters.amount)
    throw new WalletError('insufficient-funds', l10n.t('The balance is less than the amount.'));
  const hasAllowance = state.allowance >= parameters.amount;
  const sequences = hasAllowance
    ? [['stake'] as const]
    : stepSequences.slice(0, state.allowance === 0n ? 1 : 2);
  const allowanceAfter = hasAllowance ? state.allowance - parameters.amount : 0n;
  const sequence = await findWorkingSequence(client, { parameters, state, sequences });
  const fee = sequence.gas === undefined ? undefined : await estimateFee(client, sequence.gas);
  if ((fee ?? 1n) > state.currencyBalance)
    throw new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
  const { steps, stakeSignature } = sequence;
  return {
    steps,
    allowanceAfter,
    ...(stakeSignature === undefined ? {} : { stakeSignature }),
    ...(fee === undefined ? {} : { fee }),
  };
}

interface WorkingSequence {
  readonly steps: readonly StakingStep[];
  readonly stakeSignature?: StakeSignature;
  readonly gas?: bigint;
}

interface SequenceSearch {
  readonly parameters: StepParameters;
  readonly state: StakingState;
  readonly sequences: readonly (readonly StakingStep[])[];
}

async function findWorkingSequence(
  client: ChainClient,
  search: SequenceSearch,
): Promise<WorkingSequence> {
  let reason = '';
  for (const steps of search.sequences) {
    for (const form of stakeSignatures) {
      const simulation = await simulateStake(client, { ...search, steps, form });
      if (simulation === 'unsupported') return planWithoutSimulation(client, search);
      if (typeof simulation === 'bigint') return { steps, stakeSignature: form, gas: simulation };
      reason ||= simulation.reason;
    }
  }
  throw new WalletError(
    'reverted',
    reason === '' ? l10n.t('The contract gave no reason.') : `${reason}.`,
  );
}

/**
 * Simulates staking with one sequence of steps and one overload of the contract’s function `stake`.
 * @returns the gas of all steps; the failure reason; or `unsupported` when the node cannot
 *   simulate
 */
async function simulateStake(
  client: ChainClient,
  {
    parameters,
    state,
    steps,
    form,
  }: SequenceSearch & { steps: readonly StakingStep[]; form: StakeSignature },
): Promise<bigint | { reason: string } | 'unsupported'> {
  const calls = steps.map((step) => encodeStepCall(step, { ...parameters, form }));
  const balanceCall = {
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [parameters.from],
  } as const;
  const outcome = await simulateSequence(client, {
    from: parameters.from,
    calls,
    finalCall: { address: parameters.staking, ...balanceCall },
  });
  if (outcome === 'unsupported' || 'reason' in outcome) return outcome;
  // A contract that accepts every call does not necessarily stake anything.
  const change = {
    amount: parameters.amount,
    valueBefore: state.stakedBalance,
    currentValue: outcome.value,
  };
  return hasStepEffect('stake', change)
    ? outcome.gas
    : { reason: l10n.t('The staked balance would not rise') };
}

/**
 * Creates a plan for a node that cannot simulate a sequence of calls. Simulates only the first step. The Solidity
 * signature of `stake` is found after the approval.
 */
async function planWithoutSimulation(
  client: ChainClient,
  search: SequenceSearch,
): Promise<WorkingSequence> {
  const [firstSequence = []] = search.sequences;
  if (firstSequence[0] === 'stake')
    return {
      steps: firstSequence,
      stakeSignature: await findStakeSignature(client, search.parameters),
    };
  const canApprove = await wouldStepSucceed(client, search.parameters, 'approve');
  return { steps: (canApprove ? firstSequence : search.sequences[1]) ?? firstSequence };
}

/**
 * Finds the Solidity signature of `stake` that the contract supports. The staking contract must already have an
 * allowance.
 * @throws WalletError `reverted` if the contract supports no signature; `chain-unreachable` if the node does not answer
 */
export async function findStakeSignature(
  client: ChainClient,
  parameters: StepParameters,
): Promise<StakeSignature> {
  if (await wouldStepSucceed(client, { ...parameters, form: 'amount' }, 'stake')) return 'amount';
  const form = 'recipient-and-amount';
  await simulateStep(client, { ...parameters, form }, 'stake');
  return form;
}

/**
 * Simulates one step.
 * @throws WalletError with the code `reverted` or `chain-unreachable`
 */
export async function simulateStep(
  client: ChainClient,
  parameters: StepParameters,
  step: StakingStep,
): Promise<void> {
  const call = { account: parameters.from, ...encodeStepCall(step, parameters) };
  await awaitChainCall(client.call(call), 'contract');
}

export async function wouldStepSucceed(
  client: ChainClient,
  parameters: StepParameters,
  step: StakingStep,
): Promise<boolean> {
  try {
    await simulateStep(client, parameters, step);
    return true;
  } catch (error) {
    const chainError = toChainError(error, 'contract');
    if (chainError.failure.code === 'reverted') return false;
    throw chainError;
  }
}

/**
 * Estimates the fee in the currency's smallest unit. Adds 25% to the simulated gas, because storage
 * may cost more at execution.
 */
async function estimateFee(client: ChainClient, gas: bigint): Promise<bigint> {
  const gasPrice = await awaitChainCall(client.getGasPrice(), 'chain');
  return (gas * gasPrice * 5n) / 4n;
}

/**
 * Simulates one step and estimates its fee in the currency's smallest unit.
 * @throws WalletError with one of the codes `insufficient-funds`, `reverted` or `chain-unreachable`
 */
export async function planStep(
  client: ChainClient,
  step: StakingStep,
  { parameters, state }: { parameters: StepParameters; state: StakingState },
): Promise<{ readonly fee: bigint }> {
  await simulateStep(client, parameters, step);
  const call = { account: parameters.from, ...encodeStepCall(step, parameters) };
  const gas = await awaitChainCall(client.estimateGas(call), 'contract');
  const fee = await estimateFee(client, gas);
  if (fee <= state.currencyBalance) return { fee };
  throw new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
}
