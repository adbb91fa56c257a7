import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { dispatchMessage } from '../../base/handlers.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Mode } from '../../conversation/protocol.ts';
import { protocolVersion } from '../protocol/constants.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import { readWebviewMessage, type WebviewMessage } from '../protocol/page-message.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { getGalleryFolder } from '../../image/vscode/gallery-folder.ts';
import { createWebviewHtml, createWebviewOptions } from '../../platform/webview-html.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { AgentMessages, agentMessageTypes, getChatMode, selectMode } from './agent-messages.ts';
import { createComposerHandlers, createSendHandlers } from './composer-messages.ts';
import { createActionHandlers, shouldWrapCode } from './page-actions.ts';
import type { AttachmentCommands } from './attach.ts';
import type { Chats } from './chats.ts';
import { ChatStateBuilder } from './chat-state.ts';
import type { ChatContext } from '../context/vscode/chat-context.ts';
import { createAttachmentView, createQueuedViews } from './message-view.ts';
import { getMediaFolder } from '../../conversation/vscode/media-files.ts';
import {
  createLazyHandlers,
  type Notice,
  type OpenChat,
  type PageHandlers,
  type SuggestionsOffer,
} from './open-chat.ts';
import { isChatModel } from '../../models/model-selection.ts';
import {
  getChatSelection,
  getSelectedModel,
  selectModelOfChat,
} from '../../models/vscode/selected-model.ts';
import type { SpokenText } from '../../speech/vscode/speech-consent.ts';
import { SessionMessages } from './session-messages.ts';
import { ActiveFileSuggestion, SuggestedPrompts } from '../context/vscode/suggested-prompts.ts';
import type { VoiceMessages } from './voice-messages.ts';

export interface ChatWebviewOptions {
  readonly host: Host;
  readonly chats: Chats;
  readonly attachmentCommands: Lazy<AttachmentCommands>;
  readonly context: Lazy<ChatContext>;
  readonly agents: Agents;
  readonly images: LazyChatImages;
  readonly suggestionsOffer: SuggestionsOffer;
  readonly webview: vscode.Webview;
  /** Shows the page and focuses it. */
  readonly reveal: () => void;
  readonly isInTab?: boolean;
}

/** Webview that shows a chat, in the side bar or in an editor tab. Shows one conversation at a time. */
export class ChatWebview implements Disposable {
  readonly #options: ChatWebviewOptions;
  readonly #disposables = new DisposableStore();
  readonly #onDidShowEmitter = new Emitter<OpenChat>();
  #chat: OpenChat;
  #chatSubscriptions = new DisposableStore();
  #messages: SessionMessages | undefined;
  #agentMessages: AgentMessages;
  readonly #queuedMessages: HostMessage[] = [];
  readonly #suggestions = new SuggestedPrompts();
  readonly #activeFile = this.#disposables.add(
    new ActiveFileSuggestion(() => {
      this.#postMessage({ type: 'active-file-change', activeFile: this.#activeFile.label });
      this.#postMessage(this.#stateBuilder.createSuggestionsChange(this.#chat));
    }),
  );
  readonly #stateBuilder: ChatStateBuilder;
  /** Handlers for the page's messages about mentions (`#`) and slash commands (`/`). Loaded on first use. */
  readonly #context = new Lazy(async () =>
    (await this.#options.context.get()).createMessageHandlers({
      post: (message) => this.#postMessage(message),
      showNotice: (text) => this.showNotice(text),
      focusComposer: () => {
        this.#options.reveal();
        this.focusComposer();
      },
      chatSettings: {
        agents: this.#modeAccess,
        getModels: () => {
          const { models } = this.#options.host;
          const { session } = this.#chat;
          return {
            ...getChatSelection(models, session.conversation),
            models: models.models,
            selectChatModel: (id) => selectModelOfChat(models, session, id),
          };
        },
      },
    }),
  );
  /** Functions that get and set the mode of the shown chat. */
  readonly #modeAccess = {
    getMode: (): Mode => getChatMode({ agents: this.#options.agents, session: this.#chat.session }),
    setMode: (mode: Mode): Promise<void> =>
      selectMode({ agents: this.#options.agents, session: this.#chat.session }, mode),
  };
  #voice: VoiceMessages | undefined;
  #wasSuggestionsOfferShown = false;
  readonly #handlers: PageHandlers<WebviewMessage['type']>;
  #isReady = false;

  constructor(options: ChatWebviewOptions, chat: OpenChat) {
    this.#options = options;
    this.#chat = chat;
    this.#stateBuilder = new ChatStateBuilder({ ...options, suggestions: this.#suggestions });
    this.#agentMessages = this.#observeChat();
    this.#handlers = this.#createHandlers();
    const { webview, host } = options;
    webview.options = createWebviewOptions(host.context.extensionUri, [
      getGalleryFolder(host),
      getMediaFolder(host.context),
    ]);
    this.#loadPage();
    this.#disposables.add(
      webview.onDidReceiveMessage((rawMessage: unknown) => this.#receiveMessage(rawMessage)),
    );
    this.#disposables.add(host.account.onDidChange(() => this.#postAccount()));
    this.#disposables.add(host.models.onDidChange(() => this.#postModels()));
    this.#disposables.add(options.suggestionsOffer.onDidChange(() => this.#postSuggestionsOffer()));
    this.#disposables.add(
      onDidChangeSettings(['inferenceService.chat'], () => {
        this.#postMessage({ type: 'settings-change', wrapCode: shouldWrapCode() });
        // The encryption setting affects the available options and models, so both are posted again.
        this.#postModels();
      }),
    );
  }

  /**
   * Fires when the webview shows another conversation, or when the title or the model of the shown conversation
   * changes.
   */
  readonly onDidShow: Event<OpenChat> = (listener) => this.#onDidShowEmitter.event(listener);

  get chat(): OpenChat {
    return this.#chat;
  }

  show(chat: OpenChat): void {
    this.#chat = chat;
    this.#agentMessages = this.#observeChat();
    if (this.#isReady) this.#postState();
  }

  /** True after the page has loaded and requested its state. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Plays a short sound. Ignored if the page is not loaded. */
  playSound(): void {
    this.#postMessage({ type: 'sound-play' });
  }

  focusComposer(): void {
    this.#postWhenReady({ type: 'composer-focus' });
  }

  openFind(): void {
    this.#postWhenReady({ type: 'find-open' });
  }

  /** Inserts text at the cursor of the composer. */
  insertIntoComposer(text: string): void {
    this.#postWhenReady({ type: 'composer-type', text });
  }

  async readAloud(spokenText: SpokenText): Promise<void> {
    this.#showResult(await (await this.#loadVoice()).readAloud(spokenText));
  }

  /** Shows a sentence above the page's composer for a few seconds. */
  showNotice(text: string): void {
    this.#postWhenReady({ type: 'notice-show', text });
  }

  /**
   * Stops posting messages to the page until a new page requests the state. Must be called when VS Code discards the
   * page.
   */
  onPageHidden(): void {
    this.#isReady = false;
    this.#voice?.stopReading();
  }

  dispose(): void {
    this.#voice?.stopReading();
    this.#chatSubscriptions.dispose();
    this.#disposables.dispose();
    this.#onDidShowEmitter.dispose();
  }

  /** Subscribes to the shown chat, and unsubscribes from the chat that was shown before. */
  #observeChat(): AgentMessages {
    this.#chatSubscriptions.dispose();
    this.#chatSubscriptions = new DisposableStore();
    const { session } = this.#chat;
    this.#chatSubscriptions.add(
      this.#chat.attachPage(
        (message) => this.#postWhenReady(message),
        () => this.#isReady,
      ),
    );
    this.#messages = this.#chatSubscriptions.add(
      new SessionMessages(session, systemClock, (message) => this.#postMessage(message)),
    );
    this.#chatSubscriptions.add(
      session.onDidChange((event) => {
        const { type } = event;
        if (type === 'title-change' || type === 'model-change')
          this.#onDidShowEmitter.fire(this.#chat);
        if (type === 'model-change') this.#postModels();
        if (type !== 'options-change') return;
        // The selected persona affects which features are available, so the models are posted again.
        this.#postModels();
        this.#postMessage(this.#stateBuilder.createSuggestionsChange(this.#chat));
      }),
    );
    this.#chatSubscriptions.add(
      this.#chat.onDidChangeAttachments(() => {
        const attachments = this.#chat.attachments.map(createAttachmentView);
        this.#postMessage({ type: 'attachments-change', attachments });
      }),
    );
    const { queue } = this.#chat;
    this.#chatSubscriptions.add(
      queue.onDidChange(() =>
        this.#postMessage({ type: 'queue-change', queued: createQueuedViews(queue) }),
      ),
    );
    const { host, agents, chats } = this.#options;
    const { editsNotice } = chats;
    const agentMessages = this.#chatSubscriptions.add(
      new AgentMessages({
        host,
        agents,
        session,
        editsNotice,
        post: (message) => this.#postMessage(message),
      }),
    );
    this.#onDidShowEmitter.fire(this.#chat);
    return agentMessages;
  }

  #createHandlers(): PageHandlers<WebviewMessage['type']> {
    const { host, agents, images, chats, attachmentCommands, suggestionsOffer } = this.#options;
    const post = (message: HostMessage): void => this.#postMessage(message);
    const showNewChat = (): void => this.show(chats.create());
    return {
      ready: ({ version }) => this.#onReady(version),
      'conversation-new': showNewChat,
      ...createSendHandlers({
        images,
        agents,
        findModel: (id) =>
          host.models.models.find((model) => model.id === id && isChatModel(model)),
        canUseFallback: (answer) => chats.canUseFallback(answer),
        getModel: ({ session }) =>
          getSelectedModel(getChatSelection(host.models, session.conversation)),
        post,
        getCurrentChat: () => this.#chat,
        prepareSend: async (text, chat) => (await this.#context.get()).prepareSend(text, chat),
      }),
      ...createComposerHandlers({
        host,
        agents,
        chats,
        attachmentCommands,
        suggestions: this.#suggestions,
        activeFile: this.#activeFile,
        post,
        countBaseTokens: () => void this.#agentMessages.countBaseTokens(),
      }),
      ...createActionHandlers({
        host,
        agents,
        images,
        suggestionsOffer,
        post,
        openNewChat: showNewChat,
      }),
      ...createLazyHandlers(agentMessageTypes, () => this.#agentMessages.handlers),
      ...createLazyHandlers(
        ['context-search', 'context-choose', 'context-drop'],
        async () => (await this.#context.get()).handlers,
      ),
      ...createLazyHandlers(
        ['voice-command', 'speech-start', 'speech-next', 'speech-end'],
        async () => (await this.#loadVoice()).handlers,
      ),
    };
  }

  /** Loads the page. Repeated if the loaded page belongs to another version of the extension. */
  #loadPage(): void {
    const { webview, host, isInTab = false } = this.#options;
    this.#isReady = false;
    webview.html = createWebviewHtml(webview, host.context.extensionUri, {
      title: vscode.l10n.t('Chat'),
      script: 'main',
      style: 'style',
      isInEditorTab: isInTab,
    });
  }

  #postMessage(message: HostMessage): void {
    if (this.#isReady) void this.#options.webview.postMessage(message);
    // The state of the next page contains the draft.
    else if (message.type === 'draft-set' && message.replace) this.#chat.draft = message.text;
    else if (message.type === 'draft-set') this.#chat.restoreToDraft(message.text);
  }

  /**
   * Posts a message immediately if the page is ready. Otherwise, posts the message after the state, when the page has
   * loaded.
   */
  #postWhenReady(message: HostMessage): void {
    if (this.#isReady) this.#postMessage(message);
    else this.#queuedMessages.push(message);
  }

  #postState(): void {
    // The state includes the pending text.
    this.#messages?.discardPendingDelta();
    const { label: activeFile } = this.#activeFile;
    const state = {
      ...this.#stateBuilder.createState(this.#chat),
      ...this.#agentMessages.state,
      activeFile,
    };
    this.#wasSuggestionsOfferShown = state.suggestionsOffer;
    this.#postMessage({ type: 'state-set', version: protocolVersion, state });
    if (this.#chat.draft !== '') void this.#agentMessages.countBaseTokens();
    for (const message of this.#queuedMessages.splice(0)) this.#postMessage(message);
  }

  #postAccount(): void {
    this.#postMessage({ type: 'account-change', account: this.#options.host.account.view });
  }

  /** Posts the offer to turn on inline suggestions if the offer has changed since the last post. */
  #postSuggestionsOffer(): void {
    const { isOffered } = this.#options.suggestionsOffer;
    if (isOffered === this.#wasSuggestionsOfferShown) return;
    this.#wasSuggestionsOfferShown = isOffered;
    this.#postMessage({ type: 'suggestions-offer-change', isShown: isOffered });
  }

  #postModels(): void {
    for (const message of this.#stateBuilder.createModelChanges(this.#chat))
      this.#postMessage(message);
  }

  #receiveMessage(rawMessage: unknown): void {
    const message = readWebviewMessage(rawMessage);
    if (message === undefined) {
      this.#options.host.log.warn('Could not read a message of the chat view');
      return;
    }
    this.#handleMessage(message).catch((error: unknown) => {
      this.#options.host.log.error(`Could not handle the message ${message.type}`, error);
      this.showNotice(vscode.l10n.t('That did not work. See the log for details.'));
    });
  }

  async #handleMessage(message: WebviewMessage): Promise<void> {
    this.#showResult(await dispatchMessage(this.#handlers, message, this.#chat));
  }

  async #onReady(version: number): Promise<void> {
    if (version !== protocolVersion) return this.#loadPage();
    this.#isReady = true;
    this.#postState();
    void this.#options.host.models.refresh();
    void this.#agentMessages.loadInstructions();
    await this.#suggestions.loadFolderFiles();
    this.#postMessage(this.#stateBuilder.createSuggestionsChange(this.#chat));
    await this.#context.get();
  }

  async #loadVoice(): Promise<VoiceMessages> {
    const { VoiceMessages } = await import('./voice-messages.ts');
    const post = (message: HostMessage): void => this.#postWhenReady(message);
    this.#voice ??= new VoiceMessages({ host: this.#options.host, post });
    return this.#voice;
  }

  #showResult(notice: Notice): void {
    if (typeof notice === 'string') this.showNotice(notice);
  }
}
