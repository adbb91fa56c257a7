import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { ChatWebview, type ChatWebviewOptions } from './chat-page.ts';
import type { OpenChat } from './open-chat.ts';

const chatViewId = 'inferenceService.chat';

type Parts = Omit<ChatWebviewOptions, 'webview' | 'reveal'>;

/** The chat in the secondary side bar. VS Code creates the view when it is first shown. */
export class ChatView implements vscode.WebviewViewProvider {
  readonly #parts: Parts;
  #shown: { readonly view: vscode.WebviewView; readonly chat: ChatWebview } | undefined;
  #waiting: ((chat: ChatWebview) => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The view's chat, when the view exists. */
  get chat(): ChatWebview | undefined {
    return this.#shown?.chat;
  }

  get visible(): boolean {
    return this.#shown?.view.visible ?? false;
  }

  /** Shows the view and moves the focus into it. */
  async reveal(): Promise<ChatWebview> {
    const exists = new Promise<ChatWebview>((resolve) => {
      if (this.#shown === undefined) this.#waiting.push(resolve);
      else resolve(this.#shown.chat);
    });
    await vscode.commands.executeCommand(`${chatViewId}.focus`);
    return exists;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const owned = new DisposableStore();
    let gone = false;
    // Before the first wait: VS Code may dispose of the view at any time.
    view.onDidDispose(() => {
      gone = true;
      this.#forget(view, owned);
    });
    const open = await this.#parts.chats.openCurrent();
    if (!gone) this.#show(view, open, owned);
  }

  #show(view: vscode.WebviewView, open: OpenChat, owned: DisposableStore): void {
    const { webview } = view;
    const reveal = (): void => view.show();
    const chat = owned.add(new ChatWebview({ ...this.#parts, webview, reveal }, open));
    const name = (shown: OpenChat): void => {
      view.description = shown.session.conversation.title;
      this.#parts.chats.rememberCurrent(shown.id);
    };
    name(open);
    owned.add(chat.onDidShow(name));
    owned.add(view.onDidChangeVisibility(() => view.visible || chat.hidden()));
    this.#shown = { view, chat };
    for (const resolve of this.#waiting.splice(0)) resolve(chat);
  }

  #forget(view: vscode.WebviewView, owned: DisposableStore): void {
    owned.dispose();
    if (this.#shown?.view === view) this.#shown = undefined;
  }
}
