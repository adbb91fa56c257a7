import type { Clock } from '../../../src/base/clock.ts';
import { linePrefix } from '../../../src/completion/language/cursor-context.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import type { Suggestion } from '../../../src/completion/ports.ts';
import type { Figures } from './figures.ts';
import type { GhostWatcher, ProviderCall } from './ghost-text.ts';
import type { ModelEditor } from './model-editor.ts';
import { originOf } from './origin.ts';
import type { PaidModel, PaidRequest } from './paid-model.ts';
import type { TypistWatcher } from './typist.ts';

/** Time without a key after which the user looks at the suggestion, in milliseconds. */
const restAfterMs = 300;

/** Records visible suggestions and the cost of requests during a replay. */
export class ReplayWatch implements GhostWatcher, TypistWatcher {
  readonly #clock: Clock;
  readonly #editor: ModelEditor;
  readonly #model: PaidModel;
  readonly #start: number;
  readonly #keys: number[] = [];
  /** Start and end times of each interval with a visible suggestion. */
  readonly #visibleIntervals: [number, number][] = [];
  readonly #appearedAfterMs: number[] = [];
  readonly #added = { lineStart: [] as number[], midLine: [] as number[] };
  readonly #requestsWhileVisible: string[] = [];
  readonly #flickers: string[] = [];
  readonly #stale: string[] = [];
  #visible:
    | { readonly suggestion: Suggestion; readonly origin: PaidRequest | undefined }
    | undefined;
  #acceptedCount = 0;
  #retainedCharacters = 0;
  #requestsAtAcceptance: number | undefined;
  #nextReadyCount = 0;
  #nextDelayedCount = 0;

  constructor(parts: {
    readonly clock: Clock;
    readonly editor: ModelEditor;
    readonly model: PaidModel;
  }) {
    this.#clock = parts.clock;
    this.#editor = parts.editor;
    this.#model = parts.model;
    this.#start = parts.clock.now();
  }

  onKey(): void {
    this.#keys.push(this.#clock.now());
    this.#requestsAtAcceptance = undefined;
  }

  onRequest({ isAhead }: { readonly isAhead: boolean }): void {
    const visible = this.#visible?.suggestion.text;
    if (visible !== undefined && !isAhead)
      this.#requestsWhileVisible.push(this.#describe(`asked under ${quoted(visible)}`));
  }

  onShown(suggestion: Suggestion | undefined, by: 'edit' | 'answer'): void {
    const now = this.#clock.now();
    if (by === 'answer') this.#compare(suggestion);
    if (this.#visible === undefined && suggestion !== undefined) {
      this.#visibleIntervals.push([now, Number.POSITIVE_INFINITY]);
      this.#appearedAfterMs.push(now - (this.#keys.at(-1) ?? this.#start));
    }
    const last = this.#visibleIntervals.at(-1);
    if (this.#visible !== undefined && suggestion === undefined && last !== undefined)
      last[1] = now;
    const origin = by === 'answer' ? this.#originOf(suggestion) : this.#visible?.origin;
    this.#visible = suggestion && { suggestion, origin };
    if (origin !== undefined && suggestion !== undefined) origin.wasShown = true;
  }

  onProvided({ provided, snapshot, startedAt }: ProviderCall): void {
    const now = this.#clock.now();
    if (this.#requestsAtAcceptance !== undefined)
      this.#countNext({ provided, snapshot, startedAt });
    this.#requestsAtAcceptance = undefined;
    const [suggestion] = provided.suggestions;
    const origin = this.#originOf(suggestion);
    // Skip cached answers, because they have no delay to compare with the service.
    if (suggestion === undefined || origin === undefined || provided.source === 'cached') return;
    const readyAt = this.#readyAt(origin, snapshot, suggestion);
    const requestDelayMs = Math.max(0, origin.at - startedAt);
    const added = requestDelayMs + now - Math.max(startedAt, readyAt);
    const kind = linePrefix(snapshot).trim() === '' ? 'lineStart' : 'midLine';
    this.#added[kind].push(added);
  }

  onTaken({ shown, kept, isWhole }: Parameters<TypistWatcher['onTaken']>[0]): void {
    this.#acceptedCount += 1;
    this.#retainedCharacters += kept;
    const origin = this.#visible?.origin;
    if (origin !== undefined) origin.retainedCharacters += shown.text.slice(0, kept).trim().length;
    if (isWhole) this.#requestsAtAcceptance = this.#model.requests.length;
  }

  figures(): Figures {
    const end = this.#clock.now();
    const idleIntervals = this.#idleIntervals(end);
    const shown = this.#visibleIntervals.map(([from, to]) => [from, Math.min(to, end)] as const);
    return {
      keys: this.#keys.length,
      totalMs: end - this.#start,
      idleMs: lengthOf(idleIntervals),
      visibleMs: lengthOf(shown),
      visibleIdleMs: lengthOf(
        idleIntervals.flatMap(([from, to]) =>
          shown.map(([start, stop]) => [Math.max(from, start), Math.min(to, stop)] as const),
        ),
      ),
      requests: this.#model.requests,
      requestsWhileVisible: this.#requestsWhileVisible,
      appearedAfterMs: this.#appearedAfterMs,
      added: this.#added,
      flickers: this.#flickers,
      stale: this.#stale,
      acceptedCount: this.#acceptedCount,
      retainedCharacters: this.#retainedCharacters,
      nextReadyCount: this.#nextReadyCount,
      nextDelayedCount: this.#nextDelayedCount,
      text: this.#editor.before + this.#editor.after,
    };
  }

  /** Compares an answer of the provider with the visible suggestion. */
  #compare(suggestion: Suggestion | undefined): void {
    const visible = this.#visible?.suggestion;
    if (visible !== undefined && !this.#isUnchanged(visible, suggestion))
      this.#flickers.push(
        this.#describe(`${quoted(visible.text)} became ${quoted(suggestion?.text)}`),
      );
    if (suggestion !== undefined && this.#originOf(suggestion) === undefined)
      this.#stale.push(this.#describe(quoted(suggestion.text)));
  }

  /** Checks whether the visible text is unchanged. Ghost text omits closing text that the document already contains. */
  #isUnchanged(visible: Suggestion, next: Suggestion | undefined): boolean {
    if (next === undefined) return false;
    const { after } = this.#editor;
    return (
      next.text.startsWith(visible.text) ||
      visibleText(next, after).startsWith(visibleText(visible, after))
    );
  }

  #originOf(suggestion: Suggestion | undefined): PaidRequest | undefined {
    return suggestion && originOf(suggestion, this.#editor, this.#model.requests);
  }

  /** Returns the time at which the service had sent the text of the suggestion. */
  #readyAt(request: PaidRequest, { prefix }: Snapshot, { text }: Suggestion): number {
    const length = prefix.length - request.snapshot.prefix.length + text.trimEnd().length;
    return request.growth.find((step) => step.length >= length)?.at ?? this.#clock.now();
  }

  /** Counts after an acceptance if the next suggestion was ready. A suggestion that a filter suppressed counts as ready. */
  #countNext({ provided: { reason, source, suggestions }, startedAt }: ProviderCall): void {
    const wasReady = this.#clock.now() === startedAt && source !== 'requested';
    if (wasReady && (suggestions.length > 0 || reason?.kind === 'filtered'))
      this.#nextReadyCount += 1;
    else if (reason?.kind !== 'rule' || reason.rule === 'already-typed')
      this.#nextDelayedCount += 1;
  }

  /** Returns the intervals without a key press, except for their first 300 ms. */
  #idleIntervals(end: number): (readonly [number, number])[] {
    const from = [this.#start, ...this.#keys].map((at) => at + restAfterMs);
    return from.map((start, index) => [start, this.#keys[index] ?? end] as const);
  }

  #describe(description: string): string {
    const at = ((this.#clock.now() - this.#start) / 1_000).toFixed(2);
    return `${at} s, after ${quoted(this.#editor.before.slice(-30))}: ${description}`;
  }
}

/** Returns the text of a suggestion without the trailing part that is already in the document. */
function visibleText({ text, replaceLength: replaces }: Suggestion, after: string): string {
  let length = text.length;
  for (let at = replaces - 1; at >= 0 && text[length - 1] === after[at]; at -= 1) length -= 1;
  return text.slice(0, length);
}

const quoted = (text: string | undefined): string =>
  text === undefined ? 'nothing' : JSON.stringify(text);

const lengthOf = (stretches: readonly (readonly [number, number])[]): number =>
  stretches.reduce((sum, [from, to]) => sum + Math.max(0, to - from), 0);
