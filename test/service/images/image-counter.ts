import { hashText } from '../random.ts';

/** Numbers the image replies, and selects a seed for requests without a seed. */
export class ImageCounter {
  readonly #serviceSeed: number;
  #replyCount = 0;

  constructor(serviceSeed: number) {
    this.#serviceSeed = serviceSeed;
  }

  reset(): void {
    this.#replyCount = 0;
  }

  /** Returns the number of the next reply, from 1, and a seed that no other reply has. */
  takeNext(): { replyNumber: number; seed: number } {
    const replyNumber = ++this.#replyCount;
    return { replyNumber, seed: hashText(`${this.#serviceSeed}/${replyNumber}`) % 1_000_000_000 };
  }
}
