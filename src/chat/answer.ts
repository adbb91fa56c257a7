import type { Clock } from '../base/clock.ts';
import { type JsonRecord, omitUndefined } from '../base/json.ts';
import { ToolCallAssembly } from '../conversation/tool-call-assembly.ts';
import type {
  ChatEvent,
  Citation,
  Cost,
  ReasoningSource,
  StreamOutcome,
  Usage,
} from '../service/chat/chat-types.ts';
import type { AnswerProtection } from '../service/chat/protection.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { RefusedPart } from '../service/http/refusal.ts';
import { createStoppedError } from '../service/http/network-failure.ts';
import {
  createAnswerResult,
  getFinalStatus,
  combineProtection,
  createIncompleteStreamFailure,
  createRequestBuildFailure,
  type ResultOptions,
  type StreamedAnswer,
} from './answer-result.ts';
import type { AnswerRequest, TurnEvent } from './turn-context.ts';

/**
 * Yields the service's events for one answer. If the service rejects the request as too large before any content
 * arrives, makes the request smaller and sends it once more. If the request cannot be sent, yields only a failed
 * `stream-end`.
 */
export async function* requestAnswer(request: AnswerRequest): AsyncGenerator<readonly ChatEvent[]> {
  for (let canRetry = true; ; canRetry = false) {
    const stream = await openStream(request);
    if (stream instanceof ServiceError) {
      const { failure } = stream;
      yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
      return;
    }
    let isTooLarge = false;
    for await (const batch of stream) {
      // The page already shows the emitted text, so the request must not be repeated.
      canRetry &&= !batch.some(isContentEvent);
      const failure = canRetry ? getFailure(batch) : undefined;
      isTooLarge = failure !== undefined && (await lowerSizeLimits(request, failure));
      if (isTooLarge) break;
      yield batch;
    }
    if (!isTooLarge) return;
  }
}

/**
 * Builds and sends a request. Returns the events of the answer, or the error if the request cannot be built or sent.
 * Never rejects.
 */
async function openStream({
  send,
  signal,
  logError,
}: AnswerRequest): Promise<AsyncIterable<readonly ChatEvent[]> | ServiceError> {
  try {
    return await send();
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (reason instanceof ServiceError) return reason;
    if (signal.aborted) return createStoppedError();
    logError('Could not prepare a request', error);
    return new ServiceError(createRequestBuildFailure());
  }
}

async function lowerSizeLimits(request: AnswerRequest, failure: ServiceFailure): Promise<boolean> {
  try {
    return await request.lowerSizeLimits(failure);
  } catch (error) {
    request.logError('Could not reduce a request', error);
    return false;
  }
}

const isContentEvent = ({ type }: ChatEvent): boolean =>
  type !== 'request-start' &&
  type !== 'part-refused' &&
  type !== 'retry-wait' &&
  type !== 'stream-start' &&
  type !== 'stream-end';

function getFailure(batch: readonly ChatEvent[]): ServiceFailure | undefined {
  const lastEvent = batch.at(-1);
  return lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed'
    ? lastEvent.outcome.failure
    : undefined;
}

export interface AnswerOptions extends ResultOptions {
  readonly events: AsyncIterable<readonly ChatEvent[]>;
  readonly clock: Clock;
}

/**
 * Converts the service's events for one answer to turn events, and measures times, usage and cost. Never throws. Always
 * emits `turn-end` last.
 */
export async function streamAnswer(
  options: AnswerOptions,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const answer = new AnswerStream(options, emit);
  try {
    for await (const batch of options.events) for (const event of batch) answer.handleEvent(event);
  } catch {
    // Treat a stream error like a stream that stops without an end event.
  }
  answer.handleEvent({
    type: 'stream-end',
    outcome: { kind: 'failed', failure: createIncompleteStreamFailure() },
  });
}

type ReasoningDelta = Extract<ChatEvent, { type: 'reasoning-delta' }>;

class AnswerStream {
  readonly #options: AnswerOptions;
  readonly #emitEvent: (event: TurnEvent) => void;
  #startedAt: number;
  readonly #toolCalls = new ToolCallAssembly();
  #namedCallCount = 0;
  #isWaiting = false;
  #hasEnded = false;
  #firstTokenAt: number | undefined;
  #reasoningStartedAt: number | undefined;
  #reasoningMs: number | undefined;
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #protection: AnswerProtection | undefined;
  #citations: readonly Citation[] | undefined;
  readonly #refusedParts: RefusedPart[] = [];
  #reasoningSource: ReasoningSource | undefined;
  readonly #reasoningDetails: JsonRecord[] = [];
  #thoughtSignature: string | undefined;
  #connection: string | undefined;

  constructor(options: AnswerOptions, emit: (event: TurnEvent) => void) {
    this.#options = options;
    this.#emitEvent = emit;
    this.#startedAt = options.clock.now();
  }

  handleEvent(event: ChatEvent): void {
    switch (event.type) {
      case 'request-start':
        // A dialog about the budget may have asked the user before.
        if (this.#firstTokenAt === undefined) this.#startedAt = this.#options.clock.now();
        return;
      case 'stream-start':
        this.#stopWaiting();
        this.#connection = event.baseUrl;
        this.#beginStream(event);
        return;
      case 'retry-wait':
        this.#isWaiting = true;
        this.#emitEvent({
          type: 'retry-wait',
          failure: event.failure,
          until: this.#options.clock.now() + event.delayMs,
        });
        return;
      case 'text-delta':
        this.#addText(event.text);
        return;
      case 'reasoning-delta':
        this.#addReasoning(event);
        return;
      case 'part-refused':
        this.#refusedParts.push(event.part);
        this.#emitEvent({ type: 'part-refused', parts: [...this.#refusedParts] });
        return;
      case 'tool-call-delta':
        this.#addToolCall(event);
        return;
      case 'tool-call-invalid':
        this.#toolCalls.addInvalidCall();
        return;
      case 'protection':
        this.#protection = event.protection;
        return;
      case 'citations':
        this.#citations = event.citations;
        this.#emitEvent(event);
        return;
      case 'usage':
        this.#usage = event.usage;
        this.#cost = event.cost;
        return;
      case 'stream-end':
        this.#endStream(event.outcome);
        return;
    }
  }

  #beginStream({
    info,
    protection: streamProtection,
  }: Extract<ChatEvent, { type: 'stream-start' }>): void {
    const protection = combineProtection(this.#options.earlierResult ?? {}, streamProtection);
    this.#emitEvent({ type: 'reply-info', info, ...omitUndefined({ protection }) });
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#emitEvent({ type: 'retry-start' });
  }

  #addReasoning({ text, source, details = [], signature }: ReasoningDelta): void {
    this.#reasoningSource ??= source;
    this.#thoughtSignature = signature ?? this.#thoughtSignature;
    this.#reasoningDetails.push(...details);
    if (text === '') return;
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#reasoningStartedAt ??= this.#options.clock.now();
    this.#emitEvent({ type: 'text-delta', text: '', reasoning: text });
  }

  #addText(text: string): void {
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#endReasoning();
    this.#emitEvent({ type: 'text-delta', text, reasoning: '' });
  }

  #endReasoning(): void {
    if (this.#reasoningStartedAt === undefined || this.#reasoningMs !== undefined) return;
    this.#reasoningMs = this.#options.clock.now() - this.#reasoningStartedAt;
    this.#emitEvent({ type: 'reasoning-end', reasoningMs: this.#reasoningMs });
  }

  #addToolCall(event: Extract<ChatEvent, { type: 'tool-call-delta' }>): void {
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#endReasoning();
    this.#toolCalls.add(event);
    if (event.name === undefined) return;
    this.#namedCallCount += 1;
    this.#emitEvent({ type: 'tool-call-start', index: this.#namedCallCount - 1, name: event.name });
  }

  #endStream(outcome: StreamOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopWaiting();
    this.#endReasoning();
    const result = createAnswerResult(this.#createStreamedAnswer(outcome), this.#options);
    this.#emitEvent({ type: 'turn-end', status: getFinalStatus(result.failure), result });
  }

  #createStreamedAnswer(outcome: StreamOutcome): StreamedAnswer {
    const startedAt = this.#startedAt;
    const toolCalls = this.#toolCalls.listCalls();
    // Reasoning is sent back only together with tool results, so only answers with tool calls store it.
    const isSentBack = toolCalls.length > 0;
    return {
      outcome,
      durationMs: this.#options.clock.now() - startedAt,
      timeToFirstTokenMs:
        this.#firstTokenAt === undefined ? undefined : this.#firstTokenAt - startedAt,
      reasoningMs: this.#reasoningMs,
      usage: this.#usage,
      cost: this.#cost,
      toolCalls,
      protection: this.#protection,
      citations: this.#citations,
      refusedParts: this.#refusedParts,
      reasoningSource: isSentBack ? this.#reasoningSource : undefined,
      reasoningDetails: isSentBack ? joinReasoningDetails(this.#reasoningDetails) : [],
      thoughtSignature: isSentBack ? this.#thoughtSignature : undefined,
      connection: isSentBack ? this.#connection : undefined,
    };
  }
}

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Combines text deltas, so that at most one combined delta is delivered per `intervalMs` milliseconds. The first delta
 * after a pause is delivered immediately, because the user is waiting for text.
 */
export class DeltaBatcher {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #deliverDelta: (delta: TextDelta) => void;
  #text = '';
  #reasoning = '';
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, deliver: (delta: TextDelta) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#deliverDelta = deliver;
  }

  addDelta(delta: TextDelta): void {
    this.#text += delta.text;
    this.#reasoning += delta.reasoning;
    if (this.#cancelTimer !== undefined) return;
    this.deliverPendingDelta();
    this.#startTimer();
  }

  /** Delivers the pending text immediately, for example before an event that must follow the text. */
  deliverPendingDelta(): void {
    if (this.#text === '' && this.#reasoning === '') return;
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.discardPendingDelta();
    this.#deliverDelta(delta);
  }

  /** Discards the pending text without delivering it. */
  discardPendingDelta(): void {
    this.#text = '';
    this.#reasoning = '';
  }

  /** Delivers the pending text and stops the timer. */
  deliverAndStop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.deliverPendingDelta();
  }

  #startTimer(): void {
    this.#cancelTimer = this.#clock.after(this.#intervalMs, () => {
      this.#cancelTimer = undefined;
      if (this.#text === '' && this.#reasoning === '') return;
      this.deliverPendingDelta();
      this.#startTimer();
    });
  }
}

/** Text fields of a `reasoning_details` entry. A stream sends each of these texts in fragments. */
const textFields = ['text', 'summary', 'data'] as const;

/**
 * Maximum length in characters of all `reasoning_details` entries together as JSON text. If they are longer, none is
 * sent back to the service.
 */
const maxDetailsLength = 256 * 1024;

/**
 * Joins the streamed fragments of `reasoning_details` into the entries that a server expects back. Consecutive
 * fragments with the same type and index form one entry.
 * @returns the entries; an empty array if they exceed {@link maxDetailsLength}, because truncated entries would have no
 * valid signature
 */
function joinReasoningDetails(fragments: readonly JsonRecord[]): readonly JsonRecord[] {
  const entries: JsonRecord[] = [];
  for (const fragment of fragments) {
    const lastEntry = entries.at(-1);
    if (lastEntry !== undefined && isSameEntry(lastEntry, fragment))
      entries.splice(-1, 1, joinEntries(lastEntry, fragment));
    else entries.push(fragment);
  }
  return JSON.stringify(entries).length > maxDetailsLength ? [] : entries;
}

const isSameEntry = (lastEntry: JsonRecord, nextEntry: JsonRecord): boolean =>
  nextEntry['index'] !== undefined &&
  lastEntry['index'] === nextEntry['index'] &&
  lastEntry['type'] === nextEntry['type'];

function joinEntries(lastEntry: JsonRecord, nextEntry: JsonRecord): JsonRecord {
  const joinedEntry: Record<string, unknown> = { ...lastEntry };
  for (const [name, value] of Object.entries(nextEntry))
    if (value != null) joinedEntry[name] = value;
  for (const name of textFields) {
    const [start, end] = [lastEntry[name], nextEntry[name]];
    if (typeof start === 'string' && typeof end === 'string') joinedEntry[name] = start + end;
  }
  return joinedEntry;
}
