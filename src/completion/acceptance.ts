import { linePrefix, type Snapshot } from './snapshot.ts';

/** Kind of cursor position with a separate acceptance rate. Also a key in stored statistics. */
export type PositionKind = 'line-start' | 'word-start' | 'word';

/** Acceptance rate at each kind of position, from 0 to 1. */
export type AcceptanceRates = Readonly<Record<PositionKind, number>>;

/** Matches text after which a new word, argument or member begins. */
const beginsWord = /[\s([{<.=:,"'`/!&|+\-*>]$/u;

export function positionKind(snapshot: Snapshot): PositionKind {
  const before = linePrefix(snapshot);
  if (before.trim() === '') return 'line-start';
  return beginsWord.test(before) ? 'word-start' : 'word';
}

/** Weight of a new outcome in the moving average. */
const weight = 0.2;
/**
 * Acceptance rate above which requests are not delayed. Users read most suggestions without
 * accepting them.
 */
const sufficientRate = 0.3;
/** Rates without any outcomes. They cause no extra delay. */
export const initialRates: AcceptanceRates = { 'line-start': 0.3, 'word-start': 0.3, word: 0.3 };

/** Measures how often the user accepts suggestions, or types the suggested text, at each kind of position. */
export class AcceptanceStatistics {
  readonly #rates: Record<PositionKind, number>;
  /** Positions of suggestions without an outcome, by id. */
  readonly #open = new Map<number, PositionKind>();
  #rejectedLines = 0;

  /** @param rates rates that an earlier session stored */
  constructor(rates: AcceptanceRates = initialRates) {
    this.#rates = { ...rates };
  }

  get rates(): AcceptanceRates {
    return { ...this.#rates };
  }

  /** Number of suggestions at line starts that were rejected in a row. */
  get rejectedLines(): number {
    return this.#rejectedLines;
  }

  /** Returns the shortfall from a sufficient acceptance rate, from 0 (sufficient) to 1 (never accepted). */
  rejectionRate(kind: PositionKind): number {
    return Math.max(0, 1 - this.#rates[kind] / sufficientRate);
  }

  recordRequest(id: number, kind: PositionKind): void {
    this.#open.set(id, kind);
  }

  recordAccepted(id: number): void {
    this.#settle(id, 1);
  }

  /** Drops a suggestion whose request failed, without an effect on the rates. */
  discard(id: number): void {
    this.#open.delete(id);
  }

  /** Records all open suggestions as rejected, except those whose text still matches the document. */
  rejectAllExcept(matchingIds: ReadonlySet<number>): void {
    for (const id of [...this.#open.keys()]) if (!matchingIds.has(id)) this.#settle(id, 0);
  }

  #settle(id: number, outcome: 0 | 1): void {
    const kind = this.#open.get(id);
    if (kind === undefined) return;
    this.#open.delete(id);
    this.#rates[kind] += (outcome - this.#rates[kind]) * weight;
    if (kind === 'line-start') this.#rejectedLines = outcome === 1 ? 0 : this.#rejectedLines + 1;
  }
}
