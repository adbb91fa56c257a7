import * as l10n from '@vscode/l10n';
import type { AgentTurn, TurnAgent } from '../agent/turn-agent.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { defined } from '../base/json.ts';
import { endedEarly, runTurn, type TurnEvent } from './answer.ts';
import { ConversationWriter, DeltaBatcher } from './conversation-writer.ts';
import { type ImageMaker, imagePrompt, runImageTurn } from './image-turn.ts';
import { type ProtectedChat, protectedChat } from './protected-chat.ts';
import type { ChatOptions, ChatParameters, KeptOptions } from '../conversation/chat-options.ts';
import type {
  Answer,
  Attachment,
  Conversation,
  ConversationRecord,
  Message,
} from '../conversation/conversation.ts';
import { buildRequest, type PromptOptions } from '../conversation/prompt.ts';
import type { ConversationStore } from '../conversation/summary.ts';
import type { ToolRun } from '../conversation/tool-run.ts';
import type { ChatEvent, ChatRequest, Cost, ReplyInfo, Usage } from '../service/chat/chat-types.ts';
import type { ChatTerms } from '../service/chat/protection.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';

const longest = 60;

/** A conversation's first name: the first words of the first message, on one line. */
export function titleFrom(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > longest / 2 ? space : longest)}…`;
}

/** The world as a session needs it. */
export interface ChatPorts {
  readonly store: ConversationStore;
  readonly clock: Clock;
  /** Opaque, short, unique. */
  readonly newId: () => string;
  /** Without one, the model gets no tools and calls of it are not run. */
  readonly agent?: TurnAgent;
  readonly stream: (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatEvent>;
  readonly model: () => { readonly id: string; readonly name: string };
  /** Whether a conversation that is protected so far may go on with the model; without it, it may. */
  readonly mayGoOn?: (chat: ProtectedChat, modelId: string) => Promise<boolean>;
  /** Answers `/image`; without one such a message is like any other. */
  readonly images?: ImageMaker;
  /** What the conversation may be sent to the model with, as it is now; without it, with anything. */
  readonly terms?: (modelId: string) => ChatTerms;
  /** What options come to in a request to the model; without it they count for nothing. */
  readonly parameters?: (options: KeptOptions, modelId: string) => Promise<ChatParameters>;
  readonly estimateCost: (modelId: string, usage: Usage, searches: number) => Cost | undefined;
  /** Told of each reply and each failure, for the account's state. */
  readonly report: (outcome: ServiceFailure | ReplyInfo) => void;
  /** Told of errors that the person only sees as a failed answer. */
  readonly logError: (what: string, error: unknown) => void;
  /** Told once per session when the disk refuses; the chat goes on in memory. */
  readonly storeFailed: (error: unknown) => void;
}

/** What changed in a session, for the views that show it. */
export type SessionEvent =
  | { readonly type: 'message-add'; readonly message: Message }
  /** The current path changed from the message at `from` on. */
  | { readonly type: 'path-change'; readonly from: number }
  | { readonly type: 'title-change'; readonly title: string }
  | { readonly type: 'options-change' }
  | { readonly type: 'answer-resume'; readonly answer: Answer }
  | { readonly type: 'tool-run'; readonly answerId: string; readonly run: ToolRun }
  /** The calls of the answer are over; the turn goes on with another answer, or it ended. */
  | { readonly type: 'work-end'; readonly answer: Answer }
  /** The model gets a summary in place of what came before the message. */
  | { readonly type: 'summary-change'; readonly message: Message }
  | { readonly type: 'turn-event'; readonly answerId: string; readonly event: TurnEvent };

/** How often a growing answer is written to disk, in milliseconds: what a crash can cost. */
const draftIntervalMs = 1_000;

/** One conversation that people can act on. At most one turn runs at a time. */
export class ChatSession implements Disposable {
  readonly conversation: Conversation;
  readonly #ports: ChatPorts;
  readonly #writer: ConversationWriter;
  readonly #changed = new Emitter<SessionEvent>();
  #running:
    | { answerId: string; readonly abort: AbortController; readonly done: Promise<void> }
    | undefined;

  constructor(
    conversation: Conversation,
    ports: ChatPorts,
    pending: readonly ConversationRecord[] = [],
  ) {
    this.conversation = conversation;
    this.#ports = ports;
    this.#writer = new ConversationWriter(conversation, ports, pending);
  }

  readonly onDidChange: Event<SessionEvent> = (listener) => this.#changed.event(listener);

  /** Id of the answer being streamed, or whose calls are being run. */
  get streaming(): string | undefined {
    return this.#running?.answerId;
  }

  /**
   * Whether the conversation may go on at the message `id` or beside it, by what protected it so far: the person may be
   * asked. Whatever would send it without asks first, and does nothing when it may not.
   */
  async mayGoOn(
    id = this.conversation.head?.id,
    modelId = this.#ports.model().id,
  ): Promise<boolean> {
    const chat = id === undefined ? undefined : protectedChat(this.conversation, id);
    return chat === undefined || (await this.#ports.mayGoOn?.(chat, modelId)) !== false;
  }

  /**
   * Adds the person's message, has it on disk, then asks the model. Ignored while an answer streams.
   * @param attachments as a function, called only when the message is taken
   * @returns whether it was taken, once it is answered
   */
  async send(
    text: string,
    attachments: readonly Attachment[] | (() => readonly Attachment[]),
  ): Promise<boolean> {
    const isForPicture = this.#ports.images !== undefined && imagePrompt(text) !== undefined;
    if (!isForPicture && this.#isProtected() && !(await this.mayGoOn())) return false;
    if (this.#running !== undefined) return false;
    const taken = typeof attachments === 'function' ? attachments() : attachments;
    await this.#ask(text, taken, this.conversation.head?.id ?? null);
    return true;
  }

  /**
   * Asks anew with another text beside the message `messageId`; the old branch stays.
   * @returns whether it was taken, once it is answered
   */
  async edit(messageId: string, text: string): Promise<boolean> {
    const message = this.conversation.find(messageId);
    if (message?.role !== 'user') return false;
    if (this.#isProtected(messageId) && !(await this.mayGoOn(messageId))) return false;
    if (this.#running !== undefined) return false;
    await this.#ask(text, message.attachments, message.parentId);
    return true;
  }

  /** Another answer beside `answerId`; the old one stays. */
  async retry(answerId: string): Promise<void> {
    const answer = this.conversation.find(answerId);
    if (answer?.role !== 'assistant') return;
    const isPicture = answer.images !== undefined;
    if (!isPicture && this.#isProtected(answerId) && !(await this.mayGoOn(answerId))) return;
    await this.#answer(answer.parentId);
  }

  /** Goes on with an answer that did not finish, or whose turn ended after its calls. */
  async continue(answerId: string): Promise<void> {
    const answer = this.conversation.find(answerId);
    if (answer?.role !== 'assistant' || this.#running !== undefined) return;
    const goesOn = endsWithCalls(answer);
    if (!goesOn && answer.status === 'complete') return;
    if (!goesOn && answer.text === '') return this.retry(answerId);
    const modelId = goesOn ? this.#ports.model().id : answer.model.id;
    if (this.#isProtected(answerId) && !(await this.mayGoOn(answerId, modelId))) return;
    if (goesOn) return this.#answer(answerId);
    // Something else may have begun while the person was asked.
    if (this.#running !== undefined) return;
    const written = this.#writer.record({ type: 'answer-resume', id: answerId });
    const resumed = this.conversation.find(answerId);
    if (resumed?.role !== 'assistant') return;
    this.#changed.fire({ type: 'answer-resume', answer: resumed });
    await this.#begin(resumed, answerId, written);
  }

  /** Stops the turn; resolves when it has ended. What arrived, and what was done, is kept. */
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
    await this.#writer.record({ type: 'head-set', id: this.conversation.newestLeaf(sibling) });
    this.#changed.fire({ type: 'path-change', from });
  }

  /**
   * Has a summary stand for everything before the last exchange, from the next request on.
   * @returns whether there was anything to summarise; undefined when it may not be sent
   * @throws ServiceError when none could be written, or the signal fired
   */
  async compact(signal: AbortSignal): Promise<boolean | undefined> {
    const { agent, model } = this.#ports;
    const { head } = this.conversation;
    const answer = this.conversation.path().findLast((each) => each.role === 'assistant');
    if (agent === undefined || head === undefined || answer === undefined) return false;
    if (!(await this.mayGoOn())) return undefined;
    const done = await agent.compact(
      { ...this.#turn(answer, signal), modelId: model().id },
      head.id,
    );
    await this.#writer.written;
    return done;
  }

  async rename(title: string): Promise<void> {
    await this.#writer.record({ type: 'title-set', title });
    this.#changed.fire({ type: 'title-change', title });
  }

  /** From the next request on, answers are asked for with these options in place of those before. */
  async setOptions(options: ChatOptions): Promise<void> {
    const written = this.#writer.record({ type: 'options-set', options });
    this.#changed.fire({ type: 'options-change' });
    await written;
  }

  /** Interrupts the answer being streamed. What was recorded is still written: wait for {@link settled}. */
  dispose(): void {
    this.#running?.abort.abort(new ServiceError(endedEarly()));
    this.#changed.dispose();
  }

  /** Resolves when nothing streams and everything recorded is on disk, or was refused by it. */
  async settled(): Promise<void> {
    await this.#running?.done;
    await this.#writer.written;
  }

  /** Where it is not, what was asked for begins at once. */
  #isProtected(id = this.conversation.head?.id): boolean {
    const isFree = this.#running === undefined && id !== undefined;
    return isFree && protectedChat(this.conversation, id) !== undefined;
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
    const named = text === '' ? attachments.map(({ label }) => label).join(', ') : text;
    if (this.conversation.title === '') added.push({ type: 'title-set', title: titleFrom(named) });
    const written = this.#writer.record(...added);
    this.#changed.fire(fork ? { type: 'path-change', from } : { type: 'message-add', message });
    if (added.length > 1)
      this.#changed.fire({ type: 'title-change', title: this.conversation.title });
    await this.#answer(message.id, written);
  }

  async #answer(parentId: string, before: Promise<void> = Promise.resolve()): Promise<void> {
    if (this.#running !== undefined) return;
    const { answer, written } = this.#addAnswer(parentId);
    await this.#begin(answer, parentId, Promise.all([before, written]));
  }

  #addAnswer(
    parentId: string,
    asked?: Answer['model'],
  ): { answer: Answer; written: Promise<void> } {
    const { newId, clock, model, images } = this.#ports;
    const maker = this.#imagePrompt(parentId) === undefined ? undefined : images;
    const from = this.conversation.path(parentId).length;
    const fork = from < this.conversation.path().length;
    const answer: Answer = {
      role: 'assistant',
      id: newId(),
      parentId,
      createdAt: clock.now(),
      model: asked ?? maker?.model() ?? model(),
      text: '',
      reasoning: '',
      status: 'streaming',
      result: {},
      toolRuns: [],
      ...(maker === undefined ? {} : { images: [] }),
    };
    const written = this.#writer.record({ type: 'message-add', message: answer });
    this.#changed.fire(
      fork ? { type: 'path-change', from } : { type: 'message-add', message: answer },
    );
    return { answer, written };
  }

  /** Runs a turn from `answer` on, which goes on after the message `endId`. */
  async #begin(answer: Answer, endId: string, before: Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    const turn = this.#turn(answer, abort.signal);
    const done = before
      .then(() => this.#runTurn(answer, endId, turn))
      .catch((error: unknown) => this.#fail(turn, error));
    this.#running = { answerId: answer.id, abort, done };
    await done;
  }

  /** Of the message; undefined when it asks for no picture. */
  #imagePrompt(id: string): string | undefined {
    const message = this.conversation.find(id);
    return message?.role === 'user' ? imagePrompt(message.text) : undefined;
  }

  async #runTurn(first: Answer, endId: string, turn: AgentTurn): Promise<void> {
    const { images } = this.#ports;
    if (first.images !== undefined && images !== undefined) return this.#paint(first, turn, images);
    for (let answer = first, end = endId; ; end = answer.parentId) {
      await this.#stream(answer, end, turn);
      // Whoever heard of the end may have begun another turn.
      if (!this.#isRunning(turn)) return;
      if (!(await this.#work(turn, this.#find(answer)))) return;
      // The turn is asked for from one model, whatever was chosen meanwhile.
      answer = this.#addAnswer(answer.id, first.model).answer;
      if (this.#running !== undefined) this.#running.answerId = answer.id;
    }
  }

  /** Has the picture made that the message before the answer asks for. */
  async #paint(answer: Answer, turn: AgentTurn, maker: ImageMaker): Promise<void> {
    const { clock } = this.#ports;
    const { id } = answer;
    await runImageTurn(
      {
        maker,
        prompt: this.#imagePrompt(answer.parentId) ?? '',
        signal: turn.signal,
        clock,
        onImage: (image) => void this.#writer.record({ type: 'image-add', id, image }),
      },
      (event) => {
        if (event.type === 'turn-end') {
          this.#running = undefined;
          void this.#writer.record({
            type: 'answer-end',
            id,
            status: event.status,
            result: event.result,
          });
        }
        this.#changed.fire({ type: 'turn-event', answerId: id, event });
      },
    );
    await this.#writer.written;
    this.#changed.fire({ type: 'work-end', answer: this.#find(answer) });
  }

  /** Has the calls of an answer run; resolves to whether the turn goes on. */
  async #work(turn: AgentTurn, answer: Answer): Promise<boolean> {
    const asksAgain = (await this.#ports.agent?.runCalls(turn, answer)) ?? false;
    // Before anybody hears of it: between two answers a view would take the turn for ended.
    await this.#writer.written;
    const goesOn = asksAgain && !turn.signal.aborted;
    if (!goesOn) this.#running = undefined;
    this.#changed.fire({ type: 'work-end', answer: this.#find(answer) });
    return goesOn;
  }

  /** Ends a turn that cannot go on for a fault of ours. What was done until then stays done, and is told. */
  async #fail(turn: AgentTurn, error: unknown): Promise<void> {
    this.#ports.logError('A turn could not go on', error);
    const running = this.#running;
    if (running === undefined || !this.#isRunning(turn)) return;
    this.#running = undefined;
    running.abort.abort();
    const answer = this.conversation.find(running.answerId);
    if (answer?.role !== 'assistant') return;
    const status = answer.status === 'streaming' ? 'failed' : answer.status;
    const result = { ...answer.result, failure: notGoingOn() };
    const written = this.#writer.record({ type: 'answer-end', id: answer.id, status, result });
    this.#changed.fire({ type: 'work-end', answer: this.#find(answer) });
    await written;
  }

  #isRunning({ signal }: AgentTurn): boolean {
    return this.#running?.abort.signal === signal;
  }

  #turn(answer: Answer, signal: AbortSignal): AgentTurn {
    const { conversation } = this;
    return {
      conversation,
      turnId: conversation.turnOf(answer.id) ?? answer.id,
      modelId: answer.model.id,
      signal,
      ...defined({ terms: this.#ports.terms }),
      parameters: async () =>
        (await this.#ports.parameters?.(conversation.options, answer.model.id)) ?? {},
      putRun: (answerId, run) => {
        void this.#writer.record({ type: 'tool-run', id: answerId, run });
        this.#changed.fire({ type: 'tool-run', answerId, run });
      },
      setSummary: (id, text) => {
        void this.#writer.record({ type: 'summary-set', id, text });
        const message = conversation.find(id);
        if (message !== undefined) this.#changed.fire({ type: 'summary-change', message });
      },
    };
  }

  /** The answer as the conversation has it now. */
  #find(answer: Answer): Answer {
    const found = this.conversation.find(answer.id);
    return found?.role === 'assistant' ? found : answer;
  }

  async #stream(answer: Answer, endId: string, turn: AgentTurn): Promise<void> {
    const { clock, estimateCost } = this.#ports;
    const draft = new DeltaBatcher(clock, draftIntervalMs, (delta) => {
      void this.#writer.write([{ type: 'answer-delta', id: answer.id, ...delta }]);
    });
    await runTurn(
      {
        events: this.#events(turn, endId),
        clock,
        estimateCost: (usage, searches) => estimateCost(answer.model.id, usage, searches),
        earlier: answer.result,
      },
      (event) => this.#turnEvent({ turn, answer, draft }, event),
    );
    await this.#writer.written;
  }

  /** What the service tells; a request that was too large is made smaller, once, before anybody hears of it. */
  async *#events(turn: AgentTurn, endId: string): AsyncGenerator<ChatEvent> {
    const { stream } = this.#ports;
    let request = await this.#request(turn, endId);
    for (let mayRetry = true; !('code' in request); mayRetry = false) {
      let tooLarge = false;
      for await (const event of stream(request, turn.signal)) {
        const failure = mayRetry ? failureOf(event) : undefined;
        tooLarge = failure !== undefined && (await this.#makeRoom(turn, endId, failure));
        if (tooLarge) break;
        // What was told cannot be taken back.
        if (event.type !== 'retry-wait' && event.type !== 'stream-start') mayRetry = false;
        yield event;
      }
      if (!tooLarge) return;
      request = await this.#request(turn, endId);
    }
    yield { type: 'stream-end', outcome: { kind: 'failed', failure: request } };
  }

  async #makeRoom(turn: AgentTurn, endId: string, failure: ServiceFailure): Promise<boolean> {
    try {
      return (await this.#ports.agent?.makeRoom(turn, endId, failure)) ?? false;
    } catch (error) {
      this.#ports.logError('A request could not be made smaller', error);
      return false;
    }
  }

  async #request(turn: AgentTurn, endId: string): Promise<ChatRequest | ServiceFailure> {
    const { agent } = this.#ports;
    const { conversation, modelId, signal } = turn;
    try {
      if (agent === undefined) {
        const path = conversation.path(endId);
        return buildRequest({ model: modelId, path, ...(await parametersOf(turn)) });
      }
      return await agent.request(turn, endId);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof ServiceError) return reason.failure;
      if (!signal.aborted) this.#ports.logError('A request could not be prepared', error);
      return signal.aborted ? stoppedByPerson() : notPrepared();
    }
  }

  #turnEvent({ turn, answer, draft }: Streaming, event: TurnEvent): void {
    const { id } = answer;
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
      // With calls to run the turn is not over.
      if (this.#ports.agent === undefined || !endsWithCalls(event)) this.#running = undefined;
      void this.#writer.record({
        type: 'answer-end',
        id,
        status: event.status,
        result: event.result,
      });
      this.#tellAgent(turn, answer);
      if (event.result.failure !== undefined) this.#ports.report(event.result.failure);
    } else if (event.type === 'reply-info') {
      this.#ports.report(event.info);
      const { protection } = event;
      if (protection !== undefined)
        void this.#writer.record({ type: 'answer-protect', id, protection });
    }
    this.#changed.fire({ type: 'turn-event', answerId: id, event });
  }

  #tellAgent(turn: AgentTurn, answer: Answer): void {
    try {
      this.#ports.agent?.answered(turn, this.#find(answer));
    } catch (error) {
      this.#ports.logError('What an answer took could not be counted', error);
    }
  }
}

/** An answer that grows. */
interface Streaming {
  readonly turn: AgentTurn;
  readonly answer: Answer;
  readonly draft: DeltaBatcher;
}

const endsWithCalls = ({ status, result }: Pick<Answer, 'status' | 'result'>): boolean =>
  status === 'complete' && (result.toolCalls ?? []).length > 0;

async function parametersOf({ parameters }: AgentTurn): Promise<Pick<PromptOptions, 'parameters'>> {
  return parameters === undefined ? {} : { parameters: await parameters() };
}

const failureOf = (event: ChatEvent): ServiceFailure | undefined =>
  event.type === 'stream-end' && event.outcome.kind === 'failed'
    ? event.outcome.failure
    : undefined;

const stoppedByPerson = (): ServiceFailure => ({ code: 'stopped', message: l10n.t('Stopped.') });

const notPrepared = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('The request could not be prepared. The log says more.'),
});

const notGoingOn = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t(
    'The turn ended here because of an error in the extension. What was done until then stays done. The log says more; send a message to go on.',
  ),
});
