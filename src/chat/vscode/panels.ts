import * as vscode from 'vscode';
import type { Agents } from '../../agent/vscode/agents.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { isRecord } from '../../base/json.ts';
import { ChatWebview, type ChatWebviewOptions } from './chat-page.ts';
import type { OpenChat } from './open-chat.ts';
import { showInformation } from '../../platform/notifications.ts';
import { isId } from '../../base/ids.ts';

const chatViewId = 'inferenceService.chat';

type ViewOptions = Omit<ChatWebviewOptions, 'webview' | 'reveal'>;

/** Chat view in the secondary side bar. VS Code creates the webview when the view is first shown. */
export class ChatView implements vscode.WebviewViewProvider {
  readonly #options: ViewOptions;
  #visible: { readonly view: vscode.WebviewView; readonly chat: ChatWebview } | undefined;
  #waitingForView: ((chat: ChatWebview) => void)[] = [];

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Chat in the view; `undefined` until VS Code creates the view. */
  get chat(): ChatWebview | undefined {
    return this.#visible?.chat;
  }

  get visible(): boolean {
    return this.#visible?.view.visible ?? false;
  }

  /** Shows and focuses the view. */
  async reveal(): Promise<ChatWebview> {
    const exists = new Promise<ChatWebview>((resolve) => {
      if (this.#visible === undefined) this.#waitingForView.push(resolve);
      else resolve(this.#visible.chat);
    });
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
    return exists;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const owned = new DisposableStore();
    let isDisposed = false;
    // Subscribe before the first `await`, because VS Code may dispose of the view at any time.
    view.onDidDispose(() => {
      isDisposed = true;
      this.#onViewDispose(view, owned);
    });
    const open = await this.#options.chats.openCurrent();
    if (!isDisposed) this.#show(view, open, owned);
  }

  #show(view: vscode.WebviewView, open: OpenChat, owned: DisposableStore): void {
    const { webview } = view;
    const reveal = (): void => view.show();
    const chat = owned.add(new ChatWebview({ ...this.#options, webview, reveal }, open));
    const name = (openedChat: OpenChat): void => {
      view.description = openedChat.session.conversation.title;
      this.#options.chats.rememberCurrent(openedChat.id);
    };
    name(open);
    owned.add(chat.onDidShow(name));
    owned.add(view.onDidChangeVisibility(() => view.visible || chat.onPageHidden()));
    this.#visible = { view, chat };
    for (const resolve of this.#waitingForView.splice(0)) resolve(chat);
  }

  #onViewDispose(view: vscode.WebviewView, owned: DisposableStore): void {
    owned.dispose();
    if (this.#visible?.view === view) this.#visible = undefined;
  }
}

const viewType = 'inferenceService.chatEditor';

/** Options that all chats in editor tabs share. */
type ChatEditorOptions = Omit<ChatWebviewOptions, 'webview' | 'reveal' | 'inTab'>;

/** Chats in editor tabs. VS Code restores the tabs after a reload. */
export class ChatEditors implements vscode.WebviewPanelSerializer, Disposable {
  readonly #options: ChatEditorOptions;
  readonly #open = new Map<vscode.WebviewPanel, ChatWebview>();

  constructor(options: ChatEditorOptions) {
    this.#options = options;
  }

  /** Chat in the active editor tab. */
  get active(): ChatWebview | undefined {
    return [...this.#open].find(([panel]) => panel.active)?.[1];
  }

  /** Chats in visible editor tabs, in all editor groups. */
  get visible(): readonly ChatWebview[] {
    return [...this.#open].filter(([panel]) => panel.visible).map(([, chat]) => chat);
  }

  get all(): readonly ChatWebview[] {
    return [...this.#open.values()];
  }

  /** Opens the conversation in an editor tab. */
  open(chat: OpenChat): ChatWebview {
    const panel = vscode.window.createWebviewPanel(viewType, titleOf(chat), {
      viewColumn: vscode.ViewColumn.Active,
    });
    return this.#createChat(panel, chat);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { chats } = this.#options;
    const id = isRecord(state) ? state['conversation'] : undefined;
    const chat = isId(id) ? await chats.open(id) : undefined;
    this.#createChat(panel, chat ?? chats.create());
  }

  dispose(): void {
    for (const panel of [...this.#open.keys()]) panel.dispose();
  }

  #createChat(panel: vscode.WebviewPanel, open: OpenChat): ChatWebview {
    panel.iconPath = new vscode.ThemeIcon('comment-discussion');
    const owned = new DisposableStore();
    const { webview } = panel;
    const reveal = (): void => panel.reveal();
    const options = { ...this.#options, webview, reveal, inTab: true };
    const chat = owned.add(new ChatWebview(options, open));
    this.#open.set(panel, chat);
    const updateTitle = (openedChat: OpenChat): void => {
      panel.title = titleOf(openedChat);
    };
    updateTitle(open);
    owned.add(chat.onDidShow(updateTitle));
    owned.add(panel.onDidChangeViewState(() => panel.visible || chat.onPageHidden()));
    owned.add({ dispose: () => this.#open.delete(panel) });
    panel.onDidDispose(() => owned.dispose());
    return chat;
  }
}

const titleOf = (chat: OpenChat): string =>
  chat.session.conversation.title || vscode.l10n.t('New chat');

interface PendingNoticeOptions {
  readonly agents: Agents;
  /** Checks whether the user currently sees the conversation. */
  readonly isVisible: (conversationId: string) => boolean;
  readonly show: (conversationId: string) => Promise<void>;
}

/** Shows a notification when a hidden chat starts to wait for the user's answer. */
export class PendingNotice implements Disposable {
  readonly #options: PendingNoticeOptions;
  readonly #subscription: Disposable;
  readonly #waiting = new Set<string>();

  constructor(options: PendingNoticeOptions) {
    this.#options = options;
    this.#subscription = options.agents.onDidChangePending((id) => this.#onPendingChange(id));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #onPendingChange(id: string): void {
    const { agents, isVisible: isInSight } = this.#options;
    const isWaiting = agents.forConversation(id).pending.requests.length > 0;
    const hasStartedWaiting = isWaiting && !this.#waiting.has(id);
    if (isWaiting) this.#waiting.add(id);
    else this.#waiting.delete(id);
    if (hasStartedWaiting && !isInSight(id)) void this.#notify(id);
  }

  async #notify(id: string): Promise<void> {
    const show = vscode.l10n.t('Show');
    const answer = await showInformation(vscode.l10n.t('A chat waits for your answer.'), show);
    if (answer === show) await this.#options.show(id);
  }
}
