import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { isRecord, omitUndefined } from '../../base/json.ts';
import { Lazy } from '../../base/lazy.ts';
import { Agents } from '../../agent/vscode/agents.ts';
import type { ToolFactoryLoader } from '../../agent/vscode/agent-runtime.ts';
import type { ConversationCosts } from '../../account/vscode/read-usage.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { listAnswerCosts } from '../../conversation/summary.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { getNewerVersionMessage } from '../../platform/notifications.ts';
import { confirm, showInformation } from '../../platform/notifications.ts';
import { PinnedChats } from './history.ts';
import { ChatEditors, ChatNotifier, ChatView } from './panels.ts';
import type { ChatWebview } from './chat-page.ts';
import type { OpenChat, SuggestionsOffer } from './open-chat.ts';
import { Chats } from './chats.ts';
import { getNextMode } from '../protocol/constants.ts';
import { getChatMode, selectMode } from './agent-messages.ts';
import { undoLastTurn } from './decide-turn.ts';
import type { VoiceContext } from '../../speech/vscode/voice-context.ts';
import { stripEllipsis } from '../../base/amounts.ts';

interface ChatRuntimeOptions {
  readonly host: Host;
  readonly images: LazyChatImages;
  /**
   * Functions that load the agent tools of other features, such as image generation. The order of the functions is the
   * order of the tools in requests.
   */
  readonly tools: readonly ToolFactoryLoader[];
  /** Called after each complete answer. */
  readonly onAnswered: () => void;
  /**
   * Called with the conversation that the user sees, or with `undefined` if no chat is visible. Also called when the
   * model of the visible conversation changes.
   */
  readonly onShown: (conversation: Conversation | undefined) => void;
  readonly suggestionsOffer: SuggestionsOffer;
}

/** Implementation of the chat: the side bar view, the editor tabs and the commands. Loaded on first use. */
export class ChatRuntime implements Disposable {
  readonly view: ChatView;
  readonly editors: ChatEditors;
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly agents: Agents;
  readonly #chats: Chats;
  readonly #attachmentCommands = new Lazy(
    async () => new (await import('./attach.ts')).AttachmentCommands(this.#host.context),
  );
  readonly #context = new Lazy(async () => {
    const { ChatContext } = await import('../context/vscode/chat-context.ts');
    return this.#disposables.add(new ChatContext(this.#host, await this.#attachmentCommands.get()));
  });

  constructor({ host, images, tools, onAnswered, onShown, suggestionsOffer }: ChatRuntimeOptions) {
    this.#host = host;
    this.agents = this.#disposables.add(new Agents(host, tools));
    this.#chats = this.#disposables.add(new Chats(host, this.agents, images));
    const chatDependencies = {
      host,
      images,
      chats: this.#chats,
      attachmentCommands: this.#attachmentCommands,
      context: this.#context,
      agents: this.agents,
      suggestionsOffer,
    };
    this.view = this.#disposables.add(new ChatView(chatDependencies));
    this.editors = this.#disposables.add(new ChatEditors(chatDependencies));
    this.#disposables.add(
      new ChatNotifier({
        agents: this.agents,
        chats: this.#chats,
        view: this.view,
        editors: this.editors,
        openConversation: (id) => this.#revealChat(id),
      }),
    );
    this.#disposables.add(this.#chats.onDidAnswer(onAnswered));
    const reportVisibleChat = (): void => onShown(this.#visiblePage?.chat.session.conversation);
    this.#disposables.add(this.view.onDidChangeVisible(reportVisibleChat));
    this.#disposables.add(this.editors.onDidChangeVisible(reportVisibleChat));
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async close(): Promise<void> {
    await this.#chats.close();
  }

  async focusChat(): Promise<void> {
    (await this.#openActivePage()).focusComposer();
  }

  async renameChat(): Promise<void> {
    await this.#renameChat((await this.#openActivePageUnfocused()).chat.id);
  }

  async deleteChat(): Promise<void> {
    const { id, session } = (await this.#openActivePageUnfocused()).chat;
    if (!session.conversation.isEmpty) await this.#removeChat(id);
  }

  /** Deletes all chats after a confirmation. */
  async deleteAll(): Promise<void> {
    const { length } = await this.#chats.listIds();
    if (length === 0) return void showInformation(vscode.l10n.t('There are no chats.'));
    const question = vscode.l10n.t('Delete all chats ({0})?', length);
    const detail = vscode.l10n.t("You can't undo this. Files in your workspace stay.");
    const removeLabel = vscode.l10n.t('Delete All');
    if ((await confirm({ question, detail }, removeLabel)) !== removeLabel) return;
    try {
      await this.#chats.removeAll();
    } finally {
      // Shows new chats even after an error, because some chats may have been removed.
      for (const page of [this.view.chat, ...this.editors.chats]) page?.show(this.#chats.create());
    }
  }

  async exportChat(): Promise<void> {
    await exportChat((await this.#openActivePageUnfocused()).chat.session.conversation);
  }

  async findInChat(): Promise<void> {
    (await this.#openActivePage()).openFind();
  }

  async stopAnswer(): Promise<void> {
    await (await this.#openActivePage()).chat.session.stop();
  }

  get voice(): VoiceContext {
    return { host: this.#host, openChat: () => this.#openActivePageUnfocused() };
  }

  async choosePersona(search: unknown): Promise<void> {
    const { choosePersona } = await import('./persona-pick.ts');
    const pageOptions = {
      host: this.#host,
      chats: this.#chats,
      getVisibleChat: (): Promise<ChatWebview> => this.#openActivePageUnfocused(),
    };
    await choosePersona(pageOptions, typeof search === 'string' ? search.slice(0, 200) : '');
  }

  async showUsage(): Promise<void> {
    const { showUsage } = await import('../../account/vscode/usage-panel.ts');
    showUsage({
      dependencies: this.#host,
      readCosts: () => this.#readCosts(),
      openConversation: (id) => this.#revealChat(id),
    });
  }

  async *#readCosts(): AsyncGenerator<ConversationCosts> {
    for await (const conversation of this.#chats.files.readAll()) {
      const { id, title, isDamaged } = conversation;
      yield { id, title, isDamaged, answers: listAnswerCosts(conversation) };
    }
  }

  /**
   * Returns the page to which a command applies: the chat in the active tab, otherwise the chat in the side bar.
   * Opens and focuses the side bar if the active tab is no chat.
   */
  async #openActivePage(): Promise<ChatWebview> {
    return this.editors.activeChat ?? this.view.reveal();
  }

  /**
   * Returns the page of {@link #openActivePage} without focusing a visible side bar. A change of the focus would close
   * a quick pick.
   */
  async #openActivePageUnfocused(): Promise<ChatWebview> {
    const visibleChat = this.view.isVisible ? this.view.chat : undefined;
    return this.editors.activeChat ?? visibleChat ?? this.view.reveal();
  }

  /**
   * Page in the active tab, otherwise in the side bar, otherwise in another visible tab. Undefined if no chat is
   * visible.
   */
  get #visiblePage(): ChatWebview | undefined {
    const { activeChat, visiblePages } = this.editors;
    return activeChat ?? (this.view.isVisible ? this.view.chat : undefined) ?? visiblePages[0];
  }

  async toggleMode(): Promise<void> {
    const { chat } = await this.#openActivePageUnfocused();
    const target = { agents: this.agents, session: chat.session };
    await selectMode(target, getNextMode(getChatMode(target)));
  }

  /** Selects the model of the chat in the active tab or the side bar, and of new chats. */
  async selectModel(): Promise<void> {
    const { selectModel } = await import('../../models/vscode/select-model.ts');
    const { models } = this.#host;
    const session = (this.editors.activeChat ?? this.view.chat)?.chat.session;
    selectModel({ models, ...omitUndefined({ session }) });
  }

  async undoTurn(): Promise<void> {
    const page = await this.#openActivePage();
    const { session } = page.chat;
    const refusal = await undoLastTurn({ agents: this.agents, session });
    if (refusal !== undefined) page.showNotice(refusal);
  }

  /** Opens a new chat with a text in its composer. Does not send the text. */
  async startDraft(text: string): Promise<void> {
    await this.openNewChat();
    (await this.#openActivePage()).insertIntoComposer(text);
  }

  async openNewChat(): Promise<void> {
    const page = await this.#openActivePage();
    page.show(this.#chats.create());
    page.focusComposer();
  }

  async openInEditor(): Promise<void> {
    const chat = this.view.chat?.chat ?? (await this.#chats.openCurrentChat());
    this.#moveToEditor(chat).focusComposer();
  }

  /** Opens a chat in an editor tab. If the side bar shows the chat, the side bar gets a new chat. */
  #moveToEditor(chat: OpenChat): ChatWebview {
    const page = this.editors.open(chat);
    const { chat: sideBarPage } = this.view;
    if (sideBarPage === undefined) this.#chats.storeCurrentChat(this.#chats.create().id);
    else if (sideBarPage.chat.id === chat.id) sideBarPage.show(this.#chats.create());
    return page;
  }

  async showHistory(): Promise<void> {
    const { showHistory } = await import('./history.ts');
    const page = await this.#openActivePageUnfocused();
    await showHistory({
      listConversations: () => this.#chats.listSummaries(),
      openChat: async (id) => {
        const chat = await this.#chats.open(id);
        if (chat !== undefined) page.show(chat);
        else if (await this.#chats.files.isFromNewerVersion(id))
          page.showNotice(getNewerVersionMessage());
        else page.showNotice(vscode.l10n.t('That chat can no longer be read.'));
        page.focusComposer();
      },
      openInEditor: async (id) => {
        const chat = await this.#chats.open(id);
        if (chat !== undefined) this.#moveToEditor(chat);
        else if (await this.#chats.files.isFromNewerVersion(id))
          page.showNotice(getNewerVersionMessage());
      },
      renameConversation: (id) => this.#renameChat(id),
      removeConversation: async ({ id, title, text, isNewer, isDamaged }) => {
        if (!isNewer && !(isDamaged && text === '')) return this.#removeChat(id);
        await this.#chats.remove(id);
        const label = isNewer
          ? vscode.l10n.t('Chat from a newer version')
          : vscode.l10n.t('Damaged chat');
        void this.#offerUndo(id, title || label);
      },
      removeAll: () => this.deleteAll(),
      pins: new PinnedChats(this.#host.context.globalState),
      getStatus: (id) => this.#chats.getStatus(id),
      onDidChangeStatus: (listener) => {
        const disposables = new DisposableStore();
        disposables.add(this.#chats.onDidChangeStatus(listener));
        disposables.add(this.agents.onDidChangePending(() => listener()));
        return disposables;
      },
      readContent: (id) => this.#chats.files.readContent(id),
      onFailure: (error) => {
        this.#host.log.error('Could not read the chat history', error);
        page.showNotice(vscode.l10n.t('That did not work. See the log for details.'));
      },
    });
  }

  async #renameChat(id: string): Promise<void> {
    const chat = await this.#chats.open(id);
    if (chat === undefined) return;
    const title = await vscode.window.showInputBox({
      title: stripEllipsis(vscode.l10n.t('Rename Chat…')),
      ignoreFocusOut: true,
      value: chat.session.conversation.title,
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
    });
    if (title !== undefined) await chat.session.rename(title.trim());
  }

  async #removeChat(id: string): Promise<void> {
    const chat = await this.#chats.open(id);
    if (chat === undefined) return;
    const { title } = chat.session.conversation;
    await this.#chats.remove(id);
    for (const page of this.#findPages(id)) page.show(this.#chats.create());
    void this.#offerUndo(id, title || vscode.l10n.t('New Chat'));
  }

  async #revealChat(id: string): Promise<void> {
    const chat = await this.#chats.open(id);
    const page = await this.view.reveal();
    if (chat !== undefined && page.chat.id !== id) page.show(chat);
  }

  #findPages(id: string): readonly ChatWebview[] {
    const allChats = [this.view.chat, ...this.editors.chats];
    return allChats.filter((page) => page !== undefined).filter((page) => page.chat.id === id);
  }

  async #offerUndo(id: string, title: string): Promise<void> {
    const undoLabel = vscode.l10n.t('Undo');
    const answer = await showInformation(vscode.l10n.t('Deleted “{0}”.', title), undoLabel);
    if (answer !== undoLabel) return;
    const chat = await this.#chats.restore(id);
    if (chat !== undefined) (await this.#openActivePage()).show(chat);
  }

  async askAboutCode(kind: 'explain' | 'writeTests', args: readonly unknown[]): Promise<void> {
    const { askAboutCode } = await import('./ask-about-code.ts');
    const openPage = (): Promise<ChatWebview> => this.#openActivePage();
    await askAboutCode({ kind, args, getPage: openPage, createChat: () => this.#chats.create() });
  }

  async attachFromEditor(kind: 'selection' | 'problems'): Promise<void> {
    // Read the editor first, because revealing the chat takes the focus.
    const editor = vscode.window.activeTextEditor;
    const [page, attachmentCommands] = await Promise.all([
      this.#openActivePage(),
      this.#attachmentCommands.get(),
    ]);
    const refusal =
      editor === undefined
        ? vscode.l10n.t('Open a file first.')
        : await (kind === 'selection'
            ? attachmentCommands.attachSelection(editor, page.chat)
            : attachmentCommands.attachProblems(editor.document.uri, page.chat));
    if (refusal !== undefined) page.showNotice(refusal);
    page.focusComposer();
  }

  /**
   * Attaches the files that the user clicked or selected in the Explorer, the Source Control view or the Testing view.
   * For a clicked notebook cell, attaches the text of the cell. If the user clicked nothing, attaches the file of the
   * active editor.
   */
  async attachFiles(...args: readonly unknown[]): Promise<void> {
    const clickedUris = args.flat().flatMap(getItemUris);
    const activeUri = vscode.window.activeTextEditor?.document.uri;
    const selectedUris =
      clickedUris.length > 0 || activeUri === undefined ? clickedUris : [activeUri];
    const resources = new Map(selectedUris.map((uri) => [uri.toString(), uri]));
    const [page, attachmentCommands] = await Promise.all([
      this.#openActivePage(),
      this.#attachmentCommands.get(),
    ]);
    for (const uri of resources.values()) {
      const refusal = await attachmentCommands.attachFile(uri, page.chat);
      if (refusal !== undefined) page.showNotice(refusal);
    }
    if (resources.size === 0) page.showNotice(vscode.l10n.t('Open a file first.'));
    page.focusComposer();
  }

  /**
   * Attaches the last command of a terminal and its output.
   * @param clickedTerminal Terminal whose context menu the user opened. Default: the active terminal if it ran a
   * command, else the terminal that ran one most recently.
   */
  async attachTerminal(clickedTerminal?: unknown): Promise<void> {
    // Read the terminal first, because revealing the chat may change the active terminal.
    const terminal = clickedTerminal ?? vscode.window.activeTerminal;
    const [page, context] = await Promise.all([this.#openActivePage(), this.#context.get()]);
    const refusal = await context.contextAttacher.attachTerminal(page.chat, terminal);
    if (refusal !== undefined) page.showNotice(refusal);
    page.focusComposer();
  }
}

/**
 * Returns the URI of an item as an array; an empty array if the item has no URI. `item` is the argument that VS Code
 * passes when the user runs a command of the item's context menu.
 */
export function getItemUris(item: unknown): readonly vscode.Uri[] {
  if (item instanceof vscode.Uri) return [item];
  if (!isRecord(item)) return [];
  const { resourceUri, uri, document } = item;
  const candidates = [resourceUri, uri, isRecord(document) ? document['uri'] : undefined];
  return candidates.filter((candidate) => candidate instanceof vscode.Uri).slice(0, 1);
}

/**
 * Prompts for a format and a file, writes the conversation to the file, and opens the file. Does nothing if the user
 * cancels.
 */
async function exportChat(conversation: Conversation): Promise<void> {
  if (conversation.isEmpty) {
    void showInformation(vscode.l10n.t('There is nothing to export yet.'));
    return;
  }
  const format = await vscode.window.showQuickPick(
    [
      { label: 'Markdown', extension: 'md' },
      { label: 'JSON', extension: 'json' },
    ],
    { placeHolder: vscode.l10n.t('Export Chat…') },
  );
  if (format === undefined) return;
  const target = await vscode.window.showSaveDialog({
    defaultUri: getDefaultSaveUri(`${createFileName(conversation.title)}.${format.extension}`),
    filters: { [format.label]: [format.extension] },
  });
  if (target === undefined) return;
  const { exportJson, exportMarkdown } = await import('../../conversation/export.ts');
  const text = format.extension === 'md' ? exportMarkdown(conversation) : exportJson(conversation);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(target);
}

function getDefaultSaveUri(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
}

/** Returns a file name for the title of a chat. The name is valid on all operating systems. */
function createFileName(title: string): string {
  const name = title
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '')
    .slice(0, 60);
  return name === '' ? 'chat' : name;
}
