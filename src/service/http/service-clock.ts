import type { Clock } from '../../base/clock.ts';
import type { Transport } from './client.ts';

/**
 * Minimum clock difference in milliseconds. Smaller differences are within network latency and the resolution of the
 * `Date` header.
 */
const minSkewMs = 5_000;
/**
 * Maximum clock difference in milliseconds. With a larger difference, a signed message would be valid for longer than
 * intended.
 */
const maxSkewMs = 15 * 60 * 1_000;

/**
 * Estimates the current time of the service from `Date` headers, because the service decides by its own clock whether
 * sign-ins and tokens have expired.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the time in milliseconds since the Unix epoch. Until the first response, this is the local time. */
  now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  observe(headers: Readonly<Record<string, string>>): void {
    const aheadMs = Date.parse(headers['date'] ?? '') - this.#clock.now();
    if (Number.isNaN(aheadMs) || Math.abs(aheadMs) > maxSkewMs) return;
    this.#aheadMs = Math.abs(aheadMs) < minSkewMs ? 0 : aheadMs;
  }
}

/** Wraps a transport so that the clock observes all responses, including error responses. */
export const withServiceClock = (transport: Transport, clock: ServiceClock): Transport => ({
  async send(request) {
    const response = await transport.send(request);
    clock.observe(response.headers);
    return response;
  },
  close: () => transport.close(),
});
