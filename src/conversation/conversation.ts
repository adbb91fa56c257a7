import type { Citation, Cost, FinishReason, ToolCall, Usage } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import type { attachmentKinds } from './protocol.ts';
import type { AnswerProtection } from '../service/chat/protection.ts';
import type { StoredChatOptions } from './chat-options.ts';
import type { ToolRun } from './tool-run.ts';

export type AttachmentKind = (typeof attachmentKinds)[number];

/**
 * Something that goes with a message. Its text is kept, so that a resend is the same request; a picture or a document
 * has its bytes in the media files instead, and an empty text.
 */
export interface Attachment {
  readonly id: string;
  readonly kind: AttachmentKind;
  /** Relative to its workspace folder, with the lines when it is a part: `src/app.ts:10-20`. */
  readonly label: string;
  /** VS Code language id, e.g. `typescript`; names the fence in the prompt. */
  readonly language: string;
  readonly text: string;
  /** Present for `image` and `document` alone. */
  readonly media?: Media;
}

/** Bytes that are sent with a message, as they were when it was written. */
export interface Media {
  /** Among the media files: `<sha256>.<ending>`. Another program may have removed it. */
  readonly file: string;
  /** `image/png`, `application/pdf`. */
  readonly mediaType: string;
  /** Length of the file. */
  readonly bytes: number;
  /** In pixels; of a picture alone. */
  readonly width?: number;
  readonly height?: number;
  /** File name, as the model is told it. */
  readonly name: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly id: string;
  /** The message it answers; null at the start of a branch from nothing. */
  readonly parentId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A picture that an answer shows. Its bytes are in the gallery, which may forget them. */
export interface AnswerImage {
  /** Of the gallery. */
  readonly id: string;
  readonly format: 'png' | 'jpeg' | 'webp';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** What it shows, in the words that it was made from. */
  readonly alt: string;
  /** How it was made and what it cost: `Painter Turbo · 1024 × 1024 · $0.01`. */
  readonly caption: string;
}

export type AnswerStatus = 'streaming' | 'complete' | 'stopped' | 'interrupted' | 'failed';

export interface Answer {
  readonly role: 'assistant';
  readonly id: string;
  readonly parentId: string;
  readonly createdAt: number;
  /** Model id the request named, and its display name then. */
  readonly model: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly reasoning: string;
  readonly status: AnswerStatus;
  readonly result: AnswerResult;
  /** What became of its tool calls, one per call that was begun, in the order they were. */
  readonly toolRuns: readonly ToolRun[];
  /** The pictures so far of an answer to `/image`, of which no text model knows. Absent in every other answer. */
  readonly images?: readonly AnswerImage[];
}

/** What is known when an answer ended; every field absent until it is. Durations in milliseconds. */
export interface AnswerResult {
  readonly reasoningMs?: number;
  readonly timeToFirstTokenMs?: number;
  readonly durationMs?: number;
  readonly finishReason?: FinishReason;
  /** Why it did not end well; of a whole answer, why the turn could not go on after it. */
  readonly failure?: ServiceFailure;
  readonly usage?: Usage;
  readonly cost?: Cost;
  /** Of the last request alone, when the answer took several. */
  readonly lastRequest?: { readonly usage?: Usage; readonly cost?: Cost };
  /** True when `cost` was computed from the model's prices because the service named none. */
  readonly costEstimated?: boolean;
  readonly toolCalls?: readonly RequestedCall[];
  /** What protected it; absent where its model offers nothing. */
  readonly protection?: AnswerProtection;
  /** Where it is from; a mark `^1^` in the text names the first. */
  readonly citations?: readonly Citation[];
}

/** A call as the model asked for it. One with a `problem` is never run: the model is told the problem instead. */
export interface RequestedCall extends ToolCall {
  readonly problem?: string;
}

export type Message = UserMessage | Answer;

/**
 * One change of a conversation. Changes are the only way a conversation comes to be as it is:
 * the same record goes to memory, to disk and to the views.
 */
export type ConversationRecord =
  | {
      readonly type: 'conversation-start';
      readonly version: 1;
      readonly id: string;
      readonly at: number;
      readonly folder: string | null;
    }
  | { readonly type: 'title-set'; readonly title: string }
  /** Adds the message and moves the head to it. */
  | { readonly type: 'message-add'; readonly message: Message }
  | { readonly type: 'answer-resume'; readonly id: string }
  /** What protects the answer that begins to stream; its end may say otherwise, where there is one. */
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
  /** A tool run of the answer, new or changed: the last record of a call counts. */
  | { readonly type: 'tool-run'; readonly id: string; readonly run: ToolRun }
  | { readonly type: 'image-add'; readonly id: string; readonly image: AnswerImage }
  /** From now on the model gets `text` in place of everything before the message `id`, on every branch through it. */
  | { readonly type: 'summary-set'; readonly id: string; readonly text: string }
  | { readonly type: 'head-set'; readonly id: string }
  /** From now on requests are made with these, and with no others. */
  | { readonly type: 'options-set'; readonly options: StoredChatOptions };

/** A tree of messages with one current path: the one that ends in the head. */
export class Conversation {
  readonly id: string;
  readonly createdAt: number;
  /** URI of the workspace folder it was started in; null without one. */
  readonly folder: string | null;
  #title = '';
  #options: StoredChatOptions = {};
  #head: string | null = null;
  #updatedAt: number;
  readonly #messages = new Map<string, Message>();
  readonly #summaries = new Map<string, string>();
  /** Children in the order they were added; the key of the first messages is ''. */
  readonly #children = new Map<string, string[]>();

  constructor(start: Extract<ConversationRecord, { type: 'conversation-start' }>) {
    this.id = start.id;
    this.createdAt = start.at;
    this.#updatedAt = start.at;
    this.folder = start.folder;
  }

  get title(): string {
    return this.#title;
  }

  /** What requests are made with. */
  get options(): StoredChatOptions {
    return this.#options;
  }

  /** When the last message was added, in milliseconds since the epoch. */
  get updatedAt(): number {
    return this.#updatedAt;
  }

  get head(): Message | undefined {
    return this.#head === null ? undefined : this.#messages.get(this.#head);
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  /** Every message of every branch, in the order they were added. */
  get messages(): IterableIterator<Message> {
    return this.#messages.values();
  }

  find(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /** From the first message to the head, or to the message `end`. */
  path(end: string | null = this.#head): readonly Message[] {
    const path: Message[] = [];
    for (let id = end; id !== null;) {
      const message = this.#messages.get(id);
      if (message === undefined) break;
      path.push(message);
      id = message.parentId;
    }
    return path.reverse();
  }

  /** What the model gets in place of everything before the message; undefined when it gets all of it. */
  summaryBefore(id: string): string | undefined {
    return this.#summaries.get(id);
  }

  /** The person's message that began the turn which `id` belongs to. */
  findTurnStart(id: string): string | undefined {
    return this.path(id).findLast(({ role }) => role === 'user')?.id;
  }

  /** The message and its siblings: what a person can switch between at this place. */
  siblings(message: Message): readonly string[] {
    return this.#children.get(message.parentId ?? '') ?? [message.id];
  }

  /** The newest message below `id`, following the newest child at each fork. */
  newestLeaf(id: string): string {
    let leaf = id;
    for (let child = this.#children.get(leaf)?.at(-1); child !== undefined;) {
      leaf = child;
      child = this.#children.get(leaf)?.at(-1);
    }
    return leaf;
  }

  /** Applies a change. One that names an unknown message, or repeats a known one, changes nothing. */
  apply(record: ConversationRecord): void {
    switch (record.type) {
      case 'conversation-start':
        return;
      case 'title-set':
        this.#title = record.title;
        return;
      case 'message-add':
        this.#add(record.message);
        return;
      case 'options-set':
        this.#options = record.options;
        return;
      case 'head-set':
        if (this.#messages.has(record.id)) this.#head = record.id;
        return;
      case 'tool-run':
        this.#change(record.id, (answer) => ({
          ...answer,
          toolRuns: upsertRun(answer.toolRuns, record.run),
        }));
        return;
      case 'image-add':
        this.#change(record.id, (answer) => ({
          ...answer,
          images: [...(answer.images ?? []), record.image],
        }));
        return;
      case 'summary-set':
        if (this.#messages.has(record.id)) this.#summaries.set(record.id, record.text);
        return;
      case 'answer-resume':
        this.#change(record.id, resumeAnswer);
        return;
      case 'answer-protect':
        this.#change(record.id, (answer) => ({
          ...answer,
          result: { ...answer.result, protection: record.protection },
        }));
        return;
      case 'answer-delta':
        this.#change(record.id, (answer) => ({
          ...answer,
          text: answer.text + record.text,
          reasoning: answer.reasoning + record.reasoning,
        }));
        return;
      case 'answer-end':
        this.#change(record.id, (answer) => ({
          ...answer,
          status: record.status,
          result: record.result,
        }));
        return;
    }
  }

  #add(message: Message): void {
    const parent = message.parentId ?? '';
    if (this.#messages.has(message.id) || (parent !== '' && !this.#messages.has(parent))) return;
    this.#messages.set(message.id, message);
    this.#children.set(parent, [...(this.#children.get(parent) ?? []), message.id]);
    this.#head = message.id;
    this.#updatedAt = Math.max(this.#updatedAt, message.createdAt);
  }

  #change(id: string, change: (answer: Answer) => Answer): void {
    const message = this.#messages.get(id);
    if (message?.role === 'assistant') this.#messages.set(id, change(message));
  }
}

/** The answer as it goes on: how it ended before, and calls that it had begun, are no longer true; what it took still is. */
function resumeAnswer(answer: Answer): Answer {
  const {
    failure: _failure,
    finishReason: _finishReason,
    toolCalls: _partialCalls,
    ...result
  } = answer.result;
  return { ...answer, status: 'streaming', result };
}

function upsertRun(runs: readonly ToolRun[], run: ToolRun): readonly ToolRun[] {
  const index = runs.findIndex(({ callId }) => callId === run.callId);
  return index === -1 ? [...runs, run] : runs.with(index, run);
}
