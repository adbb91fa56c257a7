import { hashText } from '../random.ts';

/** Numbers the image replies, and chooses the seeds that callers leave open. */
export class ImageCounter {
  readonly #serviceSeed: number;
  #replies = 0;

  constructor(serviceSeed: number) {
    this.#serviceSeed = serviceSeed;
  }

  reset(): void {
    this.#replies = 0;
  }

  /** The next reply's number, from 1, and a seed that is another for every reply. */
  next(): { number: number; seed: number } {
    const number = ++this.#replies;
    return { number, seed: hashText(`${this.#serviceSeed}/${number}`) % 1_000_000_000 };
  }
}
