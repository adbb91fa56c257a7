import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { ChatEvent, ChatRequest, Cost, ReplyInfo, Usage } from '../service/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/failure.ts';
import type {
  Answer,
  Attachment,
  Conversation,
  ConversationRecord,
  Message,
} from './conversation.ts';
import type { ConversationStore } from './conversation-store.ts';
import { DeltaBatcher } from './delta-batcher.ts';
import { buildRequest } from './prompt.ts';
import { titleFrom } from './title.ts';
import { endedEarly, runTurn, type TurnEvent } from './turn.ts';

/** The world as a session needs it. */
export interface ChatPorts {
  readonly store: ConversationStore;
  readonly clock: Clock;
  /** Opaque, short, unique. */
  readonly newId: () => string;
  readonly stream: (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;
  readonly model: () => { readonly id: string; readonly name: string };
  readonly estimateCost: (modelId: string, usage: Usage) => Cost | undefined;
  /** Told of each reply and each failure, for the account's state. */
  readonly report: (outcome: ServiceFailure | ReplyInfo) => void;
  /** Told once per session when the disk refuses; the chat goes on in memory. */
  readonly storeFailed: (error: unknown) => void;
}

/** What changed in a session, for the views that show it. */
export type SessionEvent =
  | { readonly type: 'message-add'; readonly message: Message }
  /** The current path changed from the message at `from` on. */
  | { readonly type: 'path-change'; readonly from: number }
  | { readonly type: 'title-change'; readonly title: string }
  | { readonly type: 'answer-resume'; readonly answer: Answer }
  | { readonly type: 'turn-event'; readonly answerId: string; readonly event: TurnEvent };

/** How often a growing answer is written to disk, in milliseconds: what a crash can cost. */
const draftIntervalMs = 1_000;

/** One conversation that people can act on. At most one answer streams at a time. */
export class ChatSession implements Disposable {
  readonly conversation: Conversation;
  readonly #ports: ChatPorts;
  readonly #changed = new Emitter<SessionEvent>();
  #running:
    | { readonly answerId: string; readonly abort: AbortController; readonly done: Promise<void> }
    | undefined;
  /** Records not on disk yet. Those the disk refused stay, so that the next write makes the file whole. */
  #pending: ConversationRecord[];
  #writes: Promise<void> = Promise.resolve();
  #storeFailed = false;

  constructor(
    conversation: Conversation,
    ports: ChatPorts,
    pending: readonly ConversationRecord[] = [],
  ) {
    this.conversation = conversation;
    this.#ports = ports;
    this.#pending = [...pending];
  }

  readonly onDidChange: Event<SessionEvent> = (listener) => this.#changed.event(listener);

  /** Id of the answer being streamed. */
  get streaming(): string | undefined {
    return this.#running?.answerId;
  }

  /** Adds the person's message, has it on disk, then asks the model. Ignored while an answer streams. */
  async send(text: string, attachments: readonly Attachment[]): Promise<void> {
    await this.#ask(text, attachments, this.conversation.head?.id ?? null);
  }

  /** Asks anew with another text beside the message `messageId`; the old branch stays. */
  async edit(messageId: string, text: string): Promise<void> {
    const message = this.conversation.find(messageId);
    if (message?.role !== 'user') return;
    await this.#ask(text, message.attachments, message.parentId);
  }

  /** Another answer beside `answerId`; the old one stays. */
  async retry(answerId: string): Promise<void> {
    const answer = this.conversation.find(answerId);
    if (answer?.role === 'assistant') await this.#answer(answer.parentId);
  }

  /** Goes on with an answer that did not finish. */
  async continue(answerId: string): Promise<void> {
    const answer = this.conversation.find(answerId);
    if (answer?.role !== 'assistant' || answer.status === 'complete' || this.#running !== undefined)
      return;
    if (answer.text === '') return this.retry(answerId);
    const written = this.#record({ type: 'answer-resume', id: answerId });
    const resumed = this.conversation.find(answerId);
    if (resumed?.role !== 'assistant') return;
    this.#changed.fire({ type: 'answer-resume', answer: resumed });
    const path = this.conversation.path(answerId);
    await this.#stream(resumed, buildRequest({ model: answer.model.id, path }), written);
  }

  /** Stops the answer being streamed; resolves when it has ended. What arrived is kept. */
  async stop(): Promise<void> {
    this.#running?.abort.abort();
    await this.#running?.done;
  }

  /** Shows the `index`-th sibling of the message, with the newest messages below it. */
  async selectBranch(messageId: string, index: number): Promise<void> {
    const message = this.conversation.find(messageId);
    if (message === undefined || this.#running !== undefined) return;
    const sibling = this.conversation.siblings(message)[index];
    if (sibling === undefined) return;
    const from = this.conversation.path(messageId).length - 1;
    await this.#record({ type: 'head-set', id: this.conversation.newestLeaf(sibling) });
    this.#changed.fire({ type: 'path-change', from });
  }

  async rename(title: string): Promise<void> {
    await this.#record({ type: 'title-set', title });
    this.#changed.fire({ type: 'title-change', title });
  }

  /** Interrupts the answer being streamed. What was recorded is still written: wait for {@link settled}. */
  dispose(): void {
    this.#running?.abort.abort(new ServiceError(endedEarly));
    this.#changed.dispose();
  }

  /** Resolves when nothing streams and everything recorded is on disk, or was refused by it. */
  async settled(): Promise<void> {
    await this.#running?.done;
    await this.#writes;
  }

  async #ask(
    text: string,
    attachments: readonly Attachment[],
    parentId: string | null,
  ): Promise<void> {
    if (this.#running !== undefined) return;
    const { newId, clock } = this.#ports;
    const from = parentId === null ? 0 : this.conversation.path(parentId).length;
    const fork = from < this.conversation.path().length;
    const message: Message = {
      role: 'user',
      id: newId(),
      parentId,
      createdAt: clock.now(),
      text,
      attachments,
    };
    const added: ConversationRecord[] = [{ type: 'message-add', message }];
    if (this.conversation.title === '') added.push({ type: 'title-set', title: titleFrom(text) });
    const written = this.#record(...added);
    this.#changed.fire(fork ? { type: 'path-change', from } : { type: 'message-add', message });
    if (added.length > 1)
      this.#changed.fire({ type: 'title-change', title: this.conversation.title });
    await this.#answer(message.id, written);
  }

  async #answer(parentId: string, before: Promise<void> = Promise.resolve()): Promise<void> {
    if (this.#running !== undefined) return;
    const { newId, clock, model } = this.#ports;
    const from = this.conversation.path(parentId).length;
    const fork = from < this.conversation.path().length;
    const answer: Answer = {
      role: 'assistant',
      id: newId(),
      parentId,
      createdAt: clock.now(),
      model: model(),
      text: '',
      reasoning: '',
      status: 'streaming',
      result: {},
    };
    const written = this.#record({ type: 'message-add', message: answer });
    this.#changed.fire(
      fork ? { type: 'path-change', from } : { type: 'message-add', message: answer },
    );
    const request = buildRequest({
      model: answer.model.id,
      path: this.conversation.path(parentId),
    });
    await this.#stream(answer, request, Promise.all([before, written]));
  }

  async #stream(
    answer: Answer,
    request: ChatRequest,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<void> {
    const abort = new AbortController();
    const done = before.then(() => this.#run(answer, request, abort.signal));
    this.#running = { answerId: answer.id, abort, done };
    await done;
  }

  async #run(answer: Answer, request: ChatRequest, signal: AbortSignal): Promise<void> {
    const { clock, stream, estimateCost } = this.#ports;
    const draft = new DeltaBatcher(clock, draftIntervalMs, (delta) => {
      void this.#write([{ type: 'answer-delta', id: answer.id, ...delta }]);
    });
    await runTurn(
      {
        events: stream(request, signal),
        clock,
        estimateCost: (usage) => estimateCost(answer.model.id, usage),
        earlier: answer.result,
      },
      (event) => this.#turnEvent(answer.id, event, draft),
    );
    await this.#writes;
  }

  #turnEvent(id: string, event: TurnEvent, draft: DeltaBatcher): void {
    if (event.type === 'text-delta') {
      this.conversation.apply({
        type: 'answer-delta',
        id,
        text: event.text,
        reasoning: event.reasoning,
      });
      draft.add(event);
    } else if (event.type === 'turn-end') {
      draft.end();
      this.#running = undefined;
      void this.#record({ type: 'answer-end', id, status: event.status, result: event.result });
      if (event.result.failure !== undefined) this.#ports.report(event.result.failure);
    } else if (event.type === 'reply-info') {
      this.#ports.report(event.info);
    }
    this.#changed.fire({ type: 'turn-event', answerId: id, event });
  }

  /** Applies the records and writes them. Resolves when they are on disk, or the disk refused. */
  #record(...records: readonly ConversationRecord[]): Promise<void> {
    for (const record of records) this.conversation.apply(record);
    return this.#write(records);
  }

  #write(records: readonly ConversationRecord[]): Promise<void> {
    this.#pending.push(...records);
    this.#writes = this.#writes.then(() => this.#flush());
    return this.#writes;
  }

  async #flush(): Promise<void> {
    // A conversation begins to exist on disk with its first message, not when an empty chat is opened.
    if (this.#pending.length === 0 || this.conversation.isEmpty) return;
    const records = this.#pending;
    this.#pending = [];
    try {
      await this.#ports.store.append(this.conversation.id, records);
    } catch (error) {
      this.#pending = [...records, ...this.#pending];
      if (!this.#storeFailed) this.#ports.storeFailed(error);
      this.#storeFailed = true;
    }
  }
}
