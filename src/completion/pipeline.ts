import { wait } from '../base/clock.ts';
import { AcceptanceStatistics, positionKind } from './acceptance.ts';
import { type CachedCompletion, CompletionCache } from './completion-cache.ts';
import { fitToAutoClosed, fitToLine } from './filter/fit-line.ts';
import { refine } from './filter/refine.ts';
import { nextChange, type PendingCompletion } from './pending-completion.ts';
import type {
  CompletionPorts,
  ProvidedSuggestions,
  ProvideOptions,
  Suggestion,
  SuggestionProvider,
} from './ports.ts';
import { Prefetcher } from './prefetch.ts';
import type { PipelineCause, Reason } from './reason.ts';
import { findBlockingRule, findExplicitBlockingRule, TypingRhythm } from './request-timing.ts';
import { ActiveRequests } from './requests.ts';
import { lineSuffix } from './language/cursor-context.ts';
import type { Snapshot } from './snapshot.ts';

/** Maximum time in milliseconds that a provider call waits for a suggestion. */
const maxWaitMs = 8_000;
/** Maximum time in milliseconds that a command waits for more suggestions after the first suggestion arrived. */
const maxVariantWaitMs = 1_000;
/** Number of suggestions that a command requests at a position. */
const variantCount = 3;
/** Number of characters that the user must type of a completion before it counts as accepted. */
const minTypedLength = 4;

/** Suggestions most recently returned to VS Code. VS Code shows the first suggestion. */
interface VisibleSuggestions {
  readonly snapshot: Snapshot;
  readonly suggestions: readonly Suggestion[];
}

/**
 * Provides suggestions for each key press with as few requests as possible. Steps: use a cached or pending completion,
 * check the rules, debounce, send a request ({@link ActiveRequests}), refine the answer, cache the answer, and fit it
 * to the cursor's line.
 */
export class CompletionPipeline implements SuggestionProvider {
  readonly #ports: CompletionPorts;
  readonly #acceptance: AcceptanceStatistics;
  readonly #cache: CompletionCache;
  readonly #rhythm: TypingRhythm;
  readonly #requests: ActiveRequests;
  readonly #prefetcher: Prefetcher;
  /** Number of calls of {@link clear}. Detects a call during an asynchronous operation. */
  #generation = 0;
  #visible: VisibleSuggestions | undefined;

  /** @param acceptance statistics of earlier suggestions */
  constructor(ports: CompletionPorts, acceptance = new AcceptanceStatistics()) {
    this.#ports = ports;
    this.#acceptance = acceptance;
    this.#cache = new CompletionCache(ports.clock);
    this.#rhythm = new TypingRhythm(ports.clock);
    this.#requests = new ActiveRequests(ports, (pending) => this.#store(pending));
    this.#prefetcher = new Prefetcher({ ports, cache: this.#cache, requests: this.#requests });
  }

  async provide(snapshot: Snapshot, options: ProvideOptions): Promise<ProvidedSuggestions> {
    this.#observe(snapshot);
    if (options.isExplicit) return this.#provideVariants(snapshot, options.signal);
    const generation = this.#generation;
    const earlyResult = await this.#provideWithoutRequest(snapshot, options.signal);
    if (earlyResult !== undefined) return earlyResult;
    if (!(await this.#debounce(snapshot, options.signal))) {
      return none(this.#debounceReason(snapshot));
    }
    // During the delay, {@link clear} may have been called, or another call may have sent the request.
    if (generation !== this.#generation) return none(movedOnReason);
    const lateResult = await this.#provideWithoutRequest(snapshot, options.signal);
    return lateResult ?? this.#provideFromRequest(snapshot, options.signal);
  }

  /** Updates the statistics with the current text, and cancels the requests that no longer match the text. */
  #observe(snapshot: Snapshot): void {
    this.#prefetcher.cancel();
    this.#rhythm.observe(snapshot);
    const cached = this.#cache.find(snapshot);
    const cachedIds = cached.map(({ completion }) => completion.id);
    this.#recordAcceptance(snapshot, cached);
    this.#requests.cancelMismatches(snapshot, cachedIds);
    const visible = this.#visible?.suggestions[0];
    if (visible === undefined || cachedIds.includes(visible.id)) return;
    this.#visible = undefined;
    this.#prefetcher.didReject();
  }

  /**
   * Returns suggestions from the cache or a pending request. If there are none, returns the reason that prevents a new
   * request, or undefined if a new request is possible.
   */
  async #provideWithoutRequest(
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<ProvidedSuggestions | undefined> {
    const suggestions = this.#suggestFromCache(snapshot);
    if (suggestions.length > 0) return { suggestions, source: 'cached' };
    if (this.#requests.findMatching(snapshot) !== undefined) {
      const outcome = await this.#waitForSuggestions(snapshot, signal);
      if (outcome !== 'no-answer') return provided(outcome, 'pending');
    }
    const reason = this.#reasonAgainstRequest(snapshot);
    return reason && none(reason);
  }

  /** @returns false if the call was canceled during the delay */
  async #debounce(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const { clock, debounceMs } = this.#ports;
    const ms = debounceMs(snapshot, {
      rhythm: this.#rhythm,
      acceptance: this.#acceptance,
      timeToFirstTextMs: this.#requests.timeToFirstTextMs,
    });
    if (ms > 0) await wait(ms, { clock, signal }).catch(() => {});
    return !signal.aborted;
  }

  async #provideFromRequest(snapshot: Snapshot, signal: AbortSignal): Promise<ProvidedSuggestions> {
    const pending = this.#requests.start(snapshot);
    if (pending === undefined) return none(this.#requests.obstacle ?? movedOnReason);
    this.#acceptance.recordRequest(pending.id, positionKind(snapshot));
    const outcome = await this.#waitForSuggestions(snapshot, signal);
    return outcome === 'no-answer'
      ? none(this.#emptyReason(pending))
      : provided(outcome, 'requested');
  }

  /**
   * Waits for a suggestion from an open request that matches the snapshot.
   * @returns `no-answer` if no open request matches or the answer contains no suggestion
   */
  async #waitForSuggestions(
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<readonly Suggestion[] | Reason | 'no-answer'> {
    const { clock } = this.#ports;
    const until = clock.now() + maxWaitMs;
    for (;;) {
      const pending = this.#requests.findMatching(snapshot);
      if (pending === undefined) return 'no-answer';
      const change = await nextChange([pending], { clock, signal, until });
      if (change === 'aborted') {
        this.#release(pending);
        return movedOnReason;
      }
      const suggestions = this.#suggestFromCache(snapshot);
      if (suggestions.length > 0) return suggestions;
      if (change === 'timeout') return rule('too-slow');
    }
  }

  /** Cancels a request after a grace period, unless another call waits for it or its text is visible. */
  #release(pending: PendingCompletion): void {
    const isVisible = (): boolean =>
      this.#visible?.suggestions.some(({ id }) => id === pending.id) === true;
    this.#requests.release(pending, isVisible);
  }

  /** Refines the text of a request and adds it to the cache. */
  #store({ id, anchor, snapshot, state, removed }: PendingCompletion): void {
    if (state.kind === 'failed') this.#acceptance.discard(id);
    if (state.kind !== 'whole' && state.kind !== 'partial') return;
    const isWhole = state.kind === 'whole';
    const { deletedText } = this.#rhythm;
    const refined = refine(state.text, { snapshot, deletedText, isWhole, removed });
    if ('text' in refined) this.#cache.add({ id, anchor, text: refined.text, isPart: !isWhole });
    else if (isWhole) this.#cache.add({ id, anchor, text: '', filter: refined.filter });
  }

  /**
   * Returns the cached completions that match the snapshot, fitted to the cursor's line. The visible completion comes
   * first.
   */
  #suggestFromCache(snapshot: Snapshot): readonly Suggestion[] {
    const suffix = lineSuffix(snapshot);
    const visibleId = this.#visible?.suggestions[0]?.id;
    const suggestions: Suggestion[] = [];
    for (const { completion, remaining, autoClosed } of this.#cache.find(snapshot)) {
      const fitted =
        (autoClosed === '' ? undefined : fitToAutoClosed(remaining, autoClosed)) ??
        fitToLine(remaining, suffix);
      if (fitted === undefined || suggestions.some(({ text }) => text === fitted.text)) continue;
      const suggestion = { id: completion.id, ...fitted };
      if (completion.id === visibleId) suggestions.unshift(suggestion);
      else suggestions.push(suggestion);
    }
    if (suggestions.length > 0) {
      this.#visible = { snapshot, suggestions };
      this.#prefetcher.didShow(snapshot, suggestions[0]);
    }
    return suggestions;
  }

  didAccept(id: number): void {
    const visible = this.#visible;
    const suggestion = visible?.suggestions.find((candidate) => candidate.id === id);
    if (visible === undefined || suggestion === undefined) return;
    this.#visible = undefined;
    this.#acceptance.recordAccepted(id);
    this.#prefetcher.didAccept(visible.snapshot, suggestion);
  }

  didMoveCursor(to: Pick<Snapshot, 'document' | 'position'> | undefined): void {
    this.#requests.didMoveCursor(to);
  }

  clear(): void {
    this.#generation += 1;
    this.#prefetcher.cancel();
    this.#visible = undefined;
    this.#cache.clear();
    this.#requests.cancelAll();
    this.#requests.resetBackoff();
  }

  dispose(): void {
    this.clear();
  }

  /**
   * Returns up to three different suggestions without a debounce, for a user who requested suggestions with a command.
   */
  async #provideVariants(snapshot: Snapshot, signal: AbortSignal): Promise<ProvidedSuggestions> {
    const blockingRule = findExplicitBlockingRule(snapshot);
    if (blockingRule !== undefined) return none(rule(blockingRule));
    const cachedCount = this.#suggestFromCache(snapshot).length;
    const pendings = this.#startVariants(snapshot);
    const change = await this.#waitForVariants(snapshot, { pendings, signal, cachedCount });
    if (change === 'aborted') return none(movedOnReason);
    const suggestions = this.#suggestFromCache(snapshot);
    if (suggestions.length > 0)
      return { suggestions, source: pendings.length > 0 ? 'requested' : 'cached' };
    const [first] = pendings;
    if (first !== undefined) return none(this.#emptyReason(first));
    return none(this.#reasonAgainstRequest(snapshot) ?? rule('too-slow'));
  }

  /**
   * Returns the open requests at the position. First sends requests until the position has three answers or open
   * requests.
   */
  #startVariants(snapshot: Snapshot): readonly PendingCompletion[] {
    const pendings = [...this.#requests.findAllMatching(snapshot)];
    // Count empty and equal answers, so that repeated commands do not request them again.
    const requested = this.#cache.find(snapshot).length + pendings.length;
    for (let variant = requested; variant < variantCount; variant += 1) {
      const pending = this.#requests.start(snapshot, { variant });
      if (pending !== undefined) pendings.push(pending);
    }
    return pendings;
  }

  /** Waits for all requests. After the first suggestion, waits at most one more second. */
  async #waitForVariants(
    snapshot: Snapshot,
    {
      pendings,
      signal,
      cachedCount,
    }: { pendings: readonly PendingCompletion[]; signal: AbortSignal; cachedCount: number },
  ): Promise<'completed' | 'aborted' | 'timeout'> {
    const { clock } = this.#ports;
    let until = clock.now() + maxWaitMs;
    let hasSuggestion = cachedCount > 0;
    while (pendings.some(({ isCompleted }) => !isCompleted)) {
      const open = pendings.filter(({ isCompleted }) => !isCompleted);
      const change = await nextChange(open, { clock, signal, until });
      if (change !== 'changed') {
        for (const pending of open) this.#release(pending);
        return change;
      }
      if (!hasSuggestion && this.#suggestFromCache(snapshot).length > 0) {
        hasSuggestion = true;
        until = Math.min(until, clock.now() + maxVariantWaitMs);
      }
    }
    return 'completed';
  }

  /**
   * Records cached completions that the user typed as accepted. Records completions that no longer match as rejected.
   */
  #recordAcceptance(snapshot: Snapshot, cached: readonly CachedCompletion[]): void {
    for (const { completion, remaining } of cached) {
      const typed = completion.text.slice(0, completion.text.length - remaining.length);
      const isFullyTyped = remaining === '' && completion.text !== '';
      if (isFullyTyped || typed.trim().length >= minTypedLength)
        this.#acceptance.recordAccepted(completion.id);
    }
    const pendingIds = this.#requests.findMatchingIds(snapshot);
    const cachedIds = cached.map(({ completion }) => completion.id);
    this.#acceptance.rejectAllExcept(new Set([...pendingIds, ...cachedIds]));
  }

  #debounceReason(snapshot: Snapshot): Reason {
    const kind = positionKind(snapshot);
    const hasLowAcceptance =
      kind !== 'line-start' && this.#acceptance.acceptanceShortfall(kind) > 0;
    return hasLowAcceptance ? rule('low-acceptance') : movedOnReason;
  }

  #reasonAgainstRequest(snapshot: Snapshot): Reason | undefined {
    const { obstacle } = this.#requests;
    if (obstacle !== undefined) return obstacle;
    const [cached] = this.#cache.find(snapshot);
    const canContinue = cached?.remaining === '' && cached.completion.isPart === true;
    if (cached !== undefined && !canContinue) {
      const { filter = 'does-not-fit-line' } = cached.completion;
      return cached.remaining === '' && cached.completion.text !== ''
        ? rule('already-typed')
        : { kind: 'filtered', filter };
    }
    const blockingRule = findBlockingRule(snapshot, {
      activity: this.#rhythm.activity,
      settings: this.#ports.settings(),
    });
    return blockingRule === undefined ? undefined : rule(blockingRule);
  }

  #emptyReason({ id, snapshot, state }: PendingCompletion): Reason {
    if (state.kind === 'failed') return { kind: 'failed', failure: state.failure };
    if (state.kind === 'canceled') return movedOnReason;
    const cached = this.#cache.find(snapshot).find(({ completion }) => completion.id === id);
    return { kind: 'filtered', filter: cached?.completion.filter ?? 'does-not-fit-line' };
  }
}

const rule = (name: PipelineCause): Reason => ({ kind: 'rule', rule: name });
const movedOnReason = rule('moved-on');

const none = (reason: Reason): ProvidedSuggestions => ({ suggestions: [], reason, source: 'none' });

const provided = (
  outcome: readonly Suggestion[] | Reason,
  source: 'pending' | 'requested',
): ProvidedSuggestions => ('kind' in outcome ? none(outcome) : { suggestions: outcome, source });
