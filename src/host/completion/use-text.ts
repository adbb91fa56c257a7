import * as vscode from 'vscode';
import { formatAmount, formatUsd } from '../../base/amounts.ts';
import type { CompletionUse } from './usage-ledger.ts';

/** `12 requests · about $0.0031`. */
export function useText({ requests, usd, diem, isEstimate }: CompletionUse): string {
  const count =
    requests === 1 ? vscode.l10n.t('1 request') : vscode.l10n.t('{0} requests', requests);
  const cost = costText({ usd, diem });
  if (cost === '') return count;
  return `${count} · ${isEstimate ? vscode.l10n.t('about {0}', cost) : cost}`;
}

/** `$0.02 · 0.1 DIEM`; empty when nothing is known to be paid. */
function costText({ usd, diem }: Pick<CompletionUse, 'usd' | 'diem'>): string {
  const parts = [usd > 0 ? formatUsd(usd) : '', diem > 0 ? `${formatAmount(diem)} DIEM` : ''];
  return parts.filter((part) => part !== '').join(' · ');
}
