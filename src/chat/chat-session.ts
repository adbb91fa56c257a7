import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { omitUndefined } from '../base/json.ts';
import type { ChatOptions } from '../conversation/chat-options.ts';
import type {
  Answer,
  Attachment,
  ChosenModel,
  Conversation,
  ConversationRecord,
  Message,
  TodoList,
} from '../conversation/conversation.ts';
import type { Mode, PermissionLevel } from '../conversation/protocol.ts';
import type { ConversationStore } from '../conversation/summary.ts';
import { ServiceError } from '../service/http/failure.ts';
import { applyTodoChange, type TodoChange } from '../agent/tools/todo-tool.ts';
import { createIncompleteStreamFailure, endsWithToolCalls } from './answer-result.ts';
import { ConversationWriter } from './conversation-writer.ts';
import { readImagePrompt } from './image-turn.ts';
import { type ProtectedChat, getProtectedChat } from './protected-chat.ts';
import { Turn } from './turn.ts';
import {
  createAgentTurn,
  type TurnChange,
  type TurnContext,
  type TurnPorts,
} from './turn-context.ts';

const maxTitleLength = 60;

/** Returns the initial title of a conversation: the first words of the first message, on one line. */
export function createTitle(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= maxTitleLength) return line;
  const shortenedTitle = line.slice(0, maxTitleLength);
  const spaceIndex = shortenedTitle.lastIndexOf(' ');
  return `${shortenedTitle.slice(0, spaceIndex > maxTitleLength / 2 ? spaceIndex : maxTitleLength)}…`;
}

/**
 * Functions through which a chat session uses the storage, creates ids and asks the user for consent. Includes the
 * functions that its turns use.
 */
export interface ChatPorts extends TurnPorts {
  readonly store: ConversationStore;
  /** Returns a short, unique, random id. */
  readonly createId: () => string;
  readonly getModel: () => Answer['model'];
  /**
   * Returns the model to store in the chat when the first turn on a connection starts. If the user later selects a
   * model in another chat, the model of this chat then does not change.
   */
  readonly getChosenModel?: () => ChosenModel | undefined;
  /**
   * Returns the permission level of new chats. A chat from an earlier version has no level, and stores this level at
   * its first turn.
   */
  readonly getPermissionLevel?: () => PermissionLevel;
  /**
   * Returns the mode of new chats. A chat from an earlier version has no mode, and stores this mode at its first
   * turn.
   */
  readonly getMode?: () => Mode;
  /**
   * Checks whether a conversation with encrypted or attested answers may continue with a model. If this function is
   * omitted, every conversation may continue.
   */
  readonly canContinue?: (chat: ProtectedChat, modelId: string) => Promise<boolean>;
  /**
   * Locks an answer, so that no other window writes it until the lock is disposed. For a continued answer
   * (`isResumed`), returns undefined when another window writes to the chat, or has written to the chat since this
   * window read it.
   */
  readonly lockAnswer?: (id: string, isResumed: boolean) => Promise<Disposable | undefined>;
  /** Called when a write to disk fails, and not again until a write has succeeded. The chat continues in memory. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** Events that a session emits when it changes. The views that show the session handle them. */
export type SessionEvent =
  | TurnChange
  | { readonly type: 'message-add'; readonly message: Message }
  /** The messages of the selected branch changed, starting at index `startIndex`. */
  | { readonly type: 'path-change'; readonly startIndex: number }
  | { readonly type: 'title-change'; readonly title: string }
  | { readonly type: 'options-change' }
  | { readonly type: 'mode-change' }
  | { readonly type: 'model-change' }
  | { readonly type: 'permissions-change' }
  | { readonly type: 'answer-resume'; readonly answer: Answer };

/**
 * A conversation, and the user's actions on it, such as sending, retrying and stopping. At most one turn runs at a
 * time.
 */
export class ChatSession implements Disposable {
  readonly conversation: Conversation;
  readonly #ports: ChatPorts;
  readonly #writer: ConversationWriter;
  readonly #context: TurnContext;
  readonly #onDidChangeEmitter = new Emitter<SessionEvent>();
  #turn: { readonly turn: Turn; readonly completion: Promise<void> } | undefined;
  /** True while {@link continue} waits for the lock of the answer. */
  #isLocking = false;

  constructor(
    conversation: Conversation,
    ports: ChatPorts,
    pendingRecords: readonly ConversationRecord[] = [],
  ) {
    this.conversation = conversation;
    this.#ports = ports;
    this.#writer = new ConversationWriter(conversation, ports, pendingRecords);
    this.#context = {
      conversation,
      writer: this.#writer,
      ports,
      emitChange: (change) => this.#onDidChangeEmitter.fire(change),
      addUserMessage: (parentId, { text, attachments }) =>
        this.#addMessage(text, attachments, parentId).id,
      addAnswer: (...args) => this.#addAnswer(...args).answer,
    };
  }

  readonly onDidChange: Event<SessionEvent> = (listener) =>
    this.#onDidChangeEmitter.event(listener);

  /** Id of the answer in progress: streaming, or with running tool calls. Undefined while no turn runs. */
  get runningAnswerId(): string | undefined {
    return this.#runningTurn?.turn.answerId;
  }

  get #runningTurn(): { readonly turn: Turn; readonly completion: Promise<void> } | undefined {
    return this.#turn?.turn.hasEnded === false ? this.#turn : undefined;
  }

  /**
   * Checks whether the messages of the conversation may be sent again to a model. Must be called before each request.
   * If earlier answers were encrypted or attested, a prompt may ask the user for consent.
   * @param id Id of the message that the next message follows. For an edit, a retry or a continued answer, id of the
   * existing message or answer.
   */
  async canContinue(
    id = this.conversation.head?.id,
    modelId = this.#ports.getModel().id,
  ): Promise<boolean> {
    const chat = id === undefined ? undefined : getProtectedChat(this.conversation, id);
    return chat === undefined || (await this.#ports.canContinue?.(chat, modelId)) !== false;
  }

  /**
   * Adds a user message, writes it to disk, then requests an answer. Ignored while an answer streams.
   * @param attachments Attachments, or a function that returns them. The function is called only if the message is
   * accepted, and returns undefined to withdraw the message.
   * @param model Model to use for this turn in place of the selected model.
   * @returns true if the message was accepted. Resolves when the answer has ended.
   */
  async send(
    text: string,
    attachments: readonly Attachment[] | (() => readonly Attachment[] | undefined),
    model?: Answer['model'],
  ): Promise<boolean> {
    const isForImage = this.#ports.images !== undefined && readImagePrompt(text) !== undefined;
    const needsCheck = !isForImage && this.#mayNeedConsent();
    if (needsCheck && !(await this.canContinue(undefined, model?.id))) return false;
    if (this.#runningTurn !== undefined) return false;
    const acceptedAttachments = typeof attachments === 'function' ? attachments() : attachments;
    if (acceptedAttachments === undefined) return false;
    const parentId = this.conversation.head?.id ?? null;
    await this.#addUserMessage(text, acceptedAttachments, parentId, model);
    return true;
  }

  /**
   * Adds a new version of a user message as a sibling, and requests an answer. The new version lacks the attachments
   * that the user removed from the context. The old branch remains.
   * @returns true if the new version was accepted. Resolves when the answer has ended.
   */
  async edit(messageId: string, text: string): Promise<boolean> {
    const message = this.conversation.findMessage(messageId);
    if (message?.role !== 'user') return false;
    if (this.#mayNeedConsent(messageId) && !(await this.canContinue(messageId))) return false;
    if (this.#runningTurn !== undefined) return false;
    const attachments = message.attachments.filter(({ isRemoved }) => isRemoved !== true);
    await this.#addUserMessage(text, attachments, message.parentId);
    return true;
  }

  /**
   * Requests another answer to the user message of the answer `answerId`. The old answer remains, and the new answer is
   * its sibling.
   * @param model Model to use for this answer in place of the selected model; ignored for an `/image` message.
   */
  async retry(answerId: string, model?: Answer['model']): Promise<void> {
    const answer = this.conversation.findMessage(answerId);
    if (answer?.role !== 'assistant') return;
    const isImage = answer.images !== undefined;
    if (
      !isImage &&
      this.#mayNeedConsent(answerId) &&
      !(await this.canContinue(answerId, model?.id))
    )
      return;
    await this.#answerMessage(answer.parentId, Promise.resolve(), isImage ? undefined : model);
  }

  /**
   * Continues an incomplete answer. If the answer is complete and has tool calls, continues the turn that ended after
   * these calls.
   */
  async continue(answerId: string): Promise<void> {
    const answer = this.conversation.findMessage(answerId);
    if (answer?.role !== 'assistant' || this.#runningTurn !== undefined) return;
    const hasCalls = endsWithToolCalls(answer);
    if (!hasCalls && answer.status === 'complete') return;
    // The id of the model is empty if the record of the answer is damaged. Such an answer cannot be continued.
    const canResume = answer.text !== '' && answer.model.id !== '';
    if (!hasCalls && !canResume) return this.retry(answerId);
    const modelId = hasCalls ? this.#ports.getModel().id : answer.model.id;
    if (this.#mayNeedConsent(answerId) && !(await this.canContinue(answerId, modelId))) return;
    if (hasCalls) return this.#answerMessage(answerId);
    const { lockAnswer } = this.#ports;
    if (this.#isLocking) return;
    this.#isLocking = true;
    const lock = await lockAnswer?.(answerId, true);
    this.#isLocking = false;
    // Retries instead, because two windows that write to one answer would mix their texts.
    if (lockAnswer !== undefined && lock === undefined) return this.retry(answerId);
    // Another turn may have started while the consent prompt was open.
    if (this.#runningTurn !== undefined) return lock?.dispose();
    const writePromise = this.#writer.record({ type: 'answer-resume', id: answerId });
    const resumedAnswer = this.conversation.findMessage(answerId);
    if (resumedAnswer?.role !== 'assistant') return lock?.dispose();
    this.#onDidChangeEmitter.fire({ type: 'answer-resume', answer: resumedAnswer });
    await this.#startTurn(resumedAnswer, answerId, writePromise, Promise.resolve(lock));
  }

  /** Stops the turn and resolves when the turn has ended. Received text and completed tool calls remain. */
  async stop(): Promise<void> {
    this.#runningTurn?.turn.abort();
    await this.#runningTurn?.completion;
  }

  /**
   * Makes the running turn continue with the next queued message after the current tool call. Ignored while no turn
   * runs.
   */
  interrupt(): void {
    this.#runningTurn?.turn.interrupt();
  }

  /**
   * Selects another version of the message, and the newest messages below that version. `index` is the 0-based
   * position among the siblings.
   */
  async selectBranch(messageId: string, index: number): Promise<void> {
    const message = this.conversation.findMessage(messageId);
    if (message === undefined || this.#runningTurn !== undefined) return;
    const siblingId = this.conversation.listSiblingIds(message)[index];
    if (siblingId === undefined) return;
    const startIndex = this.conversation.listPath(messageId).length - 1;
    await this.#writer.record({
      type: 'head-set',
      id: this.conversation.findLeafId(siblingId),
    });
    this.#onDidChangeEmitter.fire({ type: 'path-change', startIndex });
  }

  /**
   * Ends the selected branch before the message. The message and the messages after it remain as another branch.
   * @returns true if the branch was ended; false if a turn runs or the message does not exist
   */
  async rewind(messageId: string): Promise<boolean> {
    const message = this.conversation.findMessage(messageId);
    if (message === undefined || this.#runningTurn !== undefined) return false;
    const startIndex = this.conversation.listPath(messageId).length - 1;
    await this.#writer.record({ type: 'head-set', id: message.parentId ?? '' });
    this.#onDidChangeEmitter.fire({ type: 'path-change', startIndex });
    return true;
  }

  /**
   * Adds a summary. In future requests, the summary replaces all messages before the last exchange.
   * @returns true if a summary was written; false if there is nothing to summarize; undefined if the user does not
   * consent
   * @throws ServiceError if the summary fails or the signal aborts
   */
  async compact(signal: AbortSignal): Promise<boolean | undefined> {
    const { loadAgent, getModel } = this.#ports;
    const { head } = this.conversation;
    const answer = this.conversation.listPath().findLast((message) => message.role === 'assistant');
    if (loadAgent === undefined || head === undefined || answer === undefined) return false;
    if (!(await this.canContinue())) return undefined;
    const isCompacted = await (
      await loadAgent()
    ).compactConversation(
      { ...createAgentTurn(this.#context, answer, signal), modelId: getModel().id },
      head.id,
    );
    await this.#writer.completedWrites;
    return isCompacted;
  }

  /**
   * Repeats the write of records whose earlier write failed. Resolves when the records are on disk, or the write has
   * failed again.
   */
  retryWrites(): Promise<void> {
    return this.#writer.write([]);
  }

  async rename(title: string): Promise<void> {
    await this.#writer.record({ type: 'title-set', title });
    this.#onDidChangeEmitter.fire({ type: 'title-change', title });
  }

  /** Replaces the options of the conversation. The new options apply from the next request on. */
  async setOptions(options: ChatOptions): Promise<void> {
    const writePromise = this.#writer.record({ type: 'options-set', options });
    this.#onDidChangeEmitter.fire({ type: 'options-change' });
    await writePromise;
  }

  /** Applies the user's change to the todo list. The model receives the list with its next request. */
  async changeTodos(change: TodoChange): Promise<void> {
    const { todoList } = this.conversation;
    const list = applyTodoChange(todoList, change, this.#ports.createId);
    if (list !== todoList) await this.setTodos(list);
  }

  /** Replaces the todo list, for example with an earlier list. */
  async setTodos(list: TodoList): Promise<void> {
    const writePromise = this.#writer.record({ type: 'todos-set', list });
    this.#onDidChangeEmitter.fire({ type: 'todos-change' });
    await writePromise;
  }

  /**
   * Excludes an attachment or the output of a tool call from later requests, or includes it again.
   * @param id Id of the message with the attachment or the tool call.
   * @param itemId Id of the attachment or the tool call.
   */
  async setRemoved(id: string, itemId: string, isRemoved: boolean): Promise<void> {
    await this.#writer.record({ type: 'context-set', id, item: itemId, isRemoved });
  }

  /** Sets the mode from the next request and tool call on, even in a running turn. */
  async setMode(mode: Mode): Promise<void> {
    const writePromise = this.#writer.record({ type: 'mode-set', mode });
    this.#onDidChangeEmitter.fire({ type: 'mode-change' });
    await writePromise;
  }

  /** Sets the model from the next turn on. */
  async setModel(choice: ChosenModel): Promise<void> {
    const writePromise = this.#writer.record({ type: 'model-set', ...choice });
    this.#onDidChangeEmitter.fire({ type: 'model-change' });
    await writePromise;
  }

  /** Sets the permission level from the next tool call on, even in a running turn. */
  async setPermissionLevel(level: PermissionLevel): Promise<void> {
    const writePromise = this.#writer.record({ type: 'permissions-set', level });
    this.#onDidChangeEmitter.fire({ type: 'permissions-change' });
    await writePromise;
  }

  /**
   * Interrupts the streaming answer. Pending records are then written to disk; {@link waitUntilSettled} waits for
   * this write.
   */
  dispose(): void {
    this.#runningTurn?.turn.abort(new ServiceError(createIncompleteStreamFailure()));
    this.#onDidChangeEmitter.dispose();
  }

  /** Resolves when no turn runs, and all records are written to disk or their write has failed. */
  async waitUntilSettled(): Promise<void> {
    await this.#runningTurn?.completion;
    await this.#writer.completedWrites;
  }

  /**
   * Checks whether the next turn may need the user's consent: no turn runs, and earlier answers were encrypted or
   * attested.
   */
  #mayNeedConsent(id = this.conversation.head?.id): boolean {
    const canStartTurn = this.#runningTurn === undefined && id !== undefined;
    return canStartTurn && getProtectedChat(this.conversation, id) !== undefined;
  }

  async #addUserMessage(
    text: string,
    attachments: readonly Attachment[],
    parentId: string | null,
    model?: Answer['model'],
  ): Promise<void> {
    if (this.#runningTurn !== undefined) return;
    const { id, writePromise } = this.#addMessage(text, attachments, parentId);
    await this.#answerMessage(id, writePromise, model);
  }

  /** Adds a user message without requesting an answer. */
  #addMessage(
    text: string,
    attachments: readonly Attachment[],
    parentId: string | null,
  ): { readonly id: string; readonly writePromise: Promise<void> } {
    const { createId, clock } = this.#ports;
    const startIndex = parentId === null ? 0 : this.conversation.listPath(parentId).length;
    const isFork = startIndex < this.conversation.listPath().length;
    const message: Message = {
      role: 'user',
      id: createId(),
      parentId,
      createdAt: clock.now(),
      text,
      attachments,
    };
    const records: ConversationRecord[] = [{ type: 'message-add', message }];
    const titleSource = text === '' ? attachments.map(({ label }) => label).join(', ') : text;
    if (this.conversation.title === '')
      records.push({ type: 'title-set', title: createTitle(titleSource) });
    const writePromise = this.#writer.record(...records);
    this.#onDidChangeEmitter.fire(
      isFork ? { type: 'path-change', startIndex } : { type: 'message-add', message },
    );
    if (records.length > 1)
      this.#onDidChangeEmitter.fire({ type: 'title-change', title: this.conversation.title });
    return { id: message.id, writePromise };
  }

  async #answerMessage(
    parentId: string,
    messageWritePromise: Promise<void> = Promise.resolve(),
    model?: Answer['model'],
  ): Promise<void> {
    if (this.#runningTurn !== undefined) return;
    const { answer, writePromise } = this.#addAnswer(parentId, model);
    await this.#startTurn(answer, parentId, Promise.all([messageWritePromise, writePromise]));
  }

  #addAnswer(
    parentId: string,
    turnModel?: Answer['model'],
    replacedModel?: Answer['model'],
  ): { answer: Answer; writePromise: Promise<void> } {
    const { createId, clock, getModel, images } = this.#ports;
    const parent = this.conversation.findMessage(parentId);
    const isForImage = parent?.role === 'user' && readImagePrompt(parent.text) !== undefined;
    const imageGenerator = isForImage ? images : undefined;
    const startIndex = this.conversation.listPath(parentId).length;
    const isFork = startIndex < this.conversation.listPath().length;
    const answer: Answer = {
      role: 'assistant',
      id: createId(),
      parentId,
      createdAt: clock.now(),
      model: turnModel ?? imageGenerator?.getModel() ?? getModel(),
      text: '',
      reasoning: '',
      status: 'streaming',
      result: {},
      toolRuns: [],
      ...(imageGenerator === undefined ? {} : { images: [] }),
      ...omitUndefined({ replacedModel }),
    };
    const writePromise = this.#writer.record({ type: 'message-add', message: answer });
    this.#onDidChangeEmitter.fire(
      isFork ? { type: 'path-change', startIndex } : { type: 'message-add', message: answer },
    );
    return { answer, writePromise };
  }

  /**
   * Stores the settings that a chat lacks: model, mode and permission level. Later changes of the defaults then do not
   * affect the chat.
   */
  async #storeMissingSettings(): Promise<void> {
    const choice = this.#ports.getChosenModel?.();
    if (choice !== undefined && this.conversation.findModel(choice.profile) === undefined)
      await this.setModel(choice);
    const mode = this.#ports.getMode?.();
    if (mode !== undefined && this.conversation.mode === undefined) await this.setMode(mode);
    const level = this.#ports.getPermissionLevel?.();
    if (level === undefined || this.conversation.permissionLevel !== undefined) return;
    await this.setPermissionLevel(level);
  }

  /** Starts a turn that begins with `answer`. The first request of the turn ends with the message `endId`. */
  async #startTurn(
    answer: Answer,
    endId: string,
    writesPromise: Promise<unknown>,
    lock = this.#ports.lockAnswer?.(answer.id, false),
  ): Promise<void> {
    const turn = new Turn(this.#context, answer);
    const completion = turn.run(
      endId,
      Promise.all([writesPromise, this.#storeMissingSettings(), lock]),
    );
    this.#turn = { turn, completion };
    await completion;
    (await lock)?.dispose();
  }
}
