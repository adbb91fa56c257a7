import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatAmount, formatTokens, formatUsd } from '../../../src/base/amounts.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';

/** How far a turn of several requests has come: `3 of 25 requests · 12k tokens · $0.01`. */
export function turnUseLine({ streaming, turnUse }: ChatState): TemplateResult | typeof nothing {
  if (streaming === null || turnUse === null || turnUse.requests === 0) return nothing;
  const { requests, maxRequests, tokens, costUsd, costDiem } = turnUse;
  const parts = [
    maxRequests === 0
      ? l10n.t('{0} requests', requests)
      : l10n.t('{0} of {1} requests', requests, maxRequests),
    ...(tokens === 0 ? [] : [l10n.t('{0} tokens', formatTokens(tokens))]),
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
    ...(costDiem === null ? [] : [`${formatAmount(costDiem)} DIEM`]),
  ];
  return html`<p
    class="note turn-use"
    title=${l10n.t('What this turn has used. When it reaches its limits it asks whether to continue.')}
  >
    ${parts.join(' · ')}
  </p>`;
}
