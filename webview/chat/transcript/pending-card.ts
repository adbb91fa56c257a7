import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { ApprovalView, PendingView, QuestionView } from '../../../src/agent/protocol.ts';
import type { PostMessage } from '../store.ts';
import {
  renderIcon,
  isActivationKey,
  getTypedCharacter,
  isSubmitKey,
} from '../../base/controls.ts';
import {
  type ApprovalAnswer,
  renderApprovalCard,
  hasLongReason,
  showsCommandInDetails,
} from './approval-card.ts';
import {
  createPreview,
  type PreviewBlock,
  showInvisibleCharacters,
  markHiddenCharacters,
} from './preview-block.ts';

interface QuestionCard {
  readonly question: QuestionView;
  /** Position of the card among the pending cards, such as `1 of 3`. Empty for a single card. */
  readonly position: string;
  readonly canAnswer: boolean;
  readonly onAnswer: (text: string) => void;
}

/**
 * Renders a question of the model, or the question of the extension whether the turn should continue. Shows the
 * choices, and a text field if the question accepts free text.
 */
export const renderQuestionCard = ({
  question,
  position,
  canAnswer,
  onAnswer,
}: QuestionCard): TemplateResult =>
  html`<div class="pending-card" role="group" aria-labelledby="pending-title" tabindex="-1">
    <div class="pending-head">
      ${renderIcon('question')}
      <h2 id="pending-title" class="pending-title" dir="auto">
        <span>${markHiddenCharacters(question.text)}</span>
      </h2>
      ${position === '' ? nothing : html`<span class="pending-place">${position}</span>`}
    </div>
    <div class="pending-actions choices">
      ${question.choices.map(
        (choice) =>
          html`<button
            type="button"
            class="button secondary"
            dir="auto"
            aria-disabled=${canAnswer ? 'false' : 'true'}
            @click=${() => canAnswer && onAnswer(choice)}
          >
            ${markHiddenCharacters(choice)}
          </button>`,
      )}
    </div>
    ${question.freeText ? renderAnswerField(onAnswer) : nothing}
  </div>`;

const renderAnswerField = (answer: (text: string) => void): TemplateResult =>
  html`<input
    class="pending-text"
    dir="auto"
    maxlength="10000"
    aria-label=${l10n.t('Your answer')}
    placeholder=${l10n.t('Your answer')}
    @keydown=${(event: KeyboardEvent) => {
      if (!isSubmitKey(event)) return;
      event.preventDefault();
      answer((event.currentTarget as HTMLInputElement).value.trim());
    }}
  />`;

interface PendingContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  readonly announce: (text: string) => void;
  /** Called after an answer if the card had the focus. Must move the focus, because the card disappears. */
  readonly onAnswer: () => void;
  /** Focuses the composer and inserts `text`. */
  readonly insertText: (text: string) => void;
}

type PendingAnswer = Extract<WebviewMessage, { type: 'approval-answer' | 'question-answer' }>;

/**
 * Delay in milliseconds before a new card accepts an answer. A click meant for the previous card then has no effect.
 */
const settleDelayMs = 400;

/** Shows pending approvals and questions above the composer, one at a time. */
export class PendingCard {
  readonly element = document.createElement('div');
  readonly #context: PendingContext;
  #pendingViews: readonly PendingView[] = [];
  /** Ids of cards that the user already answered. The last state from the host still contains them. */
  #answeredIds: ReadonlySet<string> = new Set();
  #shownView: PendingView | undefined;
  #preview: PreviewBlock | undefined;
  #isSettled = false;
  #isOpen = false;
  #isMenuOpen = false;
  #cancelSettleTimer: () => void = () => {};

  constructor(context: PendingContext) {
    this.#context = context;
    this.element.className = 'pending';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Id of the visible card, or `undefined` if no card is pending. */
  get shownId(): string | undefined {
    return this.#shownView?.id;
  }

  update(pendingViews: readonly PendingView[]): void {
    if (pendingViews === this.#pendingViews) return;
    this.#pendingViews = pendingViews;
    this.#answeredIds = this.#answeredIds.intersection(new Set(pendingViews.map(({ id }) => id)));
    this.#showNextCard();
  }

  /** Shows and focuses the card of tool call `callId` in message `messageId`. */
  focusCall(messageId: string, callId: string): void {
    const isRequestedCall = (pendingView: PendingView): boolean =>
      pendingView.messageId === messageId && pendingView.callId === callId;
    const foundView = this.#listUnansweredViews().find(isRequestedCall);
    if (foundView === undefined) return;
    this.#showView(foundView);
    this.focus();
  }

  /**
   * True if the visible card may take the focus without a user action. Only a question may take the focus, not an
   * approval.
   */
  get takesFocus(): boolean {
    return this.#shownView?.kind === 'question';
  }

  /**
   * Focuses the card itself instead of one of its buttons, so that a key press does not answer the card by accident.
   */
  focus(): void {
    this.element.querySelector<HTMLElement>('.pending-card')?.focus();
  }

  /**
   * Handles a key press on the card. A new card can take the focus while the user is typing in the composer. The card
   * therefore inserts typed text into the composer, and ignores keys that answer it during {@link settleDelayMs}.
   */
  #onKey(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('button, .pending-card')) return;
    if (isActivationKey(event) && this.#isSettled) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const text = getTypedCharacter(event);
    if (text === '' && !isActivationKey(event)) return;
    event.preventDefault();
    if (text !== '') this.#context.insertText(text);
  }

  #listUnansweredViews(): PendingView[] {
    return this.#pendingViews.filter(({ id }) => !this.#answeredIds.has(id));
  }

  #showNextCard(): void {
    const waitingViews = this.#listUnansweredViews();
    this.#showView(waitingViews.find(({ id }) => id === this.shownId) ?? waitingViews[0]);
  }

  #showView(pendingView: PendingView | undefined): void {
    const isOtherView = pendingView?.id !== this.shownId;
    this.#shownView = pendingView;
    this.element.hidden = pendingView === undefined;
    if (isOtherView) this.#prepareCard(pendingView);
    this.#render();
    if (isOtherView && pendingView !== undefined) this.#announceView(pendingView);
  }

  #prepareCard(pendingView: PendingView | undefined): void {
    this.#cancelSettleTimer();
    this.#isSettled = false;
    this.#isMenuOpen = false;
    this.#preview = undefined;
    this.#isOpen = false;
    if (pendingView?.kind === 'approval') {
      const preview = createPreview(pendingView.preview);
      this.#preview = preview;
      // Allow covers all listed edits, so the user must see each edit.
      this.#isOpen =
        hasLongReason(pendingView) ||
        showsCommandInDetails({ approval: pendingView, preview }) ||
        preview.hasHiddenCharacters;
    }
    if (pendingView === undefined) return;
    this.#cancelSettleTimer = this.#context.clock.after(settleDelayMs, () => {
      this.#isSettled = true;
      this.#render();
    });
  }

  #announceView(pendingView: PendingView): void {
    const text =
      pendingView.kind === 'approval' ? formatAnnouncement(pendingView) : pendingView.text;
    this.#context.announce([text, this.#formatPosition()].filter(Boolean).join('. '));
  }

  /**
   * Returns the position of the visible card among the pending cards, such as `1 of 3`. Returns an empty string for a
   * single card.
   */
  #formatPosition(): string {
    const waitingViews = this.#listUnansweredViews();
    const index = waitingViews.findIndex(({ id }) => id === this.shownId);
    return waitingViews.length > 1 ? l10n.t('{0} of {1}', index + 1, waitingViews.length) : '';
  }

  #render(): void {
    const pendingView = this.#shownView;
    const card =
      pendingView === undefined
        ? nothing
        : pendingView.kind === 'approval'
          ? this.#renderApproval(pendingView)
          : this.#renderQuestion(pendingView);
    // Each card has new elements, so that a press or the focus on an old button does not affect the next card.
    render(keyed(pendingView?.id, card), this.element);
  }

  #renderApproval(approval: ApprovalView): TemplateResult | typeof nothing {
    const preview = this.#preview;
    if (preview === undefined) return nothing;
    return renderApprovalCard({
      approval,
      preview,
      position: this.#formatPosition(),
      canAllow: this.#isSettled,
      isOpen: this.#isOpen,
      isMenuOpen: this.#isMenuOpen,
      onAnswer: (answer) => this.#answerApproval(approval.id, answer),
      toggleDetails: () => {
        this.#isOpen = !this.#isOpen;
        this.#render();
      },
      toggleMenu: (isOpen) => this.#toggleMenu(isOpen),
    });
  }

  #renderQuestion(question: QuestionView): TemplateResult {
    const postAnswer = (text: string): void => {
      if (text !== '') this.#postAnswer({ type: 'question-answer', id: question.id, text });
    };
    return renderQuestionCard({
      question,
      position: this.#formatPosition(),
      canAnswer: this.#isSettled,
      onAnswer: postAnswer,
    });
  }

  #toggleMenu(isOpen: boolean): void {
    if (isOpen === this.#isMenuOpen) return;
    const openMenu = this.element.querySelector('.allow-menu');
    const hadFocus = openMenu?.contains(document.activeElement) === true;
    this.#isMenuOpen = isOpen;
    this.#render();
    const button = this.element.querySelector<HTMLElement>('.allow-more');
    const menu = this.element.querySelector<HTMLElement>('.allow-menu');
    if (isOpen && button && menu) {
      positionMenu(menu, button);
      menu.querySelector('button')?.focus();
    } else if (hadFocus) button?.focus();
  }

  #answerApproval(id: string, answer: ApprovalAnswer): void {
    if (answer !== 'deny' && !this.#isSettled) return;
    const field = this.element.querySelector<HTMLInputElement>('.approval-details .pending-text');
    const reason = answer === 'deny' ? (field?.value.trim() ?? '') : '';
    this.#postAnswer({ type: 'approval-answer', id, answer, reason });
  }

  /** Posts the answer unless the user already answered the card. */
  #postAnswer(message: PendingAnswer): void {
    const { id } = message;
    if (this.#answeredIds.has(id)) return;
    this.#context.post(message);
    const hadFocus = this.element.contains(document.activeElement);
    this.#answeredIds = new Set([...this.#answeredIds, id]);
    this.#showNextCard();
    if (hadFocus) this.#context.onAnswer();
  }
}

const formatAnnouncement = ({ verb, target, reasons }: ApprovalView): string =>
  [
    showInvisibleCharacters(`${verb} ${target}`.trim()),
    showInvisibleCharacters(reasons[0] ?? ''),
  ].join('. ');

/**
 * Places the menu above its button, or below the button if there is more space. Uses a fixed position, so that no
 * parent element clips the menu.
 */
function positionMenu(menu: HTMLElement, button: HTMLElement): void {
  const { left, top, bottom } = (button.parentElement ?? button).getBoundingClientRect();
  const { innerHeight, innerWidth } = window;
  const isAbove = top > innerHeight - bottom;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style[isAbove ? 'bottom' : 'top'] = `${isAbove ? innerHeight - top + 2 : bottom + 2}px`;
  menu.style.maxHeight = `${Math.max(isAbove ? top : innerHeight - bottom, 40) - 10}px`;
}
