import { createAnswerReader } from './answer/read-answer.ts';
import { chooseCompletionScope } from './answer/scope.ts';
import { PendingCompletion } from './pending-completion.ts';
import type {
  CompletionExchange,
  CompletionPorts,
  CompletionRoute,
  SuggestionRequest,
  TextRequest,
} from './ports.ts';
import { buildRequest } from './prompt/build-request.ts';
import type { Reason } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import { FailureBackoff } from '../service/http/circuit-breaker.ts';

/**
 * Time in milliseconds after which a request is canceled if no provider call waits for it. Within this time, the call
 * for the next key press can reuse the request.
 */
const gracePeriodMs = 150;
/** Maximum number of requests per minute. Typing cannot reach this limit, but automatic edits by other programs can. */
const maxRequestsPerMinute = 100;
/**
 * Temperatures of the first, second and third variant; `undefined` for the temperature of an ordinary request. At
 * higher temperatures, the answers differ more.
 */
const variantTemperatures = [undefined, 0.7, 1] as const;
const defaultTimeToFirstTextMs = 300;

/** Starts requests within the rate limit and outside of pauses, and finds open requests that match a snapshot. */
export class ActiveRequests {
  readonly #ports: CompletionPorts;
  readonly #onChange: (completion: PendingCompletion) => void;
  readonly #backoff: FailureBackoff;
  /**
   * Open requests. For a prefetch, the value is the id of the suggestion before the requested text; otherwise
   * undefined.
   */
  readonly #openRequests = new Map<PendingCompletion, number | undefined>();
  /** Open requests for text that is not a suggestion. Their answers are not compared with snapshots. */
  readonly #openTextRequests = new Set<PendingCompletion>();
  /** Start times of the requests in the last minute, in milliseconds since the epoch. */
  #startTimes: number[] = [];
  #timeToFirstTextMs = defaultTimeToFirstTextMs;
  #lastId = 0;

  /** @param onChange called after each state change of a request */
  constructor(ports: CompletionPorts, onChange: (completion: PendingCompletion) => void) {
    this.#ports = ports;
    this.#onChange = onChange;
    this.#backoff = new FailureBackoff(ports.clock);
  }

  /** Average time from a request to the first text in milliseconds. */
  get timeToFirstTextMs(): number {
    return this.#timeToFirstTextMs;
  }

  /** Reason that currently prevents all requests; undefined if requests are allowed. */
  get obstacle(): Reason | undefined {
    const { pause } = this.#backoff;
    if (pause !== undefined) return { kind: 'paused', ...pause };
    if (this.#ports.getTarget() === undefined) return { kind: 'rule', rule: 'no-model' };
    const oneMinuteAgo = this.#ports.clock.now() - 60_000;
    this.#startTimes = this.#startTimes.filter((startTime) => startTime > oneMinuteAgo);
    const isTooFrequent = this.#startTimes.length >= maxRequestsPerMinute;
    return isTooFrequent ? { kind: 'rule', rule: 'too-many-requests' } : undefined;
  }

  /**
   * Starts a request. Returns undefined if an {@link obstacle} prevents the request.
   * @param options.prefetchedAfterId id of the suggestion that a prefetch continues; undefined for other requests
   * @param options.variant 0 for the most likely answer, 1 or 2 for a different answer
   */
  start(
    snapshot: Snapshot,
    options: { prefetchedAfterId?: number; variant?: number } = {},
  ): PendingCompletion | undefined {
    const target = this.#ports.getTarget();
    if (target === undefined || this.obstacle !== undefined) return undefined;
    const scope = chooseCompletionScope(snapshot);
    const { maxLinesAhead } = this.#ports.getPolicy();
    const requestedScope = maxLinesAhead > 0 ? 'block' : scope;
    const context = this.#ports.getContext(snapshot);
    const createRequest = (route: CompletionRoute): SuggestionRequest =>
      applyVariantTemperature(
        buildRequest({ snapshot, context, target: { ...target, route }, scope: requestedScope }),
        options.variant ?? 0,
      );
    this.#lastId += 1;
    this.#startTimes.push(this.#ports.clock.now());
    const pendingCompletion = new PendingCompletion(
      {
        id: this.#lastId,
        snapshot,
        target,
        request: createRequest(target.route),
        createFallbackRequest: ({ route }) => {
          const nextRoute = this.#ports.recordRouteRefusal?.({ ...target, route });
          return nextRoute && createRequest(nextRoute);
        },
        reader: createAnswerReader(snapshot, scope, {
          maxLinesAhead,
          isElision: this.#ports.isElision,
        }),
        onChange: (changedCompletion) => this.#handleChange(changedCompletion),
      },
      { ...this.#ports, reportExchange: (exchange) => this.#reportExchange(exchange) },
    );
    this.#openRequests.set(pendingCompletion, options.prefetchedAfterId);
    return pendingCompletion;
  }

  /**
   * Starts a request for text that is not a suggestion, on the chat route. The answer is available only when it is
   * complete. Returns undefined if an {@link obstacle} prevents the request.
   */
  startTextRequest(
    snapshot: Snapshot,
    { createRequest, reader }: TextRequest,
  ): PendingCompletion | undefined {
    const target = this.#ports.getTarget();
    if (target === undefined || this.obstacle !== undefined) return undefined;
    const { model } = target;
    const snippets = this.#ports.getContext(snapshot);
    this.#lastId += 1;
    this.#startTimes.push(this.#ports.clock.now());
    const pendingCompletion = new PendingCompletion(
      {
        id: this.#lastId,
        snapshot,
        target: { model, route: 'chat' },
        request: createRequest(model, snippets),
        createFallbackRequest: () => undefined,
        reader,
        onChange: (changedCompletion) => {
          if (changedCompletion.isCompleted) this.#openTextRequests.delete(changedCompletion);
        },
      },
      { ...this.#ports, reportExchange: (exchange) => this.#reportExchange(exchange) },
    );
    this.#openTextRequests.add(pendingCompletion);
    return pendingCompletion;
  }

  /**
   * Builds a request and reads a sample answer, but sends nothing. As a result, the code is already compiled when the
   * first request is sent on a key press. Returns false if no model is available.
   */
  warmUp(snapshot: Snapshot): boolean {
    const target = this.#ports.getTarget();
    if (target === undefined) return false;
    const scope = chooseCompletionScope(snapshot);
    buildRequest({ snapshot, context: this.#ports.getContext(snapshot), target, scope });
    const { maxLinesAhead } = this.#ports.getPolicy();
    const reader = createAnswerReader(snapshot, scope, { maxLinesAhead });
    reader.push('sample(1);\n');
    reader.end();
    return true;
  }

  /**
   * Returns an open request whose answer matches the snapshot. If no answer matches, returns a request whose answer may
   * still match; undefined if none may match.
   */
  findMatchingRequest(snapshot: Snapshot): PendingCompletion | undefined {
    const comparisons = [...this.#openRequests.keys()].map(
      (completion) => [completion, completion.compare(snapshot)] as const,
    );
    const [matchingCompletion] = comparisons.find(([, matchState]) => matchState === 'match') ?? [];
    return (
      matchingCompletion ?? comparisons.find(([, matchState]) => matchState === 'undecided')?.[0]
    );
  }

  /** Returns the ids of the open requests whose answer matches the snapshot or may still match. */
  findMatchingRequestIds(snapshot: Snapshot): readonly number[] {
    const openCompletions = [...this.#openRequests.keys()].filter(
      (completion) => completion.compare(snapshot) !== 'mismatch',
    );
    return openCompletions.map(({ id }) => id);
  }

  /** Returns the open requests whose received answer matches the snapshot. */
  listMatchingRequests(snapshot: Snapshot): readonly PendingCompletion[] {
    return [...this.#openRequests.keys()].filter(
      (completion) => completion.compare(snapshot) === 'match',
    );
  }

  /**
   * Cancels the requests that cannot match the snapshot, except for prefetches that continue a visible suggestion.
   * @param visibleIds ids of the completions that may be visible, because they match the snapshot
   */
  cancelMismatches(snapshot: Snapshot, visibleIds: readonly number[]): void {
    for (const [completion, prefetchedAfterId] of [...this.#openRequests]) {
      const isNeededPrefetch =
        prefetchedAfterId !== undefined && visibleIds.includes(prefetchedAfterId);
      if (!isNeededPrefetch && completion.compare(snapshot) === 'mismatch') completion.cancel();
    }
  }

  /**
   * Cancels the requests for other documents. Also cancels the requests for lines below the cursor, except prefetches.
   * Does not cancel requests for later positions on the cursor's line. Such positions occur because the suggest widget
   * moves the cursor when the user selects an item.
   */
  handleCursorMove(cursor: Pick<Snapshot, 'documentUri' | 'position'> | undefined): void {
    for (const [completion, prefetchedAfterId] of [...this.#openRequests]) {
      const isAbove =
        cursor !== undefined && cursor.position.line < completion.anchor.position.line;
      if (cursor?.documentUri !== completion.anchor.documentUri) completion.cancel();
      else if (prefetchedAfterId === undefined && isAbove) completion.cancel();
    }
  }

  /**
   * Cancels a request after a grace period, unless a provider call waits for the request or its suggestion is visible.
   */
  release(completion: PendingCompletion, isVisible: () => boolean): void {
    this.#ports.clock.after(gracePeriodMs, () => {
      if (!completion.isWatched && !isVisible()) completion.cancel();
    });
  }

  cancelAll(): void {
    for (const completion of [...this.#openRequests.keys(), ...this.#openTextRequests])
      completion.cancel();
  }

  /** Ends the pause after failures. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  #handleChange(completion: PendingCompletion): void {
    if (completion.isCompleted) this.#openRequests.delete(completion);
    this.#onChange(completion);
  }

  #reportExchange(exchange: CompletionExchange): void {
    const { failure, outcome, timeToFirstTextMs } = exchange;
    if (timeToFirstTextMs !== undefined)
      this.#timeToFirstTextMs += (timeToFirstTextMs - this.#timeToFirstTextMs) / 5;
    if (failure !== undefined) this.#backoff.recordFailure(failure);
    else if (outcome === 'complete' || outcome === 'cut') this.#backoff.reset();
    this.#ports.reportExchange(exchange);
  }
}

function applyVariantTemperature(request: SuggestionRequest, variant: number): SuggestionRequest {
  const temperature = variantTemperatures[variant];
  if (temperature === undefined) return request;
  if (request.route === 'chat')
    return { ...request, request: { ...request.request, temperature, seed: variant } };
  return request.route === 'infill'
    ? { ...request, request: { ...request.request, temperature } }
    : { ...request, request: { ...request.request, temperature } };
}
