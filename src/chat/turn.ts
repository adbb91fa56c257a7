import * as l10n from '@vscode/l10n';
import type { AgentTurn, TurnAgent } from '../agent/turn-agent.ts';
import type { Clock } from '../base/clock.ts';
import { omitUndefined } from '../base/json.ts';
import type { ChatParameters, StoredChatOptions } from '../conversation/chat-options.ts';
import type { Answer, Conversation, Message } from '../conversation/conversation.ts';
import { buildRequest } from '../conversation/prompt.ts';
import type { ToolRun } from '../conversation/tool-run.ts';
import type {
  ChatEvent,
  ChatRequest,
  Cost,
  ResponseInfo,
  Usage,
} from '../service/chat/chat-types.ts';
import type { ProtectionTerms } from '../service/chat/protection.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import { stoppedError } from '../service/http/network-failure.ts';
import { DeltaBatcher, streamAnswer, type TurnEvent } from './answer.ts';
import type { ConversationWriter } from './conversation-writer.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import { imagePrompt, runImageTurn } from './image-turn.ts';

/** Clock, agent and service functions of a turn. */
export interface TurnPorts {
  readonly clock: Clock;
  /**
   * Loads the agent, which provides and runs the tools. If omitted, the model has no tools and its tool calls are
   * ignored.
   */
  readonly agent?: () => Promise<TurnAgent>;
  /** Sends a request and returns the events of the answer in batches. Rejects if nothing could be sent. */
  readonly stream: (
    request: ChatRequest,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<readonly ChatEvent[]>>;
  /** Generates images for `/image` messages. If omitted, the text model answers these messages. */
  readonly images?: ImageGenerator;
  /** Returns the protection that the user requires for the conversation. If omitted, no protection is required. */
  readonly terms?: (modelId: string) => ProtectionTerms;
  /** Returns the request parameters for the options of the conversation. If omitted, the options have no effect. */
  readonly parameters?: (options: StoredChatOptions, modelId: string) => Promise<ChatParameters>;
  readonly estimateCost: (modelId: string, usage: Usage, searches: number) => Cost | undefined;
  /** Receives the outcome of each request, to update the state of the account. */
  readonly report: (outcome: ServiceFailure | ResponseInfo) => void;
  /** Receives the details of errors that the user sees only as a failed answer. */
  readonly logError: (what: string, error: unknown) => void;
}

/** Changes of the conversation that a turn reports. */
export type TurnChange =
  | { readonly type: 'tool-run'; readonly answerId: string; readonly run: ToolRun }
  /** All tool calls of the answer have ended. The turn then ends or continues with another answer. */
  | { readonly type: 'work-end'; readonly answer: Answer }
  /** A summary was added that replaces all messages before `message` in requests. */
  | { readonly type: 'summary-change'; readonly message: Message }
  | { readonly type: 'turn-event'; readonly answerId: string; readonly event: TurnEvent };

/** Conversation of a turn, and functions to change the conversation. */
export interface TurnContext {
  readonly conversation: Conversation;
  readonly writer: ConversationWriter;
  readonly ports: TurnPorts;
  readonly emit: (change: TurnChange) => void;
  /** Adds an empty answer of the model as a child of the message. */
  readonly addAnswer: (parentId: string, model: Answer['model']) => Answer;
}

/**
 * Interval in milliseconds between writes of a streaming answer to disk. A crash loses the text of at most one
 * interval.
 */
const draftIntervalMs = 1_000;

/** Turn of a conversation: all answers and tool calls from a user message to the model's final answer. */
export class Turn {
  readonly #context: TurnContext;
  readonly #first: Answer;
  readonly #abort = new AbortController();
  readonly #agentTurn: AgentTurn;
  #answer: Answer;
  /** Absent until the first request loads the agent. */
  #agent: TurnAgent | undefined;
  #hasEnded = false;

  constructor(context: TurnContext, first: Answer) {
    this.#context = context;
    this.#first = first;
    this.#answer = first;
    this.#agentTurn = agentTurn(context, first, this.#abort.signal);
  }

  /** Id of the answer that is streaming or whose tool calls are running. */
  get answerId(): string {
    return this.#answer.id;
  }

  /**
   * True as soon as the turn has ended. Set before the last event is emitted, because a listener may start another
   * turn.
   */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  abort(reason?: ServiceError): void {
    this.#abort.abort(reason);
  }

  /**
   * Requests an answer and runs its tool calls. Repeats both until an answer has no tool calls. Never rejects.
   * @param endId id of the last message in the first request
   * @param before resolves when the messages of the request are on disk
   */
  async run(endId: string, before: Promise<unknown>): Promise<void> {
    const { images } = this.#context.ports;
    try {
      await before;
      if (this.#first.images !== undefined && images !== undefined) await this.#makeImages(images);
      else await this.#answerUntilDone(endId);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #answerUntilDone(firstEndId: string): Promise<void> {
    for (let endId = firstEndId; ; endId = this.#answer.parentId) {
      await this.#stream(endId);
      if (this.#hasEnded || !(await this.#runCalls())) return;
      // All requests of a turn use the same model, even if the user selects another model during the turn.
      this.#answer = this.#context.addAnswer(this.#answer.id, this.#first.model);
    }
  }

  /** Requests one answer and records its events in the conversation. */
  async #stream(endId: string): Promise<void> {
    const { ports, writer } = this.#context;
    const { id, model, result } = this.#answer;
    const draft = new DeltaBatcher(ports.clock, draftIntervalMs, (delta) => {
      void writer.write([{ type: 'answer-delta', id, ...delta }]);
    });
    await streamAnswer(
      {
        events: this.#events(endId),
        clock: ports.clock,
        estimateCost: (usage, searches) => ports.estimateCost(model.id, usage, searches),
        earlier: result,
      },
      (event) => this.#onEvent(event, draft),
    );
    await writer.written;
  }

  /**
   * Yields the service's events for one answer. If the service rejects a request as too large before any content
   * arrives, sends one smaller request.
   */
  async *#events(endId: string): AsyncGenerator<readonly ChatEvent[]> {
    for (let mayRetry = true; ; mayRetry = false) {
      const stream = await this.#open(endId);
      if (stream instanceof ServiceError) {
        const { failure } = stream;
        yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
        return;
      }
      let tooLarge = false;
      for await (const batch of stream) {
        // The page already shows emitted text, so the answer cannot start again.
        mayRetry &&= !batch.some(isContent);
        const failure = mayRetry ? failureOf(batch) : undefined;
        tooLarge = failure !== undefined && (await this.#makeRoom(endId, failure));
        if (tooLarge) break;
        yield batch;
      }
      if (!tooLarge) return;
    }
  }

  /** Builds and sends a request. Returns the events of the answer, or the error. Never rejects. */
  async #open(endId: string): Promise<AsyncIterable<readonly ChatEvent[]> | ServiceError> {
    const { ports } = this.#context;
    const { signal } = this.#abort;
    try {
      return await ports.stream(await this.#request(endId), signal);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof ServiceError) return reason;
      if (signal.aborted) return stoppedError();
      ports.logError('Could not prepare a request', error);
      return notPrepared();
    }
  }

  async #request(endId: string): Promise<ChatRequest> {
    const { conversation, ports } = this.#context;
    const turn = this.#agentTurn;
    this.#agent = await ports.agent?.();
    if (this.#agent !== undefined) return this.#agent.request(turn, endId);
    const parameters = await turn.parameters?.();
    const path = conversation.path(endId);
    return buildRequest({ model: turn.modelId, path, ...omitUndefined({ parameters }) });
  }

  async #makeRoom(endId: string, failure: ServiceFailure): Promise<boolean> {
    try {
      return (await this.#agent?.makeRoom(this.#agentTurn, endId, failure)) ?? false;
    } catch (error) {
      this.#context.ports.logError('Could not reduce a request', error);
      return false;
    }
  }

  #onEvent(event: TurnEvent, draft: DeltaBatcher): void {
    const { conversation, writer, ports, emit } = this.#context;
    const { id } = this.#answer;
    if (event.type === 'text-delta') {
      const { text, reasoning } = event;
      conversation.apply({ type: 'answer-delta', id, text, reasoning });
      draft.add(event);
    } else if (event.type === 'turn-end') {
      const { status, result } = event;
      draft.end();
      // An answer with tool calls does not end the turn.
      if (this.#agent === undefined || !endsWithCalls(event)) this.#hasEnded = true;
      void writer.record({ type: 'answer-end', id, status, result });
      this.#reportUsage();
      if (result.failure !== undefined) ports.report(result.failure);
    } else if (event.type === 'reply-info') {
      const { info, protection } = event;
      ports.report(info);
      if (protection !== undefined) void writer.record({ type: 'answer-protect', id, protection });
    }
    emit({ type: 'turn-event', answerId: id, event });
  }

  #reportUsage(): void {
    try {
      this.#agent?.recordUsage(this.#agentTurn, this.#currentAnswer());
    } catch (error) {
      this.#context.ports.logError('Could not record the usage of an answer', error);
    }
  }

  /** Runs the tool calls of the answer. Returns true if the turn continues with another answer. */
  async #runCalls(): Promise<boolean> {
    const { writer, emit } = this.#context;
    const asksAgain =
      (await this.#agent?.runCalls(this.#agentTurn, this.#currentAnswer())) ?? false;
    // Wait before the event is emitted, because a view would show the turn as ended until the next answer is added.
    await writer.written;
    const continues = asksAgain && !this.#abort.signal.aborted;
    if (!continues) this.#hasEnded = true;
    emit({ type: 'work-end', answer: this.#currentAnswer() });
    return continues;
  }

  async #makeImages(imageGenerator: ImageGenerator): Promise<void> {
    const { conversation, writer, ports, emit } = this.#context;
    const { id, parentId } = this.#answer;
    const message = conversation.find(parentId);
    await runImageTurn({
      imageGenerator,
      prompt: (message?.role === 'user' ? imagePrompt(message.text) : undefined) ?? '',
      answerId: id,
      signal: this.#abort.signal,
      clock: ports.clock,
      record: (record) => void writer.record(record),
      emit: (event) => {
        if (event.type === 'turn-end') this.#hasEnded = true;
        emit({ type: 'turn-event', answerId: id, event });
      },
    });
    await writer.written;
    emit({ type: 'work-end', answer: this.#currentAnswer() });
  }

  /** Ends the turn after an internal error, and records the failure. Completed answers and tool calls remain. */
  async #fail(error: unknown): Promise<void> {
    const { writer, ports, emit } = this.#context;
    ports.logError('Could not continue a turn', error);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#abort.abort();
    const { id, status: last, result } = this.#currentAnswer();
    const written = writer.record({
      type: 'answer-end',
      id,
      status: last === 'streaming' ? 'failed' : last,
      result: { ...result, failure: notContinued() },
    });
    emit({ type: 'work-end', answer: this.#currentAnswer() });
    await written;
  }

  /** Returns the latest version of the answer from the conversation. */
  #currentAnswer(): Answer {
    const found = this.#context.conversation.find(this.#answer.id);
    return found?.role === 'assistant' ? found : this.#answer;
  }
}

/** Returns the view of a turn that the agent receives. The turn starts with `answer`. */
export function agentTurn(
  { conversation, writer, ports, emit }: TurnContext,
  answer: Answer,
  signal: AbortSignal,
): AgentTurn {
  const modelId = answer.model.id;
  return {
    conversation,
    turnId: conversation.findTurnStart(answer.id) ?? answer.id,
    modelId,
    signal,
    ...omitUndefined({ terms: ports.terms }),
    parameters: async () => (await ports.parameters?.(conversation.options, modelId)) ?? {},
    putRun: (answerId, run) => {
      void writer.record({ type: 'tool-run', id: answerId, run });
      emit({ type: 'tool-run', answerId, run });
    },
    setSummary: (id, text) => {
      void writer.record({ type: 'summary-set', id, text });
      const message = conversation.find(id);
      if (message !== undefined) emit({ type: 'summary-change', message });
    },
  };
}

/** Checks whether an answer is complete and contains tool calls to run. */
export const endsWithCalls = ({ status, result }: Pick<Answer, 'status' | 'result'>): boolean =>
  status === 'complete' && (result.toolCalls ?? []).length > 0;

const isContent = ({ type }: ChatEvent): boolean =>
  type !== 'retry-wait' && type !== 'stream-start' && type !== 'stream-end';

function failureOf(batch: readonly ChatEvent[]): ServiceFailure | undefined {
  const end = batch.at(-1);
  return end?.type === 'stream-end' && end.outcome.kind === 'failed'
    ? end.outcome.failure
    : undefined;
}

const notPrepared = (): ServiceError =>
  new ServiceError({
    code: 'internal-error',
    message: l10n.t('The request could not be prepared. The log says more.'),
  });

const notContinued = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t(
    'The turn ended here because of an error in the extension. What was done until then stays done. The log says more; send a message to go on.',
  ),
});
