import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChangesView } from '../../../src/agent/protocol.ts';
import type { PostMessage } from '../store.ts';
import { renderIcon, renderTextButton } from '../../base/controls.ts';
import { markHiddenCharacters, showInvisibleCharacters } from './preview-block.ts';

interface ChangesPanel {
  readonly changes: ChangesView;
  readonly isOpen: boolean;
  /** True while the turn runs. The user can accept, reject, undo or redo the changes only after the turn ends. */
  readonly isBusy: boolean;
  readonly tabIndex: number;
  readonly post: PostMessage;
  readonly onToggle: () => void;
}

type ChangedFile = ChangesView['files'][number];
type Decision = 'accept' | 'reject' | 'undo' | 'redo';

/** Renders the file changes of a turn and the actions on them. */
export function renderChangesPanel(panel: ChangesPanel): TemplateResult | typeof nothing {
  const { changes, isOpen } = panel;
  if (changes.files.length === 0 && !changes.isDamaged) return nothing;
  return html`<div class="changes" role="group" aria-label=${l10n.t('Changed files')}>
    <div class="changes-head">
      ${changes.files.length === 0 ? nothing : renderSummaryButton(panel)}
      ${changes.isDamaged ? renderDamageNote() : needsReview(changes) ? nothing : renderUndoButton(panel)}
    </div>
    ${
      isOpen
        ? html`<ul class="changes-files">
            ${changes.files.map((file, index) => renderFileRow(file, index, panel))}
          </ul>`
        : nothing
    }
    ${needsReview(changes) ? renderReviewButtons(panel) : nothing}
  </div>`;
}

/** Checks whether the turn contains a file change that the user has neither accepted nor rejected. */
export const needsReview = ({ files, undone, isDamaged }: ChangesView): boolean =>
  !undone && !isDamaged && files.some((file) => file.review === 'pending');

const renderDamageNote = (): TemplateResult =>
  html`<span class="note"
    >${renderIcon('warning')}
    ${l10n.t('Undo isn’t available. The record of this turn is damaged.')}</span
  >`;

function renderSummaryButton({
  changes,
  isOpen,
  tabIndex,
  onToggle,
}: ChangesPanel): TemplateResult {
  const { files } = changes;
  const sumLines = (countLines: (file: ChangedFile) => number): number =>
    files.reduce((total, file) => total + countLines(file), 0);
  const count = files.filter(({ review }) => review !== 'rejected').length;
  return html`<button
    type="button"
    class="fold changes-fold"
    aria-expanded=${isOpen ? 'true' : 'false'}
    tabindex=${tabIndex}
    @click=${onToggle}
  >
    ${renderIcon(isOpen ? 'chevron-down' : 'chevron-right')}
    <span>${count === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', count)}</span>
    ${renderLineFigures(
      sumLines(({ added }) => added),
      sumLines(({ removed }) => removed),
    )}
  </button>`;
}

const renderLineFigures = (added: number, removed: number): TemplateResult =>
  html`${renderLineFigure('added', '+', added)} ${renderLineFigure('removed', '−', removed)}`;

const renderLineFigure = (
  kind: 'added' | 'removed',
  sign: string,
  lineCount: number,
): TemplateResult | typeof nothing =>
  lineCount === 0
    ? nothing
    : html`<span class="lines-${kind}"
        >${sign}${lineCount}<span class="visually-hidden"> ${lineLabels[kind]}</span></span
      >`;

const lineLabels = { added: l10n.t('lines added'), removed: l10n.t('lines removed') } as const;

function renderFileRow(
  file: ChangedFile,
  index: number,
  { changes, tabIndex, post }: ChangesPanel,
): TemplateResult {
  const { turnId, undone } = changes;
  const { label, change, added, removed } = file;
  return html`<li class="changes-file ${change}">
    <button
      type="button"
      class="link"
      title=${l10n.t('Open {0}', showInvisibleCharacters(label))}
      tabindex=${tabIndex}
      @click=${() => post({ type: 'changes-open', turnId, index })}
    >
      <bdi>${markHiddenCharacters(label)}</bdi>
    </button>
    <span class="changes-kind">${changeLabels[change]}</span>
    ${renderLineFigures(added, removed)}
    ${undone ? nothing : html`<span class="changes-review">${renderReview(file)}</span>`}
  </li>`;
}

const changeLabels = {
  edited: l10n.t('edited'),
  created: l10n.t('created'),
  deleted: l10n.t('deleted'),
  renamed: l10n.t('renamed'),
} as const;

/**
 * Renders the review decision of the user about a file. For a partly reviewed file, also renders the number of changes
 * that the user kept.
 */
function renderReview({ review, keptChanges }: ChangedFile): unknown {
  if (review !== 'pending' || keptChanges === undefined) return reviewIcons[review];
  return html`${reviewIcons.accepted} ${l10n.t('{0} of {1}', keptChanges.count, keptChanges.total)}`;
}

const reviewIcons = {
  pending: nothing,
  accepted: html`${renderIcon('check')} <span class="visually-hidden">${l10n.t('Kept')}</span>`,
  rejected: html`${renderIcon('discard')} <span class="visually-hidden">${l10n.t('Undone')}</span>`,
} as const;

/**
 * Renders the button that undoes or redoes all changes of the turn, including accepted changes. Not rendered until the
 * review ends: until then, {@link renderReviewButtons} renders the button that undoes changes.
 */
function renderUndoButton({ changes, isBusy, tabIndex, post }: ChangesPanel): TemplateResult {
  const { turnId, undone } = changes;
  const decision = undone ? 'redo' : 'undo';
  return html`${undone ? html`<span class="changes-undone">${l10n.t('Undone')}</span>` : nothing}<button
      type="button"
      class="quiet-button"
      title=${isBusy ? untilEndedNote : undone ? l10n.t('Redo') : l10n.t('Undo turn')}
      aria-disabled=${isBusy ? 'true' : nothing}
      tabindex=${tabIndex}
      @click=${() => isBusy || post({ type: 'changes-decide', turnId, decision })}
    >
      ${renderIcon(undone ? 'redo' : 'discard')} ${undone ? l10n.t('Redo') : l10n.t('Undo turn')}
    </button>`;
}

/**
 * Renders the buttons **Keep all** and **Undo all** for the changes that are not reviewed yet. If no file of the turn
 * is reviewed yet, **Undo all** undoes the whole turn, which the user can redo later. Otherwise, it rejects the
 * remaining changes.
 */
function renderReviewButtons({
  changes: { turnId, files },
  isBusy,
  post,
}: ChangesPanel): TemplateResult {
  const undoDecision = files.every(({ review }) => review === 'pending') ? 'undo' : 'reject';
  const createDecisionHandler = (decision: Decision) => () =>
    post({ type: 'changes-decide', turnId, decision });
  const disabledReason = isBusy ? untilEndedNote : '';
  return html`<div class="changes-actions">
    ${renderTextButton({ label: l10n.t('Keep all'), isPrimary: true, disabledReason, onClick: createDecisionHandler('accept') })}
    ${renderTextButton({ label: l10n.t('Undo all'), disabledReason, onClick: createDecisionHandler(undoDecision) })}
  </div>`;
}

const untilEndedNote = l10n.t('When the turn has ended');
