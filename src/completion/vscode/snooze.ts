import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** A rest of suggestions that ends by itself. */
export class Snooze implements Disposable {
  readonly #clock: Clock;
  readonly #ended: () => void;
  #until = 0;
  #cancel = (): void => {};

  /** `ended` is called when a rest has ended by itself: `until` says so by then. */
  constructor(clock: Clock, ended: () => void) {
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Milliseconds since the epoch; undefined while there is no rest. */
  get until(): number | undefined {
    return this.#until > this.#clock.now() ? this.#until : undefined;
  }

  /** Begins a rest anew, in place of one that is on. */
  begin(minutes: number): void {
    const ms = minutes * 60_000;
    this.#cancel();
    this.#until = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => {
      // The timer may be a moment ahead of the clock, and nothing else would end the rest.
      this.#until = 0;
      this.#ended();
    });
  }

  /** Ends a rest before its time, without a word. */
  end(): void {
    this.#cancel();
    this.#until = 0;
  }

  dispose(): void {
    this.#cancel();
  }
}
