import type { CachedCompletion } from './completion-cache.ts';
import { getLinePrefix } from './language/cursor-context.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Kind of cursor position that has its own acceptance rate: at the start of a line, before a new word, or inside a
 * word. The values are also keys in stored statistics.
 */
export type PositionKind = 'line-start' | 'word-start' | 'word';

/** Ratio of accepted to returned suggestions by position kind, from 0 to 1. */
export type AcceptanceRates = Readonly<Record<PositionKind, number>>;

/** Matches the text before the cursor if a new word, argument or member can begin there, for example `foo(` or `a.`. */
const wordBoundaryPattern = /[\s([{<.=:,"'`/!&|+\-*>]$/u;

export function getPositionKind(snapshot: Snapshot): PositionKind {
  const linePrefix = getLinePrefix(snapshot);
  if (linePrefix.trim() === '') return 'line-start';
  return wordBoundaryPattern.test(linePrefix) ? 'word-start' : 'word';
}

/** Weight of the newest suggestion in the moving average of an acceptance rate. */
const newestSuggestionWeight = 0.2;
/**
 * Acceptance rate at or above which requests get no extra delay. The rate is low, because users read many suggestions
 * without accepting them.
 */
const sufficientRate = 0.3;
/**
 * Minimum number of characters of a completion that the user must type before the completion counts as accepted. The
 * user must type a shorter completion completely.
 */
const minTypedLength = 4;
/**
 * Acceptance rates before any suggestion is measured. They equal {@link sufficientRate}, so requests get no extra
 * delay.
 */
export const initialRates: AcceptanceRates = { 'line-start': 0.3, 'word-start': 0.3, word: 0.3 };

/**
 * Measures the acceptance rate of suggestions by position kind. A suggestion also counts as accepted if the user types
 * its text.
 */
export class AcceptanceStatistics {
  readonly #rates: Record<PositionKind, number>;
  /** Position kinds of the suggestions that the user has neither accepted nor rejected yet, by suggestion id. */
  readonly #openSuggestions = new Map<number, PositionKind>();
  #consecutiveRejectionCount = 0;

  /** @param rates acceptance rates that the previous session stored */
  constructor(rates: AcceptanceRates = initialRates) {
    this.#rates = { ...rates };
  }

  get rates(): AcceptanceRates {
    return { ...this.#rates };
  }

  /** Number of consecutive rejected suggestions at line starts. */
  get consecutiveRejectionCount(): number {
    return this.#consecutiveRejectionCount;
  }

  /**
   * Returns how far the acceptance rate is below {@link sufficientRate}, as a fraction from 0 (not below) to 1 (all
   * suggestions rejected).
   */
  getAcceptanceShortfall(kind: PositionKind): number {
    return Math.max(0, 1 - this.#rates[kind] / sufficientRate);
  }

  recordRequest(id: number, kind: PositionKind): void {
    this.#openSuggestions.set(id, kind);
  }

  recordAcceptance(id: number): void {
    this.#settleOutcome(id, 1);
  }

  /** Removes a suggestion whose request failed, without a change of the rates. */
  discardSuggestion(id: number): void {
    this.#openSuggestions.delete(id);
  }

  /**
   * Updates the rates after a change of the document. A suggestion counts as accepted if the user typed all or at least
   * {@link minTypedLength} of its characters. It counts as rejected if its text no longer matches the document.
   * @param cachedCompletions completions that continue at the cursor
   * @param pendingIds ids of the open requests whose answers may still match the text at the cursor
   */
  updateRates(cachedCompletions: readonly CachedCompletion[], pendingIds: readonly number[]): void {
    for (const { completion, remainingText } of cachedCompletions) {
      const typedText = completion.text.slice(0, completion.text.length - remainingText.length);
      const isFullyTyped = remainingText === '' && completion.text !== '';
      if (isFullyTyped || typedText.trim().length >= minTypedLength)
        this.recordAcceptance(completion.id);
    }
    const cachedIds = cachedCompletions.map(({ completion }) => completion.id);
    this.rejectAllExcept(new Set([...pendingIds, ...cachedIds]));
  }

  /**
   * Counts every open suggestion as rejected, unless its text still matches the document. A suggestion is open until
   * the user accepts or rejects it.
   * @param matchingIds ids of the suggestions whose text still matches the document
   */
  rejectAllExcept(matchingIds: ReadonlySet<number>): void {
    for (const id of [...this.#openSuggestions.keys()])
      if (!matchingIds.has(id)) this.#settleOutcome(id, 0);
  }

  #settleOutcome(id: number, outcome: 0 | 1): void {
    const kind = this.#openSuggestions.get(id);
    if (kind === undefined) return;
    this.#openSuggestions.delete(id);
    this.#rates[kind] += (outcome - this.#rates[kind]) * newestSuggestionWeight;
    if (kind === 'line-start')
      this.#consecutiveRejectionCount = outcome === 1 ? 0 : this.#consecutiveRejectionCount + 1;
  }
}
