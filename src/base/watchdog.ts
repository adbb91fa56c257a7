import type { Clock } from './clock.ts';

/**
 * Timer that calls `onExpire` if `feed` is not called for `limitMs` milliseconds. `feed` only stores the current time,
 * so streams can call it for every chunk.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onExpire: () => void;
  #limitMs: number;
  #lastFedAt: number;
  #cancel: (() => void) | undefined;
  /** Time at which the current timer ends, in milliseconds since the epoch. */
  #nextCheckAt: number;

  constructor(clock: Clock, limitMs: number, onExpire: () => void) {
    this.#clock = clock;
    this.#onExpire = onExpire;
    this.#limitMs = limitMs;
    this.#lastFedAt = clock.now();
    this.#nextCheckAt = this.#lastFedAt + limitMs;
    this.#cancel = clock.after(limitMs, () => this.#checkTime());
  }

  feed(): void {
    this.#lastFedAt = this.#clock.now();
  }

  /** Restarts the timer with a new time limit in milliseconds. */
  restart(limitMs: number): void {
    this.#limitMs = limitMs;
    this.feed();
    // An earlier check starts the timer again, which is faster than a new timer for each restart.
    if (this.#cancel !== undefined && this.#nextCheckAt <= this.#lastFedAt + limitMs) return;
    this.#wait(limitMs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #checkTime(): void {
    const remainingMs = this.#lastFedAt + this.#limitMs - this.#clock.now();
    this.#cancel = undefined;
    if (remainingMs <= 0) this.#onExpire();
    else this.#wait(remainingMs);
  }

  #wait(ms: number): void {
    this.stop();
    this.#nextCheckAt = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => this.#checkTime());
  }
}
