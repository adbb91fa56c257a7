import * as vscode from 'vscode';
import { type AmountProblem, formatShortAmount, formatTokenAmount } from '../amount.ts';
import type {
  StakingProgress,
  StakingPurpose,
  StakingRecord,
  StakingStep,
} from '../stake-journal.ts';
import type { WalletStep } from '../../signer.ts';

/** Symbol of a token and its number of decimals, used to format amounts of the token. */
export interface TokenFormat {
  readonly symbol: string;
  readonly decimals: number;
}

/** Formats an amount with all digits and the symbol: `1234.5 STK`. */
export const formatAmountWithSymbol = (amount: bigint, { symbol, decimals }: TokenFormat): string =>
  `${formatTokenAmount(amount, decimals)} ${symbol}`;

/** Formats an amount with at most four decimals and the symbol. Not for amounts that the user signs. */
export const formatShortAmountWithSymbol = (
  amount: bigint,
  { symbol, decimals }: TokenFormat,
): string => `${formatShortAmount(amount, decimals)} ${symbol}`;

/** Returns one line with the purpose and the amount of a flow. */
export function formatPurpose(
  { purpose, amount }: Pick<StakingRecord, 'purpose' | 'amount'>,
  token: TokenFormat,
): string {
  const text = formatAmountWithSymbol(amount, token);
  switch (purpose) {
    case 'stake':
      return vscode.l10n.t('Stake {0}', text);
    case 'revoke':
      return vscode.l10n.t('Revoke the approval for {0}', token.symbol);
    case 'unstake':
      return vscode.l10n.t('Unstake {0}', text);
    case 'withdraw':
      return vscode.l10n.t('Withdraw {0}', text);
  }
}

/** Returns one line that describes a transaction and its limits. */
export function describeStep(step: StakingStep, amount: string): string {
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
      return vscode.l10n.t('Stake {0}', amount);
    case 'revoke':
      return vscode.l10n.t('Revoke approval');
    case 'unstake':
      return vscode.l10n.t('Unstake {0}', amount);
    case 'withdraw':
      return vscode.l10n.t('Withdraw {0}', amount);
  }
}

/** Returns the text of the progress notification for the current state of a step. */
export function formatProgress(step: StakingStep, progress: StakingProgress): string {
  const name = getStepLabel(step);
  switch (progress.type) {
    case 'wallet':
      return vscode.l10n.t('{0}: confirm it in your wallet…', name);
    case 'pending':
    case 'repriced':
    case 'reorganised':
      return vscode.l10n.t('{0}: sent, waiting for a block…', name);
    case 'confirmations':
      return vscode.l10n.t(
        '{0}: confirmed by {1} of {2} blocks…',
        name,
        progress.count,
        progress.requiredCount,
      );
    case 'proof':
    case 'done':
      return vscode.l10n.t('{0}: {1}', name, vscode.l10n.t('Done'));
  }
}

export function getStepLabel(step: StakingStep): string {
  switch (step) {
    case 'reset':
    case 'revoke':
      return vscode.l10n.t('Revoke');
    case 'approve':
      return vscode.l10n.t('Approve');
    case 'stake':
      return vscode.l10n.t('Stake');
    case 'unstake':
      return vscode.l10n.t('Unstake');
    case 'withdraw':
      return vscode.l10n.t('Withdraw');
  }
}

/** Returns the item of the wallet page's step list that shows the state of a staking step. */
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
export function formatAmountProblem(
  problem: AmountProblem,
  { token, maxAmount }: { token: TokenFormat; maxAmount: bigint },
): string {
  switch (problem) {
    case 'empty':
    case 'not-a-number':
    case 'separator':
      return vscode.l10n.t('Enter an amount such as 5 or 2.50.');
    case 'zero':
      return vscode.l10n.t('Enter more than 0.');
    case 'too-many-decimals':
      return vscode.l10n.t('At most {0} digits after the point.', token.decimals);
    case 'over-balance':
      return vscode.l10n.t('At most {0}', formatShortAmountWithSymbol(maxAmount, token));
  }
}

/** Formats a duration, rounded up: `7 days`, `3 hours`, `5 minutes`. */
export function formatDuration(seconds: number): string {
  if (seconds >= 2 * daySeconds) return vscode.l10n.t('{0} days', Math.ceil(seconds / daySeconds));
  if (seconds >= 2 * hourSeconds) return `${Math.ceil(seconds / hourSeconds)} h`;
  return vscode.l10n.t('{0} minutes', Math.ceil(seconds / 60));
}

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;
