import * as l10n from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { formatTokens } from '../../../src/base/amounts.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';

const warnsAt = 0.8;

/** How full the model's context is: a ring, and a figure when it gets tight. */
export function contextMeter({ context }: ChatState): TemplateResult | typeof nothing {
  if (context === null || context.limitTokens === 0) return nothing;
  const { usedTokens, limitTokens } = context;
  const share = Math.min(1, usedTokens / limitTokens);
  const percent = Math.round(share * 100);
  const text = l10n.t(
    'Context: {0} of {1} tokens, {2} %',
    formatTokens(usedTokens),
    formatTokens(limitTokens),
    percent,
  );
  const full = share >= warnsAt;
  return html`<span
    class="context-meter ${full ? 'full' : ''}"
    role="img"
    aria-label=${text}
    title=${full ? l10n.t('{0}. Older messages are summarised when it is full.', text) : text}
  >
    ${full ? html`<span aria-hidden="true">${percent} %</span>` : nothing}
    <svg viewBox="0 0 16 16" aria-hidden="true">
      ${svg`<circle class="context-all" cx="8" cy="8" r="6" /><circle
        class="context-used" cx="8" cy="8" r="6" pathLength="100" stroke-dasharray="${percent} 100" />`}
    </svg>
  </span>`;
}
