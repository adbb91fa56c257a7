import * as vscode from 'vscode';
import {
  type AccountBalance,
  type DayUse,
  getBalance,
  getDailyUse,
} from '../../../service/billing.ts';
import type { Management } from './management.ts';
import { amountText } from './key-words.ts';

const days = 7;

/** `Balance $25 + 90.50 DIEM · $3.20 in 7 days`: of the whole account; empty where a service does not tell. Never throws. */
export async function moneyText({ service }: Management, signal: AbortSignal): Promise<string> {
  const [balance, use] = await Promise.all([
    getBalance(service, { signal }).catch(() => undefined),
    getDailyUse(service, { days, signal }).catch(() => undefined),
  ]);
  const texts = [balance && balanceText(balance), use && useText(use)];
  return texts.filter(Boolean).join(' · ');
}

function balanceText({ usd = 0n, bundled = 0n, diem = 0n }: AccountBalance): string {
  return vscode.l10n.t('Balance {0}', amountText({ usd: usd + bundled, diem }));
}

function useText(use: readonly DayUse[]): string {
  const sum = (unit: 'usd' | 'diem'): bigint => use.reduce((all, day) => all + day[unit], 0n);
  const amount = amountText({ usd: sum('usd'), diem: sum('diem') });
  return vscode.l10n.t('{0} in {1} days', amount, days);
}
