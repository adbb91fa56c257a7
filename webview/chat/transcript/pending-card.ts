import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import type { ApprovalView, PendingView, QuestionView } from '../../../src/agent/protocol.ts';
import type { Post } from '../store.ts';
import { isPress, typedText, isSubmit } from '../../base/controls.ts';
import { type ApprovalAnswer, approvalCard, pendingTitle } from './approval-card.ts';
import { createPreview, type PreviewBlock, visible } from './preview-block.ts';

interface QuestionCard {
  readonly question: QuestionView;
  /** `1 of 3`; empty for one alone. */
  readonly place: string;
  readonly mayChoose: boolean;
  readonly answer: (text: string) => void;
}

/** A question of the model, or whether to go on: choices, and an answer in own words where one is taken. */
export const questionCard = ({
  question,
  place,
  mayChoose,
  answer,
}: QuestionCard): TemplateResult =>
  html`<div class="pending-card" role="group" aria-labelledby="pending-title" tabindex="-1">
    ${pendingTitle('question', question.text, place)}
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
            ${visible(choice)}
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
      if (!isSubmit(event)) return;
      event.preventDefault();
      answer((event.currentTarget as HTMLInputElement).value.trim());
    }}
  />`;

interface PendingContext {
  readonly post: Post;
  readonly clock: Clock;
  readonly say: (text: string) => void;
  /** Something was answered, and the focus that was on it has to go somewhere. */
  readonly onAnswer: () => void;
  /** Puts the focus and `text` into the composer. */
  readonly type: (text: string) => void;
}

type Answer = Extract<WebviewMessage, { type: 'approval-answer' | 'question-answer' }>;

/** A press that was meant for what stood here before must not allow what stands here now. */
const settleMs = 400;

/** What waits for the person, one at a time, above the composer. */
export class PendingCard {
  readonly element = document.createElement('div');
  readonly #context: PendingContext;
  #pending: readonly PendingView[] = [];
  /** Answered here, but still in what the host told last. */
  #answered: ReadonlySet<string> = new Set();
  #shown: PendingView | undefined;
  #preview: PreviewBlock | undefined;
  #settled = false;
  #denying = false;
  #cancelSettle: () => void = () => {};

  constructor(context: PendingContext) {
    this.#context = context;
    this.element.className = 'pending';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Id of what is shown, or `undefined` when nothing waits. */
  get shown(): string | undefined {
    return this.#shown?.id;
  }

  update(pending: readonly PendingView[]): void {
    if (pending === this.#pending) return;
    this.#pending = pending;
    this.#answered = this.#answered.intersection(new Set(pending.map(({ id }) => id)));
    this.#showNext();
  }

  /** Shows what call `callId` waits for, with the focus on it. */
  review(messageId: string, callId: string): void {
    const asks = (each: PendingView): boolean =>
      each.messageId === messageId && each.callId === callId;
    const found = this.#waiting().find(asks);
    if (found === undefined) return;
    this.#show(found);
    this.focus();
  }

  /** Puts the focus where a careless key does no harm. */
  focus(): void {
    const careful = this.#shown?.kind === 'approval' ? '.deny' : '.pending-card';
    this.element.querySelector<HTMLElement>(careful)?.focus();
  }

  /** The card may have taken the focus from who was about to write: no key of theirs may answer it. */
  #onKey(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches('button, .pending-card')) return;
    if (isPress(event) && this.#settled) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const text = typedText(event);
    if (text === '' && !isPress(event)) return;
    event.preventDefault();
    if (text !== '') this.#context.type(text);
  }

  #waiting(): PendingView[] {
    return this.#pending.filter(({ id }) => !this.#answered.has(id));
  }

  #showNext(): void {
    const waiting = this.#waiting();
    this.#show(waiting.find(({ id }) => id === this.shown) ?? waiting[0]);
  }

  #show(pending: PendingView | undefined): void {
    const isOther = pending?.id !== this.shown;
    this.#shown = pending;
    this.element.hidden = pending === undefined;
    if (isOther) this.#begin(pending);
    this.#render();
    if (!isOther || pending === undefined) return;
    this.#preview?.watch();
    this.#announce(pending);
  }

  #begin(pending: PendingView | undefined): void {
    this.#cancelSettle();
    this.#settled = false;
    this.#denying = false;
    this.#preview =
      pending?.kind === 'approval'
        ? createPreview(pending.preview, () => this.#render())
        : undefined;
    if (pending === undefined) return;
    this.#cancelSettle = this.#context.clock.after(settleMs, () => {
      this.#settled = true;
      this.#render();
    });
  }

  #announce(pending: PendingView): void {
    const text = pending.kind === 'approval' ? pending.title : pending.text;
    const toRead = this.#preview?.read === false ? unreadNote : '';
    this.#context.say([text, this.#place(), toRead].filter(Boolean).join('. '));
  }

  /** `1 of 3`; empty for one alone. */
  #place(): string {
    const waiting = this.#waiting();
    const at = waiting.findIndex(({ id }) => id === this.shown);
    return waiting.length > 1 ? l10n.t('{0} of {1}', at + 1, waiting.length) : '';
  }

  #render(): void {
    const shown = this.#shown;
    const card =
      shown === undefined
        ? nothing
        : shown.kind === 'approval'
          ? this.#approval(shown)
          : this.#question(shown);
    // New elements for every card: what was pressed or focused in one is gone in the next.
    render(keyed(shown?.id, card), this.element);
  }

  #approval(approval: ApprovalView): TemplateResult | typeof nothing {
    const preview = this.#preview;
    if (preview === undefined) return nothing;
    return approvalCard({
      approval,
      preview,
      place: this.#place(),
      mayAllow: preview.read && this.#settled,
      denying: this.#denying,
      answer: (answer, reason = '') => this.#answerApproval(approval.id, answer, reason),
      giveReason: (open) => this.#giveReason(open),
    });
  }

  #question(question: QuestionView): TemplateResult {
    const answer = (text: string): void => {
      if (text !== '') this.#answer({ type: 'question-answer', id: question.id, text });
    };
    return questionCard({ question, place: this.#place(), mayChoose: this.#settled, answer });
  }

  #giveReason(open: boolean): void {
    this.#denying = open;
    this.#render();
    this.element.querySelector<HTMLElement>(open ? '.pending-text' : '.deny')?.focus();
  }

  #answerApproval(id: string, answer: ApprovalAnswer, reason: string): void {
    const mayAllow = this.#settled && this.#preview?.read === true;
    if (answer !== 'deny' && !mayAllow) return this.#sayWhyNot();
    this.#answer({ type: 'approval-answer', id, answer, reason });
  }

  #sayWhyNot(): void {
    const note = this.element.querySelector<HTMLElement>('#pending-unread');
    if (note === null) return;
    this.#context.say(unreadNote);
    note.scrollIntoView({ block: 'nearest' });
    note.classList.remove('flash');
    // Read, so that the animation begins anew.
    void note.offsetWidth;
    note.classList.add('flash');
  }

  /** An id holds once. */
  #answer(message: Answer): void {
    const { id } = message;
    if (this.#answered.has(id)) return;
    this.#context.post(message);
    const hadFocus = this.element.contains(document.activeElement);
    this.#answered = new Set([...this.#answered, id]);
    this.#showNext();
    if (hadFocus) this.#context.onAnswer();
  }
}

const unreadNote = l10n.t('Scroll its preview to the end before you can allow it');
