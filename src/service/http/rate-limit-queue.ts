import { type Clock, wait } from '../../base/clock.ts';
import { createAbortError } from './network-failure.ts';

/** Priorities of calls that run a model. A smaller number comes first. */
export const priorities = { visibleChat: 0, other: 1, suggestion: 2 } as const;

/** Interval in milliseconds after which a waiting call reads the priorities again, because the visible chat may change. */
const pollIntervalMs = 500;

/**
 * Orders the calls to one origin while the service limits the rate: no call is sent while a more important call waits
 * for its next attempt. Without a rate limit, no call waits.
 */
export class RateLimitQueue {
  readonly #clock: Clock;
  /** Priorities of the calls that were rejected by the rate limit and will be sent again. */
  readonly #limitedRequests = new Set<() => number>();
  /**
   * Aborted when a rate-limited call is answered or given up, so that waiting calls check the queue again. A new
   * controller then replaces it.
   */
  #change = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits while a more important call is rate-limited.
   * @throws ServiceError if the signal is aborted
   */
  async enter(priority: () => number, signal: AbortSignal): Promise<void> {
    while ([...this.#limitedRequests].some((other) => other() < priority())) {
      const combinedSignal = AbortSignal.any([signal, this.#change.signal]);
      await wait(pollIntervalMs, { clock: this.#clock, signal: combinedSignal }).catch(() => {});
      if (signal.aborted) throw createAbortError(signal);
    }
  }

  /**
   * Adds a call that the rate limit rejected and that will be sent again. Less important calls wait for it.
   * @returns a function to call when the next attempt is answered or given up
   */
  addLimitedCall(priority: () => number): () => void {
    // A call of its own, even if two calls share one function.
    const entry = (): number => priority();
    this.#limitedRequests.add(entry);
    return () => {
      this.#limitedRequests.delete(entry);
      this.#change.abort();
      this.#change = new AbortController();
    };
  }
}

/** Creates one queue per origin, because a rate limit applies to one service only. */
export class RateLimitQueues {
  readonly #clock: Clock;
  readonly #byOrigin = new Map<string, RateLimitQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(origin: string): RateLimitQueue {
    const queue = this.#byOrigin.get(origin) ?? new RateLimitQueue(this.#clock);
    this.#byOrigin.set(origin, queue);
    return queue;
  }
}
