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
import { streamAnswer, type TurnEvent } from './answer.ts';
import { type ConversationWriter, DeltaBatcher } from './conversation-writer.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import { imagePrompt, runImageTurn } from './image-turn.ts';

/** Dependencies of a turn. */
export interface TurnPorts {
  readonly clock: Clock;
  /** Loads the agent, which provides and runs tools. If omitted, the model gets no tools and its calls are ignored. */
  readonly agent?: () => Promise<TurnAgent>;
  /** Opens the event stream of an answer, in batches as they arrive. Rejects if nothing could be sent. */
  readonly stream: (
    request: ChatRequest,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<readonly ChatEvent[]>>;
  /** Answers `/image`. If omitted, the text model answers such messages. */
  readonly images?: ImageGenerator;
  /** Returns the protection that the conversation requires from the model. If omitted, none is required. */
  readonly terms?: (modelId: string) => ProtectionTerms;
  /** Returns the request parameters for the conversation's options. If omitted, the options have no effect. */
  readonly parameters?: (options: StoredChatOptions, modelId: string) => Promise<ChatParameters>;
  readonly estimateCost: (modelId: string, usage: Usage, searches: number) => Cost | undefined;
  /** Receives each reply and each failure, for the account's state. */
  readonly report: (outcome: ServiceFailure | ResponseInfo) => void;
  /** Receives errors that the user sees only as a failed answer. */
  readonly logError: (what: string, error: unknown) => void;
}

/** Changes that a turn makes to its conversation. */
export type TurnChange =
  | { readonly type: 'tool-run'; readonly answerId: string; readonly run: ToolRun }
  /** The answer's tool calls have ended. The turn continues with another answer or has ended. */
  | { readonly type: 'work-end'; readonly answer: Answer }
  /** A summary replaces everything before the message in requests. */
  | { readonly type: 'summary-change'; readonly message: Message }
  | { readonly type: 'turn-event'; readonly answerId: string; readonly event: TurnEvent };

/** The conversation of a turn, and how to change it. */
export interface TurnContext {
  readonly conversation: Conversation;
  readonly writer: ConversationWriter;
  readonly ports: TurnPorts;
  readonly emit: (change: TurnChange) => void;
  /** Adds an empty answer of the model below the message. */
  readonly addAnswer: (parentId: string, model: Answer['model']) => Answer;
}

/** Interval in milliseconds at which a growing answer is written to disk. A crash loses at most this much. */
const draftIntervalMs = 1_000;

/** Everything from a user message to the model's last answer to it. */
export class Turn {
  readonly #context: TurnContext;
  readonly #first: Answer;
  readonly #abort = new AbortController();
  readonly #agentTurn: AgentTurn;
  #answer: Answer;
  /** Set with the first request. */
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

  /** True from just before the last event is emitted, because a listener may start another turn. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  abort(reason?: ServiceError): void {
    this.#abort.abort(reason);
  }

  /**
   * Requests an answer, runs its tool calls, and repeats until an answer has none. Never rejects.
   * @param endId last message of the first request
   * @param before writes that must reach the disk before the request
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
      // All requests of a turn go to one model, even if the user selects another one meanwhile.
      this.#answer = this.#context.addAnswer(this.#answer.id, this.#first.model);
    }
  }

  /** Streams one answer into the conversation. */
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
   * Streams the service's events. If the request was too large and nothing was emitted yet, sends one smaller request.
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
        // Emitted text cannot be withdrawn.
        mayRetry &&= !batch.some(isContent);
        const failure = mayRetry ? failureOf(batch) : undefined;
        tooLarge = failure !== undefined && (await this.#makeRoom(endId, failure));
        if (tooLarge) break;
        yield batch;
      }
      if (!tooLarge) return;
    }
  }

  /** Builds the request and opens its stream. Never rejects. */
  async #open(endId: string): Promise<AsyncIterable<readonly ChatEvent[]> | ServiceError> {
    const { ports } = this.#context;
    const { signal } = this.#abort;
    try {
      return await ports.stream(await this.#request(endId), signal);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof ServiceError) return reason;
      if (signal.aborted) return stoppedError();
      ports.logError('A request could not be prepared', error);
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
      this.#context.ports.logError('A request could not be made smaller', error);
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
      // If the answer has calls to run, the turn continues.
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
      this.#context.ports.logError('What an answer took could not be counted', error);
    }
  }

  /** Runs the tool calls of the answer. Resolves to whether the turn continues. */
  async #runCalls(): Promise<boolean> {
    const { writer, emit } = this.#context;
    const asksAgain =
      (await this.#agent?.runCalls(this.#agentTurn, this.#currentAnswer())) ?? false;
    // Wait before the event: between two answers, a view could otherwise show the turn as ended.
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

  /** Ends a turn that an error in the extension interrupted. Completed work stays and is shown. */
  async #fail(error: unknown): Promise<void> {
    const { writer, ports, emit } = this.#context;
    ports.logError('A turn could not continue', error);
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

  /** The answer as the conversation now has it. */
  #currentAnswer(): Answer {
    const found = this.#context.conversation.find(this.#answer.id);
    return found?.role === 'assistant' ? found : this.#answer;
  }
}

/** Describes a turn from `answer` on to the agent. */
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

/** Checks whether the answer is complete and requests tool calls. */
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
