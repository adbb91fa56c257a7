import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ApprovalView } from '../../../src/agent/protocol.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { renderIcon, isSubmitKey } from '../../base/controls.ts';
import { isCommand, type PreviewBlock, markHiddenCharacters } from './preview-block.ts';

export type ApprovalAnswer = Extract<WebviewMessage, { type: 'approval-answer' }>['answer'];

interface ApprovalCard {
  readonly approval: ApprovalView;
  readonly preview: PreviewBlock;
  /** Position of the card among the pending cards, such as `1 of 3`. Empty for a single card. */
  readonly position: string;
  readonly canAllow: boolean;
  readonly isOpen: boolean;
  readonly isMenuOpen: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly toggleDetails: () => void;
  readonly toggleMenu: (isOpen: boolean) => void;
}

/**
 * Renders the card for a tool call that needs approval. Its three lines contain the action, the reason for the
 * approval, and the target. For a command, the command line itself replaces the action, so that the complete command is
 * visible exactly once. A short diff follows these lines. The collapsible details contain all other information.
 */
export function renderApprovalCard(card: ApprovalCard): TemplateResult {
  const { approval, preview, isOpen } = card;
  return html`<div
    class="pending-card approval-card"
    role="region"
    aria-label=${l10n.t('Approval')}
    aria-describedby="approval-what approval-why approval-target"
    tabindex="-1"
  >
    ${renderActionLine(card)}
    <p id="approval-why" class="approval-line approval-why" dir="auto">
      <span>${renderReason(approval.reasons[0] ?? '')}</span>
    </p>
    ${renderTargetLine(approval)} ${hasShortDiff(approval) ? preview.element : nothing}
    ${
      isOpen
        ? html`<div class="approval-details">
            ${showsWholeAction(card) || hasShortDiff(approval) ? nothing : preview.element}
            ${renderHiddenTextNote(card)} ${renderOtherReasons(approval)}
            ${renderFileList(approval)} ${renderReasonField(card)}
          </div>`
        : nothing
    }
    ${renderAnswerButtons(card)}
  </div>`;
}

/**
 * Renders the reason why a call needs approval. If the reason contains exactly one pair of backticks, the text between
 * them is rendered as code. With more backticks, the whole reason is plain text: the command itself may contain
 * backticks, and a part of it could otherwise look like text of the extension.
 */
function renderReason(reason: string): unknown {
  const [textBefore = '', code = '', textAfter, ...otherParts] = reason.split('`');
  if (textAfter === undefined || otherParts.length > 0) return markHiddenCharacters(reason);
  return html`${markHiddenCharacters(textBefore)}<code>${markHiddenCharacters(code)}</code>${markHiddenCharacters(textAfter)}`;
}

/** Maximum number of changed lines of a diff that the card shows above its details. */
const shortDiffLineCount = 12;

/**
 * Maximum length in characters of a diff that the card shows above its details. A longer diff is shown only in the
 * details: if it had only a few, very long lines, its visible part could look like the complete diff.
 */
const shortDiffLength = 1_200;

const hasShortDiff = ({ preview }: ApprovalView): boolean =>
  preview.language === 'diff' &&
  preview.text.length <= shortDiffLength &&
  countLines(preview, '+') + countLines(preview, '-') <= shortDiffLineCount;

/** Counts the lines of a diff that begin with `sign`. */
const countLines = ({ text }: ApprovalView['preview'], sign: string): number =>
  text.split('\n').filter((line) => line.startsWith(sign)).length;

/** Checks whether the first line of the card already shows the call completely. */
const showsWholeAction = ({ approval, preview }: CardContent): boolean =>
  isCommand(approval.preview) && !preview.isLong;

/**
 * Checks whether the command is too long for the first line of the card. Only the details then show the complete
 * command, and the user cannot collapse them.
 */
export const showsCommandInDetails = ({ approval, preview }: CardContent): boolean =>
  isCommand(approval.preview) && preview.isLong;

type CardContent = Pick<ApprovalCard, 'approval' | 'preview'>;

function renderActionLine(card: ApprovalCard): TemplateResult {
  const { approval, preview, position } = card;
  const iconName = isCommand(approval.preview) ? 'terminal' : 'shield';
  return html`<div class="approval-line approval-action">
    ${renderIcon(iconName)} ${showsWholeAction(card) ? preview.element : nothing}
    <span id="approval-what" class=${showsWholeAction(card) ? 'visually-hidden' : 'approval-verb'}
      >${markHiddenCharacters(approval.verb)}</span
    >
    ${showsWholeAction(card) ? nothing : html`<span class="approval-size">${formatSize(card)}</span>`}
    ${position === '' ? nothing : html`<span class="pending-place">${position}</span>`}
  </div>`;
}

/**
 * Formats the number of added and removed lines of a diff, or the number of lines of a command with several lines.
 * Returns an empty string for other previews.
 */
function formatSize({ approval: { preview }, preview: { lineCount } }: ApprovalCard): string {
  if (isCommand(preview)) return lineCount > 1 ? l10n.t('{0} lines', lineCount) : '';
  if (preview.language !== 'diff') return '';
  return `+${countLines(preview, '+')} −${countLines(preview, '-')}`;
}

/** Renders the working directory of a command, or the target of another call. */
function renderTargetLine({ preview, target }: ApprovalView): TemplateResult | typeof nothing {
  const text = isCommand(preview) ? preview.cwd : target;
  if (text === '') return nothing;
  return html`<p id="approval-target" class="approval-line approval-target">
    ${renderIcon(getTargetIcon(preview))} <bdi>${markHiddenCharacters(text)}</bdi>
  </p>`;
}

function getTargetIcon(preview: ApprovalView['preview']): string {
  if (isCommand(preview)) return 'folder';
  return preview.files.length > 0 ? 'file' : 'symbol-misc';
}

const renderHiddenTextNote = ({ preview }: ApprovalCard): TemplateResult | typeof nothing =>
  preview.hasHiddenCharacters
    ? html`<p class="note pending-marked">
        ${renderIcon('warning')}
        <span>${l10n.t('It has characters that cannot be seen.')}</span>
      </p>`
    : nothing;

/** Maximum length in characters of a reason that is completely visible above the details. */
const shortReasonLength = 80;

/**
 * Maximum length in characters of a reason that fits in three lines of a narrow view. The card shows at most three
 * lines of a reason above its details.
 */
const longReasonLength = 120;

/**
 * Checks whether the card may truncate one of the reasons because of its length. An example is a reason that lists many
 * edited files.
 */
export const hasLongReason = ({ reasons }: ApprovalView): boolean =>
  reasons.some(({ length }) => length > longReasonLength);

function renderOtherReasons({ reasons }: ApprovalView): TemplateResult | typeof nothing {
  const isFirstCut = (reasons[0]?.length ?? 0) > shortReasonLength;
  const listedReasons = reasons.slice(isFirstCut ? 0 : 1);
  if (listedReasons.length === 0) return nothing;
  return html`<ul class="approval-reasons">
    ${listedReasons.map((reason) => html`<li dir="auto">${renderReason(reason)}</li>`)}
  </ul>`;
}

const renderFileList = ({ preview: { files } }: ApprovalView): TemplateResult | typeof nothing =>
  files.length < 2
    ? nothing
    : html`<ul class="chips" aria-label=${l10n.t('Files')}>
        ${files.map(
          (file) =>
            html`<li class="chip">
              ${renderIcon('file')}<span class="chip-label"
                ><bdi>${markHiddenCharacters(file)}</bdi></span
              >
            </li>`,
        )}
      </ul>`;

/** Renders the text field for the reason that the user gives when skipping the call. The model receives this reason. */
const renderReasonField = ({ onAnswer }: ApprovalCard): TemplateResult =>
  html`<input
    class="pending-text"
    dir="auto"
    maxlength="10000"
    aria-label=${l10n.t('What to do instead')}
    placeholder=${l10n.t('What to do instead')}
    @keydown=${(event: KeyboardEvent) => {
      if (!isSubmitKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
      onAnswer('deny');
    }}
  />`;

function renderAnswerButtons(card: ApprovalCard): TemplateResult {
  const { onAnswer } = card;
  return html`<div class="pending-actions">
    <span class="approval-allow">
      ${renderAllowButton(card)}
      ${card.approval.remember.length === 0 ? nothing : renderMenuButton(card)}
      ${card.isMenuOpen ? renderAllowMenu(card) : nothing}
    </span>
    <button type="button" class="button secondary" @click=${() => onAnswer('deny')}>
      ${l10n.t('Skip')}
    </button>
    ${showsCommandInDetails(card) ? nothing : renderDetailsButton(card)}
  </div>`;
}

const renderDetailsButton = ({ isOpen, toggleDetails }: ApprovalCard): TemplateResult =>
  html`<button
    type="button"
    class="quiet-button approval-fold"
    aria-expanded=${isOpen ? 'true' : 'false'}
    @click=${toggleDetails}
  >
    ${renderIcon(isOpen ? 'chevron-down' : 'chevron-right')} ${l10n.t('Details')}
  </button>`;

/** Renders the Allow button, which is never `disabled`, so that it stays focusable. */
const renderAllowButton = ({ canAllow, onAnswer }: ApprovalCard): TemplateResult =>
  html`<button
    type="button"
    class="button allow"
    aria-disabled=${canAllow ? 'false' : 'true'}
    @click=${() => onAnswer('once')}
  >
    ${l10n.t('Allow')}
  </button>`;

const renderMenuButton = ({ isMenuOpen, toggleMenu }: ApprovalCard): TemplateResult =>
  html`<button
    type="button"
    class="button allow-more"
    aria-label=${l10n.t('More actions')}
    aria-haspopup="menu"
    aria-expanded=${isMenuOpen ? 'true' : 'false'}
    @click=${() => toggleMenu(!isMenuOpen)}
  >
    ${renderIcon('chevron-down')}
  </button>`;

function renderAllowMenu({ approval, onAnswer, toggleMenu }: ApprovalCard): TemplateResult {
  const { remember, rememberWhat } = approval;
  const renderItem = (scope: ApprovalAnswer, label: string): TemplateResult =>
    html`<button type="button" class="menu-item" role="menuitem" @click=${() => onAnswer(scope)}>
      ${label}
    </button>`;
  return html`<div
    class="allow-menu"
    role="menu"
    aria-label=${l10n.t('More actions')}
    @keydown=${(event: KeyboardEvent) => moveMenuFocus(event, () => toggleMenu(false))}
    @focusout=${(event: FocusEvent) => {
      const menu = event.currentTarget as HTMLElement;
      const { relatedTarget } = event;
      if (relatedTarget instanceof Node && menu.parentElement?.contains(relatedTarget)) return;
      toggleMenu(false);
    }}
  >
    ${renderItem('once', l10n.t('Allow Once'))}
    <div class="menu-group" role="group" aria-labelledby="allow-scope">
      <p id="allow-scope" class="menu-note" dir="auto">${markHiddenCharacters(rememberWhat)}</p>
      ${remember.includes('conversation') ? renderItem('conversation', l10n.t('Allow in this chat')) : nothing}
      ${remember.includes('always') ? renderItem('always', l10n.t('Always allow')) : nothing}
    </div>
  </div>`;
}

function moveMenuFocus(event: KeyboardEvent, close: () => void): void {
  const items = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
  const index = items.findIndex((item) => item === document.activeElement);
  const targetIndexes: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: -1,
  };
  const target = targetIndexes[event.key];
  if (target !== undefined) items.at(target % items.length)?.focus();
  else if (event.key === 'Escape') close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
