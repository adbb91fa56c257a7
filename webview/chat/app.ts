import * as l10n from '@vscode/l10n';
import { html, nothing, render } from 'lit';
import type { Clock } from '../../src/base/clock.ts';
import { type Handlers, dispatchMessage, hasHandler } from '../../src/base/handlers.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { ConnectResult } from '../../src/account/protocol.ts';
import type { SpeechMessage } from '../../src/speech/protocol.ts';
import type { ChatState, MessageView } from '../../src/chat/protocol/view-state.ts';
import type { MarkdownOptions } from '../markdown/markdown-stream.ts';
import type { SavedState } from './saved-state.ts';
import {
  type ActionMessage,
  type Catalog,
  initialState,
  type State,
  type PostMessage,
} from './store.ts';
import { Announcer, getFirstSentence, renderIcon } from '../base/controls.ts';
import { Composer } from './composer/composer.ts';
import { FileLinks } from './transcript/file-links.ts';
import type { ConnectForm } from './connect-form.ts';
import {
  renderAccountLine,
  renderEditsNoticeLine,
  renderEmptyState,
  needsConnectForm,
  Transcript,
} from './transcript/transcript.ts';
import type { FindWidget } from './transcript/find-widget.ts';
import { getNextMode } from '../../src/chat/protocol/constants.ts';
import { isModeKey } from './composer/composer-options.ts';
import type { ModelPicker } from './model-picker.ts';
import { PendingCard } from './transcript/pending-card.ts';
import { Scroller } from './transcript/scroller.ts';
import type { SpeechPlayer } from './transcript/speech-player.ts';
import { renderTurnUseLine } from './transcript/message-footer.ts';

interface AppContext {
  readonly root: HTMLElement;
  readonly post: PostMessage;
  readonly savedState: SavedState;
  readonly clock: Clock;
}

const noticeDurationMs = 6_000;
const saveScrollDelayMs = 250;
/**
 * Maximum time between two answers of one turn, in milliseconds. After a longer pause, the page announces the end of
 * the turn.
 */
const turnPauseMs = 1_000;

/** Root of the chat page. Creates the views and passes them the state. */
export class ChatApp {
  readonly #context: AppContext;
  readonly #transcript: Transcript;
  readonly #scroller: Scroller;
  readonly #composer: Composer;
  readonly #pendingCard: PendingCard;
  readonly #announcer = new Announcer();
  readonly #heading = document.createElement('h1');
  readonly #fileLinks: FileLinks;
  readonly #emptySpace = createSection('empty-space');
  readonly #statusLines = createSection('lines');
  #chat: ChatState | undefined;
  #playerPromise: Promise<SpeechPlayer> | undefined;
  #findWidget: FindWidget | undefined;
  #catalog: Catalog = initialState.catalog;
  /** Model picker. Loaded on first use. */
  #picker: ModelPicker | undefined;
  /** Connect form, which an empty chat shows while no service is connected. Loaded on first use. */
  #connectForm: ConnectForm | undefined;
  #notice = '';
  #cancelNoticeTimer: () => void = () => {};
  #cancelSave: () => void = () => {};
  #cancelEndAnnouncement: () => void = () => {};

  constructor(context: AppContext) {
    this.#context = context;
    const { post, clock, savedState, root } = context;
    this.#transcript = new Transcript({
      post,
      clock,
      savedState,
      markdown: createMarkdownOptions(post),
      onEditorToggle: (isOpen) => this.#onEditorToggle(isOpen),
      getImageUrl: (file) => `${this.#chat?.generatedImagesUrl}/${file}`,
      getAttachmentUrl: (file) => `${this.#chat?.media}/${file}`,
      revealPendingCard: (messageId, callId) => this.#pendingCard.focusCall(messageId, callId),
      onRetryWithModel: (messageId) =>
        void this.#togglePicker((model) => post({ type: 'turn-retry', messageId, model })),
    });
    this.#composer = new Composer({
      post,
      clock,
      savedState,
      showNotice: (text) => this.#showNotice(text),
      editLastMessage: () => this.#transcript.editLastMessage(),
      chooseModel: () => void this.#togglePicker(),
      chooseModelOnce: (onChoose) => void this.#togglePicker(onChoose),
    });
    this.#pendingCard = new PendingCard({
      post,
      clock,
      announce: (text) => this.#announcer.announce(text),
      onAnswer: () => this.#restoreFocus(),
      insertText: (text) => this.#composer.insertText(text),
    });
    const { element, content } = this.#transcript;
    this.#fileLinks = new FileLinks(content, { post, clock });
    element.prepend(this.#emptySpace);
    this.#scroller = new Scroller(element, content, () => this.#onScroll());
    root.role = 'main';
    this.#heading.className = 'visually-hidden';
    root.append(
      this.#heading,
      element,
      this.#statusLines,
      this.#pendingCard.element,
      this.#composer.element,
      this.#announcer.element,
    );
    document.addEventListener('keydown', (event) => this.#onKey(event));
    const enableContextDrops = async (): Promise<void> =>
      (await import('./drop-context.ts')).acceptContextDrops(root, post);
    root.addEventListener('dragenter', () => void enableContextDrops(), { once: true });
  }

  renderState({ chat, catalog }: State): void {
    this.#catalog = catalog;
    this.#picker?.update(catalog, chat?.model?.id, chat?.mode === 'agent');
    if (chat === null) return;
    const focusedElement = document.activeElement;
    const mayMoveFocus = this.#canMoveFocus();
    const previousChat = this.#chat;
    this.#chat = chat;
    this.#heading.textContent = chat.conversation.title || l10n.t('Chat');
    this.#renderTranscript(chat, previousChat);
    this.#composer.update(chat);
    this.#dropOutdatedNotice(chat, previousChat);
    this.#renderStatusLines();
    this.#announceChanges(chat, previousChat);
    const previousPendingId = this.#pendingCard.shownId;
    this.#pendingCard.update(chat.pending);
    const isNewCard =
      this.#pendingCard.shownId !== undefined && this.#pendingCard.shownId !== previousPendingId;
    if (isNewCard && mayMoveFocus && this.#pendingCard.takesFocus) this.#pendingCard.focus();
    // Rendering may have removed the focused element.
    else if (focusedElement !== document.activeElement && focusedElement !== document.body)
      this.#restoreFocus();
  }

  /**
   * Performs the action of a message that changes no state, such as moving the focus. Ignores messages that change the
   * state.
   */
  performAction(message: HostMessage): void {
    if (hasHandler(this.#actions, message)) dispatchMessage(this.#actions, message);
  }

  readonly #actions: Handlers<ActionMessage, [], void> = {
    'draft-set': ({ text, replace }) => this.#composer.setDraft(text, replace),
    'notice-show': ({ text }) => this.#showNotice(text),
    'image-hint': ({ text }) => this.#composer.showHint(text),
    'paths-found': ({ paths }) => this.#fileLinks.linkPaths(paths),
    'context-suggestions': (message) => this.#composer.showSuggestions(message),
    'option-details': (message) => this.#composer.options.show(message),
    'context-view': (message) => this.#composer.options.showContextView(message),
    'media-scale': (message) => void this.#scaleImage(message),
    'sound-play': playSound,
    'composer-focus': () => this.#focusInput(),
    'connect-result': (result) => this.#onConnectResult(result),
    'local-servers': ({ servers }) => this.#connectForm?.showServers(servers),
    'composer-type': ({ text }) => this.#composer.insertText(text),
    'speech-open': (message) => void this.#playSpeech(message),
    'speech-samples': (message) => void this.#playSpeech(message),
    'speech-file': (message) => void this.#playSpeech(message),
    'speech-part': (message) => void this.#playSpeech(message),
    'speech-wait': (message) => void this.#playSpeech(message),
    'speech-fail': (message) => void this.#playSpeech(message),
    'speech-close': (message) => void this.#playSpeech(message),
    'find-open': () => void this.#openFindWidget(),
    'tool-output': (message) =>
      this.#transcript.showToolOutput(message.messageId, message.callId, message),
  };

  /**
   * Shows the connect form. If the composer has the focus, moves the focus to the form, because the composer cannot be
   * used yet.
   */
  async #openForm(): Promise<void> {
    if (this.#connectForm === undefined) {
      const { ConnectForm } = await import('./connect-form.ts');
      this.#connectForm ??= new ConnectForm(this.#context.post);
      if (this.#chat !== undefined) this.#renderTranscript(this.#chat, this.#chat);
      if (this.#canMoveFocus()) this.#focusInput();
    } else if (this.#chat !== undefined) this.#connectForm.showForm(this.#chat.account);
  }

  #onConnectResult(result: ConnectResult): void {
    const hadFocus = this.#connectForm?.element.contains(document.activeElement) === true;
    this.#connectForm?.showResult(result);
    if (result.problem !== null || this.#chat === undefined) return;
    this.#renderTranscript(this.#chat, this.#chat);
    if (hadFocus) this.#restoreFocus();
  }

  /** Focuses the connect form if it is visible, and otherwise the composer. */
  #focusInput(): void {
    if (this.#connectForm?.element.isConnected === true) this.#connectForm.focus();
    else this.#composer.focus();
  }

  /** Opens the model picker, or closes it. See {@link ModelPicker.toggle}. */
  async #togglePicker(onChoose?: (id: string) => void): Promise<void> {
    if (this.#picker === undefined) {
      const { ModelPicker: Picker } = await import('./model-picker.ts');
      this.#picker ??= this.#createPicker(Picker);
    }
    this.#picker.toggle(onChoose);
  }

  #createPicker(Picker: typeof ModelPicker): ModelPicker {
    const { post, clock } = this.#context;
    const picker = new Picker({
      post,
      clock,
      onOpen: () => this.#composer.setPickerOpen(true),
      onClose: (shouldRefocus) => {
        this.#composer.setPickerOpen(false);
        if (shouldRefocus) this.#composer.focus();
      },
    });
    picker.update(this.#catalog, this.#chat?.model?.id, this.#chat?.mode === 'agent');
    this.#composer.element.before(picker.element);
    return picker;
  }

  async #playSpeech(message: SpeechMessage): Promise<void> {
    if (message.type === 'speech-close' && this.#playerPromise === undefined) return;
    // Sharing one promise keeps the messages in order while the player is being loaded.
    this.#playerPromise ??= import('./transcript/speech-player.ts').then(({ SpeechPlayer }) => {
      const { post, clock } = this.#context;
      const announce = (text: string): void => this.#announcer.announce(text);
      const onRead = (messageId: string | null): void => this.#transcript.setReadAloud(messageId);
      const player = new SpeechPlayer({ post, clock, announce, onRead });
      this.#composer.element.before(player.element);
      return player;
    });
    (await this.#playerPromise).handleMessage(message);
  }

  async #scaleImage(message: Extract<HostMessage, { type: 'media-scale' }>): Promise<void> {
    const { scaleHostImage } = await import('./composer/add-files.ts');
    await scaleHostImage(message, this.#context.post);
  }

  /**
   * Hides the visible notice if one of these events occurred since the state `previousChat`: the user opened another
   * conversation or sent a request, files changed, or a pending card was answered.
   */
  #dropOutdatedNotice(chat: ChatState, previousChat: ChatState | undefined): void {
    const isNoticeOutdated =
      chat.conversation.id !== previousChat?.conversation.id ||
      chat.changes !== previousChat.changes ||
      chat.pending.length < previousChat.pending.length ||
      hasNewRequest(chat, previousChat);
    if (!isNoticeOutdated) return;
    this.#cancelNoticeTimer();
    this.#notice = '';
  }

  #renderTranscript(chat: ChatState, previousChat: ChatState | undefined): void {
    const { element } = this.#transcript;
    const isNewlyOpened = chat.conversation.id !== previousChat?.conversation.id;
    element.classList.toggle('wrap-code', chat.wrapCode);
    element.classList.toggle('reads', chat.voice.reads);
    element.classList.toggle('streaming', chat.streaming !== null);
    element.ariaBusy = String(chat.streaming !== null);
    this.#emptySpace.hidden = chat.messages.length > 0;
    const isConnecting = needsConnectForm(chat.account) || this.#connectForm?.isBusy === true;
    const showsForm = chat.messages.length === 0 && isConnecting;
    if (showsForm) void this.#openForm();
    else this.#connectForm?.close();
    render(
      chat.messages.length > 0
        ? nothing
        : showsForm
          ? (this.#connectForm?.element ?? nothing)
          : renderEmptyState(chat, this.#context.post, (text) => this.#useSuggestion(text)),
      this.#emptySpace,
    );
    this.#transcript.update(chat, isNewlyOpened);
    if (isNewlyOpened)
      this.#scroller.scrollTo(this.#context.savedState.getScrollPosition(chat.conversation.id));
    else if (hasNewRequest(chat, previousChat)) this.#scroller.scrollToEnd();
    else this.#scroller.restorePosition();
    if (chat.streaming === null && chat.messages !== previousChat?.messages)
      this.#findWidget?.repeatSearch();
  }

  #announceChanges(chat: ChatState, previousChat: ChatState | undefined): void {
    const [streamingId, previousId] = [chat.streaming, previousChat?.streaming ?? null];
    if (streamingId === previousId || previousChat?.conversation.id !== chat.conversation.id)
      return;
    this.#cancelEndAnnouncement();
    if (streamingId !== null) {
      if (hasNewRequest(chat, previousChat)) this.#announcer.announce(l10n.t('Generating'));
      return;
    }
    const endedMessage = chat.messages.find(({ id }) => id === previousId);
    if (endedMessage === undefined) return;
    if (!mayContinue(endedMessage)) return this.#announceEnd(endedMessage);
    this.#cancelEndAnnouncement = this.#context.clock.after(turnPauseMs, () =>
      this.#announceEnd(endedMessage),
    );
  }

  #announceEnd(endedMessage: MessageView): void {
    const firstParagraph =
      endedMessage.status === 'complete' ? this.#transcript.getFirstParagraph(endedMessage.id) : '';
    const text = endedMessage.failure?.title ?? getFirstSentence(firstParagraph);
    this.#announcer.announce(`${statusAnnouncements[endedMessage.status]} ${text}`.trim());
  }

  #useSuggestion(text: string): void {
    this.#composer.setDraft(text, false);
    this.#context.post({ type: 'suggestion-choose', text });
    this.#composer.focus();
  }

  #renderStatusLines(): void {
    const chat = this.#chat;
    if (chat === undefined) return;
    render(
      html`<button
          type="button"
          class="jump"
          ?hidden=${this.#scroller.isFollowing}
          @click=${() => this.#scrollToEnd()}
        >
          ${renderIcon('arrow-down')} ${l10n.t('Jump to latest')}
        </button>
        ${renderAccountLine(chat, this.#context.post)}
        ${renderEditsNoticeLine(chat, this.#context.post)} ${renderTurnUseLine(chat)}
        ${this.#notice === '' ? nothing : html`<p class="notice">${renderIcon('info')} ${this.#notice}</p>`}`,
      this.#statusLines,
    );
  }

  #scrollToEnd(): void {
    this.#scroller.scrollToEnd();
    this.#composer.focus();
  }

  #showNotice(text: string): void {
    this.#announcer.announce(text);
    this.#setNotice(text);
    this.#cancelNoticeTimer();
    this.#cancelNoticeTimer = this.#context.clock.after(noticeDurationMs, () =>
      this.#setNotice(''),
    );
  }

  #setNotice(text: string): void {
    this.#notice = text;
    this.#renderStatusLines();
  }

  #onScroll(): void {
    this.#renderStatusLines();
    this.#cancelSave();
    this.#cancelSave = this.#context.clock.after(saveScrollDelayMs, () =>
      this.#saveScrollPosition(),
    );
  }

  #saveScrollPosition(): void {
    const id = this.#chat?.conversation.id;
    if (id !== undefined)
      this.#context.savedState.saveScrollPosition(id, this.#scroller.getPosition());
  }

  #onEditorToggle(isOpen: boolean): void {
    this.#transcript.element.classList.toggle('editing', isOpen);
    this.#composer.element.inert = isOpen;
    this.#composer.element.ariaHidden = isOpen ? 'true' : null;
    if (!isOpen) this.#restoreFocus();
  }

  /**
   * Focuses the pending card if the card may take the focus and the composer is empty. Otherwise, focuses the connect
   * form or the composer. Does nothing while the focus is outside the page.
   */
  #restoreFocus(): void {
    if (!document.hasFocus()) return;
    if (this.#pendingCard.takesFocus && this.#composer.isEmpty) this.#pendingCard.focus();
    else this.#focusInput();
  }

  /**
   * Checks whether the page may move the focus without disturbing the user. True if a card has the focus, or if the
   * composer is empty and no other control has the focus.
   */
  #canMoveFocus(): boolean {
    const { activeElement } = document;
    if (!document.hasFocus()) return false;
    if (this.#pendingCard.element.contains(activeElement)) return true;
    const isIdle = activeElement === document.body || this.#composer.hasFocus;
    return isIdle && this.#composer.isEmpty;
  }

  #selectNextMode(): void {
    if (this.#chat === undefined) return;
    this.#context.post({ type: 'mode-select', mode: getNextMode(this.#chat.mode) });
  }

  async #openFindWidget(): Promise<void> {
    const { FindWidget } = await import('./transcript/find-widget.ts');
    this.#findWidget ??= new FindWidget({
      listRoots: () => this.#transcript.element.querySelectorAll('.text'),
      onClose: () => this.#composer.focus(),
    });
    if (!this.#findWidget.element.isConnected)
      this.#transcript.element.before(this.#findWidget.element);
    await this.#findWidget.open();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'Escape' && this.#findWidget?.isOpen) this.#findWidget.close();
    else if (event.key === 'Escape' && this.#chat?.streaming) {
      this.#context.post({ type: 'turn-stop' });
      this.#composer.focus();
    } else if (isFindShortcut(event)) void this.#openFindWidget();
    else if (isModeKey(event)) this.#selectNextMode();
    else return;
    event.preventDefault();
    // VS Code listens at the window and would also open its own find widget.
    event.stopPropagation();
  }
}

/** Plays a short, quiet tone. Silent if the browser does not allow sound before the first click. */
function playSound(): void {
  const context = new AudioContext();
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  gain.gain.value = 0.1;
  oscillator.frequency.value = 660;
  oscillator.connect(gain).connect(context.destination);
  oscillator.addEventListener('ended', () => void context.close());
  oscillator.start();
  oscillator.stop(context.currentTime + 0.15);
}

const statusAnnouncements = {
  complete: l10n.t('Answer complete.'),
  streaming: '',
  working: '',
  stopped: l10n.t('Stopped'),
  interrupted: l10n.t('Interrupted before the end'),
  failed: l10n.t('Failed'),
} as const;

/**
 * Checks whether a key press is Ctrl+F or Cmd+F. Returns false if Shift or Alt is also pressed, because Ctrl+Shift+F
 * searches all files in VS Code.
 */
const isFindShortcut = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'f' &&
  (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  !event.shiftKey;

/** Checks whether the user sent a new request since the state `previousChat`. If so, the page scrolls to the answer. */
function hasNewRequest(chat: ChatState, previousChat: ChatState | undefined): boolean {
  if (chat.streaming === null || previousChat?.streaming !== null) return false;
  const index = chat.messages.findLastIndex(({ id }) => id === chat.streaming);
  const previousMessage = chat.messages[index - 1];
  // `streaming` is also null between two answers of one turn. An already known answer then precedes the new answer, so
  // there is no new request.
  return (
    previousMessage?.role !== 'assistant' ||
    previousMessage.id !== previousChat.messages[index - 1]?.id
  );
}

/** Checks whether the turn is likely to continue with another answer, because this answer ends with tool calls. */
const mayContinue = (message: MessageView): boolean =>
  message.status === 'complete' && message.toolCalls.length > 0;

function createSection(className: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  return element;
}

function createMarkdownOptions(post: PostMessage): MarkdownOptions {
  return {
    openLink: (href) => post({ type: 'link-open', href }),
    code: {
      copy: (text) => post({ type: 'code-copy', text }),
      insert: (text) => post({ type: 'code-insert', text }),
      openNewFile: (text, language) => post({ type: 'code-new-file', text, language }),
      apply: (text, context) => post({ type: 'code-apply', text, ...context }),
    },
  };
}
