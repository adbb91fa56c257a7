import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ApprovalView } from '../../../src/agent/protocol.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { icon, isSubmitKey } from '../../base/controls.ts';
import { type PreviewBlock, withVisibleMarks } from './preview-block.ts';

export type ApprovalAnswer = Extract<WebviewMessage, { type: 'approval-answer' }>['answer'];

interface ApprovalCard {
  readonly approval: ApprovalView;
  readonly preview: PreviewBlock;
  /** Position among the pending cards, such as `1 of 3`. Empty for a single card. */
  readonly position: string;
  readonly canAllow: boolean;
  /** True while the text field for a reason is open. */
  readonly isDenying: boolean;
  readonly answer: (answer: ApprovalAnswer, reason?: string) => void;
  readonly giveReason: (open: boolean) => void;
}

/** Renders the full action of a tool call, the reasons why it needs approval, and the possible answers. */
export function approvalCard(card: ApprovalCard): TemplateResult {
  const { approval, preview } = card;
  const { cwd, files } = approval.preview;
  return html`<div
    class="pending-card"
    role="alertdialog"
    aria-labelledby="pending-title"
    aria-describedby="pending-reasons"
    tabindex="-1"
  >
    ${pendingTitle('shield', approval.title, card.position)} ${preview.element}
    ${
      preview.hasHidden
        ? html`<p class="note pending-marked">
            ${icon('warning')}
            <span>${l10n.t('It holds characters that cannot be seen. They are marked.')}</span>
          </p>`
        : nothing
    }
    ${cwd === '' ? nothing : html`<p class="pending-fact">${l10n.t('In folder:')} <code>${withVisibleMarks(cwd)}</code></p>`}
    ${files.length === 0 ? nothing : fileList(files)}
    <ul id="pending-reasons" class="pending-reasons">
      ${approval.reasons.map((reason) => html`<li dir="auto">${withVisibleMarks(reason)}</li>`)}
    </ul>
    ${
      preview.read
        ? nothing
        : html`<p id="pending-unread" class="note">
            ${icon('arrow-down')}
            <span
              >${
                preview.lines === 1
                  ? l10n.t('Scroll to the end of the line to allow it.')
                  : l10n.t('Scroll to the end of the {0} lines to allow it.', preview.lines)
              }</span
            >
          </p>`
    }
    ${answerButtons(card)} ${card.isDenying ? reasonField(card) : nothing} ${rememberOptions(card)}
  </div>`;
}

/** Renders the title line of a card. */
export const pendingTitle = (name: string, text: string, position: string): TemplateResult =>
  html`<div class="pending-head">
    ${icon(name)}
    <h2 id="pending-title" class="pending-title" dir="auto">${withVisibleMarks(text)}</h2>
    ${position === '' ? nothing : html`<span class="pending-place">${position}</span>`}
  </div>`;

const fileList = (files: readonly string[]): TemplateResult =>
  html`<ul class="chips" aria-label=${l10n.t('Files')}>
    ${files.map(
      (file) =>
        html`<li class="chip">
          ${icon('file')}<span class="chip-label"><bdi>${withVisibleMarks(file)}</bdi></span>
        </li>`,
    )}
  </ul>`;

function answerButtons(card: ApprovalCard): TemplateResult {
  const { answer, giveReason, isDenying } = card;
  return html`<div class="pending-actions">
    <button type="button" class="button deny" @click=${() => answer('deny')}>
      ${l10n.t('Deny')}
    </button>
    ${allowButton(card, 'once', l10n.t('Allow once'))}
    <button
      type="button"
      class="quiet-button"
      aria-expanded=${isDenying ? 'true' : 'false'}
      @click=${() => giveReason(!isDenying)}
    >
      ${l10n.t('Deny with a reason')}
    </button>
  </div>`;
}

function rememberOptions(card: ApprovalCard): TemplateResult | typeof nothing {
  const { remember, rememberWhat } = card.approval;
  if (remember.length === 0) return nothing;
  return html`<div class="pending-remember" role="group" aria-labelledby="pending-remember">
    <p id="pending-remember" class="pending-fact" dir="auto">
      ${l10n.t('Do not ask again about:')} ${withVisibleMarks(rememberWhat)}
    </p>
    <div class="pending-actions">
      ${remember.includes('conversation') ? allowButton(card, 'conversation', l10n.t('Allow in this conversation')) : nothing}
      ${remember.includes('always') ? allowButton(card, 'always', l10n.t('Always allow')) : nothing}
    </div>
  </div>`;
}

/**
 * Renders a button that allows the call. The button is never `disabled`, so that a blocked button stays focusable and
 * can explain why it is blocked.
 */
const allowButton = (card: ApprovalCard, answer: ApprovalAnswer, label: string): TemplateResult =>
  html`<button
    type="button"
    class="button secondary"
    aria-disabled=${card.canAllow ? 'false' : 'true'}
    aria-describedby=${card.preview.read ? nothing : 'pending-unread'}
    @click=${() => card.answer(answer)}
  >
    ${label}
  </button>`;

function reasonField({ answer, giveReason }: ApprovalCard): TemplateResult {
  const send = ({ currentTarget }: Event): void => {
    const row = (currentTarget as HTMLElement).parentElement;
    answer('deny', row?.querySelector('input')?.value.trim());
  };
  return html`<div class="pending-reason">
    <input
      class="pending-text"
      dir="auto"
      maxlength="10000"
      aria-label=${l10n.t('Reason')}
      placeholder=${l10n.t('What to do instead')}
      @keydown=${(event: KeyboardEvent) => {
        if (isSubmitKey(event)) send(event);
        else if (event.key === 'Escape') giveReason(false);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
    <button
      type="button"
      class="button secondary"
      aria-label=${l10n.t('Deny with this reason')}
      @click=${send}
    >
      ${l10n.t('Deny')}
    </button>
  </div>`;
}
