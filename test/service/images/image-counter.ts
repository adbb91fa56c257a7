import { hashText } from '../random.ts';

/** Numbers the image replies, and chooses seeds that callers omit. */
export class ImageCounter {
  readonly #serviceSeed: number;
  #replies = 0;

  constructor(serviceSeed: number) {
    this.#serviceSeed = serviceSeed;
  }

  reset(): void {
    this.#replies = 0;
  }

  /** Returns the next reply's number, from 1, and a seed that differs for each reply. */
  next(): { number: number; seed: number } {
    const number = ++this.#replies;
    return { number, seed: hashText(`${this.#serviceSeed}/${number}`) % 1_000_000_000 };
  }
}
