import type { Reason } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import type { Suggestion } from './suggestion.ts';

/** Decides what is suggested at a cursor, with as few requests as can be. */
export interface Completions {
  /**
   * The suggestions for this place, best first; none with a reason. Answers from what is known without any wait.
   * Never throws. Aborting `signal` ends the wait; a request whose answer may still fit goes on for a moment, since the
   * next call usually comes at once.
   */
  provide(
    snapshot: Snapshot,
    how: { readonly isExplicit: boolean; readonly signal: AbortSignal },
  ): Promise<Provided>;
  /** The person took the suggestion: whole, or what was left of it. */
  accepted(id: number): void;
  /** The cursor is at another place or in another document: a request that cannot fit there is closed. */
  moved(to: Pick<Snapshot, 'document' | 'position'> | undefined): void;
  /** Forgets all answers: the model, the account or a rule changed. */
  forget(): void;
  dispose(): void;
}

export interface Provided {
  readonly suggestions: readonly Suggestion[];
  /** Absent when something is suggested. */
  readonly reason?: Reason;
  /** Where they come from: `known` without a request, `awaited` from one that was under way, `asked` from a new one. */
  readonly source: 'known' | 'awaited' | 'asked' | 'none';
}
