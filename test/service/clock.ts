/** The service's calendar time: the machine's, shifted or stopped. The pace of replies does not depend on it. */
export class ServiceClock {
  #offset = 0;
  #stoppedAt: number | undefined;

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.#stoppedAt ?? Date.now() + this.#offset;
  }

  /** Stops at `time`: only `advance` and `set` change it until `reset`. */
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
