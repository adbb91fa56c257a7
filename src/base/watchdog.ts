import type { Clock } from './clock.ts';

/**
 * Calls `onExpire` once when it was not fed for a limit of milliseconds.
 * Feeding only notes the time, so it may happen for every byte of a fast stream.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onExpire: () => void;
  #limitMs: number;
  #fedAt: number;
  #cancel: () => void;

  constructor(clock: Clock, limitMs: number, onExpire: () => void) {
    this.#clock = clock;
    this.#onExpire = onExpire;
    this.#limitMs = limitMs;
    this.#fedAt = clock.now();
    this.#cancel = clock.after(limitMs, () => this.#check());
  }

  feed(): void {
    this.#fedAt = this.#clock.now();
  }

  /** Starts over with another limit. */
  restart(limitMs: number): void {
    this.stop();
    this.#limitMs = limitMs;
    this.feed();
    this.#cancel = this.#clock.after(limitMs, () => this.#check());
  }

  stop(): void {
    this.#cancel();
  }

  #check(): void {
    const leftMs = this.#fedAt + this.#limitMs - this.#clock.now();
    if (leftMs <= 0) this.#onExpire();
    else this.#cancel = this.#clock.after(leftMs, () => this.#check());
  }
}
