import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { Lazy } from '../../base/lazy.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import type { Message } from '../../conversation/conversation.ts';
import { imagePrompt } from '../image-turn.ts';
import { type HostMessage, protocolVersion } from '../protocol/host-message.ts';
import type { ChatState } from '../protocol/view-state.ts';
import { readWebviewMessage, type WebviewMessage } from '../protocol/page-message.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { knownAskedModel } from '../../models/vscode/asked-model.ts';
import { toModelView } from '../../models/vscode/model-view.ts';
import { webviewHtml, webviewOptions } from '../../platform/webview-html.ts';
import { onDidChangeSettings } from '../../platform/settings.ts';
import { AgentMessages } from './agent-messages.ts';
import {
  insertAtCursor,
  openAsNewFile,
  openLink,
  runFailureAction,
  wrapCode,
} from './page-actions.ts';
import type { Attach } from './attach.ts';
import type { Chats } from './chats.ts';
import { optionsState, personaOf, voiceView } from './options-state.ts';
import type { OptionsState } from '../protocol/composer.ts';
import type { ChatContext } from '../context/vscode/chat-context.ts';
import { attachmentView, messageView } from './message-view.ts';
import { mediaFolder } from '../../conversation/vscode/media-files.ts';
import type { OpenChat } from './open-chat.ts';
import type { SpokenText } from '../../speech/vscode/speech-consent.ts';
import {
  askedModelView,
  showAttestation,
  showAttestationOf,
} from '../../privacy/vscode/protection-view.ts';
import { SessionMessages } from './session-messages.ts';
import { Suggestions } from './suggestions.ts';
import type { VoiceMessages } from './voice-messages.ts';

type ImageAct = Extract<WebviewMessage, { type: 'image-act' }>;
type MessageSend = Extract<WebviewMessage, { type: 'message-send' }>;
type MessageEdit = Extract<WebviewMessage, { type: 'message-edit' }>;

export interface ChatWebviewOptions {
  readonly host: Host;
  readonly chats: Chats;
  readonly attach: Lazy<Attach>;
  readonly context: Lazy<ChatContext>;
  readonly agents: Agents;
  readonly images: Images;
  readonly webview: vscode.Webview;
  /** Brings the page to the front, and gives it the focus. */
  readonly reveal: () => void;
  readonly inTab?: boolean;
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
  /** Answers what the page asks about `#` and `/`. */
  readonly #context = new Lazy(async () =>
    (await this.#options.context.get()).messages({
      post: (message) => this.#post(message),
      notice: (text) => this.notice(text),
      focus: () => {
        this.#options.reveal();
        this.focusComposer();
      },
      followers: { agents: this.#options.agents, models: this.#options.host.models },
    }),
  );
  #voice: VoiceMessages | undefined;
  /** False until the page has asked for its state, and again while there is no page. */
  #ready = false;

  constructor(options: ChatWebviewOptions, chat: OpenChat) {
    this.#options = options;
    this.#chat = chat;
    this.#agentMessages = this.#follow();
    const { webview, host, images } = options;
    webview.options = webviewOptions(host.context.extensionUri, [
      images.folder,
      mediaFolder(host.context),
    ]);
    this.#reload();
    this.#owned.add(webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw)));
    this.#owned.add(host.account.onDidChange(() => this.#postAccount()));
    this.#owned.add(host.models.onDidChange(() => this.#postModels()));
    this.#owned.add(
      onDidChangeSettings(['inferenceService.chat'], () => {
        this.#post({ type: 'settings-change', wrapCode: wrapCode() });
        // Whether messages are encrypted decides what else can be asked for.
        this.#postModels();
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

  /** Writes at the caret of the composer. */
  type(text: string): void {
    this.#postWhenReady({ type: 'composer-type', text });
  }

  async readAloud(spoken: SpokenText): Promise<void> {
    this.#tellIfRefused(await (await this.#voices()).read(spoken));
  }

  /** A sentence for the person, shown for a moment above the composer. */
  notice(text: string): void {
    this.#postWhenReady({ type: 'notice-show', text });
  }

  /** Call when the page is gone; it asks for its state when it is there again. */
  hidden(): void {
    this.#ready = false;
    this.#voice?.gone();
  }

  dispose(): void {
    this.#voice?.gone();
    this.#perChat.dispose();
    this.#owned.dispose();
    this.#shown.dispose();
  }

  /** Listens to the chat that is shown now, and no longer to the one before. */
  #follow(): AgentMessages {
    this.#perChat.dispose();
    this.#perChat = new DisposableStore();
    const { session } = this.#chat;
    this.#perChat.add(this.#chat.shownBy((message) => this.#postWhenReady(message)));
    this.#messages = this.#perChat.add(
      new SessionMessages(session, systemClock, (message) => this.#post(message)),
    );
    this.#perChat.add(
      session.onDidChange((event) => {
        if (event.type === 'title-change') this.#shown.fire(this.#chat);
        if (event.type !== 'options-change') return;
        // What encryption leaves out depends on them.
        this.#postModels();
        this.#post({ type: 'suggestions-change', suggestions: this.#suggested() });
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
    const { webview, host, inTab = false } = this.#options;
    this.#ready = false;
    webview.html = webviewHtml(webview, host.context.extensionUri, {
      title: vscode.l10n.t('Chat'),
      script: 'main',
      style: 'style',
      inTab,
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
    if (this.#chat.draft !== '') void this.#agentMessages.countBase();
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
      model: this.#modelView(),
      account: host.account.view,
      suggestions: this.#suggested(),
      pictures: webview.asWebviewUri(images.folder).toString(),
      media: webview.asWebviewUri(mediaFolder(host.context)).toString(),
      wrapCode: wrapCode(),
      options: this.#optionsState(),
      voice: voiceView(host.models, conversation),
      ...this.#agentMessages.state,
    };
  }

  #optionsState(): OptionsState {
    const { conversation } = this.#chat.session;
    return optionsState(conversation.options, knownAskedModel(this.#options.host.models));
  }

  #postOptions(): void {
    this.#post({ type: 'options-change', options: this.#optionsState() });
    const { conversation } = this.#chat.session;
    this.#post({ type: 'voice-change', voice: voiceView(this.#options.host.models, conversation) });
  }

  #postAccount(): void {
    this.#post({ type: 'account-change', account: this.#options.host.account.view });
  }

  #postModels(): void {
    this.#postOptions();
    this.#post({
      type: 'model-change',
      model: this.#modelView(),
    });
  }

  #modelView(): ChatState['model'] {
    return askedModelView(this.#options.host.models, personaOf(this.#chat.session.conversation));
  }

  #postModelList(): void {
    const { models, stale, loading, privateOnly } = this.#options.host.models;
    this.#post({
      type: 'model-list',
      models: models.filter(({ type }) => type === 'text').map(toModelView),
      stale: stale ?? null,
      loading,
      privateOnly,
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
        await this.#context.get();
        return;
      case 'message-send':
        return this.#send(message);
      case 'message-edit':
        return this.#edit(message);
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
        if (message.text !== '') void this.#agentMessages.countBase();
        return chats.keepDraft(message.conversationId, message.text);
      case 'attachment-add':
        return this.#tellIfRefused(await (await attach.get()).from(message.source, this.#chat));
      case 'context-search':
      case 'context-choose':
      case 'context-drop':
        return (await this.#context.get()).handle(message, this.#chat);
      case 'attachment-remove':
        this.#chat.detach(message.id);
        return;
      case 'media-add':
      case 'media-scaled':
      case 'attachment-open':
        return this.#tellIfRefused(await (await attach.get()).handle(message, this.#chat));
      case 'model-list-request':
        this.#postModelList();
        await host.models.refresh({ force: message.refresh === 'yes' });
        this.#postModelList();
        return;
      case 'model-select':
        if (host.models.find(message.id) !== undefined)
          await host.models.selectChatModel(message.id);
        return;
      case 'options-act': {
        const { actOnOptions } = await import('./option-changes.ts');
        return this.#post(await actOnOptions(message, { host, session }));
      }
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
      case 'voice-ask':
      case 'speech-start':
      case 'speech-more':
      case 'speech-over':
        return this.#tellIfRefused(await (await this.#voices()).handle(message, this.#chat));
      case 'attestation-show':
        return message.messageId === null
          ? showAttestation(knownAskedModel(this.#options.host.models)?.id)
          : showAttestationOf(session.conversation.find(message.messageId));
      case 'action-run':
        return runFailureAction(message, {
          session,
          host,
          newChat: () => this.show(chats.create()),
        });
    }
  }

  async #send({ conversationId, text }: MessageSend): Promise<void> {
    const chat = this.#chat;
    const { session, id, attachments } = chat;
    if (text === '' && !attachments.some(({ media }) => media !== undefined)) return;
    if (conversationId !== id || session.streaming !== undefined) return this.#giveBack(text);
    const persona = /^\/persona(?:\s+(?<words>.*))?$/su.exec(text);
    if (persona !== null) return this.#choosePersona(persona.groups?.['words'] ?? '');
    const prompt = imagePrompt(text);
    if (prompt !== undefined) return this.#sendForPicture(text, prompt);
    const asksForContext = /^\/|#codebase/u.test(text);
    if (asksForContext && !(await (await this.#context.get()).mayBeSent(text, chat))) return;
    if (!(await session.send(text, () => chat.takeAttachments()))) this.#notTaken(text, chat);
  }

  async #edit({ messageId, text }: MessageEdit): Promise<void> {
    const chat = this.#chat;
    if (!(await chat.session.edit(messageId, text))) this.#notTaken(text, chat);
  }

  /** Another chat may be shown since the person was asked. */
  #notTaken(text: string, chat: OpenChat): void {
    if (this.#chat !== chat)
      chat.draft = [chat.draft, text].filter((each) => each !== '').join('\n\n');
    else if (chat.session.streaming === undefined) this.#keepDraft(text);
    else this.#giveBack(text);
  }

  async #choosePersona(words: string): Promise<void> {
    this.#chat.draft = '';
    await vscode.commands.executeCommand('inferenceService.chatWithPersona', words);
  }

  async #voices(): Promise<VoiceMessages> {
    const { VoiceMessages } = await import('./voice-messages.ts');
    const post = (message: HostMessage): void => this.#postWhenReady(message);
    this.#voice ??= new VoiceMessages({ host: this.#options.host, post });
    return this.#voice;
  }

  /** What waits in the composer besides is for a text model, and stays there. */
  async #sendForPicture(text: string, prompt: string): Promise<void> {
    const { chat } = await this.#options.images.runtime();
    const problem = chat.problemOf(prompt);
    if (problem !== undefined) {
      this.#keepDraft(text);
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
    this.#keepDraft(text);
    this.notice(
      vscode.l10n.t('Wait for the answer, or stop it, before you send the next message.'),
    );
  }

  /** Puts a message that was not sent back into the composer, below one that is begun there. */
  #keepDraft(text: string): void {
    this.#post({ type: 'draft-set', text, replace: false });
  }

  /** They speak of the workspace, of which a persona knows nothing. */
  #suggested(): string[] {
    if (personaOf(this.#chat.session.conversation) !== null) return [];
    return this.#suggestions.list().map(({ text }) => text);
  }

  async #copyMessage(id: string): Promise<void> {
    const message = this.#chat.session.conversation.find(id);
    if (message === undefined) return;
    const text = copiedText(message);
    const cited =
      message.role === 'assistant' && message.result.citations !== undefined
        ? (await import('../../conversation/export.ts')).withFootnotes(
            text,
            message.result.citations,
          )
        : text;
    // What is pasted into a terminal must not drive it.
    await this.#copy(stripHiddenCharacters(cited).text);
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
