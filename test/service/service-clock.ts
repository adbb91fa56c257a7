/**
 * Clock of the service: the machine's clock, which a test can shift or stop. The pace of replies does not depend on it.
 */
export class ServiceClock {
  #offset = 0;
  #stoppedAt: number | undefined;

  /** Returns the time of this clock in milliseconds since the Unix epoch. */
  now(): number {
    return this.#stoppedAt ?? Date.now() + this.#offset;
  }

  /**
   * Stops the clock at `time`, in milliseconds since the Unix epoch. Until `reset`, only `advance` and `setTime` change
   * its time.
   */
  setTime(time: number): void {
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
