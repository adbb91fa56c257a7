import * as vscode from 'vscode';
import type { Balance } from '../../../account/health.ts';
import { countDaysLeft } from '../../../account/key-expiry.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { formatAmount, formatUsd } from '../../../base/amounts.ts';
import { omitUndefined } from '../../../base/json.ts';
import { convertNanoToNumber } from '../../../base/nano-amount.ts';
import type { KeyUsage, ManagedKey } from '../../../service/api-keys.ts';
import {
  type AccountBalance,
  type DailyUsage,
  getBalance,
  getDailyUsage,
} from '../../../service/billing.ts';
import type { KeyRecord } from '../../../service/key-record.ts';
import { formatPeriodAmount } from '../../mint/vscode/option-labels.ts';
import type { KeyManagement } from './management.ts';
import { isSameApiKey, type LocalApiKey } from './local-api-keys.ts';

/** Formats the expiry: `expires in 5 days`. Empty for a key that never expires. */
export function formatExpiry(expiresAt: string | undefined, now: number): string {
  const daysLeft = countDaysLeft(expiresAt, now);
  if (daysLeft === undefined) return '';
  if (daysLeft === 0) return vscode.l10n.t('expired');
  return daysLeft === 1
    ? vscode.l10n.t('expires within a day')
    : vscode.l10n.t('expires in {0} days', daysLeft);
}

/**
 * Formats the spending of a key with its limit, such as `$1.25 of $5 a month`. Without a limit, formats the spending of
 * the last seven days.
 */
export function formatSpending(key: ManagedKey): string {
  const limit = formatLimit(key);
  if (limit === '') return vscode.l10n.t('{0} in {1} days', formatTotalUsd(key.weekUsage), 7);
  const { periodUsage } = key;
  return periodUsage === undefined
    ? formatSpendingLimit(key)
    : vscode.l10n.t('{0} of {1}', formatKeyUsage(periodUsage, key), limit);
}

/**
 * Formats the spending of a key in the currency of its limit: in DIEM if the key has only a DIEM limit, otherwise in
 * dollars. One DIEM counts as one dollar.
 */
const formatKeyUsage = (usage: KeyUsage, { consumptionLimit: limit }: LimitedKey): string =>
  limit?.diem !== undefined && limit.usd === undefined
    ? `${formatAmount(convertNanoToNumber(usage.diem))} DIEM`
    : formatTotalUsd(usage);

/** Formats a limit as `at most $5 a month`; empty without a limit. */
export function formatSpendingLimit(key: LimitedKey): string {
  const limit = formatLimit(key);
  return limit === '' ? '' : vscode.l10n.t('At most {0}', limit);
}

type LimitedKey = Pick<KeyRecord, 'consumptionLimit' | 'limitPeriod'>;

/** Formats a limit as `$5 a month`; empty without a limit. */
export function formatLimit({ consumptionLimit: limit, limitPeriod }: LimitedKey): string {
  const amounts = [
    limit?.usd === undefined ? '' : formatUsd(limit.usd),
    limit?.diem === undefined ? '' : `${formatAmount(limit.diem)} DIEM`,
  ].filter((text) => text !== '');
  const amount = amounts.join(' + ');
  return amount === '' || limitPeriod === undefined
    ? amount
    : formatPeriodAmount(amount, limitPeriod);
}

/** Formats the name of a key with its last 6 characters: `This laptop (…a1b2c3)`. */
export const formatKeyName = ({ description, last6 = '' }: NamedKey): string =>
  description === undefined || description === ''
    ? vscode.l10n.t('Key …{0}', last6)
    : vscode.l10n.t('{0} (…{1})', description, last6);

interface NamedKey {
  readonly description?: string;
  readonly last6?: string;
}

/** Formats the sum of both currencies in dollars: `$3.75`. One DIEM has the value of one dollar. */
export const formatTotalUsd = ({ usd, diem }: KeyUsage): string =>
  formatUsd(convertNanoToNumber(usd + diem));

/** A key in the key list: listed by the service, stored on this machine, or both. */
export interface KeyEntry {
  readonly managedKey?: ManagedKey;
  readonly localKey?: LocalApiKey;
}

export const formatKeyEntryName = ({ managedKey, localKey }: KeyEntry): string =>
  formatKeyName({
    ...localKey?.storedKey,
    ...managedKey,
    last6: managedKey?.last6 ?? localKey?.last6 ?? '',
  });

/**
 * Formats type, spending and expiry: `INFERENCE · $1.25 of $5 a month · expires in 5 days`. If the
 * service does not list the key, formats only its limit and expiry.
 */
export function formatKeyFacts({ managedKey, localKey }: KeyEntry, now: number): string {
  const texts =
    managedKey === undefined
      ? [
          formatSpendingLimit(localKey?.storedKey ?? {}),
          formatExpiry(localKey?.storedKey?.expiresAt, now),
        ]
      : [managedKey.type, formatSpending(managedKey), formatExpiry(managedKey.expiresAt, now)];
  return texts.filter((text) => text !== '').join(' · ');
}

/**
 * Merges the keys from the service and from this machine. Keys in use come first. Includes local
 * keys that the service does not list, so that the user can remove them.
 */
export function mergeKeys(
  managedKeys: readonly ManagedKey[],
  localKeys: readonly LocalApiKey[],
): readonly KeyEntry[] {
  const listedEntries = managedKeys.map((key): KeyEntry => {
    const localKey = localKeys.find((candidate) => isSameApiKey(candidate, key));
    return localKey === undefined ? { managedKey: key } : { managedKey: key, localKey };
  });
  const localOnlyKeys = localKeys.filter(
    (localKey) => !managedKeys.some((key) => isSameApiKey(localKey, key)),
  );
  return [...listedEntries, ...localOnlyKeys.map((localKey): KeyEntry => ({ localKey }))].sort(
    compareByUse,
  );
}

const compareByUse = (a: KeyEntry, b: KeyEntry): number => rankKey(b) - rankKey(a);
const rankKey = ({ localKey }: KeyEntry): number =>
  localKey === undefined ? 0 : localKey.isInUse ? 2 : 1;

/**
 * Describes where this machine stores the key, and whether this window uses the key. Empty for a key that is not on
 * this machine.
 */
export function formatKeyDetail({ localKey }: KeyEntry): string {
  if (localKey === undefined) return '';
  const usageLabels = localKey.isInUse ? [vscode.l10n.t('In use here')] : [];
  return [...usageLabels, ...listStorageLabels(localKey)].join(' · ');
}

function listStorageLabels({ slot, workspaceName }: LocalApiKey): string[] {
  if (slot === 'environment') return [vscode.l10n.t('From the environment')];
  if (slot === 'management') return [vscode.l10n.t('Manages keys only')];
  if (slot === 'profile') return [vscode.l10n.t('Stored on this machine')];
  return [vscode.l10n.t('API key for {0}', workspaceName ?? '')];
}

const summaryDays = 7;

/**
 * Reads and formats the balance and spending of the whole account: `Balance $115.50 · $3.20 in 7 days`. Omits values
 * that the service does not report. Also records the balance in `account`. Never throws.
 */
export async function readAccountSummary(
  account: Account,
  { service, profile }: KeyManagement,
  signal: AbortSignal,
): Promise<string> {
  const [balance, dailyUsage] = await Promise.all([
    getBalance(service, { signal }).catch(() => undefined),
    getDailyUsage(service, { days: summaryDays, signal }).catch(() => undefined),
  ]);
  if (balance !== undefined) account.reportBalance(toBalance(balance), profile);
  const texts = [balance && formatBalance(balance), dailyUsage && formatWeeklySpending(dailyUsage)];
  return texts.filter(Boolean).join(' · ');
}

/** Converts balances from nano amounts to numbers of dollars and DIEM. */
const toBalance = ({ usd, diem }: AccountBalance): Balance =>
  omitUndefined({
    usd: usd === undefined ? undefined : convertNanoToNumber(usd),
    diem: diem === undefined ? undefined : convertNanoToNumber(diem),
  });

function formatBalance({ usd = 0n, bundled = 0n, diem = 0n }: AccountBalance): string {
  return vscode.l10n.t('Balance {0}', formatTotalUsd({ usd: usd + bundled, diem }));
}

function formatWeeklySpending(days: readonly DailyUsage[]): string {
  const sumUsage = (unit: 'usd' | 'diem'): bigint =>
    days.reduce((total, day) => total + day[unit], 0n);
  const amount = formatTotalUsd({ usd: sumUsage('usd'), diem: sumUsage('diem') });
  return vscode.l10n.t('{0} in {1} days', amount, summaryDays);
}
