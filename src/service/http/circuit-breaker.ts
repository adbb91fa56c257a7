import * as l10n from '@vscode/l10n';
import { type Clock, wait } from '../../base/clock.ts';
import { failureTable, ServiceError, type ServiceFailure } from './failure.ts';
import { createAbortError } from './network-failure.ts';

const windowMs = 30_000;
/**
 * Maximum number of failures in 30 s. The service blocks a key for 30 s after more than 50 failures (some services: 20)
 * in 30 s. This limit is lower, because failures of other programs with the same key count as well.
 */
const maxFailures = 15;

/**
 * Circuit breaker for the requests to one origin. Allows at most 15 failed requests in any 30 seconds. Delays a request
 * while failures of pending requests could reach this limit.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failureTimes: number[] = [];
  #pendingCallCount = 0;
  /**
   * Controller that is aborted when a pending request completes, so that waiting requests check the limit again.
   * Undefined while no request waits, because aborting a controller is slow.
   */
  #settledController: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a request may be sent.
   * @returns a function to call when the request has completed; its argument is true if the request failed
   * @throws ServiceError `paused` after too many failures, or the abort error if `signal` is aborted
   */
  async waitForTurn(signal: AbortSignal): Promise<(hasFailed: boolean) => void> {
    for (;;) {
      const now = this.#clock.now();
      this.#failureTimes = this.#failureTimes.filter((failedAt) => failedAt > now - windowMs);
      const { length, [0]: oldestTime = now } = this.#failureTimes;
      if (length + this.#pendingCallCount < maxFailures) break;
      const remainingMs = oldestTime + windowMs - now;
      if (length >= maxFailures) throw createPausedError(remainingMs);
      await this.#waitForSettlement(remainingMs, signal);
    }
    this.#pendingCallCount++;
    return (hasFailed) => this.#settleCall(hasFailed);
  }

  /** Waits until any pending request completes, but at most `ms` milliseconds. */
  async #waitForSettlement(ms: number, signal: AbortSignal): Promise<void> {
    this.#settledController ??= new AbortController();
    const combinedSignal = AbortSignal.any([signal, this.#settledController.signal]);
    await wait(ms, { clock: this.#clock, signal: combinedSignal }).catch(() => {});
    if (signal.aborted) throw createAbortError(signal);
  }

  #settleCall(hasFailed: boolean): void {
    this.#pendingCallCount--;
    if (hasFailed) this.#failureTimes.push(this.#clock.now());
    this.#settledController?.abort();
    this.#settledController = undefined;
  }
}

/** Creates a circuit breaker for each origin on first use. */
export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #breakersByOrigin = new Map<string, CircuitBreaker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(origin: string): CircuitBreaker {
    const breaker = this.#breakersByOrigin.get(origin) ?? new CircuitBreaker(this.#clock);
    this.#breakersByOrigin.set(origin, breaker);
    return breaker;
  }
}

/** Number of consecutive temporary failures after which requests are paused. */
const failuresUntilPause = 3;
const minPauseMs = 30_000;
const maxPauseMs = 10 * 60_000;

/**
 * Pauses requests after consecutive failures, because services block API keys with too many failures. A failure that
 * only the user can resolve, such as an invalid key, pauses requests immediately. Each further failure doubles the
 * pause.
 */
export class FailureBackoff {
  readonly #clock: Clock;
  #failureCount = 0;
  #pause: { readonly until: number; readonly failure: ServiceFailure } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Current pause: the end in milliseconds since the epoch, and the last failure. Undefined if requests are not paused.
   */
  get pause(): { readonly until: number; readonly failure: ServiceFailure } | undefined {
    return this.#pause !== undefined && this.#clock.now() < this.#pause.until
      ? this.#pause
      : undefined;
  }

  recordFailure(failure: ServiceFailure): void {
    this.#failureCount += 1;
    const retryAfterMs = failure.retryAfterMs ?? 0;
    // After a refused route, the next request uses another route.
    const isTransient = failureTable[failure.code].isRetryable || failure.refusesRoute === true;
    if (isTransient && retryAfterMs === 0 && this.#failureCount < failuresUntilPause) return;
    const backoffMs = minPauseMs * 2 ** Math.max(0, this.#failureCount - failuresUntilPause);
    const ms = Math.max(retryAfterMs, Math.min(backoffMs, maxPauseMs));
    this.#pause = { until: this.#clock.now() + ms, failure };
  }

  /** Ends the pause, for example after a successful request or after a change of the account. */
  reset(): void {
    this.#failureCount = 0;
    this.#pause = undefined;
  }
}

const createPausedError = (waitMs: number): ServiceError =>
  new ServiceError({
    code: 'paused',
    retryAfterMs: waitMs,
    message: l10n.t(
      'Many requests failed in the last half minute. Requests are paused for {0} s so that the service does not block the key.',
      Math.ceil(waitMs / 1_000),
    ),
  });
