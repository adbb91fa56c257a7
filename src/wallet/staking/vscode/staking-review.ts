import * as vscode from 'vscode';
import type { StakingChain } from '../../chain.ts';
import type { Review, ReviewRow } from '../../signer.ts';
import { formatTokenAmount } from '../amount.ts';
import type { StakingRecord, StakingStep } from '../stake-journal.ts';
import type { StakePlan } from '../stake-plan.ts';
import { getStepSignature } from '../staking-steps.ts';
import {
  formatPurpose,
  describeStep,
  formatAmountWithSymbol,
  type TokenFormat,
} from './staking-messages.ts';

export interface ReviewFacts {
  readonly chain: StakingChain;
  readonly token: TokenFormat;
  readonly record: StakingRecord;
}

/** Builds the review of a whole flow: the facts that the user sees before any transaction is sent. */
export function createFlowReview(
  { chain, token, record }: ReviewFacts,
  { plan, warnings = [] }: { plan: Partial<StakePlan>; warnings?: readonly string[] },
): Review {
  const { amount, allowanceBefore, form } = record;
  const steps = plan.steps ?? [record.purpose];
  return {
    purpose: formatPurpose(record, token),
    rows: [
      ...(amount > 0n ? [createAmountRow(amount, token)] : []),
      createFeeRow(chain, plan.fee),
      ...createAccountRows({ chain, token, record }),
      {
        name: vscode.l10n.t('Allowance'),
        isDetail: true,
        value: `${formatAmountWithSymbol(allowanceBefore, token)} → ${formatAmountWithSymbol(plan.allowanceAfter ?? allowanceBefore, token)}`,
      },
      ...(record.purpose === 'stake' && form === undefined ? [createSimulationRow()] : []),
      ...steps.map((step, index) => ({
        name: steps.length === 1 ? vscode.l10n.t('Function') : vscode.l10n.t('Step {0}', index + 1),
        value: formatStepCall(step, { chain, token, record }),
        isDetail: true as const,
      })),
    ],
    warnings,
  };
}

/** Builds the review of one transaction: the facts that the user sees with the wallet request. */
export function createStepReview(step: StakingStep, { chain, token, record }: ReviewFacts): Review {
  const { to, label } = getStepTarget(step, chain);
  return {
    purpose: describeStep(step, formatAmountWithSymbol(record.amount, token)),
    rows: [
      createAmountRow(setsAllowanceToZero(step) ? 0n : record.amount, token),
      ...createAccountRows({ chain, token, record }).slice(0, 2),
      { name: label, value: to },
      ...(to === chain.token ? [{ name: vscode.l10n.t('Spender'), value: chain.staking }] : []),
      {
        name: vscode.l10n.t('Function'),
        value: getStepSignature(step, record.form),
        isDetail: true,
      },
    ],
    warnings: step === 'unstake' ? [getUnstakeWarning()] : [],
  };
}

export const getUnstakeWarning = (): string =>
  vscode.l10n.t(
    'The amount does not count as staked from now on. Keys and credit that depend on the stake may end.',
  );

function createAccountRows({ chain, record }: ReviewFacts): ReviewRow[] {
  return [
    { name: vscode.l10n.t('Account'), value: record.from },
    {
      name: vscode.l10n.t('Network'),
      value: `${chain.name} (${chain.id})`,
    },
    { name: vscode.l10n.t('Staking contract'), value: chain.staking },
    { name: vscode.l10n.t('Token'), value: chain.token },
  ];
}

function formatStepCall(step: StakingStep, { token, record }: ReviewFacts): string {
  const stepSignature = getStepSignature(step, record.form);
  if (step === 'withdraw') return stepSignature;
  return `${stepSignature}: ${formatAmountWithSymbol(setsAllowanceToZero(step) ? 0n : record.amount, token)}`;
}

const setsAllowanceToZero = (step: StakingStep): boolean => step === 'reset' || step === 'revoke';

const createAmountRow = (amount: bigint, token: TokenFormat): ReviewRow => ({
  name: vscode.l10n.t('Amount'),
  value: formatAmountWithSymbol(amount, token),
});

function getStepTarget(step: StakingStep, chain: StakingChain): { to: string; label: string } {
  return step === 'reset' || step === 'approve' || step === 'revoke'
    ? { to: chain.token, label: vscode.l10n.t('Token') }
    : { to: chain.staking, label: vscode.l10n.t('Staking contract') };
}

const createSimulationRow = (): ReviewRow => ({
  name: vscode.l10n.t('Simulation'),
  isDetail: true,
  value: vscode.l10n.t('the approval succeeds; the stake can only be tried after it'),
});

/** Returns the row with the fee, rounded up to six decimals. */
function createFeeRow({ currency }: StakingChain, fee: bigint | undefined): ReviewRow {
  const name = vscode.l10n.t('Network fee');
  if (fee === undefined) return { name, value: vscode.l10n.t('your wallet shows it') };
  const unit = 10n ** BigInt(Math.max(0, currency.decimals - 6));
  const roundedFee = ((fee + unit - 1n) / unit) * unit;
  const text = formatTokenAmount(roundedFee, currency.decimals);
  return { name, value: vscode.l10n.t('about {0}', `${text} ${currency.symbol}`) };
}
