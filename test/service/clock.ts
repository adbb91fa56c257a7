/** The service's calendar time: the machine's, shifted. How fast replies are written does not depend on it. */
export class ServiceClock {
  #offset = 0;

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return Date.now() + this.#offset;
  }

  set(time: number): void {
    this.#offset = time - Date.now();
  }

  advance(ms: number): void {
    this.#offset += ms;
  }

  reset(): void {
    this.#offset = 0;
  }
}
