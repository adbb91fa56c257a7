import { html, nothing, type TemplateResult } from 'lit';
import type { MessageView, StatsView } from '../../src/protocol/view-state.ts';
import { iconButton } from './controls.ts';
import { formatUsage, formatUsageDetail } from './format.ts';
import { sumStats } from './turn-stats.ts';

interface Footer {
  readonly message: MessageView;
  /** Of each request of the turn. */
  readonly stats: readonly StatsView[];
  /** Whether Tab stops at the buttons: of many messages only one is in the tab order. */
  readonly current: boolean;
  /** Whether the usage is shown with all its parts. */
  readonly expanded: boolean;
  readonly copy: () => void;
  readonly edit?: () => void;
  readonly retry?: () => void;
  readonly select: (branch: number) => void;
  readonly toggle: () => void;
}

/** The quiet row under a message: what can be done with it, which branch it is, what it cost. */
export function messageFooter(footer: Footer): TemplateResult {
  const { current, expanded, edit, retry } = footer;
  const tabIndex = current ? 0 : -1;
  return html`<div class="footer">
      ${edit ? iconButton({ icon: 'edit', label: 'Edit', run: edit, tabIndex, className: 'idle' }) : nothing}
      ${iconButton({ icon: 'copy', label: 'Copy', run: footer.copy, tabIndex })}
      ${retry ? iconButton({ icon: 'refresh', label: 'Retry', run: retry, tabIndex, className: 'idle' }) : nothing}
      ${branchSwitch(footer, tabIndex)} ${usage(footer, tabIndex)}
    </div>
    ${expanded ? usageDetail(footer) : nothing}`;
}

function branchSwitch(
  { message, select }: Footer,
  tabIndex: number,
): TemplateResult | typeof nothing {
  const { index, count } = message.branch;
  if (count < 2) return nothing;
  const step = (label: string, name: string, to: number): TemplateResult =>
    iconButton({
      icon: name,
      label,
      run: () => select(to),
      tabIndex,
      disabled: to < 0 || to >= count,
    });
  return html`<span class="branches idle" role="group" aria-label="Versions">
    ${step('Previous version', 'chevron-left', index - 1)}
    <span>${index + 1} / ${count}</span>
    ${step('Next version', 'chevron-right', index + 1)}
  </span>`;
}

function usage(footer: Footer, tabIndex: number): TemplateResult | typeof nothing {
  const { stats, expanded, toggle } = footer;
  const sum = sumStats(stats);
  const text = sum && formatUsage(sum);
  if (!text) return nothing;
  return html`<button
    type="button"
    class="usage"
    tabindex=${tabIndex}
    aria-expanded=${expanded ? 'true' : 'false'}
    title=${detail(footer)}
    @click=${toggle}
  >
    ${text}
  </button>`;
}

const usageDetail = (footer: Footer): TemplateResult =>
  html`<p class="usage-detail">${detail(footer)}</p>`;

function detail({ message, stats }: Footer): string {
  const sum = sumStats(stats);
  const parts = [
    message.model ?? '',
    stats.length > 1 ? `${stats.length} requests` : '',
    sum === null ? '' : formatUsageDetail(sum),
  ];
  return parts.filter(Boolean).join(' · ');
}
