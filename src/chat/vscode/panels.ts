import * as vscode from 'vscode';
import type { Agents } from '../../agent/vscode/agents.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { isRecord } from '../../base/json.ts';
import { type AttentionReason, AttentionNotifier } from '../attention.ts';
import type { Chats } from './chats.ts';
import { ChatWebview, type ChatWebviewOptions } from './chat-page.ts';
import type { OpenChat } from './open-chat.ts';
import { setTabIcon } from '../../platform/newer-vscode.ts';
import { showInformation } from '../../platform/notifications.ts';
import { getSetting } from '../../platform/settings.ts';

const chatViewId = 'inferenceService.chat';

type ViewOptions = Omit<ChatWebviewOptions, 'webview' | 'reveal'>;

/** Chat view in the secondary side bar. VS Code creates the webview when the view is first shown. */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #options: ViewOptions;
  #visibleChat: { readonly view: vscode.WebviewView; readonly chat: ChatWebview } | undefined;
  #viewCallbacks: ((chat: ChatWebview) => void)[] = [];
  readonly #onDidChangeVisibleEmitter = new Emitter<void>();
  #badgeCount = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.#onDidChangeVisibleEmitter.dispose();
  }

  /** Chat in the view; `undefined` until VS Code creates the view. */
  get chat(): ChatWebview | undefined {
    return this.#visibleChat?.chat;
  }

  get isVisible(): boolean {
    return this.#visibleChat?.view.visible ?? false;
  }

  /** Fires when the view becomes visible or hidden, or shows another chat. */
  readonly onDidChangeVisible: Event<void> = (listener) =>
    this.#onDidChangeVisibleEmitter.event(listener);

  /**
   * Shows the number of chats that need the user as a badge on the view's icon. Removes the badge if the number is 0.
   */
  setBadge(count: number): void {
    this.#badgeCount = count;
    this.#updateBadge();
  }

  #updateBadge(): void {
    if (this.#visibleChat === undefined) return;
    const { view } = this.#visibleChat;
    const tooltip = vscode.l10n.t('Chats with news: {0}', this.#badgeCount);
    view.badge = this.#badgeCount === 0 ? undefined : { value: this.#badgeCount, tooltip };
  }

  /** Shows and focuses the view. */
  async reveal(): Promise<ChatWebview> {
    const chatPromise = new Promise<ChatWebview>((resolve) => {
      if (this.#visibleChat === undefined) this.#viewCallbacks.push(resolve);
      else resolve(this.#visibleChat.chat);
    });
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
    return chatPromise;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const disposables = new DisposableStore();
    let isDisposed = false;
    // Subscribe before the first `await`, because VS Code may dispose of the view at any time.
    view.onDidDispose(() => {
      isDisposed = true;
      this.#onViewDispose(view, disposables);
    });
    const openChat = await this.#options.chats.openCurrentChat();
    if (!isDisposed) this.#showChat(view, openChat, disposables);
  }

  #showChat(view: vscode.WebviewView, openChat: OpenChat, disposables: DisposableStore): void {
    const { webview } = view;
    const reveal = (): void => view.show();
    const chat = disposables.add(new ChatWebview({ ...this.#options, webview, reveal }, openChat));
    const updateDescription = (openedChat: OpenChat): void => {
      view.description = openedChat.session.conversation.title;
      this.#options.chats.storeCurrentChat(openedChat.id);
    };
    updateDescription(openChat);
    disposables.add(chat.onDidShow(updateDescription));
    disposables.add(chat.onDidShow(() => this.#onDidChangeVisibleEmitter.fire()));
    disposables.add(
      view.onDidChangeVisibility(() => {
        if (!view.visible) chat.onPageHidden();
        this.#onDidChangeVisibleEmitter.fire();
      }),
    );
    this.#visibleChat = { view, chat };
    this.#updateBadge();
    this.#onDidChangeVisibleEmitter.fire();
    for (const resolve of this.#viewCallbacks.splice(0)) resolve(chat);
  }

  #onViewDispose(view: vscode.WebviewView, disposables: DisposableStore): void {
    disposables.dispose();
    if (this.#visibleChat?.view !== view) return;
    this.#visibleChat = undefined;
    this.#onDidChangeVisibleEmitter.fire();
  }
}

const viewType = 'inferenceService.chatEditor';

/** Options shared by all chats in editor tabs. */
type ChatEditorOptions = Omit<ChatWebviewOptions, 'webview' | 'reveal' | 'isInTab'>;

/** Chats in editor tabs. VS Code restores the tabs after a reload. */
export class ChatEditors implements vscode.WebviewPanelSerializer, Disposable {
  readonly #options: ChatEditorOptions;
  readonly #openChats = new Map<vscode.WebviewPanel, ChatWebview>();
  readonly #onDidChangeVisibleEmitter = new Emitter<void>();

  constructor(options: ChatEditorOptions) {
    this.#options = options;
  }

  /** Fires when a tab becomes visible or hidden, or shows another chat. */
  readonly onDidChangeVisible: Event<void> = (listener) =>
    this.#onDidChangeVisibleEmitter.event(listener);

  /** Chat in the active editor tab. Undefined if the active tab is no chat. */
  get activeChat(): ChatWebview | undefined {
    return [...this.#openChats].find(([panel]) => panel.active)?.[1];
  }

  /** Chats in visible editor tabs, in all editor groups. */
  get visiblePages(): readonly ChatWebview[] {
    return [...this.#openChats].filter(([panel]) => panel.visible).map(([, chat]) => chat);
  }

  get chats(): readonly ChatWebview[] {
    return [...this.#openChats.values()];
  }

  /** Opens the conversation in an editor tab. */
  open(chat: OpenChat): ChatWebview {
    const panel = vscode.window.createWebviewPanel(viewType, getTitle(chat), {
      viewColumn: vscode.ViewColumn.Active,
    });
    return this.#createChat(panel, chat);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = isRecord(state) ? state['conversation'] : undefined;
    this.#createChat(panel, await this.#options.chats.openOrCreate(id));
  }

  dispose(): void {
    for (const panel of [...this.#openChats.keys()]) panel.dispose();
    this.#onDidChangeVisibleEmitter.dispose();
  }

  #createChat(panel: vscode.WebviewPanel, openChat: OpenChat): ChatWebview {
    setTabIcon(panel, 'comment-discussion');
    const disposables = new DisposableStore();
    const { webview } = panel;
    const reveal = (): void => panel.reveal();
    const options: ChatWebviewOptions = { ...this.#options, webview, reveal, isInTab: true };
    const chat = disposables.add(new ChatWebview(options, openChat));
    this.#openChats.set(panel, chat);
    this.#onDidChangeVisibleEmitter.fire();
    const updateTitle = (openedChat: OpenChat): void => {
      panel.title = getTitle(openedChat);
    };
    updateTitle(openChat);
    disposables.add(chat.onDidShow(updateTitle));
    disposables.add(chat.onDidShow(() => this.#onDidChangeVisibleEmitter.fire()));
    disposables.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) chat.onPageHidden();
        this.#onDidChangeVisibleEmitter.fire();
      }),
    );
    disposables.add({
      dispose: () => {
        this.#openChats.delete(panel);
        this.#onDidChangeVisibleEmitter.fire();
      },
    });
    panel.onDidDispose(() => disposables.dispose());
    return chat;
  }
}

const getTitle = (chat: OpenChat): string =>
  chat.session.conversation.title || vscode.l10n.t('New Chat');

function formatAttention(reason: AttentionReason, title: string): string {
  switch (reason) {
    case 'waiting':
      return vscode.l10n.t('“{0}” waits for your answer.', title);
    case 'failed':
      return vscode.l10n.t('“{0}” has failed.', title);
    default:
      return vscode.l10n.t('“{0}” has finished.', title);
  }
}

interface ChatNotifierOptions {
  readonly agents: Agents;
  readonly chats: Chats;
  readonly view: ChatView;
  readonly editors: ChatEditors;
  /** Opens the conversation. Its pending approval requests stay unanswered. */
  readonly openConversation: (conversationId: string) => Promise<void>;
}

/**
 * Notifies the user when a chat starts to wait for an answer or its turn ends. Shows a badge on the view and a
 * notification, and plays a sound. Does not notify the user about a chat at which the user is looking.
 */
export class ChatNotifier implements Disposable {
  readonly #options: ChatNotifierOptions;
  readonly #disposables = new DisposableStore();
  readonly #attention: AttentionNotifier;
  readonly #waitingIds = new Set<string>();

  constructor(options: ChatNotifierOptions) {
    this.#options = options;
    const { agents, chats, view, editors } = options;
    this.#attention = new AttentionNotifier({
      isWatched: (id) => vscode.window.state.focused && this.#isVisible(id),
      playSound: () => this.#playSound(),
      notify: (id, reason) => this.#notifyUser(id, reason),
      onChange: (count) => view.setBadge(count),
    });
    const clearWatchedChats = (): void => this.#attention.clearWatchedChats();
    this.#disposables.add(agents.onDidChangePending((id) => this.#onPendingChange(id)));
    this.#disposables.add(
      chats.onDidEndTurn(
        ({ id, hasFailed }) =>
          void this.#attention.requestAttention(id, hasFailed ? 'failed' : 'ended'),
      ),
    );
    this.#disposables.add(chats.onDidRemove((id) => this.#attention.clearAttention(id)));
    this.#disposables.add(vscode.window.onDidChangeWindowState(clearWatchedChats));
    this.#disposables.add(view.onDidChangeVisible(clearWatchedChats));
    this.#disposables.add(editors.onDidChangeVisible(clearWatchedChats));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #isVisible(id: string): boolean {
    const { view, editors } = this.#options;
    const isInView = view.isVisible && view.chat?.chat.id === id;
    return isInView || editors.visiblePages.some((page) => page.chat.id === id);
  }

  #onPendingChange(id: string): void {
    const isWaiting =
      this.#options.agents.getConversationAgent(id).pendingRequests.items.length > 0;
    const hasStartedWaiting = isWaiting && !this.#waitingIds.has(id);
    if (isWaiting) this.#waitingIds.add(id);
    else this.#waitingIds.delete(id);
    if (hasStartedWaiting) void this.#attention.requestAttention(id, 'waiting');
    else if (!isWaiting) this.#attention.clearAttention(id, 'waiting');
  }

  #playSound(): void {
    const { view, editors } = this.#options;
    // Selects a page that is ready, because a page that VS Code has discarded cannot play a sound.
    if (getSetting('inferenceService.chat.sound'))
      [view.chat, ...editors.chats].find((page) => page?.isReady === true)?.playSound();
  }

  async #notifyUser(id: string, reason: AttentionReason): Promise<void> {
    if (!getSetting('inferenceService.chat.notify')) return;
    const showLabel = vscode.l10n.t('Show');
    const chat = await this.#options.chats.open(id);
    if (chat === undefined) return;
    const message = formatAttention(reason, getTitle(chat));
    if ((await showInformation(message, showLabel)) === showLabel)
      await this.#options.openConversation(id);
  }
}
