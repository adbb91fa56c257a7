import * as vscode from 'vscode';
import { formatAmount, formatUsd } from '../../../base/amounts.ts';
import type {
  ConsumptionLimit,
  KeyOptions,
  KeyType,
  LimitPeriod,
  ModelPrivacy,
} from '../../../service/key-record.ts';
import type { OptionProblem } from '../mint-options.ts';

export const formatKeyType = (type: KeyType): string =>
  type === 'ADMIN' ? vscode.l10n.t('Admin') : vscode.l10n.t('Inference');

/** Formats an expiry as `2027-02-19`, or as "never". */
export const formatExpiry = ({ expiresAt }: Pick<KeyOptions, 'expiresAt'>): string =>
  expiresAt ?? vscode.l10n.t('Never');

/** Formats a limit: `$10 per month`, `$5 and 2 DIEM in total`. */
export function formatLimitLabel({
  consumptionLimit,
  limitPeriod = 'EPOCH',
}: Pick<KeyOptions, 'consumptionLimit' | 'limitPeriod'>): string {
  const amountText = formatAmounts(consumptionLimit ?? {});
  return amountText === ''
    ? vscode.l10n.t('No limit')
    : formatPeriodAmount(amountText, limitPeriod);
}

/** Formats an amount of money with the period after which it resets. */
export function formatPeriodAmount(amountText: string, period: LimitPeriod): string {
  switch (period) {
    case 'EPOCH':
      return vscode.l10n.t('{0} per day (UTC)', amountText);
    case 'MONTH':
      return vscode.l10n.t('{0} per month', amountText);
    case 'LIFETIME':
      return vscode.l10n.t('{0} in total', amountText);
  }
}

export function formatLimitPeriod(period: LimitPeriod): string {
  switch (period) {
    case 'EPOCH':
      return vscode.l10n.t('Each day');
    case 'MONTH':
      return vscode.l10n.t('Each month');
    case 'LIFETIME':
      return vscode.l10n.t('In total');
  }
}

export function formatPrivacy(privacy: ModelPrivacy): string {
  switch (privacy) {
    case 'ALL':
      return vscode.l10n.t('All models');
    case 'PRIVATE_TEXT':
      return vscode.l10n.t('Private models for text');
    case 'PRIVATE_ONLY':
      return vscode.l10n.t('Private models only');
  }
}

/** Returns a message for the user about an invalid option. */
export function formatOptionProblem(problem: OptionProblem): string {
  switch (problem) {
    case 'unknown-field':
      return vscode.l10n.t('The key has an unknown option.');
    case 'type':
      return vscode.l10n.t('This value can’t be used: {0}.', vscode.l10n.t('Type'));
    case 'period':
      return vscode.l10n.t('This value can’t be used: {0}.', vscode.l10n.t('Limit'));
    case 'privacy':
      return vscode.l10n.t('This value can’t be used: {0}.', vscode.l10n.t('Privacy'));
    case 'description':
      return vscode.l10n.t('A description has at most 64 characters on one line.');
    case 'expiry-format':
      return vscode.l10n.t('A date is written as 2027-12-31.');
    case 'expiry-past':
      return vscode.l10n.t('This date has passed.');
    case 'limit':
      return vscode.l10n.t('Enter an amount such as 5 or 2.50.');
  }
}

function formatAmounts({ usd, diem, vcu }: ConsumptionLimit): string {
  const amounts = [
    usd === undefined ? '' : formatUsd(usd),
    diem === undefined ? '' : `${formatAmount(diem)} DIEM`,
    vcu === undefined ? '' : `${formatAmount(vcu)} VCU`,
  ].filter((amount) => amount !== '');
  return amounts.length === 0
    ? ''
    : amounts.reduce((joinedAmounts, amount) =>
        vscode.l10n.t('{0} and {1}', joinedAmounts, amount),
      );
}

/** Formats a remaining time below one hour as minutes and seconds, such as `14:05`; otherwise as `3 h 12 min`. */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  return vscode.l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
