import * as vscode from 'vscode';
import type { Balance } from '../../../account/health.ts';
import { defined } from '../../../base/json.ts';
import { nanoUnits } from '../../../base/nano-amount.ts';
import {
  type AccountBalance,
  type DayUse,
  getBalance,
  getDailyUse,
} from '../../../service/billing.ts';
import type { Account } from '../../../account/vscode/account.ts';
import type { Management } from './management.ts';
import { amountText } from './key-labels.ts';

const days = 7;

/**
 * `Balance $25 + 90.50 DIEM · $3.20 in 7 days`: of the whole account; empty where a service does not tell. What the
 * balance is now is reported to the account. Never throws.
 */
export async function moneyText(
  account: Account,
  { service, profile }: Management,
  signal: AbortSignal,
): Promise<string> {
  const [balance, use] = await Promise.all([
    getBalance(service, { signal }).catch(() => undefined),
    getDailyUse(service, { days, signal }).catch(() => undefined),
  ]);
  if (balance !== undefined) account.reportBalance(unitsOf(balance), profile);
  const texts = [balance && balanceText(balance), use && useText(use)];
  return texts.filter(Boolean).join(' · ');
}

const unitsOf = ({ usd, diem }: AccountBalance): Balance =>
  defined({
    usd: usd === undefined ? undefined : nanoUnits(usd),
    diem: diem === undefined ? undefined : nanoUnits(diem),
  });

function balanceText({ usd = 0n, bundled = 0n, diem = 0n }: AccountBalance): string {
  return vscode.l10n.t('Balance {0}', amountText({ usd: usd + bundled, diem }));
}

function useText(use: readonly DayUse[]): string {
  const sum = (unit: 'usd' | 'diem'): bigint => use.reduce((all, day) => all + day[unit], 0n);
  const amount = amountText({ usd: sum('usd'), diem: sum('diem') });
  return vscode.l10n.t('{0} in {1} days', amount, days);
}
