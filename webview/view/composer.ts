import { maxPromptLength } from '../../src/protocol/webview-message.ts';
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../src/base/clock.ts';
import type { ChatState } from '../../src/protocol/view-state.ts';
import type { Post } from '../host.ts';
import type { Saved } from '../saved.ts';
import { attachmentChips, instructionChips } from './attachment-chips.ts';
import { contextMeter } from './context-meter.ts';
import { icon, iconButton } from './controls.ts';
import { isSubmit } from './edit-box.ts';
import { modeButton, toolsOffNote } from './mode-button.ts';
import { lengthNote, lengthProblem } from './prompt-length.ts';
import type { SlashMenu } from './slash-menu.ts';

const draftDelayMs = 300;
/** A longer draft is not copied with every key, but with what the host is told. */
const longDraft = 10_000;

export interface ComposerContext {
  readonly post: Post;
  readonly clock: Clock;
  readonly saved: Saved;
  readonly notice: (text: string) => void;
  /** ArrowUp in an empty composer. */
  readonly editLast: () => void;
  readonly chooseModel: () => void;
}

/** Where the person writes. The text lives in the textarea alone; nothing that streams can touch it. */
export class Composer {
  readonly element = document.createElement('div');
  readonly #context: ComposerContext;
  readonly #area = document.createElement('textarea');
  #chat: ChatState | undefined;
  #pickerOpen = false;
  #cancelDraft: (() => void) | undefined;
  #menu: SlashMenu | undefined;

  constructor(context: ComposerContext) {
    this.#context = context;
    this.element.className = 'composer';
    this.#area.className = 'growing';
    this.#area.dir = 'auto';
    this.#area.rows = 1;
    this.#area.ariaLabel = 'Message';
    this.#area.placeholder = 'Ask about your code';
    this.#area.addEventListener('keydown', (event) => this.#onKey(event));
    this.#area.addEventListener('input', () => this.#onInput());
  }

  update(chat: ChatState): void {
    if (chat.conversation.id !== this.#chat?.conversation.id) {
      this.#tellDraft();
      this.#openDraft(chat);
    }
    this.#chat = chat;
    this.#render();
  }

  focus(): void {
    this.#area.focus();
  }

  /** Writes `text` at the caret, as if it had been typed here. */
  type(text: string): void {
    const { selectionStart, selectionEnd } = this.#area;
    this.focus();
    this.#area.setRangeText(text, selectionStart, selectionEnd, 'end');
    this.#onInput();
  }

  get hasFocus(): boolean {
    return document.activeElement === this.#area;
  }

  /** Whether nothing is written. */
  get isEmpty(): boolean {
    return this.#area.value === '';
  }

  /** Puts `text` in, unless the person has written something and `replace` is false. */
  setDraft(text: string, replace: boolean): void {
    if (!replace && this.#area.value.trim() !== '') return;
    this.#area.value = text;
    this.#onInput();
  }

  /** What the next picture is made with. */
  showHint(text: string): void {
    if (this.#menu !== undefined) this.#menu.hint = text;
  }

  setPickerOpen(open: boolean): void {
    this.#pickerOpen = open;
    this.#render();
  }

  #openDraft({ conversation, draft }: ChatState): void {
    // The host's is newer, but for what was written just before this page was loaded again.
    const unseen = this.#chat === undefined ? this.#context.saved.draftOf(conversation.id) : '';
    this.#area.value = draft || unseen;
  }

  #onInput(): void {
    if (this.#chat === undefined) return;
    const { clock, saved } = this.#context;
    const text = this.#area.value;
    if (text.length < longDraft) saved.keepDraft(this.#chat.conversation.id, text);
    this.#cancelDraft ??= clock.after(draftDelayMs, () => this.#tellDraft());
    this.#render();
    if (this.#menu === undefined && text.startsWith('/')) void this.#loadMenu();
    this.#menu?.update(text);
  }

  async #loadMenu(): Promise<void> {
    const { SlashMenu } = await import('./slash-menu.ts');
    this.#menu ??= new SlashMenu({
      area: this.#area,
      askForHint: () => this.#context.post({ type: 'image-hint-request' }),
      choose: (text) => this.setDraft(text, true),
    });
    this.#menu.update(this.#area.value);
    this.#render();
  }

  /** Tells the host the draft that waits to be told, if one does. */
  #tellDraft(): void {
    if (this.#cancelDraft === undefined || this.#chat === undefined) return;
    this.#forgetDraft();
    const conversationId = this.#chat.conversation.id;
    const text = this.#area.value;
    this.#context.saved.keepDraft(conversationId, text);
    if (text.length <= maxPromptLength) {
      this.#context.post({ type: 'draft-change', conversationId, text });
    }
  }

  #forgetDraft(): void {
    this.#cancelDraft?.();
    this.#cancelDraft = undefined;
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#menu?.onKey(event)) return;
    if (isSubmit(event)) {
      event.preventDefault();
      this.#send();
    } else if (event.key === 'ArrowUp' && this.#area.value === '' && !this.#chat?.streaming) {
      event.preventDefault();
      this.#context.editLast();
    }
  }

  #canSend(): boolean {
    const text = this.#area.value.trim();
    return text !== '' && lengthProblem(text) === '';
  }

  #send(): void {
    const text = this.#area.value.trim();
    if (!this.#canSend() || this.#chat === undefined) return;
    if (this.#chat.streaming !== null) {
      this.#context.notice(this.#chat.pending.length > 0 ? waitsForAnswer : stillGenerating);
      return;
    }
    this.#forgetDraft();
    this.#area.value = '';
    this.#menu?.update('');
    this.#context.saved.keepDraft(this.#chat.conversation.id, '');
    this.#context.post({ type: 'message-send', conversationId: this.#chat.conversation.id, text });
    this.#render();
    this.focus();
  }

  #render(): void {
    if (this.#chat === undefined) return;
    const { post } = this.#context;
    render(
      html`${this.#menu?.element}
        <div class="composer-box">
          ${instructionChips(this.#chat.instructions)}
          ${attachmentChips(this.#chat.attachments, (id) => post({ type: 'attachment-remove', id }))}
          ${this.#area} ${lengthNote(this.#area.value.trim())} ${toolsOffNote(this.#chat)}
          <div class="composer-row">
            ${iconButton({
              icon: 'attach',
              label: 'Add context',
              run: () => post({ type: 'attachment-add', source: 'pick' }),
            })}
            ${modeButton(this.#chat, post)} ${this.#modelButton(this.#chat)}
            <span class="spring"></span>
            ${contextMeter(this.#chat)}
            ${iconButton({
              icon: 'add',
              label: 'New chat',
              run: () => post({ type: 'conversation-new' }),
            })}
            ${keyed(this.#chat.streaming !== null, this.#sendButton(this.#chat))}
          </div>
        </div>`,
      this.element,
    );
  }

  #modelButton({ model }: ChatState): TemplateResult {
    return html`<button
      type="button"
      class="model-button"
      role="combobox"
      aria-label="Model"
      aria-haspopup="dialog"
      aria-expanded=${this.#pickerOpen ? 'true' : 'false'}
      aria-controls=${this.#pickerOpen ? 'model-picker' : nothing}
      title=${model?.warning || model?.name || 'Choose a model'}
      @mousedown=${keepFocus}
      @click=${this.#context.chooseModel}
    >
      ${model?.warning ? icon('warning') : nothing}
      <span class="model-name">${model?.name ?? 'Choose a model'}</span>${icon('chevron-down')}
    </button>`;
  }

  #sendButton({ streaming }: ChatState): TemplateResult {
    if (streaming !== null) {
      return iconButton({
        icon: 'stop-circle',
        label: 'Stop',
        run: () => this.#context.post({ type: 'turn-stop' }),
      });
    }
    return iconButton({
      icon: 'send',
      label: 'Send',
      disabled: !this.#canSend(),
      run: () => this.#send(),
    });
  }
}

const stillGenerating = 'Still generating. Press Escape to stop.';
const waitsForAnswer = 'Waiting for your answer above. Escape stops the turn.';

/** The picker closes when it loses the focus; a click on its own button must toggle it instead. */
const keepFocus = (event: MouseEvent): void => event.preventDefault();
