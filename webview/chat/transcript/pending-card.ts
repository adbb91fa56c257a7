import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { ApprovalView, PendingView, QuestionView } from '../../../src/agent/protocol.ts';
import type { Post } from '../store.ts';
import { isPressKey, typedText, isSubmitKey } from '../../base/controls.ts';
import { type ApprovalAnswer, approvalCard, pendingTitle } from './approval-card.ts';
import { createPreview, type PreviewBlock, withVisibleMarks } from './preview-block.ts';

interface QuestionCard {
  readonly question: QuestionView;
  /** Position among the pending cards, such as `1 of 3`. Empty for a single card. */
  readonly position: string;
  readonly canChoose: boolean;
  readonly answer: (text: string) => void;
}

/**
 * Renders a question of the model, or the question whether the turn should continue. Shows choices, and a text field if
 * free text is allowed.
 */
export const questionCard = ({
  question,
  position,
  canChoose: mayChoose,
  answer,
}: QuestionCard): TemplateResult =>
  html`<div class="pending-card" role="group" aria-labelledby="pending-title" tabindex="-1">
    ${pendingTitle('question', question.text, position)}
    <div class="pending-actions choices">
      ${question.choices.map(
        (choice) =>
          html`<button
            type="button"
            class="button secondary"
            dir="auto"
            aria-disabled=${mayChoose ? 'false' : 'true'}
            @click=${() => mayChoose && answer(choice)}
          >
            ${withVisibleMarks(choice)}
          </button>`,
      )}
    </div>
    ${question.freeText ? answerField(question, answer) : nothing}
  </div>`;

const answerField = ({ choices }: QuestionView, answer: (text: string) => void): TemplateResult =>
  html`<input
    class="pending-text"
    dir="auto"
    maxlength="10000"
    aria-label=${l10n.t('Answer')}
    placeholder=${choices.length > 0 ? l10n.t('Or answer in your own words') : l10n.t('Your answer')}
    @keydown=${(event: KeyboardEvent) => {
      if (!isSubmitKey(event)) return;
      event.preventDefault();
      answer((event.currentTarget as HTMLInputElement).value.trim());
    }}
  />`;

interface PendingContext {
  readonly post: Post;
  readonly clock: Clock;
  readonly announce: (text: string) => void;
  /** Called after an answer if the card had the focus. The caller must move the focus. */
  readonly onAnswer: () => void;
  /** Focuses the composer and inserts `text`. */
  readonly insertText: (text: string) => void;
}

type Answer = Extract<WebviewMessage, { type: 'approval-answer' | 'question-answer' }>;

/**
 * Delay in milliseconds before a new card accepts an answer, so that a click meant for the previous card has no effect.
 */
const settleDelayMs = 400;

/** Shows pending approvals and questions above the composer, one at a time. */
export class PendingCard {
  readonly element = document.createElement('div');
  readonly #context: PendingContext;
  #pending: readonly PendingView[] = [];
  /** Ids of the cards that the user answered while the host's state still contains them. */
  #answeredIds: ReadonlySet<string> = new Set();
  #shown: PendingView | undefined;
  #preview: PreviewBlock | undefined;
  #isSettled = false;
  #isDenying = false;
  #cancelSettle: () => void = () => {};

  constructor(context: PendingContext) {
    this.#context = context;
    this.element.className = 'pending';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Id of the visible card, or `undefined` if no card is pending. */
  get shown(): string | undefined {
    return this.#shown?.id;
  }

  update(pending: readonly PendingView[]): void {
    if (pending === this.#pending) return;
    this.#pending = pending;
    this.#answeredIds = this.#answeredIds.intersection(new Set(pending.map(({ id }) => id)));
    this.#showNext();
  }

  /** Shows and focuses the card of tool call `callId` in message `messageId`. */
  review(messageId: string, callId: string): void {
    const needsQuestion = (pending: PendingView): boolean =>
      pending.messageId === messageId && pending.callId === callId;
    const found = this.#waiting().find(needsQuestion);
    if (found === undefined) return;
    this.#show(found);
    this.focus();
  }

  /** Focuses an element that an accidental key press does not activate harmfully: Deny, or the card itself. */
  focus(): void {
    const focusSelector = this.#shown?.kind === 'approval' ? '.deny' : '.pending-card';
    this.element.querySelector<HTMLElement>(focusSelector)?.focus();
  }

  /**
   * Handles a key on the card. A new card can take the focus while the user is typing, so the card ignores such keys.
   */
  #onKey(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('button, .pending-card')) return;
    if (isPressKey(event) && this.#isSettled) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const text = typedText(event);
    if (text === '' && !isPressKey(event)) return;
    event.preventDefault();
    if (text !== '') this.#context.insertText(text);
  }

  #waiting(): PendingView[] {
    return this.#pending.filter(({ id }) => !this.#answeredIds.has(id));
  }

  #showNext(): void {
    const waiting = this.#waiting();
    this.#show(waiting.find(({ id }) => id === this.shown) ?? waiting[0]);
  }

  #show(pending: PendingView | undefined): void {
    const isOther = pending?.id !== this.shown;
    this.#shown = pending;
    this.element.hidden = pending === undefined;
    if (isOther) this.#startCard(pending);
    this.#render();
    if (!isOther || pending === undefined) return;
    this.#preview?.measure();
    this.#announce(pending);
  }

  #startCard(pending: PendingView | undefined): void {
    this.#cancelSettle();
    this.#isSettled = false;
    this.#isDenying = false;
    this.#preview =
      pending?.kind === 'approval'
        ? createPreview(pending.preview, () => this.#render())
        : undefined;
    if (pending === undefined) return;
    this.#cancelSettle = this.#context.clock.after(settleDelayMs, () => {
      this.#isSettled = true;
      this.#render();
    });
  }

  #announce(pending: PendingView): void {
    const text = pending.kind === 'approval' ? pending.title : pending.text;
    const readNote = this.#preview?.read === false ? unreadNote : '';
    this.#context.announce([text, this.#positionText(), readNote].filter(Boolean).join('. '));
  }

  /** Returns the position among the pending cards, such as `1 of 3`. Returns an empty string for a single card. */
  #positionText(): string {
    const waiting = this.#waiting();
    const index = waiting.findIndex(({ id }) => id === this.shown);
    return waiting.length > 1 ? l10n.t('{0} of {1}', index + 1, waiting.length) : '';
  }

  #render(): void {
    const pending = this.#shown;
    const card =
      pending === undefined
        ? nothing
        : pending.kind === 'approval'
          ? this.#approval(pending)
          : this.#question(pending);
    // Each card has new elements, so that a press or the focus on an old button does not affect the next card.
    render(keyed(pending?.id, card), this.element);
  }

  #approval(approval: ApprovalView): TemplateResult | typeof nothing {
    const preview = this.#preview;
    if (preview === undefined) return nothing;
    return approvalCard({
      approval,
      preview,
      position: this.#positionText(),
      canAllow: preview.read && this.#isSettled,
      isDenying: this.#isDenying,
      answer: (answer, reason = '') => this.#answerApproval(approval.id, answer, reason),
      giveReason: (open) => this.#toggleReason(open),
    });
  }

  #question(question: QuestionView): TemplateResult {
    const answer = (text: string): void => {
      if (text !== '') this.#answer({ type: 'question-answer', id: question.id, text });
    };
    return questionCard({
      question,
      position: this.#positionText(),
      canChoose: this.#isSettled,
      answer,
    });
  }

  #toggleReason(open: boolean): void {
    this.#isDenying = open;
    this.#render();
    this.element.querySelector<HTMLElement>(open ? '.pending-text' : '.deny')?.focus();
  }

  #answerApproval(id: string, answer: ApprovalAnswer, reason: string): void {
    const mayAllow = this.#isSettled && this.#preview?.read === true;
    if (answer !== 'deny' && !mayAllow) return this.#explainBlocked();
    this.#answer({ type: 'approval-answer', id, answer, reason });
  }

  #explainBlocked(): void {
    const note = this.element.querySelector<HTMLElement>('#pending-unread');
    if (note === null) return;
    this.#context.announce(unreadNote);
    note.scrollIntoView({ block: 'nearest' });
    note.classList.remove('flash');
    // Reading the width forces a layout, which restarts the animation.
    void note.offsetWidth;
    note.classList.add('flash');
  }

  /** Posts the answer unless the user already answered the card. */
  #answer(message: Answer): void {
    const { id } = message;
    if (this.#answeredIds.has(id)) return;
    this.#context.post(message);
    const hadFocus = this.element.contains(document.activeElement);
    this.#answeredIds = new Set([...this.#answeredIds, id]);
    this.#showNext();
    if (hadFocus) this.#context.onAnswer();
  }
}

const unreadNote = l10n.t('Scroll its preview to the end before you can allow it');
