import { type Clock, wait } from '../../base/clock.ts';
import type { ServiceFailure } from './failure.ts';
import { createAbortError } from './network-failure.ts';

/** Priorities of calls that run a model. A smaller number comes first. */
export const priorities = { visibleChat: 0, other: 1, suggestion: 2 } as const;

/**
 * Interval in milliseconds after which a waiting call reads the priorities again, because the visible chat may change.
 */
const pollIntervalMs = 500;

/**
 * Maximum retry delay, in milliseconds, that a call waits for. If the service requests a longer delay, the call fails
 * instead. Such a delay usually results from a quota of one model, so other models can still answer.
 */
export const maxWaitMs = 60_000;

/**
 * Maximum time in milliseconds without calls to a rate-limited model. After this time, one call is sent even if the
 * limit lasts longer, because the user may have bought credit.
 */
const maxHoldMs = 60 * 60_000;

interface RateLimit {
  readonly startTime: number;
  /** End of the rate limit in milliseconds since the epoch. */
  readonly endTime: number;
  /** Failure of the call that the service rejected. */
  readonly failure: ServiceFailure;
}

/**
 * Delays the calls to one origin while the service limits the rate of requests. No call is sent before the time that
 * the service stated. A call also waits while a call with a higher priority waits for its next attempt. Without a rate
 * limit, no call waits.
 */
export class RateLimitQueue {
  readonly #clock: Clock;
  /**
   * Functions that return the priorities of the rate-limited calls, one per call. These calls were rejected because of
   * the rate, and will be sent again.
   */
  readonly #priorityGetters = new Set<() => number>();
  /**
   * Aborted when a rate-limited call is answered or abandoned, so that waiting calls check the queue again. A new
   * controller then replaces it.
   */
  #changeController = new AbortController();
  /**
   * Rate limits with an end time that the service reported. Each key is the model of the rejected call, or the path if
   * the call has no model.
   */
  readonly #limits = new Map<string, RateLimit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits while a call with a higher priority is rate-limited. Returns true if this call had to wait.
   * @throws ServiceError if the signal is aborted
   */
  async waitForTurn(getPriority: () => number, signal: AbortSignal): Promise<boolean> {
    let hasWaited = false;
    while (
      [...this.#priorityGetters].some((getLimitedPriority) => getLimitedPriority() < getPriority())
    ) {
      const combinedSignal = AbortSignal.any([signal, this.#changeController.signal]);
      await wait(pollIntervalMs, { clock: this.#clock, signal: combinedSignal }).catch(() => {});
      if (signal.aborted) throw createAbortError(signal);
      hasWaited = true;
    }
    return hasWaited;
  }

  /**
   * Records the limit of a call that the service rejected with status 429. Ignores failures without a delay.
   * @param getModelOrPath returns the model of the call, or its path
   */
  recordLimit(getModelOrPath: () => string, failure: ServiceFailure): void {
    if (failure.status !== 429 || failure.retryAfterMs === undefined) return;
    if (failure.code !== 'rate-limited' && failure.code !== 'overloaded') return;
    const startTime = this.#clock.now();
    this.#limits.set(getModelOrPath(), {
      startTime,
      endTime: startTime + failure.retryAfterMs,
      failure,
    });
  }

  /**
   * Returns the failure of the rate limit that applies to a call, with the remaining delay; `undefined` if none
   * applies. A limit of up to a minute applies to all calls. A longer limit, or a limit because a model is overloaded,
   * applies only to calls with the same model or, if they have no model, the same path.
   */
  findLimit(
    getModelOrPath: () => string,
  ): (ServiceFailure & { readonly retryAfterMs: number }) | undefined {
    const now = this.#clock.now();
    let lastLimit: RateLimit | undefined;
    for (const [subject, limit] of this.#limits) {
      const { startTime, endTime, failure } = limit;
      // The clock of the computer was set back if the limit starts in the future.
      if (now >= Math.min(endTime, startTime + maxHoldMs) || now < startTime)
        this.#limits.delete(subject);
      else if (
        (appliesToAllCalls(failure) || subject === getModelOrPath()) &&
        endTime > (lastLimit?.endTime ?? 0)
      )
        lastLimit = limit;
    }
    return lastLimit && { ...lastLimit.failure, retryAfterMs: lastLimit.endTime - now };
  }

  /**
   * Adds a call that was rejected because of the rate and will be sent again. Calls with a lower priority wait for this
   * call.
   * @returns a function to call when the next attempt is answered, accepted or abandoned
   */
  addLimitedCall(getPriority: () => number): () => void {
    // A call of its own, even if two calls share one function.
    const getOwnPriority = (): number => getPriority();
    this.#priorityGetters.add(getOwnPriority);
    return () => {
      this.#priorityGetters.delete(getOwnPriority);
      this.#changeController.abort();
      this.#changeController = new AbortController();
    };
  }
}

const appliesToAllCalls = ({ code, retryAfterMs = 0 }: ServiceFailure): boolean =>
  code === 'rate-limited' && retryAfterMs <= maxWaitMs;

/** Creates one queue per origin and key, because a service limits the rate of each key. */
export class RateLimitQueues {
  readonly #clock: Clock;
  readonly #queuesByOriginAndKey = new Map<string, RateLimitQueue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(origin: string, apiKey = ''): RateLimitQueue {
    const originAndKey = `${origin} ${apiKey}`;
    const queue = this.#queuesByOriginAndKey.get(originAndKey) ?? new RateLimitQueue(this.#clock);
    this.#queuesByOriginAndKey.set(originAndKey, queue);
    return queue;
  }
}
