/**
 * The service's clock: the machine's clock, optionally shifted or stopped. It does not affect the
 * pace of replies.
 */
export class ServiceClock {
  #offset = 0;
  #stoppedAt: number | undefined;

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.#stoppedAt ?? Date.now() + this.#offset;
  }

  /** Stops the clock at `time`. Only `advance` and `set` change it until `reset`. */
  set(time: number): void {
    this.#stoppedAt = time;
  }

  advance(ms: number): void {
    if (this.#stoppedAt === undefined) this.#offset += ms;
    else this.#stoppedAt += ms;
  }

  reset(): void {
    this.#offset = 0;
    this.#stoppedAt = undefined;
  }
}
