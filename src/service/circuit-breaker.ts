import type { Clock } from '../base/clock.ts';
import type { ServiceContext } from './client.ts';

const windowMs = 30_000;
/** The service blocks a key for 30 s after 20 failures in 30 s; other programs may use the same key. */
const budget = 15;

/**
 * Keeps the failing requests to one origin under the service's failure budget: at most 15 in any 30 seconds.
 * A request that is under way while others fail counts as if it failed too, until its status is known.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #failures: number[] = [];
  #pending = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the next request may be sent; 0 when it may be sent now. */
  waitMs(): number {
    const now = this.#clock.now();
    this.#failures = this.#failures.filter((at) => at > now - windowMs);
    const [oldest] = this.#failures;
    const isSpent = oldest !== undefined && this.#failures.length + this.#pending >= budget;
    return isSpent ? oldest + windowMs - now : 0;
  }

  /** Notes a request; call the result once with whether it failed. */
  begin(): (hasFailed: boolean) => void {
    this.#pending++;
    return (hasFailed) => {
      this.#pending--;
      if (hasFailed) this.#failures.push(this.#clock.now());
    };
  }
}

const breakers = new WeakMap<ServiceContext, Map<string, CircuitBreaker>>();

/** The breaker of an origin; it lives as long as the context. */
export function breakerOf(context: ServiceContext, origin: string): CircuitBreaker {
  const ofContext = breakers.get(context) ?? new Map<string, CircuitBreaker>();
  breakers.set(context, ofContext);
  const breaker = ofContext.get(origin) ?? new CircuitBreaker(context.clock);
  ofContext.set(origin, breaker);
  return breaker;
}
