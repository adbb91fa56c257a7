import * as l10n from '@vscode/l10n';
import type { Clock } from '../base/clock.ts';
import { omitUndefined } from '../base/json.ts';
import type {
  ChatEvent,
  Citation,
  Cost,
  ResponseInfo,
  StreamOutcome,
  Usage,
} from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import { type AnswerProtection, weakerProtection } from '../service/chat/protection.ts';
import type { AnswerResult, AnswerStatus } from '../conversation/conversation.ts';
import { ToolCallAssembly } from '../conversation/tool-call-assembly.ts';

/** Events of one answer. The last event is `turn-end`. */
export type TurnEvent =
  | { readonly type: 'text-delta'; readonly text: string; readonly reasoning: string }
  | { readonly type: 'reasoning-end'; readonly reasoningMs: number }
  /** Start of a tool call in the stream. `index` is the 0-based position of the call in the answer. */
  | { readonly type: 'tool-call-start'; readonly index: number; readonly name: string }
  | { readonly type: 'retry-wait'; readonly failure: ServiceFailure; readonly until: number }
  | { readonly type: 'retry-start' }
  /** Sources of the answer, sent before or after the text. Each list replaces the previous list. */
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | {
      readonly type: 'reply-info';
      readonly info: ResponseInfo;
      /**
       * Protection of the answer. Sent at the start, so that it is recorded even if the window closes during the
       * answer.
       */
      readonly protection?: AnswerProtection;
    }
  | {
      readonly type: 'turn-end';
      readonly status: Exclude<AnswerStatus, 'streaming'>;
      readonly result: AnswerResult;
    };

export interface AnswerOptions {
  readonly events: AsyncIterable<readonly ChatEvent[]>;
  readonly clock: Clock;
  /**
   * Estimates the cost from the model's prices, for services that report no cost. `searches` is the number of web
   * searches.
   */
  readonly estimateCost: (usage: Usage, searches: number) => Cost | undefined;
  /** Result of the interrupted first part, if the user continues an answer. The new result includes its figures. */
  readonly earlier?: AnswerResult;
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
    for await (const batch of options.events) for (const event of batch) answer.take(event);
  } catch {
    // Treat a stream error like a stream that stops without an end event.
  }
  answer.take({ type: 'stream-end', outcome: { kind: 'failed', failure: endedEarly() } });
}

/** Returns the failure of an answer whose stream stopped without an end event. */
export const endedEarly = (): ServiceFailure => ({
  code: 'interrupted',
  message: l10n.t('The answer ended before it was complete. What arrived is kept.'),
});

class AnswerStream {
  readonly #options: AnswerOptions;
  readonly #emit: (event: TurnEvent) => void;
  readonly #startedAt: number;
  readonly #toolCalls = new ToolCallAssembly();
  #namedCalls = 0;
  #isWaiting = false;
  #ended = false;
  #firstTokenAt: number | undefined;
  #reasoningSince: number | undefined;
  #reasoningMs: number | undefined;
  #usage: Usage | undefined;
  #cost: Cost | undefined;
  #protection: AnswerProtection | undefined;
  #citations: readonly Citation[] | undefined;

  constructor(options: AnswerOptions, emit: (event: TurnEvent) => void) {
    this.#options = options;
    this.#emit = emit;
    this.#startedAt = options.clock.now();
  }

  take(event: ChatEvent): void {
    switch (event.type) {
      case 'stream-start':
        this.#stopWaiting();
        this.#begin(event);
        return;
      case 'retry-wait':
        this.#isWaiting = true;
        this.#emit({
          type: 'retry-wait',
          failure: event.failure,
          until: this.#options.clock.now() + event.delayMs,
        });
        return;
      case 'text-delta':
        this.#text(event.text);
        return;
      case 'reasoning-delta':
        this.#reasoning(event.text);
        return;
      case 'tool-call-delta':
        this.#toolCall(event);
        return;
      case 'tool-call-invalid':
        this.#toolCalls.addInvalid();
        return;
      case 'protection':
        this.#protection = event.protection;
        return;
      case 'citations':
        this.#citations = event.citations;
        this.#emit(event);
        return;
      case 'usage':
        this.#usage = event.usage;
        this.#cost = event.cost;
        return;
      case 'stream-end':
        this.#end(event.outcome);
        return;
    }
  }

  #begin({ info, protection: now }: Extract<ChatEvent, { type: 'stream-start' }>): void {
    const protection = this.#protectionOf(this.#options.earlier ?? {}, now);
    this.#emit({ type: 'reply-info', info, ...omitUndefined({ protection }) });
  }

  #stopWaiting(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#emit({ type: 'retry-start' });
  }

  #reasoning(text: string): void {
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#reasoningSince ??= this.#options.clock.now();
    this.#emit({ type: 'text-delta', text: '', reasoning: text });
  }

  #text(text: string): void {
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#endReasoning();
    this.#emit({ type: 'text-delta', text, reasoning: '' });
  }

  #endReasoning(): void {
    if (this.#reasoningSince === undefined || this.#reasoningMs !== undefined) return;
    this.#reasoningMs = this.#options.clock.now() - this.#reasoningSince;
    this.#emit({ type: 'reasoning-end', reasoningMs: this.#reasoningMs });
  }

  #toolCall(event: Extract<ChatEvent, { type: 'tool-call-delta' }>): void {
    this.#firstTokenAt ??= this.#options.clock.now();
    this.#endReasoning();
    this.#toolCalls.add(event);
    if (event.name === undefined) return;
    this.#namedCalls += 1;
    this.#emit({ type: 'tool-call-start', index: this.#namedCalls - 1, name: event.name });
  }

  #end(outcome: StreamOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWaiting();
    this.#endReasoning();
    this.#emit({ type: 'turn-end', status: statusOf(outcome), result: this.#result(outcome) });
  }

  /** Returns the weaker protection of the two parts of a continued answer. */
  #protectionOf(
    earlier: AnswerResult,
    now: AnswerProtection | undefined,
  ): AnswerProtection | undefined {
    return earlier.durationMs === undefined ? now : weakerProtection(earlier.protection, now);
  }

  #result(outcome: StreamOutcome): AnswerResult {
    const { clock, estimateCost, earlier = {} } = this.#options;
    const usage = addUsage(earlier.usage, this.#usage);
    const estimated =
      this.#cost === undefined && this.#usage
        ? estimateCost(this.#usage, this.#citations === undefined ? 0 : 1)
        : undefined;
    const ownCost = this.#cost ?? estimated;
    const cost = addCost(earlier.cost, ownCost);
    const lastRequest = {
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(ownCost === undefined ? {} : { cost: ownCost }),
    };
    const costEstimated = estimated !== undefined || earlier.costEstimated === true;
    const toolCalls = this.#toolCalls.calls();
    const protection = this.#protectionOf(earlier, this.#protection);
    const citations = this.#citations ?? earlier.citations;
    const reasoningMs = this.#reasoningMs ?? earlier.reasoningMs;
    const timeToFirstTokenMs =
      earlier.timeToFirstTokenMs ??
      (this.#firstTokenAt === undefined ? undefined : this.#firstTokenAt - this.#startedAt);
    return {
      durationMs: (earlier.durationMs ?? 0) + clock.now() - this.#startedAt,
      ...(reasoningMs === undefined ? {} : { reasoningMs }),
      ...(timeToFirstTokenMs === undefined ? {} : { timeToFirstTokenMs }),
      ...(outcome.kind === 'complete'
        ? { finishReason: outcome.finishReason }
        : { failure: outcome.failure }),
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
      ...(earlier.durationMs === undefined ? {} : { lastRequest }),
      ...(costEstimated ? { costEstimated } : {}),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(protection === undefined ? {} : { protection }),
      ...(citations === undefined ? {} : { citations }),
    };
  }
}

function statusOf(outcome: StreamOutcome): Exclude<AnswerStatus, 'streaming'> {
  if (outcome.kind === 'complete') return 'complete';
  const { code } = outcome.failure;
  return code === 'stopped' || code === 'interrupted' ? code : 'failed';
}

function addUsage(earlier: Usage | undefined, now: Usage | undefined): Usage | undefined {
  if (earlier === undefined || now === undefined) return now ?? earlier;
  return {
    promptTokens: earlier.promptTokens + now.promptTokens,
    completionTokens: earlier.completionTokens + now.completionTokens,
    totalTokens: earlier.totalTokens + now.totalTokens,
    ...sum('cachedTokens', earlier, now),
    ...sum('reasoningTokens', earlier, now),
  };
}

function addCost(earlier: Cost | undefined, now: Cost | undefined): Cost | undefined {
  if (earlier === undefined || now === undefined) return now ?? earlier;
  return { ...sum('usd', earlier, now), ...sum('diem', earlier, now) };
}

/** Returns an object with the sum of a field; an empty object if neither input has the field. */
function sum<Field extends string>(
  field: Field,
  a: { readonly [F in Field]?: number },
  b: { readonly [F in Field]?: number },
): { [F in Field]?: number } {
  if (a[field] === undefined && b[field] === undefined) return {};
  return { [field]: (a[field] ?? 0) + (b[field] ?? 0) } as { [F in Field]?: number };
}

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Combines text deltas, so that at most one is delivered per `intervalMs`. The first delta after a pause is delivered
 * immediately, because the user is waiting.
 */
export class DeltaBatcher {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #deliver: (delta: TextDelta) => void;
  #text = '';
  #reasoning = '';
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, deliver: (delta: TextDelta) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#deliver = deliver;
  }

  add(delta: TextDelta): void {
    this.#text += delta.text;
    this.#reasoning += delta.reasoning;
    if (this.#cancel !== undefined) return;
    this.flush();
    this.#arm();
  }

  /** Delivers the pending text immediately, for example before an event that must follow the text. */
  flush(): void {
    if (this.#text === '' && this.#reasoning === '') return;
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.discard();
    this.#deliver(delta);
  }

  /** Drops the pending text. */
  discard(): void {
    this.#text = '';
    this.#reasoning = '';
  }

  /** Delivers the pending text and stops the timer. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.flush();
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#intervalMs, () => {
      this.#cancel = undefined;
      if (this.#text === '' && this.#reasoning === '') return;
      this.flush();
      this.#arm();
    });
  }
}
