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
  #cancelCheck: (() => void) | undefined;
  /** Time of the next check whether the limit has passed, in milliseconds since the epoch. */
  #nextCheckAt: number;

  constructor(clock: Clock, limitMs: number, onExpire: () => void) {
    this.#clock = clock;
    this.#onExpire = onExpire;
    this.#limitMs = limitMs;
    this.#lastFedAt = clock.now();
    this.#nextCheckAt = this.#lastFedAt + limitMs;
    this.#cancelCheck = clock.after(limitMs, () => this.#checkTime());
  }

  feed(): void {
    this.#lastFedAt = this.#clock.now();
  }

  /** Restarts the timer with a new time limit in milliseconds. */
  restart(limitMs: number): void {
    this.#limitMs = limitMs;
    this.feed();
    // An earlier check starts the timer again, which is faster than a new timer for each restart.
    if (this.#cancelCheck !== undefined && this.#nextCheckAt <= this.#lastFedAt + limitMs) return;
    this.#scheduleCheck(limitMs);
  }

  stop(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  #checkTime(): void {
    const remainingMs = this.#lastFedAt + this.#limitMs - this.#clock.now();
    this.#cancelCheck = undefined;
    if (remainingMs <= 0) this.#onExpire();
    else this.#scheduleCheck(remainingMs);
  }

  #scheduleCheck(ms: number): void {
    this.stop();
    this.#nextCheckAt = this.#clock.now() + ms;
    this.#cancelCheck = this.#clock.after(ms, () => this.#checkTime());
  }
}
