import { html, nothing, type TemplateResult } from 'lit';
import type { ChangesView } from '../../src/protocol/view-state.ts';
import type { Post } from '../host.ts';
import { icon, textButton } from './controls.ts';
import { visible, visibleString } from './visible.ts';

interface ChangesPanel {
  readonly changes: ChangesView;
  readonly open: boolean;
  /** The turn still runs: nothing can be decided about all of it. */
  readonly busy: boolean;
  readonly tabIndex: number;
  readonly post: Post;
  readonly toggle: () => void;
}

type File = ChangesView['files'][number];
type Decision = 'accept' | 'reject' | 'undo' | 'redo';

/** What a turn did to files, and what the person can do about it. */
export function changesPanel(panel: ChangesPanel): TemplateResult | typeof nothing {
  const { changes, open } = panel;
  if (changes.files.length === 0) return nothing;
  return html`<section class="changes" aria-label="Changed files">
    <div class="changes-head">${summary(panel)} ${wholeTurn(panel)}</div>
    ${
      open
        ? html`<ul class="changes-files">
            ${changes.files.map((file, index) => row(file, index, panel))}
          </ul>`
        : nothing
    }
    ${needsReview(changes) ? review(panel) : nothing}
  </section>`;
}

/** Whether something in it still waits for a decision. */
export const needsReview = ({ files, undone }: ChangesView): boolean =>
  !undone && files.some((file) => file.review === 'pending');

function summary({ changes, open, tabIndex, toggle }: ChangesPanel): TemplateResult {
  const { files } = changes;
  const sum = (of: (file: File) => number): number =>
    files.reduce((total, file) => total + of(file), 0);
  const count = files.filter(({ review }) => review !== 'rejected').length;
  return html`<button
    type="button"
    class="fold changes-fold"
    aria-expanded=${open ? 'true' : 'false'}
    tabindex=${tabIndex}
    @click=${toggle}
  >
    ${icon(open ? 'chevron-down' : 'chevron-right')}
    <span>${count === 1 ? '1 file changed' : `${count} files changed`}</span>
    ${figures(
      sum(({ added }) => added),
      sum(({ removed }) => removed),
    )}
  </button>`;
}

const figures = (added: number, removed: number): TemplateResult =>
  html`${figure('added', '+', added)} ${figure('removed', '−', removed)}`;

const figure = (
  what: 'added' | 'removed',
  sign: string,
  lines: number,
): TemplateResult | typeof nothing =>
  lines === 0
    ? nothing
    : html`<span class="lines-${what}"
        >${sign}${lines}<span class="visually-hidden"> lines ${what}</span></span
      >`;

function row(file: File, index: number, { changes, tabIndex, post }: ChangesPanel): TemplateResult {
  const { turnId, undone } = changes;
  const { label, change, added, removed } = file;
  return html`<li class="changes-file ${change}">
    <button
      type="button"
      class="link"
      title="Show the changes in ${visibleString(label)}"
      tabindex=${tabIndex}
      @click=${() => post({ type: 'changes-open', turnId, index })}
    >
      <bdi>${visible(label)}</bdi>
    </button>
    <span class="changes-kind">${change}</span>
    ${figures(added, removed)}
    ${undone ? nothing : html`<span class="changes-review">${reviewed[file.review]}</span>`}
  </li>`;
}

const reviewed = {
  pending: nothing,
  accepted: html`${icon('check')} <span class="visually-hidden">Accepted</span>`,
  rejected: html`${icon('discard')} <span class="visually-hidden">Rejected</span>`,
} as const;

/** Undo of everything, which stays possible after the review, and its opposite. */
function wholeTurn({ changes, busy, tabIndex, post }: ChangesPanel): TemplateResult {
  const { turnId, undone } = changes;
  const decision = undone ? 'redo' : 'undo';
  return html`${undone ? html`<span class="changes-undone">Undone</span>` : nothing}<button
      type="button"
      class="quiet-button"
      title=${busy ? untilEnded : undone ? 'Make the changes of this turn again' : 'Take back all changes of this turn'}
      aria-disabled=${busy ? 'true' : nothing}
      tabindex=${tabIndex}
      @click=${() => busy || post({ type: 'changes-decide', turnId, decision })}
    >
      ${icon(undone ? 'redo' : 'discard')} ${undone ? 'Redo' : 'Undo turn'}
    </button>`;
}

function review({ changes: { turnId }, busy, post }: ChangesPanel): TemplateResult {
  const decide = (decision: Decision) => () => post({ type: 'changes-decide', turnId, decision });
  const disabled = busy ? untilEnded : '';
  return html`<div class="changes-actions">
    ${textButton({ label: 'Accept all', primary: true, disabled, run: decide('accept') })}
    ${textButton({ label: 'Reject all', disabled, run: decide('reject') })}
  </div>`;
}

const untilEnded = 'When the turn has ended';
