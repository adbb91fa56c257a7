import { html, nothing, type TemplateResult } from 'lit';
import type { AccountView, FailureView } from '../../../src/account/protocol.ts';
import { renderIcon } from '../../base/controls.ts';
import { countSecondsLeft, listAvailableActions } from '../../base/failure-card.ts';
import { formatWait } from '../../base/format.ts';
import type { StudioPost } from '../store.ts';
import { labels } from '../labels.ts';

type FailureActions = AccountView['actions'];

interface FailureNote {
  readonly failure: FailureView;
  /** Current time in milliseconds since the epoch. */
  readonly now: number;
  readonly runAction: (action: string) => void;
}

/** Renders a failure and its actions. Shows the remaining time until the user can retry. */
export function renderFailureNote({ failure, now, runAction }: FailureNote): TemplateResult {
  const { title, detail, code } = failure;
  const seconds = countSecondsLeft(failure, now);
  return html`<div class="failure" role="group" aria-label=${labels.problem}>
    ${renderIcon(seconds > 0 ? 'watch' : 'error')}
    <div class="failure-body">
      <p class="failure-title" dir="auto">${title}</p>
      ${detail === null ? nothing : html`<p class="failure-detail" dir="auto">${detail}</p>`}
      ${
        seconds > 0
          ? html`<p class="failure-wait">${labels.formatRetryIn(formatWait(seconds))}</p>`
          : nothing
      }
      <div class="failure-foot">
        ${renderActionButtons(listAvailableActions(failure, now), runAction)}
        <code class="failure-code">${code}</code>
      </div>
    </div>
  </div>`;
}

/** Renders the account problem and the actions that can resolve it. */
export function renderAccountNote(
  { status, message, actions }: AccountView,
  post: StudioPost,
): TemplateResult | typeof nothing {
  if (status === 'signed-in') return nothing;
  const run = (action: string): void =>
    post({ type: 'action-run', source: 'account', jobId: null, action });
  return html`<div class="account-note" role="group" aria-label=${labels.account}>
    ${renderIcon(status === 'needs-attention' ? 'warning' : 'key')}
    <div class="failure-body">
      ${message === null ? nothing : html`<p dir="auto">${message}</p>`}
      <div class="failure-foot">${renderActionButtons(actions, run)}</div>
    </div>
  </div>`;
}

const renderActionButtons = (
  actions: FailureActions,
  run: (action: string) => void,
): TemplateResult[] =>
  actions.map(
    ({ action, label }, index) =>
      html`<button
        type="button"
        class="button ${index === 0 ? '' : 'secondary'}"
        @click=${() => run(action)}
      >
        ${label}
      </button>`,
  );
