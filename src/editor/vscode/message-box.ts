import type { Clock } from '../../base/clock.ts';

/** In milliseconds: more often nobody sees it. */
const betweenWrites = 60;

/** The input for a commit message while one is written into it. What the person types there meanwhile wins. */
export class MessageBox {
  /** What stood there before. */
  readonly replaced: string;
  readonly #input: { value: string };
  readonly #clock: Clock;
  #shown: string;
  #written = 0;
  #isTaken = false;

  constructor(input: { value: string }, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
    this.replaced = input.value;
    this.#shown = input.value;
  }

  /** The person changed the text: nothing is written any more. */
  get isTaken(): boolean {
    this.#isTaken ||= this.#input.value !== this.#shown;
    return this.#isTaken;
  }

  /** Nothing was written into it. */
  get isEmpty(): boolean {
    return this.#written === 0;
  }

  /** Shows the message so far, now and then. False when the person writes there themselves. */
  show(message: () => string): boolean {
    if (this.isTaken) return false;
    if (this.#clock.now() - this.#written >= betweenWrites) this.#write(message());
    return true;
  }

  end(message: string): void {
    if (!this.isTaken) this.#write(message);
  }

  restore(): void {
    this.#shown = this.replaced;
    this.#input.value = this.replaced;
  }

  #write(message: string): void {
    if (message === '') return;
    this.#written = this.#clock.now();
    this.#shown = message;
    this.#input.value = message;
  }
}
