import * as vscode from 'vscode';
import type { Balance } from '../../../account/health.ts';
import { daysLeft } from '../../../account/key-expiry.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { formatAmount, formatUsd } from '../../../base/amounts.ts';
import { omitUndefined } from '../../../base/json.ts';
import { nanoToNumber } from '../../../base/nano-amount.ts';
import type { KeyUsage, ManagedKey } from '../../../service/api-keys.ts';
import {
  type AccountBalance,
  type DailyUsage,
  getBalance,
  getDailyUsage,
} from '../../../service/billing.ts';
import type { KeyRecord, LimitPeriod } from '../../../service/key-record.ts';
import type { KeyManagement } from './management.ts';
import { isSameApiKey, type LocalApiKey } from './local-api-keys.ts';

/** `expires in 5 days`; empty for a key that never does. */
export function formatExpiry(expiresAt: string | undefined, now: number): string {
  const days = daysLeft(expiresAt, now);
  if (days === undefined) return '';
  if (days === 0) return vscode.l10n.t('expired');
  return days === 1
    ? vscode.l10n.t('expires within a day')
    : vscode.l10n.t('expires in {0} days', days);
}

/** `$1.25 of $5 a month`, or what was spent in the last seven days. */
export function formatSpending(key: ManagedKey): string {
  const limit = formatLimit(key);
  if (limit === '')
    return vscode.l10n.t('{0} in 7 days, without limit', formatUsdAndDiem(key.weekUsage));
  const { periodUsage: periodUsage } = key;
  return periodUsage === undefined
    ? formatSpendingLimit(key)
    : vscode.l10n.t('{0} of {1}', formatUsdAndDiem(periodUsage), limit);
}

/** `at most $5 a month`; empty without a limit. */
export function formatSpendingLimit(key: Limited): string {
  const limit = formatLimit(key);
  return limit === '' ? '' : vscode.l10n.t('at most {0}', limit);
}

type Limited = Pick<KeyRecord, 'consumptionLimit' | 'limitPeriod'>;

/** `$5 a month`; empty without a limit. */
export function formatLimit({ consumptionLimit: limit, limitPeriod }: Limited): string {
  const amounts = [
    limit?.usd === undefined ? '' : formatUsd(limit.usd),
    limit?.diem === undefined ? '' : `${formatAmount(limit.diem)} DIEM`,
  ].filter((text) => text !== '');
  const amount = amounts.join(' + ');
  return amount === '' || limitPeriod === undefined ? amount : periodText(amount, limitPeriod);
}

function periodText(amount: string, period: LimitPeriod): string {
  switch (period) {
    case 'EPOCH':
      return vscode.l10n.t('{0} a day', amount);
    case 'MONTH':
      return vscode.l10n.t('{0} a month', amount);
    case 'LIFETIME':
      return vscode.l10n.t('{0} in all', amount);
  }
}

/** `This laptop (…a1b2c3)` */
export const keyName = ({ description, last6 = '' }: NamedKey): string =>
  description === undefined || description === ''
    ? vscode.l10n.t('Key …{0}', last6)
    : vscode.l10n.t('{0} (…{1})', description, last6);

interface NamedKey {
  readonly description?: string;
  readonly last6?: string;
}

/** `$1.25 + 2.50 DIEM` */
export function formatUsdAndDiem({ usd, diem }: KeyUsage): string {
  const text = formatUsd(nanoToNumber(usd));
  if (diem === 0n) return text;
  const diemText = `${formatAmount(nanoToNumber(diem))} DIEM`;
  return usd === 0n ? diemText : `${text} + ${diemText}`;
}

/** A key in the list: as the service lists it, as this machine knows it, or both. */
export interface KeyEntry {
  readonly listed?: ManagedKey;
  readonly own?: LocalApiKey;
}

export const keyEntryName = ({ listed, own }: KeyEntry): string =>
  keyName({ ...own?.kept, ...listed, last6: listed?.last6 ?? own?.last6 ?? '' });

/** `INFERENCE · $1.25 of $5 a month · expires in 5 days`; less of a key that only this machine knows. */
export function formatKeyFacts({ listed, own }: KeyEntry, now: number): string {
  const texts =
    listed === undefined
      ? [formatSpendingLimit(own?.kept ?? {}), formatExpiry(own?.kept?.expiresAt, now)]
      : [listed.type, formatSpending(listed), formatExpiry(listed.expiresAt, now)];
  return texts.filter((text) => text !== '').join(' · ');
}

/** The keys of this machine that the service does not list are shown too: they can be removed from here. */
export function mergeKeys(
  listed: readonly ManagedKey[],
  own: readonly LocalApiKey[],
): readonly KeyEntry[] {
  const all = listed.map((each): KeyEntry => {
    const mine = own.find((one) => isSameApiKey(one, each));
    return mine === undefined ? { listed: each } : { listed: each, own: mine };
  });
  const rest = own.filter((one) => !listed.some((each) => isSameApiKey(one, each)));
  return [...all, ...rest.map((one): KeyEntry => ({ own: one }))].sort(byUse);
}

const byUse = (a: KeyEntry, b: KeyEntry): number => rank(b) - rank(a);
const rank = ({ own }: KeyEntry): number => (own === undefined ? 0 : own.isInUse ? 2 : 1);

/** Where it is kept here, and whether it is in use; empty for a key of other machines. */
export function formatKeyDetail({ own }: KeyEntry): string {
  if (own === undefined) return '';
  const used = own.isInUse ? [vscode.l10n.t('In use here')] : [];
  return [...used, ...kept(own)].join(' · ');
}

function kept({ place, workspaceName }: LocalApiKey): string[] {
  if (place === 'environment') return [vscode.l10n.t('From the environment')];
  if (place === 'management') return [vscode.l10n.t('Manages keys only')];
  if (place === 'profile') return [vscode.l10n.t('Kept on this machine')];
  return [vscode.l10n.t('For the workspace “{0}”', workspaceName ?? '')];
}

const days = 7;

/**
 * `Balance $25 + 90.50 DIEM · $3.20 in 7 days`: of the whole account; empty where a service does not tell. What the
 * balance is now is reported to the account. Never throws.
 */
export async function readAccountSummary(
  account: Account,
  { service, profile }: KeyManagement,
  signal: AbortSignal,
): Promise<string> {
  const [balance, use] = await Promise.all([
    getBalance(service, { signal }).catch(() => undefined),
    getDailyUsage(service, { days, signal }).catch(() => undefined),
  ]);
  if (balance !== undefined) account.reportBalance(unitsOf(balance), profile);
  const texts = [balance && balanceText(balance), use && useText(use)];
  return texts.filter(Boolean).join(' · ');
}

const unitsOf = ({ usd, diem }: AccountBalance): Balance =>
  omitUndefined({
    usd: usd === undefined ? undefined : nanoToNumber(usd),
    diem: diem === undefined ? undefined : nanoToNumber(diem),
  });

function balanceText({ usd = 0n, bundled = 0n, diem = 0n }: AccountBalance): string {
  return vscode.l10n.t('Balance {0}', formatUsdAndDiem({ usd: usd + bundled, diem }));
}

function useText(use: readonly DailyUsage[]): string {
  const sum = (unit: 'usd' | 'diem'): bigint => use.reduce((all, day) => all + day[unit], 0n);
  const amount = formatUsdAndDiem({ usd: sum('usd'), diem: sum('diem') });
  return vscode.l10n.t('{0} in {1} days', amount, days);
}
