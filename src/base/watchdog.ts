import type { Clock } from './clock.ts';

/**
 * Timer that calls `onExpire` if `feed` was not called for `limitMs` milliseconds. `feed` only
 * stores the current time, so streams can call `feed` for every chunk.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onExpire: () => void;
  #limitMs: number;
  #lastFedAt: number;
  #cancel: () => void;

  constructor(clock: Clock, limitMs: number, onExpire: () => void) {
    this.#clock = clock;
    this.#onExpire = onExpire;
    this.#limitMs = limitMs;
    this.#lastFedAt = clock.now();
    this.#cancel = clock.after(limitMs, () => this.#check());
  }

  feed(): void {
    this.#lastFedAt = this.#clock.now();
  }

  /** Restarts the timer with another time limit in milliseconds. */
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
    const remainingMs = this.#lastFedAt + this.#limitMs - this.#clock.now();
    if (remainingMs <= 0) this.#onExpire();
    else this.#cancel = this.#clock.after(remainingMs, () => this.#check());
  }
}
