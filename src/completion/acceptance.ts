import { linePrefix, type Snapshot } from './snapshot.ts';

/** Where in a line the cursor stands, as far as it tells whether a suggestion is wanted there. */
export type Place = 'line-start' | 'word-start' | 'word';

/** Of the answers for each place, those that were used, from 0 to 1. */
export type UsefulShares = Readonly<Record<Place, number>>;

/** What a new word, argument or member follows. */
const beginsWord = /[\s([{<.=:,"'`/!&|+\-*>]$/u;

export function placeOf(snapshot: Snapshot): Place {
  const before = linePrefix(snapshot);
  if (before.trim() === '') return 'line-start';
  return beginsWord.test(before) ? 'word-start' : 'word';
}

/** How much of what is known a new outcome replaces. */
const weight = 0.2;
/** A share from which on there is no doubt: most suggestions are read and passed by. */
const enough = 0.3;
/** Before anything is known: none is in doubt. */
export const unknownShares: UsefulShares = { 'line-start': 0.3, 'word-start': 0.3, word: 0.3 };

/** Learns at what places this person uses the answers of this model: takes them, or types what they say. */
export class Usefulness {
  readonly #shares: Record<Place, number>;
  /** Answers that may still be used. */
  readonly #open = new Map<number, Place>();
  #missedLines = 0;

  /** @param shares as an earlier window had them */
  constructor(shares: UsefulShares = unknownShares) {
    this.#shares = { ...shares };
  }

  get shares(): UsefulShares {
    return { ...this.#shares };
  }

  /** Starts of lines, one after the other, whose answer was not used. */
  get missedLines(): number {
    return this.#missedLines;
  }

  /** How likely it is that a question at such a place is in vain, from 0 to 1. */
  doubt(place: Place): number {
    return Math.max(0, 1 - this.#shares[place] / enough);
  }

  asked(id: number, place: Place): void {
    this.#open.set(id, place);
  }

  used(id: number): void {
    this.#settle(id, 1);
  }

  /** It says nothing of the place: its answer failed, or the person went elsewhere. */
  ignore(id: number): void {
    this.#open.delete(id);
  }

  /** Those that are not among `fitting` can be used no more. */
  retain(fitting: ReadonlySet<number>): void {
    for (const id of [...this.#open.keys()]) if (!fitting.has(id)) this.#settle(id, 0);
  }

  #settle(id: number, outcome: 0 | 1): void {
    const place = this.#open.get(id);
    if (place === undefined) return;
    this.#open.delete(id);
    this.#shares[place] += (outcome - this.#shares[place]) * weight;
    if (place === 'line-start') this.#missedLines = outcome === 1 ? 0 : this.#missedLines + 1;
  }
}
