import type { Clock } from '../../../src/base/clock.ts';

const secondMs = 1_000;

/** Draws again after a second, as long as each drawing asks for it. */
export class SecondTick {
  readonly #clock: Clock;
  readonly #draw: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, draw: () => void) {
    this.#clock = clock;
    this.#draw = draw;
  }

  /** For every drawing: whether there is something to count. */
  next(isCounting: boolean): void {
    this.#cancel?.();
    this.#cancel = isCounting ? this.#clock.after(secondMs, this.#draw) : undefined;
  }
}
