import type { Clock } from '../../base/clock.ts';
import type { Character, CharacterPage, CharacterQuery } from '../../service/characters.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { networkFailure } from '../../service/http/network-failure.ts';

/** What of a search is known. */
export interface PersonaResults {
  readonly words: string;
  readonly characters: readonly Character[];
  readonly isLoading: boolean;
  /** More can be asked for. */
  readonly hasMore: boolean;
  /** Why there are no more than these. */
  readonly failure?: ServiceFailure;
}

interface SearchOptions {
  readonly clock: Clock;
  readonly list: (query: CharacterQuery, signal: AbortSignal) => Promise<CharacterPage>;
  /** Those for adults are left out, whatever the service says. */
  readonly showAdult: boolean;
  readonly onChange: (results: PersonaResults) => void;
}

const pageSize = 50;
/** A person types faster than it is worth asking. */
const pauseMs = 250;
/** Nobody reads further. */
const mostResults = 500;

/** Finds personas while somebody types: asks after a pause, and the last question wins. */
export class PersonaSearch {
  readonly #options: SearchOptions;
  #results: PersonaResults = { words: '', characters: [], isLoading: true, hasMore: false };
  #offset = 0;
  #hasBegun = false;
  #asking = new AbortController();
  #cancelPause: () => void = () => {};

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Searches for these words after a pause; without one when they are empty. */
  type(words: string): void {
    // Lists tell of words that were put into them, too.
    if (this.#hasBegun && words === this.#results.words) return;
    this.#hasBegun = true;
    this.#cancelPause();
    this.#asking.abort();
    this.#set({ words, characters: [], isLoading: true, hasMore: false });
    const start = (): void => void this.#ask(0);
    if (words.trim() === '') start();
    else this.#cancelPause = this.#options.clock.after(pauseMs, start);
  }

  /** Asks for the next page, or once more after a failure. */
  more(): void {
    if (this.#results.isLoading) return;
    const { failure: _failure, ...results } = this.#results;
    this.#set({ ...results, isLoading: true, hasMore: false });
    void this.#ask(this.#offset);
  }

  dispose(): void {
    this.#cancelPause();
    this.#asking.abort();
  }

  async #ask(offset: number): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const { list, showAdult } = this.#options;
    const { words } = this.#results;
    const query: CharacterQuery = {
      ...{ search: words, limit: pageSize, offset },
      ...(showAdult ? {} : { isAdult: false }),
    };
    try {
      const page = await list(query, asking.signal);
      if (asking.signal.aborted) return;
      this.#offset = offset + page.count;
      const known = new Set(this.#results.characters.map(({ slug }) => slug));
      const fresh = page.characters.filter(
        ({ slug, isAdult }) => !known.has(slug) && (showAdult || !isAdult),
      );
      const characters = [...this.#results.characters, ...fresh];
      const hasMore = page.count === pageSize && characters.length < mostResults;
      this.#set({ words, characters, isLoading: false, hasMore });
    } catch (error) {
      if (asking.signal.aborted) return;
      const { failure } = networkFailure(error);
      this.#set({ ...this.#results, isLoading: false, hasMore: false, failure });
    }
  }

  #set(results: PersonaResults): void {
    this.#results = results;
    this.#options.onChange(results);
  }
}
