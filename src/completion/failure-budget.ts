import type { Clock } from '../base/clock.ts';
import { failureTable, type ServiceFailure } from '../service/http/failure.ts';

/** Failures in a row before requests pause. */
const most = 3;
const firstPauseMs = 30_000;
const longestPauseMs = 10 * 60_000;

/**
 * Lets requests rest after several failed in a row: a service that is down, an empty account or a wrong key must not be
 * asked at every key press, and the service blocks a key that fails too often. What does not pass by itself counts at
 * once. Each further failure doubles the rest.
 */
export class FailureBudget {
  readonly #clock: Clock;
  #inRow = 0;
  #pause: { readonly until: number; readonly failure: ServiceFailure } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until when nothing may be asked (milliseconds since the epoch), and because of what. */
  get pause(): { readonly until: number; readonly failure: ServiceFailure } | undefined {
    return this.#pause !== undefined && this.#clock.now() < this.#pause.until
      ? this.#pause
      : undefined;
  }

  failed(failure: ServiceFailure): void {
    this.#inRow += 1;
    const asked = failure.retryAfterMs ?? 0;
    const mayPass = failureTable[failure.code].retryable;
    if (mayPass && asked === 0 && this.#inRow < most) return;
    const doubled = firstPauseMs * 2 ** Math.max(0, this.#inRow - most);
    const ms = Math.max(asked, Math.min(doubled, longestPauseMs));
    this.#pause = { until: this.#clock.now() + ms, failure };
  }

  /** A request went well, or what made them fail has changed. */
  reset(): void {
    this.#inRow = 0;
    this.#pause = undefined;
  }
}
