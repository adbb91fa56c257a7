import type { Clock } from '../base/clock.ts';

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Joins deltas so that a reader gets at most one every `intervalMs`. The first after a pause goes at once:
 * a person waits for that one.
 */
export class DeltaBatcher {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #deliver: (delta: TextDelta) => void;
  #text = '';
  #reasoning = '';
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, deliver: (delta: TextDelta) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#deliver = deliver;
  }

  add(delta: TextDelta): void {
    this.#text += delta.text;
    this.#reasoning += delta.reasoning;
    if (this.#cancel !== undefined) return;
    this.flush();
    this.#arm();
  }

  /** Delivers what is waiting now: before anything that must not overtake it. */
  flush(): void {
    if (this.#text === '' && this.#reasoning === '') return;
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.discard();
    this.#deliver(delta);
  }

  /** Forgets what is waiting. */
  discard(): void {
    this.#text = '';
    this.#reasoning = '';
  }

  /** Delivers what is waiting and stops the timer. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.flush();
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#intervalMs, () => {
      this.#cancel = undefined;
      if (this.#text === '' && this.#reasoning === '') return;
      this.flush();
      this.#arm();
    });
  }
}
