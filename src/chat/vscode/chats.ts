import * as vscode from 'vscode';
import type { Agents } from '../../agent/vscode/agents.ts';
import { systemClock } from '../../base/clock.ts';
import { omitUndefined, isRecord, parseJson } from '../../base/json.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { type ChatPorts, ChatSession, type SessionEvent } from '../chat-session.ts';
import { EditsNotice } from '../../agent/vscode/edits-notice.ts';
import { PinnedChats } from './history.ts';
import { readImagePrompt } from '../image-turn.ts';
import { decodeQueue, type QueuedMessage } from '../message-queue.ts';
import { type ComposerContent, OpenChat } from './open-chat.ts';
import { createInitialOptionsRecords } from './options-state.ts';
import {
  protectsAtLeastAsWell,
  shouldEncryptChats,
} from '../../privacy/vscode/privacy-settings.ts';
import type { Capability } from '../../models/capability.ts';
import { findFallback, isAffordable, UsedModels } from '../../models/fallback-model.ts';
import { cleanMedia } from '../../conversation/vscode/media-files.ts';
import { type ConversationSummary, countContextTokens } from '../../conversation/summary.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import type { TitleGenerator } from './generated-title.ts';
import type { FallbackModel } from '../turn-context.ts';
import { ProtectionConsent } from './protection-consent.ts';
import { decodeAttachments } from '../../conversation/attachments.ts';
import {
  type Answer,
  type Attachment,
  Conversation,
  type ConversationRecord,
} from '../../conversation/conversation.ts';
import {
  ConversationExistsError,
  ConversationFiles,
} from '../../conversation/vscode/conversation-files.ts';
import { getSetting } from '../../platform/settings.ts';
import type { Host } from '../../host.ts';
import { imageChoiceKey, type ImageGenerator } from '../../image/image-generator.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import {
  loadModels,
  requireListedModel,
  getChatSelection,
  getSelectedModel,
  serviceDefaultModel,
} from '../../models/vscode/selected-model.ts';
import { NewerVersionError } from '../../platform/newer-file.ts';
import { showWarning } from '../../platform/notifications.ts';
import { removeLeftovers } from '../../platform/atomic-file.ts';
import { acquireNamedLock, removeStaleLocks } from '../../platform/window-lock.ts';
import { StoredTexts } from '../../platform/stored-texts.ts';
import { getWorkspaceId } from '../../platform/window.ts';
import type { ProtectionTerms } from '../../service/chat/protection.ts';
import { priorities } from '../../service/http/rate-limit-queue.ts';
import { findBaseUrlFailure, parseBaseUrl } from '../../service/http/endpoint.ts';
import { estimateCost } from '../../service/pricing.ts';
import { isId, createId } from '../../base/ids.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Creates the image generator for `/image` messages. Loads the image feature with the first request. */
export const createImageGenerator = (host: Host, images: LazyChatImages): ImageGenerator => ({
  getModel: () => getSelectedImageModel(host),
  generate: async (prompt, options) => {
    try {
      return await (await images.get()).chat.generate(prompt, options);
    } catch (error) {
      host.log.error('Could not create an image', error);
      const message = vscode.l10n.t('That did not work. See the log for details.');
      return { images: [], failure: { code: 'internal-error', message } };
    }
  },
});

/** Returns the id and the name of the selected image model, without loading the image feature. */
function getSelectedImageModel({ context, models }: Host): {
  readonly id: string;
  readonly name: string;
} {
  const storedId: unknown = context.globalState.get(imageChoiceKey);
  const id = isRecord(storedId) ? storedId['model'] : undefined;
  const imageModels = models.models.filter(({ type }) => type === 'image');
  const model =
    imageModels.find((imageModel) => imageModel.id === id) ??
    imageModels.find(({ traits }) => traits.includes('default')) ??
    imageModels[0];
  return model === undefined ? { id: 'image', name: 'image' } : { id: model.id, name: model.name };
}

/** Returns a warning that the chat cannot be saved. The warning contains the reason and a solution. */
export function getStoreFailureMessage(error: unknown): string {
  if (error instanceof NewerVersionError)
    return vscode.l10n.t(
      'This chat cannot be saved: a newer version of Inference Service changed it. Update the extension to continue it.',
    );
  if (error instanceof ConversationExistsError)
    return vscode.l10n.t(
      'This chat cannot be saved: another window saved a chat in its place. Start a new chat to keep your next messages.',
    );
  return vscode.l10n.t(
    'This chat cannot be saved ({0}) and is lost when the window closes. Free some space, then send another message.',
    (error as NodeJS.ErrnoException).code ?? vscode.l10n.t('unknown'),
  );
}

/** Returns the titles of the chats in editor tabs. Includes tabs that VS Code has not restored yet. */
const listChatTabTitles = (): readonly string[] =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputWebview &&
        input.viewType.endsWith('inferenceService.chatEditor'),
    )
    .map(({ label }) => label);

/** Ended turn of a chat. `id` is the id of the chat. */
interface EndedTurn {
  readonly id: string;
  readonly hasFailed: boolean;
}

const getTitle = ({ title }: { readonly title: string }): string =>
  title || vscode.l10n.t('New Chat');

/** All conversations: those on disk, and unsaved conversations that are open in this window. */
export class Chats implements Disposable {
  readonly files: ConversationFiles;
  readonly editsNotice: EditsNotice;
  readonly #host: Host;
  readonly #agents: Agents;
  readonly #images: LazyChatImages;
  readonly #openChats = new Map<string, OpenChat>();
  readonly #drafts: StoredTexts;
  /** Attachments of unsent messages, by conversation id. */
  readonly #storedAttachments: StoredTexts;
  /** Queued messages, which wait for the end of a turn, by conversation id. */
  readonly #queues: StoredTexts;
  /** Stores of the unsent content: drafts, attachments and queued messages. */
  readonly #unsentStores: readonly StoredTexts[];
  /** Unsent content of removed conversations, by conversation id and store. */
  readonly #removedUnsentContents = new Map<string, ReadonlyMap<StoredTexts, string>>();
  /**
   * Id of the most recently shown conversation, by workspace. Not stored in VS Code's workspace storage, because a
   * reloaded window may get another storage while the previous extension host still runs.
   */
  readonly #currentIds: StoredTexts;
  readonly #onDidAnswerEmitter = new Emitter<void>();
  readonly #onDidEndTurnEmitter = new Emitter<EndedTurn>();
  readonly #onDidRemoveEmitter = new Emitter<string>();
  readonly #onDidChangeStatusEmitter = new Emitter<void>();
  readonly #closeController = new AbortController();
  #titleGenerator: TitleGenerator | undefined;
  /** Connection of the last request of each conversation. */
  readonly #connections = new WeakMap<Conversation, ChatConnection>();
  readonly #usedModels: UsedModels;
  /**
   * Connection for which the user wrote each queued message. Restored messages have no connection, so they are not sent
   * automatically.
   */
  readonly #queuedConnections = new WeakMap<QueuedMessage, ChatConnection>();

  constructor(host: Host, agents: Agents, images: LazyChatImages) {
    this.#host = host;
    this.#images = images;
    this.#agents = agents;
    const { globalStorageUri, globalState } = host.context;
    this.#usedModels = new UsedModels(globalState);
    const getFolderPath = (name: string): string =>
      vscode.Uri.joinPath(globalStorageUri, name).fsPath;
    const onSaveError = (error: unknown): void => host.log.error('Could not store a draft', error);
    this.files = new ConversationFiles(getFolderPath('conversations'));
    this.#drafts = new StoredTexts(getFolderPath('drafts'), systemClock, onSaveError);
    this.#storedAttachments = new StoredTexts(getFolderPath('attached'), systemClock, onSaveError);
    this.#queues = new StoredTexts(getFolderPath('queued'), systemClock, onSaveError);
    this.#unsentStores = [this.#drafts, this.#storedAttachments, this.#queues];
    this.#currentIds = new StoredTexts(getFolderPath('current'), systemClock, onSaveError);
    void this.files.cleanFolder();
    void removeLeftovers(globalStorageUri.fsPath, dayMs, { recursive: true });
    void removeStaleLocks(getFolderPath('answering'));
    void this.#removeOldChats();
    this.editsNotice = new EditsNotice(
      host.context.globalState,
      async () => (await this.files.list()).length > 0,
    );
  }

  /** Fires when a message is added to a chat, when the selected branch changes, and when an answer or a turn ends. */
  readonly onDidChangeStatus: Event<void> = (listener) =>
    this.#onDidChangeStatusEmitter.event(listener);

  /** Returns the state of the chat's turn; undefined if no turn of the chat runs in this window. */
  getStatus(id: string): 'running' | 'waiting' | undefined {
    if (this.#openChats.get(id)?.session.runningAnswerId === undefined) return undefined;
    const isWaiting = this.#agents.getConversationAgent(id).pendingRequests.items.length > 0;
    return isWaiting ? 'waiting' : 'running';
  }

  /**
   * Fires when a turn ends. Does not fire if the user stopped the turn, or if the chat sends a queued message next.
   */
  readonly onDidEndTurn: Event<EndedTurn> = (listener) => this.#onDidEndTurnEmitter.event(listener);

  /** Fires with the id of a removed chat. */
  readonly onDidRemove: Event<string> = (listener) => this.#onDidRemoveEmitter.event(listener);

  /** Fires when an answer is complete. */
  readonly onDidAnswer: Event<void> = (listener) => this.#onDidAnswerEmitter.event(listener);

  /** Creates an empty conversation. The file of the conversation is created with the first message. */
  create(): OpenChat {
    return this.#createChat(createId(), { draft: '', attachments: [], queuedMessages: [] });
  }

  /**
   * Returns the conversation from memory or from disk. A conversation without messages has no file; it is created again
   * with the same id if it has unsent content. Resolves to `undefined` if no readable conversation with this id exists.
   */
  async open(id: string): Promise<OpenChat | undefined> {
    const openChat = this.#openChats.get(id);
    if (openChat !== undefined) return openChat;
    const [conversation, composer, hasFile] = await Promise.all([
      this.files.load(id),
      this.#loadComposer(id),
      this.files.exists(id),
    ]);
    // Another view may have opened the conversation during the read. That object is then returned, so that all views share
    // it.
    const sharedChat = this.#openChats.get(id);
    if (sharedChat !== undefined) return sharedChat;
    if (conversation !== undefined)
      return this.#addChat({ conversation, pendingRecords: [], composer });
    // Keeps the id and the draft of a file that is unreadable or from a newer version, so that it can be opened later.
    return hasFile || isEmpty(composer) ? undefined : this.#createChat(id, composer);
  }

  /**
   * Opens the most recently shown conversation of this workspace, or creates a conversation if the workspace has none.
   */
  async openCurrentChat(): Promise<OpenChat> {
    return this.openOrCreate(await this.#currentIds.get(getWorkspaceId()));
  }

  /** Opens the conversation, or creates one with a new id if the conversation cannot be opened. */
  async openOrCreate(id: unknown): Promise<OpenChat> {
    return (isId(id) ? await this.open(id) : undefined) ?? this.create();
  }

  /**
   * Stores the text of a composer as the draft of the conversation `id`. The page may already show another
   * conversation.
   */
  saveDraft(id: string, text: string): void {
    const openChat = this.#openChats.get(id);
    if (openChat !== undefined) openChat.draft = text;
  }

  storeCurrentChat(id: string): void {
    this.#currentIds.set(getWorkspaceId(), id);
  }

  /**
   * Stops the turn of the conversation and removes the conversation. {@link restore} can undo the removal.
   */
  async remove(id: string): Promise<void> {
    await this.#closeChat(id);
    if (await this.files.exists(id)) await this.files.remove(id);
    await this.#removeUnsentState(id);
  }

  async #closeChat(id: string): Promise<void> {
    const openChat = this.#openChats.get(id);
    await openChat?.session.stop();
    await openChat?.session.waitUntilSettled();
    openChat?.dispose();
    this.#openChats.delete(id);
    this.#onDidRemoveEmitter.fire(id);
  }

  /**
   * Removes the draft, the attachments, the queue and the agent state of the conversation, but not its file. Keeps the
   * unsent content in memory for {@link restore}.
   */
  async #removeUnsentState(id: string): Promise<void> {
    const content = new Map<StoredTexts, string>();
    for (const store of this.#unsentStores) {
      content.set(store, await store.get(id));
      store.set(id, '');
    }
    this.#removedUnsentContents.set(id, content);
    await this.#agents.removeConversationData(id);
  }

  /**
   * Returns the ids of all conversations: those on disk, and those that have only a draft, attachments or queued
   * messages. Omits a conversation without a file if the side bar of another workspace showed it last.
   */
  async listIds(): Promise<readonly string[]> {
    const sentIds = (await this.files.list()).map(({ id }) => id);
    return [...new Set([...sentIds, ...(await this.#listUnsentIds())])];
  }

  /**
   * Returns the ids of the conversations that have a draft, attachments or queued messages. Omits those that the side bar
   * of another workspace showed last.
   */
  async #listUnsentIds(): Promise<ReadonlySet<string>> {
    const ids = (await Promise.all(this.#unsentStores.map((store) => store.listNames()))).flat();
    const shownIds = new Set(await this.#currentIds.list());
    return new Set(ids.filter((id) => this.#openChats.has(id) || !shownIds.has(id)));
  }

  /**
   * Lists the summaries of all conversations, newest first. Includes conversations without messages that have unsent
   * content, except those that the side bar of another workspace showed last.
   */
  async listSummaries(): Promise<readonly ConversationSummary[]> {
    const summaries = [...(await this.files.list())];
    const sentIds = new Set(summaries.map(({ id }) => id));
    for (const id of await this.#listUnsentIds()) {
      const summary = isId(id) && !sentIds.has(id) && (await this.#summarizeUnsentChat(id));
      if (summary) summaries.push(summary);
    }
    return summaries.toSorted((a, b) => b.updatedAt - a.updatedAt);
  }

  /** Summarizes a conversation without a file. Resolves to `undefined` if the conversation has no unsent content. */
  async #summarizeUnsentChat(id: string): Promise<ConversationSummary | undefined> {
    const composer = await this.#loadComposer(id);
    if (isEmpty(composer) || (await this.files.exists(id))) return undefined;
    const { draft, attachments, queuedMessages } = composer;
    const messageTexts = [draft, ...queuedMessages.map((message) => message.text)];
    const text = [...messageTexts, ...attachments.map(({ label }) => label)].join('\n').trim();
    const title = this.#openChats.get(id)?.session.conversation.title ?? '';
    const times = await Promise.all(this.#unsentStores.map((store) => store.getChangeTime(id)));
    return {
      id,
      title,
      updatedAt: Math.max(...times),
      folder: null,
      text,
      snippet: text.replaceAll(/\s+/gu, ' ').slice(0, 120),
      foldedText: `${title}\n${text}`.toLocaleLowerCase(),
    };
  }

  /**
   * Removes all conversations permanently, including pinned and damaged ones. Also removes their drafts, attachments
   * and media files.
   */
  async removeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const id of await this.listIds())
      await this.remove(id).catch((error: unknown) => errors.push(error));
    await this.files.cleanFolder({ keepsRecentFiles: false });
    await this.#agents.removeDeleted();
    this.#removedUnsentContents.clear();
    for (const store of this.#unsentStores) await store.flush();
    await cleanMedia(this.#host.context, 0);
    if (errors.length > 0) throw new Error('Some chats remain.', { cause: errors[0] });
  }

  /**
   * Removes conversations that are older than the retention setting permits. Keeps pinned and damaged conversations,
   * those with unsent content, and those that a window may show.
   */
  async #removeOldChats(): Promise<void> {
    const retentionDays = getSetting('inferenceService.chat.retentionDays');
    if (typeof retentionDays !== 'number' || retentionDays <= 0) return;
    const pins = new PinnedChats(this.#host.context.globalState);
    try {
      // Chats that any window showed last are kept, because another window may still show them.
      const keptIds = new Set([
        ...(await this.#currentIds.list()),
        ...(await this.#listUnsentIds()),
      ]);
      const summaries = await this.files.list();
      const tabTitles = listChatTabTitles();
      // The title of an empty chat is added, because an empty chat has no file.
      const titles = new Set([...summaries.map(getTitle), getTitle({ title: '' })]);
      // Removes nothing if a tab has an unknown title, because VS Code has not restored its chat yet.
      if (!tabTitles.every((title) => titles.has(title))) return;
      for (const summary of summaries) {
        const { id, updatedAt, isNewer, isDamaged } = summary;
        const isOld = Date.now() - updatedAt > retentionDays * dayMs;
        const isInTab = tabTitles.includes(getTitle(summary));
        const isKept = isNewer || isDamaged || isInTab || keptIds.has(id) || pins.isPinned(id);
        if (isOld && !isKept && !this.#openChats.has(id)) await this.remove(id);
      }
    } catch (error) {
      this.#host.log.error('Could not remove old chats', error);
    }
  }

  /**
   * Replaces the initial title, which is the first words of the first message, with a generated title. Does nothing
   * if the user renames the chat or changes the connection before the title is generated.
   */
  async #setGeneratedTitle(session: ChatSession): Promise<void> {
    const { conversation } = session;
    if (!getSetting('inferenceService.chat.generateTitles')) return;
    try {
      const { needsTitle, TitleGenerator } = await import('./generated-title.ts');
      if (!needsTitle(conversation)) return;
      const connection = this.#connections.get(conversation);
      if (connection === undefined || !isActiveConnection(connection, this.#host.account)) return;
      const previousTitle = conversation.title;
      const { baseUrl } = connection;
      const { signal } = this.#closeController;
      this.#titleGenerator ??= new TitleGenerator(this.#host);
      const title = await this.#titleGenerator.generate(conversation, { baseUrl, signal });
      const isOpen = this.#openChats.get(conversation.id)?.session === session;
      if (title !== undefined && isOpen && conversation.title === previousTitle)
        await session.rename(title);
    } catch (error) {
      this.#host.log.error('Could not generate a title', error);
    }
  }

  /** Restores a removed conversation. Resolves to `undefined` if the conversation can no longer be restored. */
  async restore(id: string): Promise<OpenChat | undefined> {
    const isRestored = await this.files.restore(id).then(() => true, ignoreMissingFile);
    const unsentContents = this.#removedUnsentContents.get(id) ?? [];
    this.#removedUnsentContents.delete(id);
    // A chat without messages has no file, only unsent content. If another window has kept the chat, its content is newer.
    if (isRestored === true || !(await this.files.exists(id)))
      for (const [store, text] of unsentContents) store.set(id, text);
    await this.#agents.restoreConversationData(id);
    return this.open(id);
  }

  dispose(): void {
    this.#closeController.abort();
    for (const chat of this.#openChats.values()) chat.dispose();
    this.#openChats.clear();
    this.#onDidAnswerEmitter.dispose();
    this.#onDidEndTurnEmitter.dispose();
    this.#onDidRemoveEmitter.dispose();
    this.#onDidChangeStatusEmitter.dispose();
    this.editsNotice.dispose();
  }

  /** Interrupts all answers and waits until all conversations and drafts are on disk. */
  async close(): Promise<void> {
    const sessions = [...this.#openChats.values()].map(({ session }) => session);
    this.dispose();
    await Promise.all([
      ...this.#unsentStores.map((store) => store.flush()),
      this.#currentIds.flush(),
      this.#agents.close(),
      ...sessions.map((session) => session.waitUntilSettled()),
    ]);
  }

  /**
   * Notifies the user that another window deleted the chat, and offers to keep the chat. If the user accepts,
   * restores the chat.
   */
  async #offerToRestoreChat(id: string): Promise<void> {
    const keepLabel = vscode.l10n.t('Keep');
    const message = vscode.l10n.t('This chat was deleted in another window.');
    if ((await showWarning(message, keepLabel)) !== keepLabel) return;
    try {
      await this.files.restore(id);
      await this.#agents.restoreConversationData(id);
      await this.#openChats.get(id)?.session.retryWrites();
    } catch (error) {
      this.#host.log.error('Could not restore a conversation', error);
      void showWarning(getStoreFailureMessage(error));
    }
  }

  async #loadComposer(id: string): Promise<ComposerContent> {
    const [draft, storedAttachments, storedQueue] = await Promise.all([
      this.#drafts.get(id),
      this.#storedAttachments.get(id),
      this.#queues.get(id),
    ]);
    if (storedAttachments !== '' && parseJson(storedAttachments) === undefined)
      await this.#storedAttachments.renameUnreadableText(id);
    if (storedQueue !== '' && parseJson(storedQueue) === undefined)
      await this.#queues.renameUnreadableText(id);
    const queuedMessages = decodeQueue(storedQueue);
    return { draft, attachments: decodeAttachments(storedAttachments), queuedMessages };
  }

  #createChat(id: string, composer: ComposerContent): OpenChat {
    const start = {
      type: 'conversation-start',
      version: 1,
      id,
      at: Date.now(),
      folder: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    } as const;
    const conversation = new Conversation(start);
    const level = getSetting('inferenceService.agent.permissions');
    const settings = [
      { type: 'permissions-set', level } as const,
      { type: 'mode-set', mode: this.#agents.mode } as const,
      ...createInitialOptionsRecords(this.#host.context.globalState),
    ];
    for (const record of settings) conversation.applyRecord(record);
    return this.#addChat({ conversation, pendingRecords: [start, ...settings], composer });
  }

  #addChat({ conversation, pendingRecords, composer }: OpenChatInput): OpenChat {
    const session = new ChatSession(conversation, this.#createPorts(conversation), pendingRecords);
    const { id } = conversation;
    const chat = new OpenChat(session, composer, {
      saveDraft: (text) => this.#drafts.set(id, text),
      saveAttachments: (attachments) =>
        this.#storedAttachments.set(
          id,
          attachments.length === 0 ? '' : JSON.stringify(attachments),
        ),
      saveQueue: (text) => this.#queues.set(id, text),
    });
    this.#openChats.set(conversation.id, chat);
    chat.queue.onDidChange(() => {
      for (const message of chat.queue.messages)
        if (!this.#queuedConnections.has(message))
          this.#queuedConnections.set(message, this.#getActiveConnection());
    });
    let endedAnswerId: string | undefined;
    session.onDidChange((change) => {
      if (isStatusChange(change)) this.#onDidChangeStatusEmitter.fire();
      const hasEnded = session.runningAnswerId === undefined;
      if (change.type === 'work-end') {
        const { id: answerId, result } = change.answer;
        // The turn ended without a `turn-end` event: the user stopped its tool calls, or an internal error occurred.
        if (!hasEnded || answerId === endedAnswerId) return;
        chat.queue.holdMessages();
        if (result?.failure !== undefined) this.#onDidEndTurnEmitter.fire({ id, hasFailed: true });
        return;
      }
      if (change.type !== 'turn-event' || change.event.type !== 'turn-end') return;
      if (hasEnded) endedAnswerId = change.answerId;
      const { status } = change.event;
      // After a stopped or failed turn, only the user can send the queued messages.
      if (hasEnded && status !== 'complete') chat.queue.holdMessages();
      const hasNext = status === 'complete' && this.#findNextMessage(chat) !== undefined;
      if (hasEnded && !hasNext && (status === 'complete' || status === 'failed'))
        this.#onDidEndTurnEmitter.fire({ id, hasFailed: status === 'failed' });
      if (status !== 'complete') return;
      this.#onDidAnswerEmitter.fire();
      void this.#setGeneratedTitle(session);
      if (session.runningAnswerId === undefined) void this.#sendNextMessage(chat);
    });
    return chat;
  }

  /**
   * Sends a queued message to the active connection. While a turn runs, the message is sent after the current tool
   * call; otherwise immediately. The message remains in the queue until the conversation contains it.
   */
  async sendQueued(chat: OpenChat, id: string): Promise<void> {
    const { session, queue } = chat;
    const message = queue.findMessage(id);
    if (message === undefined) return;
    if (session.runningAnswerId !== undefined) {
      queue.prioritize(id);
      if (this.#findUrgentMessage(chat.id) !== undefined) session.interrupt();
      return;
    }
    this.#queuedConnections.set(message, this.#getActiveConnection());
    const { text, attachments, model } = message;
    if (text === compactCommand) {
      queue.removeMessage(id);
      const { compactChat } = await import('../context/vscode/context-messages.ts');
      const notice = await compactChat(session);
      if (notice !== undefined) chat.postToPage?.({ type: 'notice-show', text: notice });
      return this.#sendNextMessage(chat);
    }
    // The user may remove or edit the message, or change the connection, while a consent prompt is open, so all are checked
    // again.
    const takeAttachments = (): readonly Attachment[] | undefined => {
      if (queue.findMessage(id) === undefined || !this.#isForActiveService(message))
        return undefined;
      queue.removeMessage(id);
      return attachments;
    };
    await session.send(text, takeAttachments, model);
  }

  async #sendNextMessage(chat: OpenChat): Promise<void> {
    const nextMessage = this.#findNextMessage(chat);
    try {
      if (nextMessage !== undefined) await this.sendQueued(chat, nextMessage.id);
    } catch (error) {
      this.#host.log.error('Could not send a queued message', error);
    }
  }

  /**
   * Returns the message to send after a complete turn. Holds messages that the user wrote for another connection, so
   * that only the user can send them.
   */
  #findNextMessage({ queue }: OpenChat): QueuedMessage | undefined {
    queue.holdMessages((message) => !this.#isForActiveService(message));
    return queue.nextMessage;
  }

  /**
   * Returns the urgent message with which the running turn continues after the current tool call; undefined if there
   * is none.
   */
  #findUrgentMessage(id: string): QueuedMessage | undefined {
    const chat = this.#openChats.get(id);
    const urgentMessage = chat?.queue.messages.find(
      (queuedMessage) => queuedMessage.isUrgent && this.#isForActiveService(queuedMessage),
    );
    return chat !== undefined &&
      urgentMessage !== undefined &&
      this.#canInterrupt(chat, urgentMessage)
      ? urgentMessage
      : undefined;
  }

  /**
   * Checks whether the running turn can continue with the message. The turn's model must protect the message at least
   * as well as the model that was selected when the user wrote the message. `/image` and `/compact` always start a
   * separate turn.
   */
  #canInterrupt({ session }: OpenChat, { text, model: selectedModel }: QueuedMessage): boolean {
    if (text === compactCommand || readImagePrompt(text) !== undefined) return false;
    const { runningAnswerId, conversation } = session;
    const answer =
      runningAnswerId === undefined ? undefined : conversation.findMessage(runningAnswerId);
    if (answer?.role !== 'assistant' || selectedModel === undefined) return false;
    if (answer.model.id === selectedModel.id) return true;
    const { models } = this.#host;
    const [runningModel, messageModel] = [
      models.find(answer.model.id),
      models.find(selectedModel.id),
    ];
    return (
      runningModel !== undefined &&
      messageModel !== undefined &&
      protectsAtLeastAsWell(runningModel, messageModel)
    );
  }

  #isForActiveService(message: QueuedMessage): boolean {
    const targetConnection = this.#queuedConnections.get(message);
    const { profileId, baseUrl } = this.#getActiveConnection();
    return targetConnection?.profileId === profileId && targetConnection.baseUrl === baseUrl;
  }

  /** Returns the active connection. Its address may be invalid. */
  #getActiveConnection(): ChatConnection {
    const { id, baseUrl } = this.#host.account.profile;
    return { profileId: id, baseUrl };
  }

  #createPorts(conversation: Conversation): ChatPorts {
    const { account, log, models } = this.#host;
    const consent = new ProtectionConsent(models);
    const getTerms = (modelId: string): ProtectionTerms =>
      consent.createTerms(conversation, modelId);
    return {
      store: this.files,
      clock: systemClock,
      createId,
      loadAgent: () => this.#agents.getConversationAgent(conversation.id).loadAgent(),
      images: createImageGenerator(this.#host, this.#images),
      interruptions: {
        hasMessage: () => this.#findUrgentMessage(conversation.id) !== undefined,
        takeMessage: () => {
          const message = this.#findUrgentMessage(conversation.id);
          if (message !== undefined)
            this.#openChats.get(conversation.id)?.queue.removeMessage(message.id);
          return message;
        },
      },
      ...this.#createRequestPorts(conversation, getTerms),
      createTaskPorts: () =>
        this.#createRequestPorts(conversation, getTerms, getActiveBaseUrl(account)),
      getProtectionTerms: getTerms,
      canContinue: (chat, modelId) => consent.canContinue(chat, modelId),
      getModel: () => getSelectedModel(getChatSelection(models, conversation)),
      getChosenModel: () => {
        const { id } = getSelectedModel(getChatSelection(models, conversation));
        return id === serviceDefaultModel.id ? undefined : { model: id, profile: models.profileId };
      },
      getPermissionLevel: () => getSetting('inferenceService.agent.permissions'),
      getMode: () => this.#agents.mode,
      getParameters: async (options, id, signal) => {
        if (id !== serviceDefaultModel.id) await loadModels(models, signal);
        const { toChatParameters, readChatOptions } =
          await import('../../conversation/chat-options.ts');
        return toChatParameters(readChatOptions(options), models.find(id));
      },
      findFallback: (answer, failure, triedModelIds) =>
        this.#findFallback(conversation, { answer, failure, triedModelIds }),
      estimateCost: (id, usage, searchCount) =>
        estimateCost(usage, models.find(id)?.pricing, searchCount),
      logError: (message, error) => log.error(message, error),
      lockAnswer: async (id, isResumed) => {
        const folder = vscode.Uri.joinPath(
          this.#host.context.globalStorageUri,
          'answering',
          conversation.id,
        );
        const lock = await acquireNamedLock(folder.fsPath, id, isResumed);
        if (!isResumed || !(await this.files.isChangedElsewhere(conversation.id))) return lock;
        lock?.dispose();
        return undefined;
      },
      onStoreFailure: (error) => {
        log.error('Could not write a conversation', error);
        const wasDeleted = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (wasDeleted) void this.#offerToRestoreChat(conversation.id);
        else void showWarning(getStoreFailureMessage(error));
      },
    };
  }

  /**
   * Returns a model of the same connection that can replace the failed model. The replacement has at least the same
   * protection, and its known prices do not exceed {@link getMaxPrice}. Returns undefined if there is no such model.
   */
  #findFallback(
    conversation: Conversation,
    { answer, failure, triedModelIds }: FailedAnswer,
  ): FallbackModel | undefined {
    const { account, models } = this.#host;
    const connection = this.#connections.get(conversation);
    if (connection === undefined || !isActiveConnection(connection, account)) return undefined;
    const { id } = answer.model;
    const { baseUrl } = connection;
    const failedModel = this.#findUsedModel(id, baseUrl);
    if (failedModel === undefined) return undefined;
    const fallback = findFallback(models.models, {
      failedModel,
      failure,
      requiredCapabilities: listUsedCapabilities(conversation, failedModel),
      usedTokens: countContextTokens(conversation) ?? 0,
      maxPrice: getMaxPrice(),
      // A turn can request a trait, such as the default model, so the failed model's real id is excluded as well.
      excludedModels: new Set(
        [...triedModelIds].map(
          (failedId) => this.#findUsedModel(failedId, baseUrl)?.id ?? failedId,
        ),
      ),
      isSuitable: canContinueWith,
    });
    if (fallback === undefined) return undefined;
    const { model, isPriceWithinMax } = fallback;
    return {
      model: { id: model.id, name: model.name },
      isAutomatic: isPriceWithinMax && getSetting('inferenceService.chat.automaticFallback'),
      baseUrl,
    };
  }

  /**
   * Checks whether the model that a failed answer offers can still replace the failed model. The offered model must
   * belong to the active service and have at least the protection of the failed model. None of its known prices may
   * exceed {@link getMaxPrice}. Returns false if the failed model is unknown.
   */
  canUseFallback({ model: { id: failedId }, result: { fallback } }: Answer): boolean {
    const { account, models } = this.#host;
    if (fallback?.baseUrl === undefined || fallback.baseUrl !== getActiveBaseUrl(account))
      return false;
    const failedModel = this.#findUsedModel(failedId, fallback.baseUrl);
    const model = models.find(fallback.id);
    if (failedModel === undefined || model === undefined) return false;
    return (
      canContinueWith(model, failedModel) &&
      isAffordable(model, { failedModel, maxPrice: getMaxPrice() })
    );
  }

  /**
   * Returns the catalog entry of a model that an earlier request used, even if the service no longer lists the model.
   * Returns undefined for an unknown model.
   */
  #findUsedModel(id: string, baseUrl: string): Model | undefined {
    return this.#host.models.find(id) ?? this.#usedModels.find(baseUrl, id);
  }

  /**
   * Creates the functions that send the requests of a turn.
   * @param pinnedUrl Base URL of all requests. Default: the base URL that is active when each request is built.
   */
  #createRequestPorts(
    conversation: Conversation,
    getTerms: (modelId: string) => ProtectionTerms,
    pinnedUrl?: string,
  ): Pick<ChatPorts, 'stream' | 'getBaseUrl' | 'reportRequestOutcome'> {
    const { account, models } = this.#host;
    let requestProfile = account.profile;
    let requestBaseUrl: string | undefined;
    return {
      stream: async (request, signal) => {
        requestProfile = account.profile;
        const baseUrl = requestBaseUrl;
        requestBaseUrl = undefined;
        if (baseUrl === undefined) this.#connections.delete(conversation);
        else this.#connections.set(conversation, { profileId: requestProfile.id, baseUrl });
        const { streamChat } = await import('../../service/chat/stream-chat.ts');
        const model = await resolveModelId(request.model, { models, conversation, signal });
        const record = models.find(model);
        if (record !== undefined && baseUrl !== undefined)
          void this.#usedModels.add(baseUrl, { ...record, id: model });
        return streamChat(
          this.#host.service,
          { ...request, model },
          {
            signal,
            areOptionsChosen: true,
            ...omitUndefined({ baseUrl }),
            getPriority: () =>
              this.#openChats.get(conversation.id)?.isVisible === true
                ? priorities.visibleChat
                : priorities.other,
            cache: { key: conversation.id, pricing: models.find(model)?.pricing },
            ...getTerms(model),
          },
        );
      },
      getBaseUrl: () => {
        requestBaseUrl = pinnedUrl ?? getActiveBaseUrl(account);
        return requestBaseUrl;
      },
      reportRequestOutcome: (outcome) => account.reportOutcome(outcome, requestProfile),
    };
  }
}

/**
 * Checks whether a model has at least the protection of the failed model. In addition, both models or neither of them
 * must be encrypted, because encrypted chats have other tools and options.
 */
const canContinueWith = (model: Model, failedModel: Model): boolean =>
  protectsAtLeastAsWell(model, failedModel) &&
  shouldEncryptChats(model) === shouldEncryptChats(failedModel);

/**
 * Returns the maximum price of a fallback model in US dollars per million tokens. 0 means that the fallback model must
 * not cost more than the failed model.
 */
const getMaxPrice = (): number => Math.max(0, getSetting('inferenceService.chat.fallbackMaxPrice'));

interface FailedAnswer {
  readonly answer: Answer;
  readonly failure: ServiceFailure;
  /** Ids of the models that failed in the turn. */
  readonly triedModelIds: ReadonlySet<string>;
}

/**
 * Returns the capabilities that the chat may need: tools, vision for attached images, and web search. Omits
 * capabilities that the failed model lacks.
 */
function listUsedCapabilities(
  conversation: Conversation,
  { capabilities }: Model,
): ReadonlySet<Capability> {
  const hasImages = conversation
    .listPath()
    .some((message) => message.role === 'user' && message.attachments.some(isSentImage));
  const usedCapabilities = new Set<Capability>();
  if (capabilities.supportsFunctionCalling !== false) usedCapabilities.add('tools');
  if (hasImages && capabilities.supportsVision !== false) usedCapabilities.add('vision');
  const isWebSearchOn = ['on', 'auto'].includes(String(conversation.options['webSearch']));
  if (isWebSearchOn && capabilities.supportsWebSearch !== false) usedCapabilities.add('web');
  return usedCapabilities;
}

const isSentImage = ({ kind, isRemoved }: Attachment): boolean =>
  kind === 'image' && isRemoved !== true;

const isStatusChange = (change: SessionEvent): boolean =>
  change.type === 'message-add' ||
  change.type === 'path-change' ||
  change.type === 'work-end' ||
  (change.type === 'turn-event' && change.event.type === 'turn-end');

const isEmpty = ({ draft, attachments, queuedMessages }: ComposerContent): boolean =>
  draft.trim() === '' && attachments.length === 0 && queuedMessages.length === 0;

function ignoreMissingFile(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const compactCommand = '/compact';

/** Profile and base URL of the service that receives a request. */
interface ChatConnection {
  readonly profileId: string;
  readonly baseUrl: string;
}

/** Returns the base URL of the active profile; undefined if the base URL is invalid. */
export function getActiveBaseUrl({
  profile,
  unencryptedOrigins: confirmedOrigins,
}: Host['account']): string | undefined {
  return findBaseUrlFailure(profile.baseUrl, confirmedOrigins) === undefined
    ? parseBaseUrl(profile.baseUrl, confirmedOrigins).href
    : undefined;
}

const isActiveConnection = (
  { profileId, baseUrl }: ChatConnection,
  account: Host['account'],
): boolean => account.profile.id === profileId && getActiveBaseUrl(account) === baseUrl;

interface OpenChatInput {
  readonly conversation: Conversation;
  /** Records that are not yet on disk. */
  readonly pendingRecords: readonly ConversationRecord[];
  readonly composer: ComposerContent;
}

interface ListedModelContext {
  readonly models: Host['models'];
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
}

/**
 * Returns the id of the model to request. Waits for the model list if necessary. If `id` is the placeholder of the
 * service's default model, returns the id of the selected model, because the placeholder's id is not a model of every
 * service.
 * @throws ServiceError if the model list cannot be loaded or does not contain the model, or if `signal` aborts
 */
async function resolveModelId(
  id: string,
  { models, conversation, signal }: ListedModelContext,
): Promise<string> {
  if (id === serviceDefaultModel.id) {
    await loadModels(models, signal);
    return getSelectedModel(getChatSelection(models, conversation)).id;
  }
  await requireListedModel(models, id, signal);
  return id;
}
