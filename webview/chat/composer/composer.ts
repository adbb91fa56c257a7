import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { Clock } from '../../../src/base/clock.ts';
import type { ContextSuggestions } from '../../../src/chat/protocol/composer.ts';
import { maxPromptLength } from '../../../src/chat/protocol/constants.ts';
import type { ChatState, MessageView } from '../../../src/chat/protocol/view-state.ts';
import type { PostMessage } from '../store.ts';
import { renderIcon, renderIconButton, isSubmitKey } from '../../base/controls.ts';
import {
  renderActiveFileChip,
  renderAttachmentChips,
  renderImageNote,
  findImageProblem,
  renderInstructionChips,
  isMedia,
} from './attachment-chips.ts';
import {
  ComposerOptions,
  renderContextMeter,
  renderDictateButton,
  renderEncryptionNote,
  renderPersonaChip,
  renderToolsOffNote,
} from './composer-options.ts';
import { createEditBox, renderLengthNote, findLengthProblem } from './edit-box.ts';
import {
  renderPlanBar,
  findPlanMessage,
  renderQueuedMessages,
  renderTodoList,
} from './work-lists.ts';
import type { SuggestMenu } from './suggest-menu.ts';
import type { SavedState } from '../saved-state.ts';

/** Calls `onFiles` with files that the user pastes into the composer or drops anywhere on the page. */
export function listenForFiles(
  composer: HTMLElement,
  onFiles: (files: readonly File[]) => void,
): void {
  const onDataTransfer = (event: Event, data: DataTransfer | null): void => {
    if (data === null || data.files.length === 0) return;
    event.preventDefault();
    onFiles([...data.files]);
  };
  composer.addEventListener('paste', (event) => {
    if (!hasText(event.clipboardData)) onDataTransfer(event, event.clipboardData);
  });
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  document.addEventListener('drop', (event) => onDataTransfer(event, event.dataTransfer));
}

/**
 * Checks whether pasted data contains formatted text, that is, text in both plain and HTML format. Office programs add
 * an image of the text, which the page then ignores.
 */
const hasText = (data: DataTransfer | null): boolean =>
  ['text/plain', 'text/html'].every((type) => data?.types.includes(type));

const draftDelayMs = 300;
/**
 * Length in characters from which a draft counts as long. A long draft is saved only after {@link draftDelayMs}, when
 * it is also posted to the host. A shorter draft is saved at every key press.
 */
const longDraftLength = 10_000;

export interface ComposerContext {
  readonly post: PostMessage;
  readonly clock: Clock;
  readonly savedState: SavedState;
  readonly showNotice: (text: string) => void;
  /** Called when the user presses the up arrow in an empty composer. */
  readonly editLastMessage: () => void;
  readonly chooseModel: () => void;
  /** Opens the model picker. The chosen model applies only to the next turn. */
  readonly chooseModelOnce: (onChoose: (id: string) => void) => void;
}

/**
 * Input area of the chat. Stores the text only in the text area element, so that updates of a streaming answer cannot
 * change it.
 */
export class Composer {
  readonly element = document.createElement('div');
  readonly #context: ComposerContext;
  readonly options: ComposerOptions;
  readonly #textArea = document.createElement('textarea');
  #chat: ChatState | undefined;
  /** Ids of attachments that the user removed in the page. The last chat state from the host still contains them. */
  #removedIds: ReadonlySet<string> = new Set();
  #isPickerOpen = false;
  /** Draft that the host has. */
  #hostText = '';
  #cancelPostTimer: (() => void) | undefined;
  #menu: SuggestMenu | undefined;
  /** Editor of the plan. Absent unless the user edits the plan. */
  #planEditor: HTMLElement | undefined;

  constructor(context: ComposerContext) {
    this.#context = context;
    this.options = new ComposerOptions({
      post: context.post,
      onDidChange: () => this.#render(),
      showNotice: context.showNotice,
    });
    this.element.className = 'composer';
    this.#textArea.className = 'growing';
    this.#textArea.dir = 'auto';
    this.#textArea.rows = 1;
    this.#textArea.ariaLabel = l10n.t('Message');
    this.#textArea.placeholder = l10n.t('Ask, # context, / commands');
    this.#textArea.addEventListener('keydown', (event) => this.#onKey(event));
    this.#textArea.addEventListener('input', () => this.#onInput());
    listenForFiles(this.element, (files) => void this.addFiles(files));
  }

  update(hostChat: ChatState): void {
    const listedIds = new Set(hostChat.attachments.map(({ id }) => id));
    this.#removedIds = this.#removedIds.intersection(listedIds);
    const chat = this.#omitRemovedAttachments(hostChat);
    if (chat.conversation.id !== this.#chat?.conversation.id) {
      this.#postDraft();
      this.#restoreDraft(chat);
    }
    const planMessage = findPlanMessage(chat);
    if (planMessage?.id !== (this.#chat && findPlanMessage(this.#chat)?.id))
      this.#planEditor = this.#restorePlanEditor(planMessage);
    const hasNewContext = chat.context !== this.#chat?.context;
    this.#chat = chat;
    this.#render();
    this.#estimateDraft();
    if (hasNewContext) this.options.refreshContext();
  }

  focus(): void {
    this.#textArea.focus();
  }

  /** Inserts `text` at the caret, as if the user had typed it. */
  insertText(text: string): void {
    const { selectionStart, selectionEnd } = this.#textArea;
    this.focus();
    this.#textArea.setRangeText(text, selectionStart, selectionEnd, 'end');
    this.#onInput();
  }

  get hasFocus(): boolean {
    return document.activeElement === this.#textArea;
  }

  get isEmpty(): boolean {
    return this.#textArea.value === '';
  }

  /**
   * Inserts `text` into the composer. Replaces the user's text if `shouldReplace` is true, and otherwise appends to it.
   */
  setDraft(text: string, shouldReplace: boolean): void {
    const existingText = shouldReplace ? '' : this.#textArea.value.trimEnd();
    this.#textArea.value = existingText === '' ? text : `${existingText}\n\n${text}`;
    // A prompt may contain placeholders for the user to fill in: select the first placeholder.
    const placeholderMatch = /\$\{input:[^}]*\}/u.exec(text);
    if (placeholderMatch !== null)
      this.#textArea.setSelectionRange(
        placeholderMatch.index,
        placeholderMatch.index + placeholderMatch[0].length,
      );
    this.#onInput();
  }

  /** Sets the text that the suggestion list shows for the image command: the model and the price of the next image. */
  showHint(text: string): void {
    if (this.#menu !== undefined) this.#menu.hint = text;
  }

  /** Shows the host's suggestions for a mention (`#`) or a command (`/`). */
  showSuggestions(suggestions: ContextSuggestions): void {
    this.#menu?.show(suggestions);
  }

  setPickerOpen(isOpen: boolean): void {
    this.#isPickerOpen = isOpen;
    this.#render();
  }

  /** Attaches pasted or dropped files. */
  async addFiles(files: readonly File[]): Promise<void> {
    const conversationId = this.#chat?.conversation.id;
    if (conversationId === undefined) return;
    const { addFiles } = await import('./add-files.ts');
    await addFiles(files, { ...this.#context, conversationId });
  }

  /**
   * Returns the chat state without the attachments that the user removed in the page. The removed attachments must not
   * prevent sending, because the host removes them before it handles the sent message.
   */
  #omitRemovedAttachments(chat: ChatState): ChatState {
    if (this.#removedIds.size === 0) return chat;
    return { ...chat, attachments: chat.attachments.filter(({ id }) => !this.#removedIds.has(id)) };
  }

  #removeAttachment(id: string): void {
    this.#context.post({ type: 'attachment-remove', id });
    if (this.#chat === undefined) return;
    this.#removedIds = new Set([...this.#removedIds, id]);
    this.#chat = this.#omitRemovedAttachments(this.#chat);
    const hadFocus = this.element.contains(document.activeElement);
    this.#render();
    if (hadFocus && !this.element.contains(document.activeElement)) this.focus();
    this.#estimateDraft();
  }

  #restoreDraft({ conversation, draft }: ChatState): void {
    const { savedState, clock } = this.#context;
    const savedDraft = this.#chat === undefined ? savedState.getDraft(conversation.id) : undefined;
    this.#hostText = draft;
    // The host's draft is newer, unless it is still the draft that the user edited just before this page was reloaded.
    const isSavedDraftNewer = savedDraft?.hostText === draft;
    this.#textArea.value = isSavedDraftNewer ? savedDraft.text : draft || (savedDraft?.text ?? '');
    if (isSavedDraftNewer)
      this.#cancelPostTimer ??= clock.after(draftDelayMs, () => this.#postDraft());
  }

  #estimateDraft(): void {
    this.options.onDraftChange(this.#context.clock, () => ({
      chat: this.#chat,
      draft: this.#textArea.value.trim(),
    }));
  }

  #onInput(): void {
    if (this.#chat === undefined) return;
    this.#estimateDraft();
    const { clock, savedState } = this.#context;
    const text = this.#textArea.value;
    if (text.length < longDraftLength)
      savedState.saveDraft(this.#chat.conversation.id, text, this.#hostText);
    this.#cancelPostTimer ??= clock.after(draftDelayMs, () => this.#postDraft());
    this.#render();
    if (this.#menu === undefined && /^\/|#/u.test(text)) void this.#loadMenu();
    this.#menu?.update();
  }

  async #loadMenu(): Promise<void> {
    const { SuggestMenu } = await import('./suggest-menu.ts');
    const { post, clock } = this.#context;
    const onChange = (): void => this.#onInput();
    this.#menu ??= new SuggestMenu({
      textArea: this.#textArea,
      post,
      clock,
      onDidChange: onChange,
    });
    this.#menu.update();
    this.#render();
  }

  /** Posts the draft to the host now if a delayed post is scheduled. */
  #postDraft(): void {
    if (this.#cancelPostTimer === undefined || this.#chat === undefined) return;
    this.#cancelDraftPost();
    const conversationId = this.#chat.conversation.id;
    const text = this.#textArea.value;
    if (text.length <= maxPromptLength) {
      this.#context.post({ type: 'draft-change', conversationId, text });
      this.#hostText = text;
    }
    const hostText = this.#hostText === text ? undefined : this.#hostText;
    this.#context.savedState.saveDraft(conversationId, text, hostText);
  }

  #cancelDraftPost(): void {
    this.#cancelPostTimer?.();
    this.#cancelPostTimer = undefined;
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#menu?.handleKey(event)) return;
    if (isSubmitKey(event)) {
      event.preventDefault();
      this.#sendDraft();
    } else if (event.key === 'ArrowUp' && this.#textArea.value === '' && !this.#chat?.streaming) {
      event.preventDefault();
      this.#context.editLastMessage();
    }
  }

  #canSend(): boolean {
    const text = this.#textArea.value.trim();
    return (text !== '' || this.#hasMedia()) && findLengthProblem(text) === '';
  }

  /** Checks whether the message contains images or documents. Such a message needs no text, unless it is encrypted. */
  #hasMedia(): boolean {
    const { attachments = [], model } = this.#chat ?? {};
    return model?.encryption === undefined && attachments.some(isMedia);
  }

  #sendDraft(): void {
    const text = this.#textArea.value.trim();
    if (!this.#canSend() || this.#chat === undefined) return;
    const problem = findImageProblem(this.#chat);
    if (problem !== '') return this.#context.showNotice(problem);
    this.#cancelDraftPost();
    this.#textArea.value = '';
    this.#menu?.update();
    this.#hostText = '';
    this.#context.savedState.saveDraft(this.#chat.conversation.id, '');
    this.#context.post({ type: 'message-send', conversationId: this.#chat.conversation.id, text });
    this.#render();
    this.focus();
  }

  #render(): void {
    if (this.#chat === undefined) return;
    const { post } = this.#context;
    render(
      html`${this.#menu?.element} ${this.options.popover} ${this.options.contextPopover}
        ${this.options.menu} ${this.#planEditor ?? this.#renderPlanBar(this.#chat)}
        ${renderTodoList(this.#chat, post)} ${renderQueuedMessages(this.#chat, post)}
        <div class="composer-box">
          ${renderPersonaChip(this.#chat.voice, post, this.#chat.model?.encryption !== undefined)}
          <div class="composer-chips">
            ${renderInstructionChips(this.#chat.instructions)} ${this.#renderChips(this.#chat)}
            ${renderActiveFileChip(this.#chat, post)}
          </div>
          ${this.#textArea} ${renderLengthNote(this.#textArea.value.trim())}
          ${renderImageNote(this.#chat, this.#context.chooseModel)}
          ${renderToolsOffNote(this.#chat)}
          ${renderEncryptionNote(this.#chat.model?.encryption, () => post({ type: 'attestation-show', messageId: null }))}
          <div class="composer-row">
            ${renderIconButton({
              icon: 'attach',
              label: l10n.t('Add context'),
              onClick: () => post({ type: 'attachment-add', source: 'pick' }),
            })}
            ${this.options.renderModeButton(this.#chat)} ${this.#renderModelButton(this.#chat)}
            <span class="spring"></span>
            ${renderIconButton({
              icon: 'add',
              label: l10n.t('New Chat'),
              className: 'new-chat',
              onClick: () => post({ type: 'conversation-new' }),
            })}
            ${keyed(this.#chat.streaming !== null, this.#renderSendButtons(this.#chat))}
          </div>
        </div>
        <div class="composer-row composer-foot">
          ${this.options.renderLevelButton(this.#chat)} ${this.options.renderButtons(this.#chat)}
          <span class="spring"></span>
          ${renderContextMeter(this.#chat, () => void this.options.toggleContextPopover(() => this.#chat?.conversation.id ?? ''))}
          ${renderDictateButton(this.#chat.voice, post)}
        </div>`,
      this.element,
    );
  }

  /** Renders the actions of the plan in the last answer. Renders nothing without a plan. */
  #renderPlanBar(chat: ChatState): TemplateResult | typeof nothing {
    const planMessage = findPlanMessage(chat);
    if (planMessage === undefined) return nothing;
    const start = (text: string, model?: string): void =>
      this.#startPlan(planMessage.id, text, model);
    return renderPlanBar({
      startPlan: () => start(planMessage.text),
      edit: () => {
        this.#planEditor = this.#createPlanEditor(planMessage.id, planMessage.text);
        this.#render();
        this.#planEditor.querySelector('textarea')?.focus();
      },
      chooseModel: () => this.#context.chooseModelOnce((id) => start(planMessage.text, id)),
    });
  }

  #createPlanEditor(messageId: string, text: string): HTMLElement {
    return createEditBox({
      text,
      label: l10n.t('Plan'),
      submitLabel: l10n.t('Start plan'),
      submitsOnEnter: false,
      onInput: (editedText) => this.#context.savedState.saveEditedText(messageId, editedText),
      onSubmit: (editedText) => this.#startPlan(messageId, editedText),
      onCancel: () => this.#closePlanEditor(messageId),
    });
  }

  /**
   * Creates the editor of a plan again if the user's edit of the plan is unsaved. Called after the page is reloaded or
   * another conversation is opened.
   */
  #restorePlanEditor(planMessage: MessageView | undefined): HTMLElement | undefined {
    const text = planMessage && this.#context.savedState.getEditedText(planMessage.id);
    return planMessage && text !== undefined
      ? this.#createPlanEditor(planMessage.id, text)
      : undefined;
  }

  #startPlan(messageId: string, text: string, model?: string): void {
    this.#closePlanEditor(messageId);
    this.#context.post({ type: 'plan-start', messageId, text, ...(model && { model }) });
  }

  #closePlanEditor(messageId: string): void {
    this.#context.savedState.saveEditedText(messageId, undefined);
    this.#planEditor = undefined;
    this.#render();
    this.focus();
  }

  #renderChips({ attachments, media, model }: ChatState): TemplateResult | typeof nothing {
    const { post } = this.#context;
    return renderAttachmentChips(attachments, {
      getImageUrl: (file) => `${media}/${file}`,
      openAttachment: (id) => post({ type: 'attachment-open', messageId: null, id }),
      onRemove: (id) => this.#removeAttachment(id),
      isEncrypted: model?.encryption !== undefined,
    });
  }

  #renderModelButton({ model, options: { suffix } }: ChatState): TemplateResult {
    const title = model?.warning || model?.name || l10n.t('Choose a model');
    return html`<button
      type="button"
      class="model-button"
      role="combobox"
      aria-label=${l10n.t('Model')}
      aria-haspopup="dialog"
      aria-expanded=${this.#isPickerOpen ? 'true' : 'false'}
      aria-controls=${this.#isPickerOpen ? 'model-picker' : nothing}
      title=${suffix === '' ? title : `${title}\n${suffix}`}
      @mousedown=${keepFocus}
      @click=${this.#context.chooseModel}
    >
      ${model?.warning ? renderIcon('warning') : nothing}
      <span class="model-name">${model?.name ?? l10n.t('Choose a model')}</span
      >${renderIcon('chevron-down')}
    </button>`;
  }

  /**
   * Renders the Send button. While a turn is running, renders the Stop button instead, followed by the Send button if
   * the draft can be sent. A message that is sent during a turn is queued.
   */
  #renderSendButtons({ streaming }: ChatState): TemplateResult {
    if (streaming === null) return this.#renderSendButton();
    const stopButton = renderIconButton({
      icon: 'stop-circle',
      label: l10n.t('Stop'),
      onClick: () => this.#context.post({ type: 'turn-stop' }),
    });
    return this.#canSend() ? html`${stopButton}${this.#renderSendButton()}` : stopButton;
  }

  #renderSendButton(): TemplateResult {
    const { estimateText } = this.options;
    return renderIconButton({
      icon: 'arrow-up',
      label: l10n.t('Send'),
      title: estimateText === '' ? l10n.t('Send') : `${l10n.t('Send')}\n${estimateText}`,
      className: 'send-button',
      isDisabled: !this.#canSend(),
      onClick: () => this.#sendDraft(),
    });
  }
}

/**
 * Prevents a mouse press from moving the focus. Otherwise, the press on the model button would close the open model
 * picker, and the following click would open it again.
 */
const keepFocus = (event: MouseEvent): void => event.preventDefault();
