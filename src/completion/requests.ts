import type { Clock } from '../base/clock.ts';
import { createAnswerReader } from './answer/read-answer.ts';
import { completionScope } from './answer/scope.ts';
import { PendingCompletion } from './pending-completion.ts';
import type { SuggestionRequest, CompletionExchange, CompletionPorts } from './ports.ts';
import { buildRequest } from './prompt/build-request.ts';
import type { Reason } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import { failureTable, type ServiceFailure } from '../service/http/failure.ts';

/** Number of consecutive failures after which requests pause. */
const maxFailures = 3;
const minPauseMs = 30_000;
const maxPauseMs = 10 * 60_000;

/**
 * Pauses requests after consecutive failures, because services block API keys that fail too often.
 * A failure that requires user action pauses requests immediately. Each further failure doubles the
 * pause.
 */
export class FailureBackoff {
  readonly #clock: Clock;
  #failureCount = 0;
  #pause: { readonly until: number; readonly failure: ServiceFailure } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Current pause: its end in milliseconds since the epoch, and the last failure. */
  get pause(): { readonly until: number; readonly failure: ServiceFailure } | undefined {
    return this.#pause !== undefined && this.#clock.now() < this.#pause.until
      ? this.#pause
      : undefined;
  }

  recordFailure(failure: ServiceFailure): void {
    this.#failureCount += 1;
    const retryAfterMs = failure.retryAfterMs ?? 0;
    const isTransient = failureTable[failure.code].retryable;
    if (isTransient && retryAfterMs === 0 && this.#failureCount < maxFailures) return;
    const doubled = minPauseMs * 2 ** Math.max(0, this.#failureCount - maxFailures);
    const ms = Math.max(retryAfterMs, Math.min(doubled, maxPauseMs));
    this.#pause = { until: this.#clock.now() + ms, failure };
  }

  /** Ends the pause after a successful request, or after a change that may have fixed the cause. */
  reset(): void {
    this.#failureCount = 0;
    this.#pause = undefined;
  }
}

/**
 * Time in milliseconds before a request without a waiting call is canceled. The next key press may
 * reuse the request.
 */
const graceMs = 150;
/** Maximum requests per minute. Typing never reaches this limit, only programmatic edits do. */
const maxPerMinute = 40;
/** Temperature per variant. A higher temperature causes answers that differ more. */
const temperatures = [undefined, 0.7, 1] as const;
const defaultTimeToFirstTextMs = 300;

/** Starts requests within the limits and tracks the open ones. */
export class ActiveRequests {
  readonly #ports: CompletionPorts;
  readonly #onChange: (pending: PendingCompletion) => void;
  readonly #backoff: FailureBackoff;
  /** Open requests. The value is the id of the suggestion that a prefetch continues. */
  readonly #open = new Map<PendingCompletion, number | undefined>();
  /** Start times of the requests of the last minute. */
  #startTimes: number[] = [];
  #timeToFirstTextMs = defaultTimeToFirstTextMs;
  #lastId = 0;

  /** @param onChange called when more of an answer arrived and when it ended */
  constructor(ports: CompletionPorts, onChange: (pending: PendingCompletion) => void) {
    this.#ports = ports;
    this.#onChange = onChange;
    this.#backoff = new FailureBackoff(ports.clock);
  }

  /** Average time from a request to its first text, in milliseconds. */
  get timeToFirstTextMs(): number {
    return this.#timeToFirstTextMs;
  }

  /** Reason that currently prevents any request. */
  get obstacle(): Reason | undefined {
    const { pause } = this.#backoff;
    if (pause !== undefined) return { kind: 'paused', ...pause };
    if (this.#ports.target() === undefined) return { kind: 'rule', rule: 'no-model' };
    const minuteAgo = this.#ports.clock.now() - 60_000;
    this.#startTimes = this.#startTimes.filter((startTime) => startTime > minuteAgo);
    const isTooFrequent = this.#startTimes.length >= maxPerMinute;
    return isTooFrequent ? { kind: 'rule', rule: 'too-many-requests' } : undefined;
  }

  /**
   * Starts a request; undefined while there is an {@link obstacle}.
   * @param options.prefetchedAfter id of the suggestion that the position follows
   * @param options.variant 0 for the likeliest answer
   */
  start(
    snapshot: Snapshot,
    options: { prefetchedAfter?: number; variant?: number } = {},
  ): PendingCompletion | undefined {
    const target = this.#ports.target();
    if (target === undefined || this.obstacle !== undefined) return undefined;
    const scope = completionScope(snapshot);
    const context = this.#ports.context(snapshot);
    const request = buildRequest({ snapshot, context, target, scope });
    this.#lastId += 1;
    this.#startTimes.push(this.#ports.clock.now());
    const pending = new PendingCompletion(
      {
        id: this.#lastId,
        snapshot,
        target,
        request: withVariant(request, options.variant ?? 0),
        reader: createAnswerReader(snapshot, scope),
        onChange: (changed) => this.#handleChange(changed),
      },
      { ...this.#ports, report: (exchange) => this.#report(exchange) },
    );
    this.#open.set(pending, options.prefetchedAfter);
    return pending;
  }

  /** Returns an open request whose answer matches the snapshot or may still match. */
  findMatching(snapshot: Snapshot): PendingCompletion | undefined {
    const open = [...this.#open.keys()].map(
      (pending) => [pending, pending.compare(snapshot)] as const,
    );
    const [matching] = open.find(([, compare]) => compare === 'match') ?? [];
    return matching ?? open.find(([, compare]) => compare === 'undecided')?.[0];
  }

  /** Returns the ids of open requests whose answer matches the snapshot or may still match. */
  findMatchingIds(snapshot: Snapshot): readonly number[] {
    const open = [...this.#open.keys()].filter(
      (pending) => pending.compare(snapshot) !== 'mismatch',
    );
    return open.map(({ id }) => id);
  }

  /** Returns the open requests whose answer matches the snapshot. */
  findAllMatching(snapshot: Snapshot): readonly PendingCompletion[] {
    return [...this.#open.keys()].filter((pending) => pending.compare(snapshot) === 'match');
  }

  /**
   * Cancels the requests that no longer match the snapshot.
   * @param visibleIds completions that match the snapshot; prefetches after one of them continue
   */
  cancelMismatches(snapshot: Snapshot, visibleIds: readonly number[]): void {
    for (const [pending, prefetchedAfter] of [...this.#open]) {
      const isNeededPrefetch =
        prefetchedAfter !== undefined && visibleIds.includes(prefetchedAfter);
      if (!isNeededPrefetch && pending.compare(snapshot) === 'mismatch') pending.cancel();
    }
  }

  /**
   * Cancels requests of other documents, and those for a position below the cursor's line. A cursor earlier on the
   * same line cancels nothing, since selecting an item in the suggest widget counts as typing.
   */
  didMoveCursor(to: Pick<Snapshot, 'document' | 'position'> | undefined): void {
    for (const [pending, prefetchedAfter] of [...this.#open]) {
      const isAbove = to !== undefined && to.position.line < pending.anchor.position.line;
      if (to?.document !== pending.anchor.document) pending.cancel();
      else if (prefetchedAfter === undefined && isAbove) pending.cancel();
    }
  }

  /** Cancels the request after a grace period, unless a call waits for it or its text is visible. */
  release(pending: PendingCompletion, isVisible: () => boolean): void {
    this.#ports.clock.after(graceMs, () => {
      if (!pending.isWatched && !isVisible()) pending.cancel();
    });
  }

  cancelAll(): void {
    for (const pending of [...this.#open.keys()]) pending.cancel();
  }

  /** Ends a pause after failures. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  #handleChange(pending: PendingCompletion): void {
    if (pending.isCompleted) this.#open.delete(pending);
    this.#onChange(pending);
  }

  #report(exchange: CompletionExchange): void {
    const { failure, end, timeToFirstTextMs } = exchange;
    if (timeToFirstTextMs !== undefined)
      this.#timeToFirstTextMs += (timeToFirstTextMs - this.#timeToFirstTextMs) / 5;
    if (failure !== undefined) this.#backoff.recordFailure(failure);
    else if (end === 'complete' || end === 'cut') this.#backoff.reset();
    this.#ports.report(exchange);
  }
}

function withVariant(request: SuggestionRequest, variant: number): SuggestionRequest {
  const temperature = temperatures[variant];
  if (temperature === undefined) return request;
  return request.route === 'chat'
    ? { ...request, request: { ...request.request, temperature, seed: variant } }
    : { ...request, request: { ...request.request, temperature } };
}
