import type { Clock } from '../../base/clock.ts';
import type { Transport } from './client.ts';

/**
 * Minimum difference in milliseconds between the clocks of the service and this machine. A smaller difference counts as
 * zero, because network latency and the resolution of the `Date` header can cause it.
 */
const minSkewMs = 5_000;
/**
 * Maximum difference in milliseconds between the clocks of the service and this machine. A larger difference is
 * ignored, because a message signed with a time far in the future would stay valid for too long.
 */
const maxSkewMs = 15 * 60 * 1_000;

/**
 * Estimates the current time of the service from the `Date` headers of its responses. The service uses its own clock to
 * decide whether sign-ins and tokens have expired.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #skewMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the time in milliseconds since the Unix epoch. Until the first response, this is the local time. */
  now(): number {
    return this.#clock.now() + this.#skewMs;
  }

  recordServerTime(headers: Readonly<Record<string, string>>): void {
    const skewMs = Date.parse(headers['date'] ?? '') - this.#clock.now();
    if (Number.isNaN(skewMs) || Math.abs(skewMs) > maxSkewMs) return;
    this.#skewMs = Math.abs(skewMs) < minSkewMs ? 0 : skewMs;
  }
}

/** Wraps a transport so that the clock observes all responses, including error responses. */
export const withServiceClock = (transport: Transport, clock: ServiceClock): Transport => ({
  async send(request) {
    const response = await transport.send(request);
    clock.recordServerTime(response.headers);
    return response;
  },
  close: () => transport.close(),
});
