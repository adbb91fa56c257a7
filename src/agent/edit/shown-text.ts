import { hiddenCharacters } from '../../base/hidden-characters.ts';
import type { Place } from './hunk.ts';

/** A text as a model is shown it, without hidden characters, and where its parts stand in the whole one. */
export class ShownText {
  readonly text: string;
  /** Offsets in the shown text at which something is left out, in order, and what is left out up to there. */
  readonly #gaps: number[] = [];
  readonly #removed: number[] = [];

  constructor(text: string) {
    const kept: string[] = [];
    let [done, removed] = [0, 0];
    for (const { character, index } of hiddenCharacters(text)) {
      kept.push(text.slice(done, index));
      this.#gaps.push(index - removed);
      done = index + character.length;
      removed += character.length;
      this.#removed.push(removed);
    }
    this.text = removed === 0 ? text : kept.join('') + text.slice(done);
  }

  /** The same place in the whole text. Hidden characters at its ends are outside of it. */
  toWhole({ start, end, text }: Place): Place {
    const from = this.startOf(start);
    return { start: from, end: start === end ? from : this.endOf(end), text };
  }

  /** Where the character behind `offset` stands. */
  startOf(offset: number): number {
    return offset + this.#removedUpTo(offset + 1);
  }

  /** Where the character before `offset` ends. */
  endOf(offset: number): number {
    return offset + this.#removedUpTo(offset);
  }

  /** UTF-16 units that are left out at gaps before `offset`. */
  #removedUpTo(offset: number): number {
    let [low, high] = [0, this.#gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#gaps[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return this.#removed[low - 1] ?? 0;
  }
}
