import {
  type CachedCompletion,
  type CompletionCache,
  createAnchor,
  findTypedText,
} from './completion-cache.ts';
import { getLineSuffix } from './language/cursor-context.ts';
import { isSubsequence } from './next-edit/line-edit.ts';
import type { CompletionPorts, Suggestion } from './ports.ts';
import { findBlockingRule } from './request-timing.ts';
import type { ActiveRequests } from './requests.ts';
import type { Snapshot } from './snapshot.ts';

/** Number of characters after a suggestion that are compared with the current document to detect changes. */
const maxComparedLength = 500;

export interface VisibleSuggestionsOptions {
  readonly ports: CompletionPorts;
  readonly cache: CompletionCache;
  readonly requests: ActiveRequests;
}

/**
 * Suggestions last returned to VS Code, which shows the first of them. Requests the text after this suggestion in
 * advance. The next suggestion is then available as soon as the user accepts the current one.
 */
export class VisibleSuggestions {
  readonly #options: VisibleSuggestionsOptions;
  #snapshot: Snapshot | undefined;
  #suggestions: readonly Suggestion[] = [];
  /** Number of consecutive accepted suggestions. */
  #acceptedCount = 0;
  #cancelTimer = (): void => {};

  constructor(options: VisibleSuggestionsOptions) {
    this.#options = options;
  }

  /** Id of the suggestion that VS Code shows; undefined if VS Code shows none. */
  get firstId(): number | undefined {
    return this.#suggestions[0]?.id;
  }

  /** Checks whether a suggestion is shown, or available with VS Code's command for the next suggestion. */
  has(id: number): boolean {
    return this.#suggestions.some((suggestion) => suggestion.id === id);
  }

  /**
   * Returns `fittedSuggestions`, preceded by the untyped part of the suggestion that VS Code shows, because a different
   * text would flicker while the user types. Omits this part if the first suggestion in `fittedSuggestions` begins with
   * it.
   * @param fittedSuggestions suggestions that fit the text after the cursor
   */
  addVisibleRest(
    snapshot: Snapshot,
    {
      cachedCompletions,
      fittedSuggestions,
    }: { cachedCompletions: readonly CachedCompletion[]; fittedSuggestions: readonly Suggestion[] },
  ): readonly Suggestion[] {
    const visibleRest = this.#findVisibleRest(snapshot);
    const isCached = cachedCompletions.some(({ completion }) => completion.id === visibleRest?.id);
    if (
      visibleRest === undefined ||
      !isCached ||
      fittedSuggestions[0]?.text.startsWith(visibleRest.text) === true
    )
      return fittedSuggestions;
    return [
      visibleRest,
      ...fittedSuggestions.filter(
        ({ id, text }) => id !== visibleRest.id && text !== visibleRest.text,
      ),
    ];
  }

  /** Returns the part of the visible suggestion after the typed text; undefined if VS Code cannot show the part. */
  #findVisibleRest(snapshot: Snapshot): Suggestion | undefined {
    const [previousSnapshot, [visibleSuggestion]] = [this.#snapshot, this.#suggestions];
    if (previousSnapshot === undefined || visibleSuggestion === undefined) return undefined;
    const typedText = findTypedText(createAnchor(previousSnapshot), snapshot)?.text;
    if (typedText === undefined || !visibleSuggestion.text.startsWith(typedText)) return undefined;
    const previousTextAfter = previousSnapshot.suffix.slice(visibleSuggestion.replaceLength);
    const replaceLength =
      getLineSuffix(snapshot).length - getLineSuffix({ suffix: previousTextAfter }).length;
    const currentTextAfter = snapshot.suffix.slice(Math.max(0, replaceLength));
    const isSuffixUnchanged =
      currentTextAfter.slice(0, maxComparedLength) ===
      previousTextAfter.slice(0, maxComparedLength);
    const text = visibleSuggestion.text.slice(typedText.length);
    const isVisible = text !== '' && isSubsequence(snapshot.suffix.slice(0, replaceLength), text);
    return replaceLength >= 0 && isSuffixUnchanged && isVisible
      ? { id: visibleSuggestion.id, text, replaceLength }
      : undefined;
  }

  /** Replaces the visible suggestions. Schedules the prefetch of the text that follows the first suggestion. */
  show(snapshot: Snapshot, suggestions: readonly Suggestion[]): void {
    this.#cancelTimer();
    this.#snapshot = snapshot;
    this.#suggestions = suggestions;
    this.#schedulePrefetch();
  }

  /**
   * Schedules the prefetch if the answer belongs to the first suggestion. Must be called with the id of each answer
   * when the answer is complete, because the missing part of an incomplete answer may be the text that a prefetch would
   * request.
   */
  handleCompleteAnswer(id: number): void {
    if (id === this.firstId) this.#schedulePrefetch();
  }

  #schedulePrefetch(): void {
    this.#cancelTimer();
    const [snapshot, [firstSuggestion]] = [this.#snapshot, this.#suggestions];
    if (snapshot === undefined || firstSuggestion === undefined) return;
    const { clock, getPolicy } = this.#options.ports;
    const delayMs = getPolicy().getPrefetchDelayMs(this.#acceptedCount);
    if (delayMs === undefined) return;
    this.#cancelTimer = clock.after(delayMs, () =>
      this.#prefetchNextSuggestion(snapshot, firstSuggestion),
    );
  }

  /**
   * Must be called after each change of the text. Cancels the scheduled prefetch, but not a prefetch that was already
   * sent. The suggestions count as rejected if `matchingIds` does not contain the id of the first suggestion.
   */
  handleTextChange(matchingIds: readonly number[]): void {
    this.#cancelTimer();
    if (this.firstId === undefined || matchingIds.includes(this.firstId)) return;
    this.#suggestions = [];
    this.#acceptedCount = 0;
  }

  /** Requests the text after an accepted suggestion. Returns false if no suggestion with this id is visible. */
  accept(id: number): boolean {
    const suggestion = this.#suggestions.find((candidate) => candidate.id === id);
    if (this.#snapshot === undefined || suggestion === undefined) return false;
    this.#suggestions = [];
    this.#acceptedCount += 1;
    this.#prefetchNextSuggestion(this.#snapshot, suggestion);
    return true;
  }

  /** Removes the suggestions without counting them as rejected, and cancels the scheduled prefetch. */
  clear(): void {
    this.#cancelTimer();
    this.#suggestions = [];
  }

  #prefetchNextSuggestion(snapshot: Snapshot, suggestion: Suggestion): void {
    const { ports, cache, requests } = this.#options;
    const settings = ports.getSettings();
    if (!settings.canPrefetch) return;
    const nextSnapshot = createSnapshotAfterAccept(snapshot, suggestion);
    const isCached = cache
      .find(nextSnapshot)
      .some(({ completion, remainingText }) => remainingText !== '' || completion.text === '');
    if (isCached || requests.obstacle !== undefined) return;
    if (requests.findMatchingRequest(nextSnapshot) !== undefined) return;
    if (findBlockingRule(nextSnapshot, { activity: 'typing', settings }) !== undefined) return;
    requests.start(nextSnapshot, { prefetchedAfterId: suggestion.id });
  }
}

/** Returns the snapshot of the document after the user accepts the suggestion. */
function createSnapshotAfterAccept(
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
