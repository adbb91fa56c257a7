import { isAddressEqual } from 'viem';
import { omitUndefined } from '../../base/json.ts';
import type { Hash } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import { resumeStep, sendStep } from './settle-step.ts';
import type {
  StakingContext,
  StakingPurpose,
  StakingRecord,
  StakingStep,
} from './stake-journal.ts';
import { wouldStepSucceed, findStakeSignature, type StakePlan } from './stake-plan.ts';
import { readAllowance, readStakedBalance, type StakingState } from './staking-state.ts';
import type { StepParameters } from './staking-steps.ts';

/** Balances and allowance after a flow, in the token's smallest unit. */
export interface StakingResult {
  readonly stakedBalance: bigint;
  /** Remaining allowance of the staking contract. */
  readonly allowance: bigint;
  /** Hash of the flow's last transaction. */
  readonly hash: Hash;
}

/** Creates the initial journal record of a flow. */
export function createStakingRecord(
  purpose: StakingPurpose,
  parameters: StepParameters,
  facts: { readonly chainId: number; readonly state: StakingState; readonly time: number } & {
    readonly plan?: Pick<StakePlan, 'stakeSignature' | 'fee'>;
  },
): StakingRecord {
  const { from, token, staking, amount } = parameters;
  const { chainId, state, time, plan } = facts;
  return {
    purpose,
    chainId,
    from,
    token,
    staking,
    amount,
    allowanceBefore: state.allowance,
    measureBefore: state.stakedBalance,
    time,
    ...omitUndefined({ form: plan?.stakeSignature, fee: plan?.fee }),
  };
}

/**
 * Runs or resumes a staking flow from its record. Approves exactly the amount if needed, stakes the amount, and
 * verifies the staked balance. Confirms with the user before resending a transaction that may have been sent.
 * @throws WalletError if the flow fails; the journal then contains the record from which the flow can resume
 */
export async function runStaking(
  context: StakingContext,
  record: StakingRecord,
): Promise<StakingResult> {
  if (!isAddressEqual(context.signer.address, record.from))
    throw new WalletError('account-changed', 'The flow was started with another account.');
  try {
    return await runRemainingSteps(context, record);
  } catch (error) {
    await clearJournalIfUnchanged(context, record);
    throw error;
  }
}

async function runRemainingSteps(
  context: StakingContext,
  record: StakingRecord,
): Promise<StakingResult> {
  let currentRecord = record;
  if (record.sending !== undefined) {
    const { sending } = record;
    const resumedStep = await resumeStep(context, { ...record, sending });
    const { hash } = resumedStep;
    if (hash !== undefined && sending.step === record.purpose)
      return finishStake(context, record, hash);
    currentRecord = resumedStep.record;
  }
  for (let remainingSteps = maxSteps; remainingSteps > 0; remainingSteps -= 1) {
    const step = await findNextStep(context, currentRecord);
    const settledStep = await sendStep(
      context,
      await withStakeSignature(context, currentRecord, step),
      step,
    );
    currentRecord = settledStep.record;
    if (step === record.purpose) return finishStake(context, currentRecord, settledStep.hash);
  }
  throw new WalletError('transaction-failed', 'The allowance is not what was approved.');
}

/** Maximum number of steps in a flow: reset, approve and stake. */
const maxSteps = 3;

async function findNextStep(
  { client }: StakingContext,
  record: StakingRecord,
): Promise<StakingStep> {
  if (record.purpose !== 'stake') return record.purpose;
  const allowance = await readAllowance(client, record);
  if (allowance >= record.amount) return 'stake';
  if (allowance === 0n || (await wouldStepSucceed(client, record, 'approve'))) return 'approve';
  return 'reset';
}

async function withStakeSignature(
  { client }: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<StakingRecord> {
  if (step !== 'stake' || record.form !== undefined) return record;
  return { ...record, form: await findStakeSignature(client, record) };
}

async function finishStake(
  { client, journal }: StakingContext,
  record: StakingRecord,
  hash: Hash,
): Promise<StakingResult> {
  await journal.clear();
  const [stakedBalance, allowance] = await Promise.all([
    readStakedBalance(client, record),
    readAllowance(client, record),
  ]);
  return { stakedBalance, allowance, hash };
}

/**
 * Clears the journal after a failed flow that changed nothing on the chain, because there is nothing to resume. Keeps
 * the record while the outcome of a transaction is unknown.
 */
async function clearJournalIfUnchanged(
  { client, journal }: StakingContext,
  record: StakingRecord,
): Promise<void> {
  const storedRecord = await journal.read();
  if (storedRecord === undefined || storedRecord.sending !== undefined) return;
  const allowance =
    record.purpose === 'stake' ? await readAllowance(client, record).catch(() => -1n) : undefined;
  if (allowance === undefined || allowance === record.allowanceBefore) await journal.clear();
}
