import type { Clock } from '../../base/clock.ts';
import type { Transport } from './client.ts';

/** Less is the way that a reply takes, and the full seconds of its header. */
const smallestMs = 5_000;
/** A service that is further off is not believed: what is signed ahead of time is good for longer than it should be. */
const largestMs = 15 * 60 * 1_000;

/** The time as the service has it, learned from the `Date` of its replies: what it judges sign-ins and tokens by. */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the Unix epoch; this machine's own until a reply came. */
  now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  observe(headers: Readonly<Record<string, string>>): void {
    const aheadMs = Date.parse(headers['date'] ?? '') - this.#clock.now();
    if (Number.isNaN(aheadMs) || Math.abs(aheadMs) > largestMs) return;
    this.#aheadMs = Math.abs(aheadMs) < smallestMs ? 0 : aheadMs;
  }
}

/** `transport`, with each of its replies shown to the clock, failed ones too. */
export const withServiceClock = (transport: Transport, clock: ServiceClock): Transport => ({
  async send(request) {
    const response = await transport.send(request);
    clock.observe(response.headers);
    return response;
  },
  close: () => transport.close(),
});
