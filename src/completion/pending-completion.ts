import * as l10n from '@vscode/l10n';
import type { Clock } from '../base/clock.ts';
import type { AnswerReader } from './answer/scope.ts';
import { type CompletionAnchor, createAnchor, findTypedText } from './completion-cache.ts';
import type {
  SuggestionRequest,
  CompletionExchange,
  CompletionPorts,
  CompletionTarget,
} from './ports.ts';
import { estimateCharactersPerToken } from './prompt/prompt-budget.ts';
import type { FilterName } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChatEvent, Cost, StreamOutcome, Usage } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import { estimateCost } from '../service/pricing.ts';

/**
 * Delay in milliseconds before the first complete lines of a block are suggested. A fast answer is complete by then. A
 * slower answer contains several lines by then, from which its indentation can be detected.
 */
const holdBackMs = 50;
/**
 * Maximum number of characters that the user may type ahead of the received text. A longer text is unlikely to match
 * the answer.
 */
const maxTypedAhead = 16;
/** Maximum number of received characters per answer, including reasoning. */
const maxReceivedCharacters = 24_000;
/** Maximum duration of a request in milliseconds. */
const maxDurationMs = 30_000;

/**
 * Result of comparing an answer with the text that the user typed since its request. `undecided`: the answer is still
 * too short for a comparison.
 */
export type MatchState = 'match' | 'undecided' | 'mismatch';

/** State of a request. `text` is the completion; in the state `partial`, only the complete lines received so far. */
export type PendingState =
  | { readonly kind: 'open' }
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: ServiceFailure }
  | { readonly kind: 'canceled' };

export interface PendingOptions {
  /** Id of the completion that the request creates. */
  readonly id: number;
  readonly snapshot: Snapshot;
  readonly target: CompletionTarget;
  readonly request: SuggestionRequest;
  /**
   * Creates a request for the same completion on another API route, after the server refused the route of
   * `refusedRequest`. Returns undefined if no other route remains.
   */
  readonly createFallbackRequest: (
    refusedRequest: SuggestionRequest,
  ) => SuggestionRequest | undefined;
  readonly reader: AnswerReader;
  /** Called after every state change, before the listeners that {@link PendingCompletion.watch} added. */
  readonly onChange: (completion: PendingCompletion) => void;
}

/** Open request for a completion. Closes the stream when the completion is complete. */
export class PendingCompletion {
  readonly id: number;
  readonly anchor: CompletionAnchor;
  readonly snapshot: Snapshot;
  readonly #options: PendingOptions;
  readonly #ports: CompletionPorts;
  readonly #abortController = new AbortController();
  readonly #watchers = new Set<() => void>();
  readonly #startedAt: number;
  #request: SuggestionRequest;
  /** Failure of the request, if the server refused its API route before any text arrived. */
  #refusal: ServiceFailure | undefined;
  #state: PendingState = { kind: 'open' };
  #cancelTimer = (): void => {};
  #completeLength = 0;
  /** True if lines are suggested as soon as they are complete. False until the delay {@link holdBackMs} ends. */
  #canPublish = false;
  #cancelHoldBack: (() => void) | undefined;
  #timeToFirstTextMs: number | undefined;
  #receivedLength = 0;
  #usage: Usage | undefined;
  #cost: Cost | undefined;

  constructor(options: PendingOptions, ports: CompletionPorts) {
    this.id = options.id;
    this.snapshot = options.snapshot;
    this.anchor = createAnchor(options.snapshot);
    this.#options = options;
    this.#request = options.request;
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    this.#cancelTimer = ports.clock.after(maxDurationMs, () => this.cancel());
    this.#readWithFallback().catch(() => this.#failRequest(createInternalFailure()));
  }

  get state(): PendingState {
    return this.#state;
  }

  get isCompleted(): boolean {
    const { kind } = this.#state;
    return kind === 'whole' || kind === 'failed' || kind === 'canceled';
  }

  /** First filter that removed text of the answer. */
  get removedBy(): FilterName | undefined {
    return this.#options.reader.removedBy;
  }

  /** True if a provider call is waiting for the completion. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Length of the first suggestion in the text; undefined if the whole text is one suggestion. */
  get firstSuggestionLength(): number | undefined {
    return this.#options.reader.firstSuggestionLength;
  }

  compare(snapshot: Snapshot): MatchState {
    const typedText = findTypedText(this.anchor, snapshot)?.text;
    if (typedText === undefined) return 'mismatch';
    const { text } = this.#options.reader;
    if (text.startsWith(typedText))
      return text.length > typedText.length || typedText === '' ? 'match' : 'undecided';
    if (!typedText.startsWith(text)) return 'mismatch';
    return typedText.length - text.length > maxTypedAhead || this.isCompleted
      ? 'mismatch'
      : 'undecided';
  }

  /** Calls `listener` after every state change. Returns a function that removes the listener. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Cancels the request and discards the received text. */
  cancel(): void {
    if (!this.isCompleted) this.#finishRequest({ kind: 'canceled' }, 'canceled');
  }

  /** Reads the answer. If the server refuses the API route, repeats the request once on another route. */
  async #readWithFallback(): Promise<void> {
    await this.#readAnswer();
    const fallbackRequest = this.#refusal && this.#options.createFallbackRequest(this.#request);
    if (fallbackRequest !== undefined && !this.isCompleted) {
      this.#refusal = undefined;
      this.#request = fallbackRequest;
      await this.#readAnswer();
      if (this.#refusal !== undefined) this.#options.createFallbackRequest(fallbackRequest);
    }
    this.#failRequest(this.#refusal ?? createInternalFailure());
  }

  async #readAnswer(): Promise<void> {
    const { reader } = this.#options;
    for await (const batch of this.#ports.sendRequest(
      this.#request,
      this.#abortController.signal,
    )) {
      if (this.isCompleted) return;
      if (this.#handleBatch(batch)) return;
      const isFinished = reader.isComplete || this.#receivedLength > maxReceivedCharacters;
      if (isFinished) return this.#finishRequest(this.#createCompleteState(), 'cut');
      this.#publishCompleteLines();
    }
  }

  #failRequest(failure: ServiceFailure): void {
    if (!this.isCompleted) this.#finishRequest({ kind: 'failed', failure }, 'failed', failure);
  }

  /**
   * Processes a batch of events of the answer.
   * @returns true if the request is completed
   */
  #handleBatch(batch: readonly ChatEvent[]): boolean {
    for (const event of batch) this.#handleEvent(event);
    return this.isCompleted;
  }

  #handleEvent(event: ChatEvent): void {
    const { reader } = this.#options;
    if (event.type === 'text-delta') {
      this.#timeToFirstTextMs ??= this.#ports.clock.now() - this.#startedAt;
      this.#receivedLength += event.text.length;
      if (!reader.isComplete) reader.push(event.text);
    } else if (event.type === 'reasoning-delta') this.#receivedLength += event.text.length;
    else if (event.type === 'usage') {
      this.#usage = event.usage;
      this.#cost = event.cost;
    } else if (event.type === 'stream-end') this.#handleStreamEnd(event.outcome);
  }

  #handleStreamEnd(outcome: StreamOutcome): void {
    const { reader } = this.#options;
    if (outcome.kind === 'complete') {
      reader.end();
      return this.#finishRequest(this.#createCompleteState(), 'complete');
    }
    // Use the complete lines of an interrupted answer, because the user pays for them.
    if (reader.wholeLinesLength > 0) {
      const text = reader.text.slice(0, reader.wholeLinesLength);
      return this.#finishRequest({ kind: 'whole', text }, 'failed', outcome.failure);
    }
    if (outcome.failure.refusesRoute === true && this.#receivedLength === 0)
      this.#refusal = outcome.failure;
    else this.#failRequest(outcome.failure);
  }

  #createCompleteState(): PendingState {
    return { kind: 'whole', text: this.#options.reader.text };
  }

  /**
   * Makes the complete lines of an unfinished answer available as a suggestion. Omits the incomplete last line, because
   * the ghost text would flicker. Delays the first lines of a block by {@link holdBackMs}.
   */
  #publishCompleteLines(): void {
    const { wholeLinesLength, firstSuggestionLength } = this.#options.reader;
    if (wholeLinesLength > this.#completeLength) {
      this.#completeLength = wholeLinesLength;
      this.#canPublish ||= firstSuggestionLength !== undefined;
      if (this.#canPublish) this.#publishState();
      else this.#cancelHoldBack ??= this.#ports.clock.after(holdBackMs, () => this.#publishState());
    }
    this.#notifyWatchers();
  }

  #publishState(): void {
    this.#canPublish = true;
    if (this.isCompleted) return;
    this.#state = this.#createPartialState();
    this.#options.onChange(this);
    this.#notifyWatchers();
  }

  #createPartialState(): PendingState {
    const { text, wholeLinesLength } = this.#options.reader;
    return { kind: 'partial', text: text.slice(0, wholeLinesLength) };
  }

  #finishRequest(
    state: PendingState,
    outcome: CompletionExchange['outcome'],
    failure?: ServiceFailure,
  ): void {
    this.#state = state;
    this.#cancelTimer();
    this.#cancelHoldBack?.();
    // Abort only an open stream, so that the connection of a complete stream can be reused.
    if (outcome !== 'complete') this.#abortController.abort();
    this.#reportExchange(outcome, failure);
    this.#options.onChange(this);
    this.#notifyWatchers();
  }

  #notifyWatchers(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #reportExchange(
    outcome: CompletionExchange['outcome'],
    failure: ServiceFailure | undefined,
  ): void {
    const { model } = this.#options.target;
    const usage = this.#usage ?? this.#estimateUsage();
    const cost = this.#cost ?? estimateCost(usage, model.pricing);
    this.#ports.reportExchange({
      model,
      usage,
      isEstimate: this.#usage === undefined,
      isCostEstimate: this.#cost === undefined,
      outcome,
      ...(this.#timeToFirstTextMs === undefined
        ? {}
        : { timeToFirstTextMs: this.#timeToFirstTextMs }),
      ...(cost === undefined ? {} : { cost }),
      ...(failure === undefined ? {} : { failure }),
    });
  }

  /**
   * Estimates the usage from the lengths of the prompt and the answer. Zero for a request that failed before any text
   * arrived.
   */
  #estimateUsage(): Usage {
    const isFree = this.#state.kind === 'failed' && this.#receivedLength === 0;
    const prompt = getRequestText(this.#request);
    const charactersPerTokenInPrompt = estimateCharactersPerToken(prompt);
    const promptTokens = isFree ? 0 : Math.ceil(prompt.length / charactersPerTokenInPrompt);
    const completionTokens = Math.ceil(this.#receivedLength / charactersPerTokenInPrompt);
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }
}

const createInternalFailure = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('That did not work. See the log for details.'),
});

function getRequestText(request: SuggestionRequest): string {
  if (request.route === 'infill') {
    const { input_extra: extraFiles, input_prefix: prefix, input_suffix: suffix } = request.request;
    return [...extraFiles.map(({ text }) => text), prefix, suffix].join('');
  }
  if (request.route !== 'chat') return `${request.request.prompt}${request.request.suffix ?? ''}`;
  return request.request.messages
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .join('');
}

/** Maximum time in milliseconds that a provider call waits for a suggestion. */
export const maxWaitMs = 8_000;

/**
 * Waits until the state of one of the requests changes.
 * @param deadline time in milliseconds since the epoch
 * @returns `changed` after a change, `aborted` if the signal aborts, `timeout` if the deadline passes
 */
export async function waitForChange(
  completions: readonly Pick<PendingCompletion, 'watch'>[],
  { clock, signal, deadline }: { clock: Clock; signal: AbortSignal; deadline: number },
): Promise<'changed' | 'aborted' | 'timeout'> {
  if (signal.aborted) return 'aborted';
  return new Promise((resolve) => {
    const resolveWait = (outcome: 'changed' | 'aborted' | 'timeout'): void => {
      for (const cleanUp of cleanups) cleanUp();
      resolve(outcome);
    };
    const stop = (): void => resolveWait('aborted');
    signal.addEventListener('abort', stop, { once: true });
    const cleanups = [
      () => signal.removeEventListener('abort', stop),
      clock.after(deadline - clock.now(), () => resolveWait('timeout')),
      ...completions.map((completion) => completion.watch(() => resolveWait('changed'))),
    ];
  });
}
