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
import { wouldSucceed, findStakeForm, type StakePlan } from './stake-plan.ts';
import { readAllowance, readStaked, type StakingState } from './staking-state.ts';
import type { StepParameters } from './staking-steps.ts';

/** What the chain says once a flow is over; amounts in the token's smallest unit. */
export interface StakingResult {
  readonly staked: bigint;
  /** What the staking contract may still take. */
  readonly allowance: bigint;
  /** Of the last transaction. */
  readonly hash: Hash;
}

/** The beginning of a flow, as it stands in the journal. */
export function createStakingRecord(
  purpose: StakingPurpose,
  subject: StepParameters,
  facts: { readonly chainId: number; readonly state: StakingState; readonly time: number } & {
    readonly plan?: Pick<StakePlan, 'form' | 'fee'>;
  },
): StakingRecord {
  const { from, token, staking, amount } = subject;
  const { chainId, state, time, plan } = facts;
  return {
    purpose,
    chainId,
    from,
    token,
    staking,
    amount,
    allowanceBefore: state.allowance,
    measureBefore: state.staked,
    time,
    ...omitUndefined({ form: plan?.form, fee: plan?.fee }),
  };
}

/**
 * Runs a flow to its end, from wherever its record says that it stands: approves exactly the amount where that is
 * needed, stakes it, and proves it by the staked balance. Sends nothing that may have been sent before without asking.
 * @throws WalletError; the journal then holds where to go on from
 */
export async function runStaking(
  parts: StakingContext,
  record: StakingRecord,
): Promise<StakingResult> {
  if (!isAddressEqual(parts.signer.address, record.from))
    throw new WalletError('account-changed', 'It was begun with another account.');
  try {
    return await runFrom(parts, record);
  } catch (error) {
    await forgetIfNothingChanged(parts, record);
    throw error;
  }
}

async function runFrom(parts: StakingContext, record: StakingRecord): Promise<StakingResult> {
  let current = record;
  if (record.sending !== undefined) {
    const { sending } = record;
    const resumed = await resumeStep(parts, { ...record, sending });
    const { hash } = resumed;
    if (hash !== undefined && sending.step === record.purpose) return finish(parts, record, hash);
    current = resumed.record;
  }
  for (let left = mostSteps; left > 0; left -= 1) {
    const step = await nextStep(parts, current);
    const settled = await sendStep(parts, await withForm(parts, current, step), step);
    current = settled.record;
    if (step === record.purpose) return finish(parts, current, settled.hash);
  }
  throw new WalletError('transaction-failed', 'The allowance is not what was approved.');
}

/** Reset, approve and stake. */
const mostSteps = 3;

async function nextStep({ client }: StakingContext, record: StakingRecord): Promise<StakingStep> {
  if (record.purpose !== 'stake') return record.purpose;
  const allowance = await readAllowance(client, record);
  if (allowance >= record.amount) return 'stake';
  if (allowance === 0n || (await wouldSucceed(client, record, 'approve'))) return 'approve';
  return 'reset';
}

async function withForm(
  { client }: StakingContext,
  record: StakingRecord,
  step: StakingStep,
): Promise<StakingRecord> {
  if (step !== 'stake' || record.form !== undefined) return record;
  return { ...record, form: await findStakeForm(client, record) };
}

async function finish(
  { client, journal }: StakingContext,
  record: StakingRecord,
  hash: Hash,
): Promise<StakingResult> {
  await journal.clear();
  const [staked, allowance] = await Promise.all([
    readStaked(client, record),
    readAllowance(client, record),
  ]);
  return { staked, allowance, hash };
}

/** Nothing was sent, or all of it was for nothing: there is nothing to go on with. */
async function forgetIfNothingChanged(
  { client, journal }: StakingContext,
  record: StakingRecord,
): Promise<void> {
  const kept = await journal.read();
  if (kept === undefined || kept.sending !== undefined) return;
  const allowance =
    record.purpose === 'stake' ? await readAllowance(client, record).catch(() => -1n) : undefined;
  if (allowance === undefined || allowance === record.allowanceBefore) await journal.clear();
}
