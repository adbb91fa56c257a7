import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { Lazy } from '../../base/lazy.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { Message } from '../../chat/conversation.ts';
import { imagePrompt } from '../../chat/image-command.ts';
import { type HostMessage, protocolVersion } from '../../protocol/host-message.ts';
import type { ChatState } from '../../protocol/view-state.ts';
import { readWebviewMessage, type WebviewMessage } from '../../protocol/webview-message.ts';
import type { Agents } from '../agent/agents.ts';
import type { Host } from '../host.ts';
import type { Images } from '../image/images.ts';
import { toModelView } from '../models/model-view.ts';
import { webviewHtml, webviewOptions } from '../webview-html.ts';
import { AgentMessages } from './agent-messages.ts';
import { wrapCode } from './chat-settings.ts';
import type { Attach } from './attach.ts';
import type { Chats } from './chats.ts';
import { insertAtCursor, openAsNewFile } from './code-actions.ts';
import { runFailureAction } from './failure-actions.ts';
import { openLink } from './open-link.ts';
import { attachmentView, messageView } from './message-view.ts';
import type { OpenChat } from './open-chat.ts';
import { SessionMessages } from './session-messages.ts';
import { Suggestions } from './suggestions.ts';

type ImageAct = Extract<WebviewMessage, { type: 'image-act' }>;
type MessageSend = Extract<WebviewMessage, { type: 'message-send' }>;

export interface ChatWebviewOptions {
  readonly host: Host;
  readonly chats: Chats;
  readonly attach: Lazy<Attach>;
  readonly agents: Agents;
  readonly images: Images;
  readonly webview: vscode.Webview;
}

/** One webview that shows one conversation at a time: the same for the side bar and for an editor tab. */
export class ChatWebview implements Disposable {
  readonly #options: ChatWebviewOptions;
  readonly #owned = new DisposableStore();
  readonly #shown = new Emitter<OpenChat>();
  #chat: OpenChat;
  #perChat = new DisposableStore();
  #messages: SessionMessages | undefined;
  #agentMessages: AgentMessages;
  readonly #waiting: HostMessage[] = [];
  readonly #suggestions = new Suggestions();
  /** False until the page has asked for its state, and again while there is no page. */
  #ready = false;

  constructor(options: ChatWebviewOptions, chat: OpenChat) {
    this.#options = options;
    this.#chat = chat;
    this.#agentMessages = this.#follow();
    const { webview, host, images } = options;
    webview.options = webviewOptions(host.context.extensionUri, [images.folder]);
    this.#reload();
    this.#owned.add(webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw)));
    this.#owned.add(host.account.onDidChange(() => this.#postAccount()));
    this.#owned.add(host.models.onDidChange(() => this.#postModels()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration('inferenceService.chat')) return;
        this.#post({ type: 'settings-change', wrapCode: wrapCode() });
      }),
    );
  }

  /** Another conversation, or another name of it, is shown now. */
  readonly onDidShow: Event<OpenChat> = (listener) => this.#shown.event(listener);

  get chat(): OpenChat {
    return this.#chat;
  }

  show(chat: OpenChat): void {
    this.#chat = chat;
    this.#agentMessages = this.#follow();
    if (this.#ready) this.#postState();
  }

  focusComposer(): void {
    this.#postWhenReady({ type: 'composer-focus' });
  }

  openFind(): void {
    this.#postWhenReady({ type: 'find-open' });
  }

  /** A sentence for the person, shown for a moment above the composer. */
  notice(text: string): void {
    this.#postWhenReady({ type: 'notice-show', text });
  }

  /** Call when the page is gone; it asks for its state when it is there again. */
  hidden(): void {
    this.#ready = false;
  }

  dispose(): void {
    this.#perChat.dispose();
    this.#owned.dispose();
    this.#shown.dispose();
  }

  /** Listens to the chat that is shown now, and no longer to the one before. */
  #follow(): AgentMessages {
    this.#perChat.dispose();
    this.#perChat = new DisposableStore();
    const { session } = this.#chat;
    this.#messages = this.#perChat.add(
      new SessionMessages(session, systemClock, (message) => this.#post(message)),
    );
    this.#perChat.add(
      session.onDidChange((event) => {
        if (event.type === 'title-change') this.#shown.fire(this.#chat);
      }),
    );
    this.#perChat.add(
      this.#chat.onDidChangeAttachments(() => {
        const attachments = this.#chat.attachments.map(attachmentView);
        this.#post({ type: 'attachments-change', attachments });
      }),
    );
    const { host, agents } = this.#options;
    const agentMessages = this.#perChat.add(
      new AgentMessages({ host, agents, session, post: (message) => this.#post(message) }),
    );
    this.#shown.fire(this.#chat);
    return agentMessages;
  }

  /** For a page that an older version of the extension left behind. */
  #reload(): void {
    const { webview, host } = this.#options;
    this.#ready = false;
    webview.html = webviewHtml(webview, host.context.extensionUri, {
      title: vscode.l10n.t('Chat'),
      script: 'main',
      style: 'style',
    });
  }

  #post(message: HostMessage): void {
    if (this.#ready) void this.#options.webview.postMessage(message);
  }

  /** For what no state holds: a page that is still loading gets it after its state. */
  #postWhenReady(message: HostMessage): void {
    if (this.#ready) this.#post(message);
    else this.#waiting.push(message);
  }

  #postState(): void {
    // The state already holds the text that waits.
    this.#messages?.discardWaiting();
    this.#post({ type: 'state-set', version: protocolVersion, state: this.#state() });
    for (const message of this.#waiting.splice(0)) this.#post(message);
  }

  #state(): ChatState {
    const { host, images, webview } = this.#options;
    const { conversation, streaming } = this.#chat.session;
    return {
      conversation: { id: conversation.id, title: conversation.title },
      messages: conversation.path().map((message) => messageView(conversation, message, streaming)),
      streaming: streaming ?? null,
      attachments: this.#chat.attachments.map(attachmentView),
      draft: this.#chat.draft,
      model: host.models.chatModel === undefined ? null : toModelView(host.models.chatModel),
      account: host.account.view,
      suggestions: this.#suggested(),
      pictures: webview.asWebviewUri(images.folder).toString(),
      wrapCode: wrapCode(),
      ...this.#agentMessages.state,
    };
  }

  #postAccount(): void {
    this.#post({ type: 'account-change', account: this.#options.host.account.view });
  }

  #postModels(): void {
    const { chatModel } = this.#options.host.models;
    this.#post({
      type: 'model-change',
      model: chatModel === undefined ? null : toModelView(chatModel),
    });
  }

  #postModelList(): void {
    const { models, stale, loading } = this.#options.host.models;
    this.#post({
      type: 'model-list',
      models: models.filter(({ type }) => type === 'text').map(toModelView),
      stale: stale ?? null,
      loading,
    });
  }

  #receive(raw: unknown): void {
    const message = readWebviewMessage(raw);
    if (message === undefined) {
      this.#options.host.log.warn(
        'The chat view sent something that is not a message; it was dropped.',
      );
      return;
    }
    this.#handle(message).catch((error: unknown) => {
      this.#options.host.log.error(`${message.type} failed`, error);
      this.notice(vscode.l10n.t('That did not work. See the log for details.'));
    });
  }

  async #handle(message: WebviewMessage): Promise<void> {
    const { session } = this.#chat;
    const { host, attach, chats } = this.#options;
    switch (message.type) {
      case 'ready':
        if (message.version !== protocolVersion) return this.#reload();
        this.#ready = true;
        this.#postState();
        void host.models.refresh();
        void this.#agentMessages.lookForInstructions();
        await this.#suggestions.look();
        this.#post({ type: 'suggestions-change', suggestions: this.#suggested() });
        return;
      case 'message-send':
        return this.#send(message);
      case 'message-edit':
        if (session.streaming !== undefined) return this.#giveBack(message.text);
        return session.edit(message.messageId, message.text);
      case 'message-copy':
        return this.#copyMessage(message.messageId);
      case 'turn-stop':
        return session.stop();
      case 'turn-retry':
        return session.retry(message.messageId);
      case 'turn-continue':
        return session.continue(message.messageId);
      case 'branch-select':
        return session.selectBranch(message.messageId, message.index);
      case 'image-act':
        return this.#actOnPicture(message);
      case 'image-hint-request': {
        const { chat } = await this.#options.images.runtime();
        return this.#post({ type: 'image-hint', text: chat.hint });
      }
      case 'code-copy':
        return this.#copy(message.text);
      case 'code-insert':
        return this.#tellIfRefused(await insertAtCursor(message.text));
      case 'code-new-file':
        return openAsNewFile(message.text, message.language);
      case 'link-open':
        return this.#tellIfRefused(await openLink(message.href));
      case 'suggestion-choose':
        return this.#attachSuggested(message.text);
      case 'draft-change':
        return chats.keepDraft(message.conversationId, message.text);
      case 'attachment-add':
        return this.#tellIfRefused(await (await attach.get()).from(message.source, this.#chat));
      case 'attachment-remove':
        this.#chat.detach(message.id);
        return;
      case 'model-list-request':
        this.#postModelList();
        await host.models.refresh({ force: message.refresh === 'yes' });
        this.#postModelList();
        return;
      case 'model-select':
        if (host.models.find(message.id) !== undefined)
          await host.models.selectChatModel(message.id);
        return;
      case 'conversation-new':
        return this.show(chats.create());
      case 'tool-output-request':
      case 'tool-open':
      case 'tool-cancel':
      case 'approval-answer':
      case 'question-answer':
      case 'mode-select':
      case 'changes-open':
      case 'changes-decide':
        return this.#tellIfRefused(await this.#agentMessages.handle(message));
      case 'action-run':
        return runFailureAction(message, {
          session,
          host,
          newChat: () => this.show(chats.create()),
        });
    }
  }

  async #send({ conversationId, text }: MessageSend): Promise<void> {
    const { session, id } = this.#chat;
    if (conversationId !== id || session.streaming !== undefined) return this.#giveBack(text);
    const prompt = imagePrompt(text);
    if (prompt !== undefined) return this.#sendForPicture(text, prompt);
    await session.send(text, this.#chat.takeAttachments());
  }

  /** What waits in the composer besides is for a text model, and stays there. */
  async #sendForPicture(text: string, prompt: string): Promise<void> {
    const { chat } = await this.#options.images.runtime();
    const problem = chat.problemOf(prompt);
    if (problem !== undefined) {
      this.#post({ type: 'draft-set', text, replace: false });
      return this.notice(problem);
    }
    this.#chat.draft = '';
    await this.#chat.session.send(text, []);
  }

  async #actOnPicture({ messageId, imageId, action }: ImageAct): Promise<void> {
    const message = this.#chat.session.conversation.find(messageId);
    const images = message?.role === 'assistant' ? (message.images ?? []) : [];
    if (!images.some(({ id }) => id === imageId)) return;
    const { chat } = await this.#options.images.runtime();
    this.#tellIfRefused(await chat.act(imageId, action));
  }

  /** What a suggested prompt speaks of is attached before it is sent, so that the person sees it. */
  async #attachSuggested(text: string): Promise<void> {
    const suggestion = this.#suggestions.list().find((each) => each.text === text);
    if (suggestion?.attach === undefined) return;
    const { kind, uri } = suggestion.attach;
    const attach = await this.#options.attach.get();
    this.#tellIfRefused(await attach.of(kind, uri, this.#chat));
  }

  /** Puts a message that cannot be sent now back into the composer. */
  #giveBack(text: string): void {
    this.#post({ type: 'draft-set', text, replace: false });
    this.notice(
      vscode.l10n.t('Wait for the answer, or stop it, before you send the next message.'),
    );
  }

  #suggested(): string[] {
    return this.#suggestions.list().map(({ text }) => text);
  }

  async #copyMessage(id: string): Promise<void> {
    const message = this.#chat.session.conversation.find(id);
    // What is pasted into a terminal must not drive it.
    if (message !== undefined) await this.#copy(stripHiddenCharacters(copiedText(message)).text);
  }

  async #copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  #tellIfRefused(refusal: string | undefined): void {
    if (refusal !== undefined) this.notice(refusal);
  }
}

/** Of a picture, what it was made from. */
function copiedText(message: Message): string {
  const images = message.role === 'assistant' ? (message.images ?? []) : [];
  return [...images.map(({ alt }) => alt), message.text].filter((text) => text !== '').join('\n');
}
