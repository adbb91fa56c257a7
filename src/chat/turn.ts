import type { AgentTurn, DelegatedTask, TurnAgent } from '../agent/turn-agent.ts';
import { omitUndefined } from '../base/json.ts';
import type { Answer } from '../conversation/conversation.ts';
import { buildRequest } from '../conversation/prompt.ts';
import type { ImageGenerator } from '../image/image-generator.ts';
import type { ChatRequest } from '../service/chat/chat-types.ts';
import type { ServiceError, ServiceFailure } from '../service/http/failure.ts';
import { endsWithToolCalls, createInternalTurnFailure } from './answer-result.ts';
import { DeltaBatcher, requestAnswer, streamAnswer } from './answer.ts';
import { runDelegatedTurn } from './delegated-turn.ts';
import { runImageTurn } from './image-turn.ts';
import {
  createAgentTurn,
  type AnswerRequest,
  type FallbackModel,
  type TurnContext,
  type TurnEvent,
} from './turn-context.ts';

/**
 * Interval in milliseconds between writes of a streaming answer to disk. A crash loses the text of at most one
 * interval.
 */
const draftIntervalMs = 1_000;

/** Maximum number of fallback models that a turn tries after failures without asking the user. */
const maxFallbacks = 2;

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>;

/** Turn of a conversation: the answers and tool calls from a user message up to the model's final answer. */
export class Turn {
  readonly #context: TurnContext;
  readonly #firstAnswer: Answer;
  readonly #abortController = new AbortController();
  #agentTurn: AgentTurn;
  #answer: Answer;
  /** Agent of the turn. Undefined until the first request loads the agent. */
  #agent: TurnAgent | undefined;
  #hasEnded = false;
  /** Ids of the models that failed in this turn. */
  readonly #failedIds = new Set<string>();
  /** Model that has replaced the selected model after a failure, without asking the user. */
  #fallbackModel: Answer['model'] | undefined;

  constructor(context: TurnContext, firstAnswer: Answer) {
    this.#context = context;
    this.#firstAnswer = firstAnswer;
    this.#answer = firstAnswer;
    this.#agentTurn = this.#createAgentTurn();
  }

  /** Id of the answer in progress: streaming, or with running tool calls. */
  get answerId(): string {
    return this.#answer.id;
  }

  /** True after the end of the turn. Already true for listeners of the last event, which may start another turn. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  abort(reason?: ServiceError): void {
    this.#abortController.abort(reason);
  }

  /**
   * Requests an answer and runs its tool calls. Repeats both until an answer has no tool calls. Never rejects.
   * @param endId Id of the last message in the first request.
   * @param writesPromise Resolves when the messages of the request are on disk.
   */
  async run(endId: string, writesPromise: Promise<unknown>): Promise<void> {
    const { images } = this.#context.ports;
    try {
      await writesPromise;
      if (this.#firstAnswer.images !== undefined && images !== undefined)
        await this.#generateImages(images);
      else await this.#answerUntilTurnEnds(endId);
    } catch (error) {
      await this.#failTurn(error);
    }
  }

  async #answerUntilTurnEnds(firstEndId: string): Promise<void> {
    for (let endId = firstEndId; ; endId = this.#answer.parentId) {
      await this.#streamAnswer(endId);
      if (this.#fallbackModel !== undefined) {
        if (this.#abortController.signal.aborted) return this.#endTurn();
        const { parentId, model } = this.#answer;
        this.#answer = this.#context.addAnswer(parentId, this.#fallbackModel, model);
        this.#fallbackModel = undefined;
        continue;
      }
      if (this.#hasEnded) return;
      const parentId = await this.#runCalls();
      if (parentId === undefined) return;
      const isInterrupted = parentId !== this.#answer.id;
      // All requests of a turn use the same model, even if the user selects another model during the turn.
      this.#answer = this.#context.addAnswer(parentId, this.#answer.model);
      // Only a queued message of the user starts a new budget, a new undo step and a new search for fallback models.
      if (!isInterrupted) continue;
      this.#agentTurn = this.#createAgentTurn();
      this.#failedIds.clear();
    }
  }

  #createAgentTurn(): AgentTurn {
    const context = this.#context;
    const getModelId = (): string => this.#answer.model.id;
    const turn = createAgentTurn(context, this.#answer, this.#abortController.signal, getModelId);
    if (context.delegation !== undefined) return turn;
    return Object.assign(turn, {
      runDelegatedTurn: (task: DelegatedTask) =>
        runDelegatedTurn(context, task, (...args) => new Turn(...args)),
    });
  }

  /**
   * Makes the turn continue with the next queued message after the current tool call. Tool calls that wait for the
   * user's approval or answer then do not run.
   */
  interrupt(): void {
    this.#agent?.withdrawRequests();
  }

  /** Requests one answer and records its events in the conversation. */
  async #streamAnswer(endId: string): Promise<void> {
    const { ports, writer } = this.#context;
    const { id, model, result } = this.#answer;
    const draftBatcher = new DeltaBatcher(ports.clock, draftIntervalMs, (delta) => {
      void writer.write([{ type: 'answer-delta', id, ...delta }]);
    });
    await streamAnswer(
      {
        events: requestAnswer(this.#createAnswerRequest(endId)),
        clock: ports.clock,
        estimateCost: (usage, searchCount) => ports.estimateCost(model.id, usage, searchCount),
        earlierResult: result,
      },
      (event) => this.#onEvent(event, draftBatcher),
    );
    await writer.completedWrites;
  }

  #createAnswerRequest(endId: string): AnswerRequest {
    const { ports } = this.#context;
    const { signal } = this.#abortController;
    return {
      send: async () => ports.stream(await this.#buildRequest(endId), signal),
      lowerSizeLimits: async (failure) =>
        (await this.#agent?.lowerSizeLimits(this.#agentTurn, endId, failure)) ?? false,
      signal,
      logError: ports.logError,
    };
  }

  async #buildRequest(endId: string): Promise<ChatRequest> {
    const { conversation, ports } = this.#context;
    const turn = this.#agentTurn;
    this.#agent = await ports.loadAgent?.();
    if (this.#agent !== undefined) return this.#agent.buildRequest(turn, endId);
    const options = omitUndefined({ parameters: await turn.getParameters?.() });
    const path = conversation.listPath(endId);
    return buildRequest({ model: turn.modelId, baseUrl: turn.getBaseUrl?.(), path, ...options });
  }

  #onEvent(receivedEvent: TurnEvent, draftBatcher: DeltaBatcher): void {
    const { conversation, writer, ports, emitChange } = this.#context;
    const { id } = this.#answer;
    if (receivedEvent.type === 'turn-end') this.#reportUsage(receivedEvent.result);
    const event =
      receivedEvent.type === 'turn-end' ? this.#addFallback(receivedEvent) : receivedEvent;
    if (event.type === 'text-delta') {
      const { text, reasoning } = event;
      conversation.applyRecord({ type: 'answer-delta', id, text, reasoning });
      draftBatcher.addDelta(event);
    } else if (event.type === 'turn-end') {
      const { status, result } = event;
      draftBatcher.deliverAndStop();
      // The turn does not end with an answer that has tool calls, or with a failure after which another model continues.
      const hasCalls = this.#agent !== undefined && endsWithToolCalls(event);
      if (!hasCalls && this.#fallbackModel === undefined) this.#hasEnded = true;
      void writer.record({ type: 'answer-end', id, status, result });
      if (result.failure !== undefined) ports.reportRequestOutcome(result.failure);
    } else if (event.type === 'reply-info') {
      const { info, protection } = event;
      ports.reportRequestOutcome(info);
      if (protection !== undefined) void writer.record({ type: 'answer-protect', id, protection });
    }
    emitChange({ type: 'turn-event', answerId: id, event });
  }

  /**
   * Finds a model that can replace the model of a failed answer. If the user must agree to the replacement, returns a
   * copy of `event` with an offer of this model. Otherwise, returns `event` itself.
   */
  #addFallback(event: TurnEnd): TurnEnd {
    const { result } = event;
    const { failure } = result;
    if (failure === undefined || this.#abortController.signal.aborted) return event;
    this.#failedIds.add(this.#answer.model.id);
    const fallback = this.#findFallback(failure);
    if (fallback === undefined) return event;
    const { model, isAutomatic, baseUrl } = fallback;
    const canContinue = this.#agent?.canSendRequest(this.#agentTurn) ?? true;
    if (isAutomatic && canContinue && this.#failedIds.size <= maxFallbacks)
      this.#fallbackModel = model;
    else return { ...event, result: { ...result, fallback: { ...model, baseUrl } } };
    return event;
  }

  #findFallback(failure: ServiceFailure): FallbackModel | undefined {
    const { findFallback, logError } = this.#context.ports;
    try {
      const fallback = findFallback?.(this.#answer, failure, this.#failedIds);
      if (fallback === undefined || fallback.isAutomatic) return fallback;
      // Offers a model that failed in an earlier turn only if no other model is suitable.
      const failedIds = new Set([...this.#failedIds, ...this.#listFailedModelIds()]);
      return findFallback?.(this.#answer, failure, failedIds) ?? fallback;
    } catch (error) {
      logError('Could not choose another model', error);
      return undefined;
    }
  }

  /** Returns the model ids of all failed versions of the current answer, including the current version. */
  #listFailedModelIds(): readonly string[] {
    const { conversation } = this.#context;
    return conversation.listSiblingIds(this.#answer).flatMap((id) => {
      const answerVersion = conversation.findMessage(id);
      return answerVersion?.role === 'assistant' && answerVersion.status === 'failed'
        ? [answerVersion.model.id]
        : [];
    });
  }

  #reportUsage(result: TurnEnd['result']): void {
    try {
      this.#agent?.recordUsage(this.#agentTurn, { result });
    } catch (error) {
      this.#context.ports.logError('Could not record the usage of an answer', error);
    }
  }

  /**
   * Runs the tool calls of the answer.
   * @returns the id of the message that the next answer follows; undefined if the turn has ended
   */
  async #runCalls(): Promise<string | undefined> {
    const { writer, emitChange, ports } = this.#context;
    const shouldAskAgain =
      (await this.#agent?.runCalls(this.#agentTurn, this.#getCurrentAnswer())) ?? false;
    // Wait before the event is emitted, because a view would show the turn as ended until the next answer is added.
    await writer.completedWrites;
    const isAborted = this.#abortController.signal.aborted;
    const interruption = isAborted ? undefined : ports.interruptions?.takeMessage();
    const shouldContinue = (shouldAskAgain || interruption !== undefined) && !isAborted;
    if (!shouldContinue) {
      this.#endTurn();
      return undefined;
    }
    emitChange({ type: 'work-end', answer: this.#getCurrentAnswer() });
    const { id } = this.#answer;
    return interruption === undefined ? id : this.#context.addUserMessage(id, interruption);
  }

  #generateImages(imageGenerator: ImageGenerator): Promise<void> {
    const { signal } = this.#abortController;
    return runImageTurn(this.#context, {
      imageGenerator,
      answer: this.#firstAnswer,
      signal,
      onEnd: () => {
        this.#hasEnded = true;
      },
    });
  }

  /**
   * Ends the turn after an internal error of the extension, and records the failure. Completed answers and tool calls
   * remain.
   */
  async #failTurn(error: unknown): Promise<void> {
    const { writer, ports, emitChange } = this.#context;
    ports.logError('Could not continue a turn', error);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#abortController.abort();
    const { id, status: lastStatus, result } = this.#getCurrentAnswer();
    const writePromise = writer.record({
      type: 'answer-end',
      id,
      status: lastStatus === 'streaming' ? 'failed' : lastStatus,
      result: { ...result, failure: createInternalTurnFailure() },
    });
    emitChange({ type: 'work-end', answer: this.#getCurrentAnswer() });
    await writePromise;
  }

  #endTurn(): void {
    this.#hasEnded = true;
    this.#context.emitChange({ type: 'work-end', answer: this.#getCurrentAnswer() });
  }

  /** Returns the latest version of the answer from the conversation. */
  #getCurrentAnswer(): Answer {
    const message = this.#context.conversation.findMessage(this.#answer.id);
    return message?.role === 'assistant' ? message : this.#answer;
  }
}
