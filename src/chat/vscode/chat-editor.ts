import * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { ChatWebview, type ChatWebviewOptions } from './chat-page.ts';
import type { OpenChat } from './open-chat.ts';

const viewType = 'inferenceService.chatEditor';

type Parts = Omit<ChatWebviewOptions, 'webview' | 'reveal' | 'inTab'>;

/** Chats in editor tabs, restored by VS Code after a reload. */
export class ChatEditors implements vscode.WebviewPanelSerializer, Disposable {
  readonly #parts: Parts;
  readonly #open = new Map<vscode.WebviewPanel, ChatWebview>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The chat of the active tab. */
  get active(): ChatWebview | undefined {
    return [...this.#open].find(([panel]) => panel.active)?.[1];
  }

  /** Those of tabs in front, in any group. */
  get visible(): readonly ChatWebview[] {
    return [...this.#open].filter(([panel]) => panel.visible).map(([, chat]) => chat);
  }

  get all(): readonly ChatWebview[] {
    return [...this.#open.values()];
  }

  /** Shows the conversation in a tab of its own. */
  open(chat: OpenChat): ChatWebview {
    const panel = vscode.window.createWebviewPanel(viewType, titleOf(chat), {
      viewColumn: vscode.ViewColumn.Active,
    });
    return this.#adopt(panel, chat);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { chats } = this.#parts;
    const id = isRecord(state) ? state['conversation'] : undefined;
    const chat =
      typeof id === 'string' && /^[\w-]{1,64}$/u.test(id) ? await chats.open(id) : undefined;
    this.#adopt(panel, chat ?? chats.create());
  }

  dispose(): void {
    for (const panel of [...this.#open.keys()]) panel.dispose();
  }

  #adopt(panel: vscode.WebviewPanel, open: OpenChat): ChatWebview {
    panel.iconPath = new vscode.ThemeIcon('comment-discussion');
    const owned = new DisposableStore();
    const { webview } = panel;
    const reveal = (): void => panel.reveal();
    const parts = { ...this.#parts, webview, reveal, inTab: true };
    const chat = owned.add(new ChatWebview(parts, open));
    this.#open.set(panel, chat);
    const name = (shown: OpenChat): void => {
      panel.title = titleOf(shown);
    };
    name(open);
    owned.add(chat.onDidShow(name));
    owned.add(panel.onDidChangeViewState(() => panel.visible || chat.hidden()));
    owned.add({ dispose: () => this.#open.delete(panel) });
    panel.onDidDispose(() => owned.dispose());
    return chat;
  }
}

const titleOf = (chat: OpenChat): string =>
  chat.session.conversation.title || vscode.l10n.t('New chat');
