import * as vscode from 'vscode';
import { formatAmount, formatUsd } from '../../base/amounts.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { CompletionUse } from './usage-ledger.ts';

/** `12 requests · about $0.0031`; `24 requests · $0.0031 + 0.02 DIEM` when some were paid in each. */
export function useText({ requests, usd, diem, isEstimate }: CompletionUse): string {
  const count =
    requests === 1 ? vscode.l10n.t('1 request') : vscode.l10n.t('{0} requests', requests);
  const cost = costText({ usd, diem });
  if (cost === '') return count;
  return `${count} · ${isEstimate ? vscode.l10n.t('about {0}', cost) : cost}`;
}

/** `$0.02 + 0.1 DIEM`; empty when nothing is known to be paid. */
function costText({ usd = 0, diem = 0 }: Cost): string {
  const parts = [usd > 0 ? formatUsd(usd) : '', diem > 0 ? `${formatAmount(diem)} DIEM` : ''];
  return parts.filter((part) => part !== '').join(' + ');
}
