import * as l10n from '@vscode/l10n';
import { type Clock, wait } from '../../base/clock.ts';
import { ServiceError } from './failure.ts';
import { abortFailure } from './network-failure.ts';

const windowMs = 30_000;
/** The service blocks a key for 30 s after 20 failures in 30 s; other programs may use the same key. */
const budget = 15;

/**
 * Keeps the failing requests to one origin under the service's failure budget: at most 15 in any 30 seconds.
 * Any request under way may fail yet, so no more than what is left of the budget are under way at a time.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failures: number[] = [];
  #pending = 0;
  /** Aborted, and replaced, whenever the status of a request is known. */
  #settlement = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a request may be sent; call the result once with whether it failed.
   * @throws ServiceError `paused`, and what a stop means
   */
  async begin(signal: AbortSignal): Promise<(hasFailed: boolean) => void> {
    for (;;) {
      const now = this.#clock.now();
      this.#failures = this.#failures.filter((at) => at > now - windowMs);
      const { length, [0]: oldest = now } = this.#failures;
      if (length + this.#pending < budget) break;
      const leftMs = oldest + windowMs - now;
      if (length >= budget) throw paused(leftMs);
      await this.#change(leftMs, signal);
    }
    this.#pending++;
    return (hasFailed) => this.#settle(hasFailed);
  }

  /** Until a request has ended or the time has passed. */
  async #change(ms: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#settlement.signal]);
    await wait(ms, { clock: this.#clock, signal: either }).catch(() => {});
    if (signal.aborted) throw abortFailure(signal);
  }

  #settle(hasFailed: boolean): void {
    this.#pending--;
    if (hasFailed) this.#failures.push(this.#clock.now());
    this.#settlement.abort();
    this.#settlement = new AbortController();
  }
}

/** A breaker for each origin. */
export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #byOrigin = new Map<string, CircuitBreaker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(origin: string): CircuitBreaker {
    const breaker = this.#byOrigin.get(origin) ?? new CircuitBreaker(this.#clock);
    this.#byOrigin.set(origin, breaker);
    return breaker;
  }
}

const paused = (waitMs: number): ServiceError =>
  new ServiceError({
    code: 'paused',
    retryAfterMs: waitMs,
    message: l10n.t(
      'Many requests failed in the last half minute. Requests are paused for {0} s so that the service does not block the key.',
      Math.ceil(waitMs / 1_000),
    ),
  });
