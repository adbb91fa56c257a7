import * as vscode from 'vscode';
import { daysLeft } from '../../../account/key-expiry.ts';
import { formatAmount, formatUsd } from '../../../base/amounts.ts';
import { nanoUnits } from '../../../base/nano-amount.ts';
import type { KeyUse, ManagedKey } from '../../../service/api-keys.ts';
import type { KeyRecord, LimitPeriod } from '../../../service/key-record.ts';

/** `expires in 5 days`; empty for a key that never does. */
export function expiryText(expiresAt: string | undefined, now: number): string {
  const days = daysLeft(expiresAt, now);
  if (days === undefined) return '';
  if (days === 0) return vscode.l10n.t('expired');
  return days === 1
    ? vscode.l10n.t('expires within a day')
    : vscode.l10n.t('expires in {0} days', days);
}

/** `$1.25 of $5 a month`, or what was spent in the last seven days. */
export function spendingText(key: ManagedKey): string {
  const limit = limitText(key);
  if (limit === '') return vscode.l10n.t('{0} in 7 days, without limit', amountText(key.weekUse));
  const { periodUse } = key;
  return periodUse === undefined
    ? atMostText(key)
    : vscode.l10n.t('{0} of {1}', amountText(periodUse), limit);
}

/** `at most $5 a month`; empty without a limit. */
export function atMostText(key: Limited): string {
  const limit = limitText(key);
  return limit === '' ? '' : vscode.l10n.t('at most {0}', limit);
}

type Limited = Pick<KeyRecord, 'consumptionLimit' | 'limitPeriod'>;

/** `$5 a month`; empty without a limit. */
export function limitText({ consumptionLimit: limit, limitPeriod }: Limited): string {
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
export function amountText({ usd, diem }: KeyUse): string {
  const text = formatUsd(nanoUnits(usd));
  if (diem === 0n) return text;
  const diemText = `${formatAmount(nanoUnits(diem))} DIEM`;
  return usd === 0n ? diemText : `${text} + ${diemText}`;
}
