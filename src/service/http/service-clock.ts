import type { Clock } from '../../base/clock.ts';
import type { Transport } from './client.ts';

/** Smaller skew is within network latency and the header's resolution of one second. */
const minSkewMs = 5_000;
/** Larger skew is ignored: a message signed ahead of time would be valid for longer than intended. */
const maxSkewMs = 15 * 60 * 1_000;

/**
 * The service's time, estimated from the `Date` headers of its responses. Determines whether sign-ins and tokens have
 * expired.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns milliseconds since the Unix epoch. Uses local time until the first response. */
  now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  observe(headers: Readonly<Record<string, string>>): void {
    const aheadMs = Date.parse(headers['date'] ?? '') - this.#clock.now();
    if (Number.isNaN(aheadMs) || Math.abs(aheadMs) > maxSkewMs) return;
    this.#aheadMs = Math.abs(aheadMs) < minSkewMs ? 0 : aheadMs;
  }
}

/** Wraps a transport so that the clock observes every response, including failed ones. */
export const withServiceClock = (transport: Transport, clock: ServiceClock): Transport => ({
  async send(request) {
    const response = await transport.send(request);
    clock.observe(response.headers);
    return response;
  },
  close: () => transport.close(),
});
