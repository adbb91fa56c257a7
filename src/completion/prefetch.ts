import type { CompletionCache } from './completion-cache.ts';
import type { CompletionPorts, Suggestion } from './ports.ts';
import { findBlockingRule } from './request-timing.ts';
import type { ActiveRequests } from './requests.ts';
import type { Snapshot } from './snapshot.ts';

/** Number of consecutive accepted suggestions from which the text after a visible suggestion is prefetched. */
const minStreak = 2;
/** Delay in milliseconds between showing a suggestion and prefetching the text after it. */
const dwellMs = 150;

export interface PrefetcherOptions {
  readonly ports: CompletionPorts;
  readonly cache: CompletionCache;
  readonly requests: ActiveRequests;
}

/**
 * Requests the text after a suggestion in advance, so that the next suggestion is available when the user accepts the
 * current suggestion.
 */
export class Prefetcher {
  readonly #options: PrefetcherOptions;
  /** Number of consecutive accepted suggestions. */
  #streak = 0;
  #cancelTimer = (): void => {};

  constructor(options: PrefetcherOptions) {
    this.#options = options;
  }

  /** Schedules a prefetch for the visible suggestion if the user accepted the previous suggestions. */
  didShow(snapshot: Snapshot, suggestion: Suggestion | undefined): void {
    this.cancel();
    if (this.#streak < minStreak || suggestion === undefined) return;
    const { clock } = this.#options.ports;
    this.#cancelTimer = clock.after(dwellMs, () => this.#prefetch(snapshot, suggestion));
  }

  didAccept(snapshot: Snapshot, suggestion: Suggestion): void {
    this.#streak += 1;
    this.#prefetch(snapshot, suggestion);
  }

  didReject(): void {
    this.#streak = 0;
  }

  /** Cancels the scheduled prefetch. Requests that were already sent continue. */
  cancel(): void {
    this.#cancelTimer();
  }

  #prefetch(snapshot: Snapshot, suggestion: Suggestion): void {
    const { ports, cache, requests } = this.#options;
    const settings = ports.settings();
    if (!settings.prefetch) return;
    const next = snapshotAfterAccept(snapshot, suggestion);
    const isCached = cache
      .find(next)
      .some(({ completion, remaining }) => remaining !== '' || completion.text === '');
    if (isCached || requests.obstacle !== undefined) return;
    if (requests.findMatching(next) !== undefined) return;
    if (findBlockingRule(next, { activity: 'typing', settings }) !== undefined) return;
    requests.start(next, { prefetchedAfter: suggestion.id });
  }
}

/** Returns the snapshot as it will be after the user accepts the suggestion. */
export function snapshotAfterAccept(
  snapshot: Snapshot,
  { text, replaceLength }: Suggestion,
): Snapshot {
  const { line, character } = snapshot.position;
  const lines = text.split('\n');
  const start = lines.length === 1 ? character : 0;
  return {
    ...snapshot,
    position: { line: line + lines.length - 1, character: start + (lines.at(-1) ?? '').length },
    prefix: snapshot.prefix + text,
    suffix: snapshot.suffix.slice(replaceLength),
  };
}
