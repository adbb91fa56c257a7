import { html, nothing, render, type TemplateResult } from 'lit';
import type { Clock } from '../../src/base/clock.ts';
import type { MessageView } from '../../src/protocol/view-state.ts';
import type { Post } from '../host.ts';
import type { MarkdownOptions } from '../markdown/markdown-stream.ts';
import { attachmentChips } from './attachment-chips.ts';
import { icon, textButton } from './controls.ts';
import { createEditBox } from './edit-box.ts';
import { type FailureCard, failureCard, secondsLeft } from './failure-card.ts';
import { messageFooter } from './message-footer.ts';
import { Reasoning } from './reasoning.ts';
import { StreamedText } from './streamed-text.ts';
import { toolCallLine } from './tool-call.ts';

export interface MessageContext {
  readonly post: Post;
  readonly clock: Clock;
  readonly markdown: MarkdownOptions;
  /** An editor opened or closed in place of a message. */
  readonly onEdit: (open: boolean) => void;
}

/** One `article` of the transcript. It redraws itself alone. */
export class MessageItem {
  readonly element = document.createElement('article');
  readonly #context: MessageContext;
  readonly #body = document.createElement('div');
  readonly #text: StreamedText;
  readonly #reasoning: Reasoning;
  #message: MessageView;
  #current = false;
  #expanded = false;
  #editor: HTMLElement | undefined;
  #stopCountdown: () => void = () => {};

  /** Starts with its text unformatted; `format` does the rest. */
  constructor(message: MessageView, context: MessageContext) {
    this.#message = message;
    this.#context = context;
    this.#text = new StreamedText(this.#body, context.markdown);
    this.#reasoning = new Reasoning(context.markdown, () => this.#render());
    this.#body.className = 'text';
    this.#body.dir = 'auto';
    this.#text.showPlain(message.text);
    this.element.id = message.id;
    this.element.className = `message ${message.role}`;
    this.element.ariaLabel = message.role === 'user' ? 'You' : 'Assistant';
    this.element.tabIndex = -1;
    this.#render();
  }

  get message(): MessageView {
    return this.#message;
  }

  update(message: MessageView): void {
    this.#message = message;
    this.format();
    this.#render();
  }

  /** Gives the text its formatting. What a person wrote is shown as they typed it. */
  format(): void {
    const { role, text, status } = this.#message;
    if (role === 'user') {
      this.#text.showPlain(text);
      return;
    }
    this.#text.show(text, status === 'streaming');
  }

  /** Puts this message into the tab order, or takes it out. */
  setCurrent(current: boolean): void {
    if (current === this.#current) return;
    this.#current = current;
    this.element.tabIndex = current ? 0 : -1;
    this.#render();
  }

  edit(): void {
    const { post } = this.#context;
    const { id: messageId, text } = this.#message;
    this.#editor = createEditBox({
      text,
      cancel: () => this.#closeEditor(),
      send: (edited) => {
        this.#closeEditor();
        post({ type: 'message-edit', messageId, text: edited });
      },
    });
    this.#context.onEdit(true);
    this.#render();
    const area = this.#editor.querySelector('textarea');
    area?.focus();
    area?.setSelectionRange(text.length, text.length);
  }

  dispose(): void {
    this.#stopCountdown();
    this.#reasoning.dispose();
    this.#text.dispose();
    if (this.#editor !== undefined) this.#context.onEdit(false);
    this.element.remove();
  }

  #closeEditor(): void {
    this.#editor = undefined;
    this.#render();
    this.#context.onEdit(false);
  }

  #render(): void {
    const { role, status } = this.#message;
    this.element.ariaBusy = status === 'streaming' ? 'true' : null;
    render(role === 'user' ? this.#request() : this.#answer(), this.element);
    this.#countDown();
  }

  #request(): TemplateResult {
    if (this.#editor !== undefined) return html`${this.#editor}`;
    const { attachments, hiddenCharacters } = this.#message;
    return html`<div class="request">
        ${attachmentChips(attachments)} ${this.#body}
        ${
          hiddenCharacters === 0
            ? nothing
            : html`<p class="note">${icon('warning')} ${hiddenNote(hiddenCharacters)}</p>`
        }
      </div>
      ${this.#footer()}`;
  }

  #answer(): TemplateResult {
    const { text, reasoning, status, failure, toolCalls } = this.#message;
    const waiting = status === 'streaming' && text === '' && reasoning === '' && failure === null;
    return html`${this.#reasoning.template(this.#message)}
    ${waiting ? html`<p class="note working">${icon('loading')} Generating</p>` : nothing}
    ${text === '' ? nothing : this.#body} ${toolCalls.map(toolCallLine)}
    ${failure === null ? this.#ending() : failureCard({ failure, ...this.#failureContext() })}
    ${status === 'streaming' ? nothing : this.#footer()}`;
  }

  #ending(): TemplateResult | typeof nothing {
    const { status, text, id: messageId } = this.#message;
    const { post } = this.#context;
    const goOn = (primary: boolean): TemplateResult =>
      textButton({
        label: 'Continue',
        primary,
        run: () => post({ type: 'turn-continue', messageId }),
      });
    if (status === 'stopped') {
      return html`<div class="note interrupted">
        ${icon('circle-slash')} <span>Stopped</span> ${text === '' ? nothing : goOn(false)}
      </div>`;
    }
    if (status !== 'interrupted') return nothing;
    return html`<div class="note interrupted">
      ${icon('debug-disconnect')} <span>Interrupted before the end</span> ${goOn(true)}
      ${textButton({ label: 'Retry', run: () => post({ type: 'turn-retry', messageId }) })}
    </div>`;
  }

  #footer(): TemplateResult {
    const { id: messageId, role } = this.#message;
    const { post } = this.#context;
    return messageFooter({
      message: this.#message,
      current: this.#current,
      expanded: this.#expanded,
      copy: () => post({ type: 'message-copy', messageId }),
      ...(role === 'user' && { edit: () => this.edit() }),
      ...(role === 'assistant' &&
        !this.#offersRetry() && { retry: () => post({ type: 'turn-retry', messageId }) }),
      select: (index) => post({ type: 'branch-select', messageId, index }),
      toggle: () => {
        this.#expanded = !this.#expanded;
        this.#render();
      },
    });
  }

  /** Whether a Retry stands above the footer already. */
  #offersRetry(): boolean {
    const { status, failure } = this.#message;
    if (failure === null) return status === 'interrupted';
    return failure.actions.some(({ action }) => action === 'retry');
  }

  #failureContext(): Omit<FailureCard, 'failure'> {
    const { clock, post } = this.#context;
    const { id: messageId, status } = this.#message;
    return {
      now: clock.now(),
      triesAgain: status === 'streaming',
      run: (action) => post({ type: 'action-run', messageId, action }),
    };
  }

  #countDown(): void {
    this.#stopCountdown();
    const { failure } = this.#message;
    const { clock } = this.#context;
    if (failure === null || secondsLeft(failure, clock.now()) === 0) return;
    this.#stopCountdown = clock.after(1_000, () => this.#render());
  }
}

const hiddenNote = (count: number): string =>
  count === 1
    ? '1 invisible character was removed before sending'
    : `${count} invisible characters were removed before sending`;
