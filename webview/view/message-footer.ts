import { html, nothing, type TemplateResult } from 'lit';
import type { MessageView } from '../../src/protocol/view-state.ts';
import { iconButton } from './controls.ts';
import { formatUsage, formatUsageDetail } from './format.ts';

interface Footer {
  readonly message: MessageView;
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
  const { message, current, expanded, edit, retry } = footer;
  const tabIndex = current ? 0 : -1;
  return html`<div class="footer">
      ${edit ? iconButton({ icon: 'edit', label: 'Edit', run: edit, tabIndex, className: 'idle' }) : nothing}
      ${iconButton({ icon: 'copy', label: 'Copy', run: footer.copy, tabIndex })}
      ${retry ? iconButton({ icon: 'refresh', label: 'Retry', run: retry, tabIndex, className: 'idle' }) : nothing}
      ${branchSwitch(footer, tabIndex)} ${usage(footer, tabIndex)}
    </div>
    ${expanded ? usageDetail(message) : nothing}`;
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

function usage(
  { message, expanded, toggle }: Footer,
  tabIndex: number,
): TemplateResult | typeof nothing {
  const text = message.stats && formatUsage(message.stats);
  if (!text) return nothing;
  return html`<button
    type="button"
    class="usage"
    tabindex=${tabIndex}
    aria-expanded=${expanded ? 'true' : 'false'}
    title=${detail(message)}
    @click=${toggle}
  >
    ${text}
  </button>`;
}

const usageDetail = (message: MessageView): TemplateResult =>
  html`<p class="usage-detail">${detail(message)}</p>`;

const detail = ({ model, stats }: MessageView): string =>
  [model ?? '', stats === null ? '' : formatUsageDetail(stats)].filter(Boolean).join(' · ');
