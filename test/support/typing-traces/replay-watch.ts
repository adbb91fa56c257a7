import type { Clock } from '../../../src/base/clock.ts';
import { getLinePrefix } from '../../../src/completion/language/cursor-context.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { Suggestion } from '../../../src/completion/ports.ts';
import type { PolicyFigures } from './figures.ts';
import type { GhostWatcher, ProviderCall } from './ghost-text.ts';
import type { ModelEditor } from './model-editor.ts';
import { findOrigin } from './origin.ts';
import type { SimulatedModel, SimulatedRequest } from './simulated-model.ts';
import type { TypistWatcher } from './typist.ts';

/** Milliseconds after a key press from which the user is assumed to look at the suggestion. */
const idleAfterMs = 300;

/** Records visible suggestions and the cost of requests during a replay. */
export class ReplayWatch implements GhostWatcher, TypistWatcher {
  readonly #clock: Clock;
  readonly #editor: ModelEditor;
  readonly #model: SimulatedModel;
  readonly #startTime: number;
  readonly #keyTimes: number[] = [];
  /** Start and end times of each interval with a visible suggestion. */
  readonly #visibleIntervals: [number, number][] = [];
  readonly #appearanceDelaysMs: number[] = [];
  readonly #addedDelays = { lineStart: [] as number[], midLine: [] as number[] };
  readonly #requestsWhileVisible: string[] = [];
  readonly #flickers: string[] = [];
  readonly #staleSuggestions: string[] = [];
  #visibleSuggestion:
    | { readonly suggestion: Suggestion; readonly origin: SimulatedRequest | undefined }
    | undefined;
  #acceptedCount = 0;
  #retainedCharacterCount = 0;
  #requestsAtAcceptance: number | undefined;
  #nextReadyCount = 0;
  #nextDelayedCount = 0;

  constructor(dependencies: {
    readonly clock: Clock;
    readonly editor: ModelEditor;
    readonly model: SimulatedModel;
  }) {
    this.#clock = dependencies.clock;
    this.#editor = dependencies.editor;
    this.#model = dependencies.model;
    this.#startTime = dependencies.clock.now();
  }

  onKey(): void {
    this.#keyTimes.push(this.#clock.now());
    this.#requestsAtAcceptance = undefined;
  }

  onRequest({ isAhead }: { readonly isAhead: boolean }): void {
    const visibleText = this.#visibleSuggestion?.suggestion.text;
    if (visibleText !== undefined && !isAhead)
      this.#requestsWhileVisible.push(
        this.#formatEvent(`requested while ${quoteText(visibleText)} was visible`),
      );
  }

  onVisibleChange(suggestion: Suggestion | undefined, cause: 'edit' | 'answer'): void {
    const now = this.#clock.now();
    if (cause === 'answer') this.#compareSuggestion(suggestion);
    if (this.#visibleSuggestion === undefined && suggestion !== undefined) {
      this.#visibleIntervals.push([now, Number.POSITIVE_INFINITY]);
      this.#appearanceDelaysMs.push(now - (this.#keyTimes.at(-1) ?? this.#startTime));
    }
    const lastInterval = this.#visibleIntervals.at(-1);
    if (
      this.#visibleSuggestion !== undefined &&
      suggestion === undefined &&
      lastInterval !== undefined
    )
      lastInterval[1] = now;
    const origin =
      cause === 'answer' ? this.#findOrigin(suggestion) : this.#visibleSuggestion?.origin;
    this.#visibleSuggestion = suggestion && { suggestion, origin };
    if (origin !== undefined && suggestion !== undefined) origin.wasVisible = true;
  }

  onProvided({ suggestions, snapshot, startedAt }: ProviderCall): void {
    const now = this.#clock.now();
    if (this.#requestsAtAcceptance !== undefined)
      this.#countNextSuggestion({ suggestions, snapshot, startedAt });
    this.#requestsAtAcceptance = undefined;
    const [suggestion] = suggestions.suggestions;
    const origin = this.#findOrigin(suggestion);
    // Skip cached answers, because they have no delay to compare with the service.
    if (suggestion === undefined || origin === undefined || suggestions.source === 'cached') return;
    const readyAt = this.#computeReadyTime(origin, snapshot, suggestion);
    const requestDelayMs = Math.max(0, origin.sentAt - startedAt);
    const addedDelayMs = requestDelayMs + now - Math.max(startedAt, readyAt);
    const kind = getLinePrefix(snapshot).trim() === '' ? 'lineStart' : 'midLine';
    this.#addedDelays[kind].push(addedDelayMs);
  }

  onSuggestionAccepted({
    suggestion,
    retainedLength,
    isWhole,
  }: Parameters<TypistWatcher['onSuggestionAccepted']>[0]): void {
    this.#acceptedCount += 1;
    this.#retainedCharacterCount += retainedLength;
    const origin = this.#visibleSuggestion?.origin;
    if (origin !== undefined)
      origin.retainedCharacterCount += suggestion.text.slice(0, retainedLength).trim().length;
    if (isWhole) this.#requestsAtAcceptance = this.#model.requests.length;
  }

  computeFigures(): PolicyFigures {
    const endTime = this.#clock.now();
    const idleIntervals = this.#findIdleIntervals(endTime);
    const visibleIntervals = this.#visibleIntervals.map(
      ([from, to]) => [from, Math.min(to, endTime)] as const,
    );
    return {
      keyCount: this.#keyTimes.length,
      totalMs: endTime - this.#startTime,
      idleMs: sumDurations(idleIntervals),
      visibleMs: sumDurations(visibleIntervals),
      visibleIdleMs: sumDurations(
        idleIntervals.flatMap(([from, to]) =>
          visibleIntervals.map(
            ([start, stop]) => [Math.max(from, start), Math.min(to, stop)] as const,
          ),
        ),
      ),
      requests: this.#model.requests,
      requestsWhileVisible: this.#requestsWhileVisible,
      appearanceDelaysMs: this.#appearanceDelaysMs,
      addedDelaysMs: this.#addedDelays,
      flickers: this.#flickers,
      staleSuggestions: this.#staleSuggestions,
      acceptedCount: this.#acceptedCount,
      retainedCharacterCount: this.#retainedCharacterCount,
      readyNextSuggestionCount: this.#nextReadyCount,
      delayedNextSuggestionCount: this.#nextDelayedCount,
      text: this.#editor.textBefore + this.#editor.textAfter,
    };
  }

  /**
   * Compares the provider's new suggestion with the visible suggestion. Records a flicker if the visible text changes,
   * and a stale suggestion if no request explains the new suggestion.
   */
  #compareSuggestion(suggestion: Suggestion | undefined): void {
    const visibleSuggestion = this.#visibleSuggestion?.suggestion;
    if (visibleSuggestion !== undefined && !this.#isUnchanged(visibleSuggestion, suggestion))
      this.#flickers.push(
        this.#formatEvent(
          `${quoteText(visibleSuggestion.text)} became ${quoteText(suggestion?.text)}`,
        ),
      );
    if (suggestion !== undefined && this.#findOrigin(suggestion) === undefined)
      this.#staleSuggestions.push(this.#formatEvent(quoteText(suggestion.text)));
  }

  /**
   * Checks whether the new suggestion starts with the visible text, so that the user sees no change. Closing text that
   * is already in the document does not count as visible.
   */
  #isUnchanged(visibleSuggestion: Suggestion, nextSuggestion: Suggestion | undefined): boolean {
    if (nextSuggestion === undefined) return false;
    const { textAfter } = this.#editor;
    return (
      nextSuggestion.text.startsWith(visibleSuggestion.text) ||
      getVisibleText(nextSuggestion, textAfter).startsWith(
        getVisibleText(visibleSuggestion, textAfter),
      )
    );
  }

  #findOrigin(suggestion: Suggestion | undefined): SimulatedRequest | undefined {
    return suggestion && findOrigin(suggestion, this.#editor, this.#model.requests);
  }

  /** Returns the time at which the service had sent all text of the suggestion. */
  #computeReadyTime(request: SimulatedRequest, { prefix }: Snapshot, { text }: Suggestion): number {
    const length = prefix.length - request.snapshot.prefix.length + text.trimEnd().length;
    return request.growthSteps.find((step) => step.length >= length)?.time ?? this.#clock.now();
  }

  /**
   * Records whether the next suggestion was ready directly after an acceptance. A suggestion that a filter rejected
   * counts as ready.
   */
  #countNextSuggestion({
    suggestions: { reason, source, suggestions },
    startedAt,
  }: ProviderCall): void {
    const wasReady = this.#clock.now() === startedAt && source !== 'requested';
    if (wasReady && (suggestions.length > 0 || reason?.kind === 'filtered'))
      this.#nextReadyCount += 1;
    else if (reason?.kind !== 'rule' || reason.rule === 'already-typed')
      this.#nextDelayedCount += 1;
  }

  /** Returns the intervals without a key press, each without its first 300 ms. */
  #findIdleIntervals(endTime: number): (readonly [number, number])[] {
    const idleStarts = [this.#startTime, ...this.#keyTimes].map((time) => time + idleAfterMs);
    return idleStarts.map((start, index) => [start, this.#keyTimes[index] ?? endTime] as const);
  }

  #formatEvent(description: string): string {
    const seconds = ((this.#clock.now() - this.#startTime) / 1_000).toFixed(2);
    return `${seconds} s, after ${quoteText(this.#editor.textBefore.slice(-30))}: ${description}`;
  }
}

/**
 * Returns the text of a suggestion without the characters at its end that are already in the document after the cursor.
 */
function getVisibleText({ text, replaceLength }: Suggestion, textAfter: string): string {
  let length = text.length;
  for (
    let index = replaceLength - 1;
    index >= 0 && text[length - 1] === textAfter[index];
    index -= 1
  )
    length -= 1;
  return text.slice(0, length);
}

const quoteText = (text: string | undefined): string =>
  text === undefined ? 'nothing' : JSON.stringify(text);

const sumDurations = (intervals: readonly (readonly [number, number])[]): number =>
  intervals.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0);
