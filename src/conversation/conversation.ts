import type { JsonRecord } from '../base/json.ts';
import type {
  Citation,
  Cost,
  FinishReason,
  ReasoningSource,
  ToolCall,
  Usage,
} from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { RefusedPart } from '../service/http/refusal.ts';
import type { attachmentKinds, Mode, PermissionLevel, todoStatuses } from './protocol.ts';
import type { AnswerProtection } from '../service/chat/protection.ts';
import type { StoredChatOptions } from './chat-options.ts';
import type { ToolRun } from './tool-run.ts';

export type AttachmentKind = (typeof attachmentKinds)[number];

/**
 * An attachment of a message. Its `text` is stored, so that a repeated request contains the same text. For an image or
 * a document, `text` is empty, and `media` names the file with the content.
 */
export interface Attachment {
  readonly id: string;
  readonly kind: AttachmentKind;
  /**
   * Path relative to the workspace folder. Ends with line numbers if only a part of the file is attached:
   * `src/app.ts:10-20`.
   */
  readonly label: string;
  /** VS Code language id, such as `typescript`. Used as the label of the code fence in the prompt. */
  readonly language: string;
  readonly text: string;
  /** File with the content. Set only for the kinds `image` and `document`. */
  readonly media?: Media;
  /** True if the user excluded the attachment from later requests. Absent otherwise. */
  readonly isRemoved?: true;
}

/** A media file of a message. The content of the file never changes. */
export interface Media {
  /**
   * File name in the media folder: `<sha256>.<extension>`. The file may be missing, because other
   * programs can delete it.
   */
  readonly file: string;
  /** MIME type, such as `image/png` or `application/pdf`. */
  readonly mediaType: string;
  /** File size in bytes. */
  readonly bytes: number;
  /** Width of the image in pixels. Both `width` and `height` are absent for documents. */
  readonly width?: number;
  readonly height?: number;
  /** Original file name. Requests to the model contain this name. */
  readonly name: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly id: string;
  /** Id of the message that this message follows; null for a message at the start of the conversation. */
  readonly parentId: string | null;
  /** Time of creation in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** An image in an answer. The gallery stores the bytes and may delete them. */
export interface AnswerImage {
  /** Id of the image in the gallery. */
  readonly id: string;
  readonly format: 'png' | 'jpeg' | 'webp';
  /** Width of the image in pixels. */
  readonly width: number;
  readonly height: number;
  /** Alternative text: the prompt that generated the image. */
  readonly alt: string;
  /** Model, size and cost: `Painter Turbo · 1024 × 1024 · $0.01`. */
  readonly caption: string;
}

/** Label and text of a workspace file with instructions for agents. Requests contain the text. */
export interface InstructionFile {
  /** Path relative to the workspace folder. */
  readonly label: string;
  readonly text: string;
}

/** One item of the todo list that the model and the user edit in a chat. */
export interface Todo {
  readonly id: string;
  readonly text: string;
  readonly status: (typeof todoStatuses)[number];
}

export interface TodoList {
  readonly items: readonly Todo[];
  /** True if the user changed the list after the model last wrote it. */
  readonly isEditedByUser: boolean;
}

export type AnswerStatus = 'streaming' | 'complete' | 'stopped' | 'interrupted' | 'failed';

export interface Answer {
  readonly role: 'assistant';
  readonly id: string;
  readonly parentId: string;
  readonly createdAt: number;
  /** Model id of the request, and the display name of the model at that time. */
  readonly model: { readonly id: string; readonly name: string };
  /** Model that failed. The extension replaced it with `model` automatically. */
  readonly replacedModel?: Answer['model'];
  readonly text: string;
  readonly reasoning: string;
  readonly status: AnswerStatus;
  readonly result: AnswerResult;
  /**
   * Runs of the answer's tool calls in the order of the calls. A call without a run has not
   * started.
   */
  readonly toolRuns: readonly ToolRun[];
  /**
   * Images of an answer to `/image`; absent in other answers. Requests to text models do not contain these images.
   */
  readonly images?: readonly AnswerImage[];
}

/** A model, and the base URL of its service. The URL is absent in records of earlier versions. */
type OfferedModel = Answer['model'] & { readonly baseUrl?: string };

/** Result of an answer. Fields are absent until known. Durations are in milliseconds. */
export interface AnswerResult {
  readonly reasoningMs?: number;
  readonly timeToFirstTokenMs?: number;
  readonly durationMs?: number;
  readonly finishReason?: FinishReason;
  /** Failure of the answer. In a complete answer, the failure that prevented the turn from continuing. */
  readonly failure?: ServiceFailure;
  /** Model that can answer instead. Set only if the failure was caused by the answer's model. */
  readonly fallback?: OfferedModel;
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** Usage and cost of the last request, if the answer needed several requests. */
  readonly lastRequest?: { readonly usage?: Usage; readonly cost?: Cost };
  /** True if `cost` was computed from the model's prices because the service reported none. */
  readonly costEstimated?: boolean;
  readonly toolCalls?: readonly RequestedCall[];
  /**
   * Protection of the answer by the trusted enclave in which the model runs. Absent if the model offers no protection.
   */
  readonly protection?: AnswerProtection;
  /** Sources of the answer. The mark `^1^` in the text refers to the first source. */
  readonly citations?: readonly Citation[];
  /** Parts of the request that the model refused. The request was then repeated without these parts. */
  readonly refusedParts?: readonly RefusedPart[];
  /** Response field that contained the reasoning. Absent for `reasoning_content`. */
  readonly reasoningSource?: ReasoningSource;
  /** Entries of `reasoning_details`, which requests send back unchanged with the tool results. */
  readonly reasoningDetails?: readonly JsonRecord[];
  /** Signature of the reasoning, which requests send back unchanged with the tool results. */
  readonly thoughtSignature?: string;
  /**
   * Base URL of the service that wrote the answer. Set only for an answer with tool calls. Requests to another service
   * do not contain the reasoning of this answer.
   */
  readonly connection?: string;
}

/**
 * A tool call that the model requested. A call with a `problem` does not run. Instead, the model receives the text of
 * `problem` as the result.
 */
export interface RequestedCall extends ToolCall {
  readonly problem?: string;
}

export type Message = UserMessage | Answer;

/** One change of a conversation. The same record changes the conversation in memory, on disk and in the views. */
export type ConversationRecord =
  | {
      readonly type: 'conversation-start';
      readonly version: 1;
      readonly id: string;
      readonly at: number;
      readonly folder: string | null;
    }
  | { readonly type: 'title-set'; readonly title: string }
  /** Adds the message. The message becomes the head, that is, the last message of the selected branch. */
  | { readonly type: 'message-add'; readonly message: Message }
  | { readonly type: 'answer-resume'; readonly id: string }
  /**
   * Protection of an answer by the trusted enclave in which the model runs, recorded when the answer starts to stream.
   * `answer-end` may replace this protection.
   */
  | {
      readonly type: 'answer-protect';
      readonly id: string;
      readonly protection: AnswerProtection;
    }
  | {
      readonly type: 'answer-delta';
      readonly id: string;
      readonly text: string;
      readonly reasoning: string;
    }
  | {
      readonly type: 'answer-end';
      readonly id: string;
      readonly status: Exclude<AnswerStatus, 'streaming'>;
      readonly result: AnswerResult;
    }
  /** A new or changed run of a tool call. The last record of a call replaces earlier records of the call. */
  | { readonly type: 'tool-run'; readonly id: string; readonly run: ToolRun }
  | { readonly type: 'image-add'; readonly id: string; readonly image: AnswerImage }
  /**
   * In requests, the summary `text` replaces all content before message `id`. This applies to every branch that
   * contains the message.
   */
  | { readonly type: 'summary-set'; readonly id: string; readonly text: string }
  /**
   * Stores instruction files of the workspace. If `id` is null, these are the files at the start of the conversation.
   * Otherwise, these are the files that were new or had changed when message `id` was sent.
   */
  | {
      readonly type: 'instructions-set';
      readonly id: string | null;
      readonly files: readonly InstructionFile[];
    }
  /**
   * Makes message `id` the head, that is, the last message of the selected branch. Selects no message if `id` is empty.
   */
  | { readonly type: 'head-set'; readonly id: string }
  /** Sets the mode of the following requests. */
  | { readonly type: 'mode-set'; readonly mode: Mode }
  /** Sets the model of the following requests on the connection with the id `profile`. */
  | ({ readonly type: 'model-set' } & ChosenModel)
  /** Sets the permission level of the following tool calls. */
  | { readonly type: 'permissions-set'; readonly level: PermissionLevel }
  /**
   * Excludes an attachment or the output of a tool call from later requests, or includes it again. `id` is the id of
   * the message, and `item` the id of the attachment or the call.
   */
  | {
      readonly type: 'context-set';
      readonly id: string;
      readonly item: string;
      readonly isRemoved: boolean;
    }
  /** Replaces the todo list. */
  | { readonly type: 'todos-set'; readonly list: TodoList }
  /** Replaces all options for later requests. */
  | { readonly type: 'options-set'; readonly options: StoredChatOptions };

/** Chat model that the user chose on a connection. */
export interface ChosenModel {
  /** Id or trait of the chosen model. */
  readonly model: string;
  /** Id of the profile that defines the connection. */
  readonly profile: string;
}

/** A conversation as a tree of messages. The current path leads from the first message to the head. */
export class Conversation {
  readonly id: string;
  readonly createdAt: number;
  /** URI of the workspace folder in which the conversation started. Null without a folder. */
  readonly folder: string | null;
  #title = '';
  #options: StoredChatOptions = {};
  #mode: Mode | undefined;
  /** Ids or traits of the chosen models, by the id of the connection. */
  readonly #models = new Map<string, string>();
  #permissionLevel: PermissionLevel | undefined;
  #todoList: TodoList = { items: [], isEditedByUser: false };
  #headId: string | null = null;
  #updatedAt: number;
  readonly #messages = new Map<string, Message>();
  readonly #summaries = new Map<string, string>();
  /**
   * Instruction files by the id of the message that added or changed them. For the files at the start of the
   * conversation, the map key is the empty string.
   */
  readonly #instructions = new Map<string, readonly InstructionFile[]>();
  /**
   * Ids of the replies to each message, by message id and in insertion order. For the messages at the start of the
   * conversation, the map key is the empty string.
   */
  readonly #childIds = new Map<string, string[]>();
  /** Ids of messages that are damaged, or that precede a missing message. */
  readonly #incompleteIds = new Set<string>();
  #isDamaged = false;

  constructor(start: Extract<ConversationRecord, { type: 'conversation-start' }>) {
    this.id = start.id;
    this.createdAt = start.at;
    this.#updatedAt = start.at;
    this.folder = start.folder;
  }

  get title(): string {
    return this.#title;
  }

  /** Options for the next requests. */
  get options(): StoredChatOptions {
    return this.#options;
  }

  /** Mode of the following requests. Undefined in conversations that older versions started. */
  get mode(): Mode | undefined {
    return this.#mode;
  }

  /**
   * Returns the model for the next request on a connection, as an id or a trait such as `default_code`. Returns undefined
   * before the first turn on that connection.
   * @param profile id of the connection
   */
  findModel(profile: string): string | undefined {
    return this.#models.get(profile);
  }

  /** Permission level of the following tool calls. Undefined in conversations that older versions started. */
  get permissionLevel(): PermissionLevel | undefined {
    return this.#permissionLevel;
  }

  /** Todo list of the conversation, shared by all branches. */
  get todoList(): TodoList {
    return this.#todoList;
  }

  /** Time of the last added message, in milliseconds since the epoch. */
  get updatedAt(): number {
    return this.#updatedAt;
  }

  get head(): Message | undefined {
    return this.#headId === null ? undefined : this.#messages.get(this.#headId);
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  /** True if a part of the stored conversation could not be read. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Checks whether damage to the conversation's file removed a part of the message, or the message after it. */
  isIncomplete(id: string): boolean {
    return this.#incompleteIds.has(id);
  }

  /**
   * Marks the conversation as damaged.
   * @param id Id of the incomplete message, or of the last message before a missing message; undefined if no message
   *   could be read.
   */
  markDamaged(id?: string): void {
    this.#isDamaged = true;
    if (id !== undefined) this.#incompleteIds.add(id);
  }

  /** All messages of all branches, in insertion order. */
  get messages(): IterableIterator<Message> {
    return this.#messages.values();
  }

  findMessage(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /**
   * Returns the messages from the first message to the head, or to the message with the id `endId`.
   */
  listPath(endId: string | null = this.#headId): readonly Message[] {
    const path: Message[] = [];
    for (let id = endId; id !== null;) {
      const message = this.#messages.get(id);
      if (message === undefined) break;
      path.push(message);
      id = message.parentId;
    }
    return path.reverse();
  }

  /**
   * Returns the summary that replaces all content before the message; undefined if none exists.
   */
  findSummaryBefore(id: string): string | undefined {
    return this.#summaries.get(id);
  }

  /**
   * Returns the instruction files that were added or changed with message `id`. If `id` is null, returns the files at
   * the start of the conversation. Undefined if no files are stored.
   */
  findInstructionFiles(id: string | null): readonly InstructionFile[] | undefined {
    return this.#instructions.get(id ?? '');
  }

  /** Returns the id of the user message that started the turn of message `id`; undefined if no such message exists. */
  findTurnStartId(id: string): string | undefined {
    return this.listPath(id).findLast(({ role }) => role === 'user')?.id;
  }

  /**
   * Returns the ids of all messages with the same parent as `message`, including its own id. The user can switch
   * between these messages.
   */
  listSiblingIds(message: Message): readonly string[] {
    return this.#childIds.get(message.parentId ?? '') ?? [message.id];
  }

  /** Returns the id of the last message below message `id`. At each fork, follows the newest child. */
  findLeafId(id: string): string {
    let leafId = id;
    for (let childId = this.#childIds.get(leafId)?.at(-1); childId !== undefined;) {
      leafId = childId;
      childId = this.#childIds.get(leafId)?.at(-1);
    }
    return leafId;
  }

  /**
   * Applies a record. Ignores records that refer to unknown messages, or that add a message whose id already exists.
   */
  applyRecord(record: ConversationRecord): void {
    switch (record.type) {
      case 'conversation-start':
        return;
      case 'title-set':
        this.#title = record.title;
        return;
      case 'message-add':
        this.#addMessage(record.message);
        return;
      case 'context-set':
        this.#setItemRemoved(record);
        return;
      case 'options-set':
        this.#options = record.options;
        return;
      case 'mode-set':
        this.#mode = record.mode;
        return;
      case 'model-set':
        this.#models.set(record.profile, record.model);
        return;
      case 'permissions-set':
        this.#permissionLevel = record.level;
        return;
      case 'todos-set':
        this.#todoList = record.list;
        return;
      case 'head-set':
        if (record.id === '') this.#headId = null;
        else if (this.#messages.has(record.id)) this.#headId = record.id;
        return;
      case 'tool-run':
        this.#changeAnswer(record.id, (answer) => ({
          ...answer,
          toolRuns: upsertRun(answer.toolRuns, record.run),
        }));
        return;
      case 'image-add':
        this.#changeAnswer(record.id, (answer) => ({
          ...answer,
          images: [...(answer.images ?? []), record.image],
        }));
        return;
      case 'summary-set':
        if (this.#messages.has(record.id)) this.#summaries.set(record.id, record.text);
        return;
      case 'instructions-set':
        this.#instructions.set(record.id ?? '', record.files);
        return;
      case 'answer-resume':
        this.#changeAnswer(record.id, resumeAnswer);
        return;
      case 'answer-protect':
        this.#changeAnswer(record.id, (answer) => ({
          ...answer,
          result: { ...answer.result, protection: record.protection },
        }));
        return;
      case 'answer-delta':
        this.#changeAnswer(record.id, (answer) => ({
          ...answer,
          text: answer.text + record.text,
          reasoning: answer.reasoning + record.reasoning,
        }));
        return;
      case 'answer-end':
        this.#changeAnswer(record.id, (answer) => ({
          ...answer,
          status: record.status,
          result: record.result,
        }));
        return;
    }
  }

  #addMessage(message: Message): void {
    const parentId = message.parentId ?? '';
    if (this.#messages.has(message.id) || (parentId !== '' && !this.#messages.has(parentId)))
      return;
    this.#messages.set(message.id, message);
    this.#childIds.set(parentId, [...(this.#childIds.get(parentId) ?? []), message.id]);
    this.#headId = message.id;
    this.#updatedAt = Math.max(this.#updatedAt, message.createdAt);
  }

  #setItemRemoved({
    id,
    item,
    isRemoved,
  }: Extract<ConversationRecord, { type: 'context-set' }>): void {
    const message = this.#messages.get(id);
    if (message?.role === 'user')
      this.#messages.set(id, {
        ...message,
        attachments: message.attachments.map((attachment) =>
          attachment.id === item ? setRemovedFlag(attachment, isRemoved) : attachment,
        ),
      });
    this.#changeAnswer(id, (answer) => ({
      ...answer,
      toolRuns: answer.toolRuns.map((run) =>
        run.callId === item ? setRemovedFlag(run, isRemoved) : run,
      ),
    }));
  }

  #changeAnswer(id: string, change: (answer: Answer) => Answer): void {
    const message = this.#messages.get(id);
    if (message?.role === 'assistant') this.#messages.set(id, change(message));
  }
}

/**
 * Returns an answer with the status `streaming`, so that the model can continue the answer. Removes the failure, finish
 * reason and partial tool calls, and keeps the usage and cost.
 */
function resumeAnswer(answer: Answer): Answer {
  const {
    failure: _failure,
    fallback: _fallback,
    finishReason: _finishReason,
    toolCalls: _partialCalls,
    ...result
  } = answer.result;
  return { ...answer, status: 'streaming', result };
}

function setRemovedFlag<T extends { readonly isRemoved?: true }>(item: T, isRemoved: boolean): T {
  const { isRemoved: _, ...rest } = item;
  return (isRemoved ? { ...rest, isRemoved } : rest) as T;
}

function upsertRun(runs: readonly ToolRun[], run: ToolRun): readonly ToolRun[] {
  const index = runs.findIndex(({ callId }) => callId === run.callId);
  return index === -1 ? [...runs, run] : runs.with(index, run);
}
