import * as vscode from 'vscode';
import { type AmountProblem, formatShortAmount, formatTokenAmount } from '../amount.ts';
import type {
  StakingProgress,
  StakingPurpose,
  StakingRecord,
  StakingStep,
} from '../stake-journal.ts';
import type { WalletStep } from '../../signer.ts';

/** Symbol and decimals for the format of token amounts. */
export interface TokenFormat {
  readonly symbol: string;
  readonly decimals: number;
}

/** Formats an amount with all digits and the symbol: `1234.5 STK`. */
export const formatToken = (amount: bigint, { symbol, decimals }: TokenFormat): string =>
  `${formatTokenAmount(amount, decimals)} ${symbol}`;

/** Formats an amount with at most four decimals and the symbol. Not for amounts that the user signs. */
export const formatShortToken = (amount: bigint, { symbol, decimals }: TokenFormat): string =>
  `${formatShortAmount(amount, decimals)} ${symbol}`;

/** Returns one line that describes a flow. */
export function purposeLabel(
  { purpose, amount }: Pick<StakingRecord, 'purpose' | 'amount'>,
  token: TokenFormat,
): string {
  const text = formatToken(amount, token);
  switch (purpose) {
    case 'stake':
      return vscode.l10n.t('Stake {0}', text);
    case 'revoke':
      return vscode.l10n.t('Revoke the approval for {0}', token.symbol);
    case 'unstake':
      return vscode.l10n.t('Ask for {0} of the stake back', text);
    case 'withdraw':
      return vscode.l10n.t('Withdraw {0}, whose waiting time is over', text);
  }
}

/** Returns one line that describes a transaction and its limits. */
export function stepDescription(step: StakingStep, amount: string): string {
  switch (step) {
    case 'reset':
      return vscode.l10n.t(
        'Set the old approval to 0, which this token wants before another one. No token moves.',
      );
    case 'approve':
      return vscode.l10n.t(
        'Allow the staking contract to take exactly {0}, and no more. No token moves yet.',
        amount,
      );
    case 'stake':
      return vscode.l10n.t('Stake {0}: they move into the staking contract.', amount);
    case 'revoke':
      return vscode.l10n.t(
        'Take back what the staking contract is allowed to take. No token moves.',
      );
    case 'unstake':
      return vscode.l10n.t('Ask for {0} of the stake back. The waiting time begins.', amount);
    case 'withdraw':
      return vscode.l10n.t('Withdraw {0} that were asked back before.', amount);
  }
}

/** Returns the text of the progress notification. */
export function progressMessage(step: StakingStep, progress: StakingProgress): string {
  const name = stepLabel(step);
  switch (progress.type) {
    case 'wallet':
      return vscode.l10n.t('{0}: confirm it in your wallet…', name);
    case 'pending':
      return vscode.l10n.t('{0}: sent, waiting for a block…', name);
    case 'confirmations':
      return vscode.l10n.t(
        '{0}: confirmed by {1} of {2} blocks…',
        name,
        progress.count,
        progress.of,
      );
    case 'repriced':
      return vscode.l10n.t('{0}: sent again by your wallet with another fee…', name);
    case 'reorganised':
      return vscode.l10n.t('{0}: the chain dropped the block again, waiting for another…', name);
    case 'proof':
      return vscode.l10n.t('{0}: done, checking what has changed…', name);
    case 'done':
      return vscode.l10n.t('{0}: done', name);
  }
}

export function stepLabel(step: StakingStep): string {
  switch (step) {
    case 'reset':
      return vscode.l10n.t('Resetting the approval');
    case 'approve':
      return vscode.l10n.t('Approval');
    case 'stake':
      return vscode.l10n.t('Stake');
    case 'revoke':
      return vscode.l10n.t('Revoking the approval');
    case 'unstake':
      return vscode.l10n.t('Unstaking');
    case 'withdraw':
      return vscode.l10n.t('Withdrawal');
  }
}

/** Returns the step of the wallet page's list that shows a staking step. */
export const toWalletStep = (step: StakingStep): WalletStep => {
  switch (step) {
    case 'reset':
    case 'approve':
    case 'revoke':
      return 'approve';
    case 'stake':
      return 'stake';
    case 'unstake':
    case 'withdraw':
      return 'unstake';
  }
};

export function toWalletSteps(purpose: StakingPurpose): readonly WalletStep[] {
  const lastStep = toWalletStep(purpose);
  return purpose === 'stake'
    ? ['connect', 'network', 'approve', lastStep]
    : ['connect', 'network', lastStep];
}

/** Returns a message for the user that explains how to correct an invalid amount. */
export function amountProblemMessage(
  problem: AmountProblem,
  { token, max }: { token: TokenFormat; max: bigint },
): string {
  switch (problem) {
    case 'empty':
      return vscode.l10n.t('Enter an amount.');
    case 'not-a-number':
      return vscode.l10n.t('Enter digits only, with a point before the decimals: 12.5');
    case 'separator':
      return vscode.l10n.t(
        'Leave out separators of thousands, and put a point before the decimals: 1000.5',
      );
    case 'zero':
      return vscode.l10n.t('Enter more than 0.');
    case 'too-many-decimals':
      return vscode.l10n.t('{0} has {1} decimals at most.', token.symbol, token.decimals);
    case 'over-balance':
      return vscode.l10n.t('That is more than the {0} there are.', formatShortToken(max, token));
  }
}

/** Formats a duration, rounded up: `7 days`, `3 hours`, `5 minutes`. */
export function formatDuration(seconds: number): string {
  if (seconds >= 2 * day) return vscode.l10n.t('{0} days', Math.ceil(seconds / day));
  if (seconds >= 2 * hour) return vscode.l10n.t('{0} hours', Math.ceil(seconds / hour));
  return vscode.l10n.t('{0} minutes', Math.ceil(seconds / 60));
}

const hour = 60 * 60;
const day = 24 * hour;
