import { wait } from '../base/clock.ts';
import { AcceptanceStatistics, getPositionKind } from './acceptance.ts';
import { CompletionCache } from './completion-cache.ts';
import {
  explainAnswer,
  explainCachedCompletions,
  explainDelay,
  createEmptyResult,
  movedOnReason,
  createRuleReason,
} from './empty-result.ts';
import { fitCompletions } from './filter/fit-line.ts';
import { refineAnswer } from './filter/refine.ts';
import { maxWaitMs, waitForChange, type PendingCompletion } from './pending-completion.ts';
import type {
  CompletionPorts,
  ProvidedSuggestions,
  ProvideOptions,
  Suggestion,
  SuggestionProvider,
  TextRequest,
} from './ports.ts';
import type { Reason } from './reason.ts';
import { findBlockingRule, findExplicitBlockingRule, TypingRhythm } from './request-timing.ts';
import { ActiveRequests } from './requests.ts';
import { getLineSuffix } from './language/cursor-context.ts';
import type { Snapshot } from './snapshot.ts';
import { VisibleSuggestions } from './visible-suggestions.ts';

/**
 * Provides suggestions for each key press with as few requests as possible. Uses a cached completion or an open request
 * if possible. Otherwise checks the rules, waits for the debounce delay, and sends a request ({@link ActiveRequests}).
 * Then refines and caches the answer, and fits it to the cursor's line.
 */
export class CompletionPipeline implements SuggestionProvider {
  readonly #ports: CompletionPorts;
  readonly #acceptance: AcceptanceStatistics;
  readonly #cache: CompletionCache;
  readonly #rhythm: TypingRhythm;
  readonly #requests: ActiveRequests;
  readonly #visibleSuggestions: VisibleSuggestions;
  readonly #variants: VariantProvider;
  /**
   * Number of calls of {@link clear} so far. If the number changed during an asynchronous operation, `clear` was called
   * meanwhile.
   */
  #generation = 0;

  /** @param acceptance statistics of earlier suggestions */
  constructor(ports: CompletionPorts, acceptance = new AcceptanceStatistics()) {
    this.#ports = ports;
    this.#acceptance = acceptance;
    this.#cache = new CompletionCache(ports.clock);
    this.#rhythm = new TypingRhythm(ports.clock);
    this.#requests = new ActiveRequests(ports, (pendingCompletion) =>
      this.#storeCompletion(pendingCompletion),
    );
    const sharedOptions = { ports, cache: this.#cache, requests: this.#requests };
    this.#visibleSuggestions = new VisibleSuggestions(sharedOptions);
    this.#variants = new VariantProvider({
      ...sharedOptions,
      suggestFromCache: (snapshot) => this.#suggestFromCache(snapshot),
      findReasonAgainstRequest: (snapshot) => this.#findReasonAgainstRequest(snapshot),
      release: (pendingCompletion) => this.#releaseRequest(pendingCompletion),
    });
  }

  async provide(snapshot: Snapshot, options: ProvideOptions): Promise<ProvidedSuggestions> {
    this.#observeSnapshot(snapshot);
    if (options.isExplicit) return this.#variants.provide(snapshot, options.signal);
    const generation = this.#generation;
    const startedAt = this.#ports.clock.now();
    const earlyResult = await this.#provideWithoutRequest(snapshot, options.signal);
    if (earlyResult !== undefined) return earlyResult;
    const delayMs = this.#computeDelayMs(snapshot);
    // The wait for an open request counts as a part of the delay.
    if (!(await this.#waitForPause(startedAt + delayMs - this.#ports.clock.now(), options.signal)))
      return createEmptyResult(explainDelay(delayMs));
    // During the delay, {@link clear} may have been called, or another call may have sent the request.
    if (generation !== this.#generation) return createEmptyResult(movedOnReason);
    const lateResult = await this.#provideWithoutRequest(snapshot, options.signal);
    return lateResult ?? this.#provideFromRequest(snapshot, options.signal);
  }

  /** Updates the typing speed and the acceptance rates, and cancels the requests that no longer match the text. */
  #observeSnapshot(snapshot: Snapshot): void {
    this.#rhythm.observe(snapshot);
    const cachedCompletions = this.#cache.find(snapshot);
    const cachedIds = cachedCompletions.map(({ completion }) => completion.id);
    this.#acceptance.updateRates(
      cachedCompletions,
      this.#requests.findMatchingRequestIds(snapshot),
    );
    this.#requests.cancelMismatches(snapshot, cachedIds);
    this.#visibleSuggestions.handleTextChange(cachedIds);
  }

  /**
   * Returns suggestions from the cache or from an open request. If neither has one, returns an empty result with the
   * reason that prevents a new request. Returns undefined if a new request is possible.
   */
  async #provideWithoutRequest(
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<ProvidedSuggestions | undefined> {
    const suggestions = this.#suggestFromCache(snapshot);
    if (suggestions.length > 0) return { suggestions, source: 'cached' };
    if (this.#requests.findMatchingRequest(snapshot) !== undefined) {
      const result = await this.#waitForResult(snapshot, { signal, source: 'pending' });
      if (result !== undefined) return result;
    }
    const reason = this.#findReasonAgainstRequest(snapshot);
    return reason && createEmptyResult(reason);
  }

  /** Returns the reason that prevents a request; undefined if a request is possible. */
  #findReasonAgainstRequest(snapshot: Snapshot): Reason | undefined {
    const reason = this.#requests.obstacle ?? explainCachedCompletions(this.#cache.find(snapshot));
    if (reason !== undefined) return reason;
    const blockingRule = findBlockingRule(snapshot, {
      activity: this.#rhythm.activity,
      settings: this.#ports.getSettings(),
    });
    return blockingRule === undefined ? undefined : createRuleReason(blockingRule);
  }

  #computeDelayMs(snapshot: Snapshot): number {
    return this.#ports.getPolicy().getDelayMs(snapshot, {
      rhythm: this.#rhythm,
      acceptance: this.#acceptance,
      timeToFirstTextMs: this.#requests.timeToFirstTextMs,
      isLastAnswerEmpty: this.#cache.isLastAnswerEmpty(snapshot),
    });
  }

  /**
   * Waits `delayMs` milliseconds, during which a further key press can cancel the call.
   * @returns false if the call was canceled during the wait
   */
  async #waitForPause(delayMs: number, signal: AbortSignal): Promise<boolean> {
    if (delayMs > 0) await wait(delayMs, { clock: this.#ports.clock, signal }).catch(() => {});
    return !signal.aborted;
  }

  async #provideFromRequest(snapshot: Snapshot, signal: AbortSignal): Promise<ProvidedSuggestions> {
    const pendingCompletion = this.#requests.start(snapshot);
    if (pendingCompletion === undefined)
      return createEmptyResult(this.#requests.obstacle ?? movedOnReason);
    this.#acceptance.recordRequest(pendingCompletion.id, getPositionKind(snapshot));
    const result = await this.#waitForResult(snapshot, { signal, source: 'requested' });
    return result ?? createEmptyResult(explainAnswer(pendingCompletion, this.#cache));
  }

  /**
   * Waits for a suggestion from an open request that matches the snapshot.
   * @returns undefined if no open request matches or the answer contains no suggestion
   */
  async #waitForResult(
    snapshot: Snapshot,
    { signal, source }: { signal: AbortSignal; source: 'pending' | 'requested' },
  ): Promise<ProvidedSuggestions | undefined> {
    const { clock } = this.#ports;
    const deadline = clock.now() + maxWaitMs;
    for (;;) {
      const pendingCompletion = this.#requests.findMatchingRequest(snapshot);
      if (pendingCompletion === undefined) return undefined;
      const outcome = await waitForChange([pendingCompletion], { clock, signal, deadline });
      if (outcome === 'aborted') {
        this.#releaseRequest(pendingCompletion);
        return createEmptyResult(movedOnReason);
      }
      const suggestions = this.#suggestFromCache(snapshot);
      if (suggestions.length > 0) return { suggestions, source };
      if (outcome === 'timeout') return createEmptyResult(createRuleReason('too-slow'));
    }
  }

  /**
   * Cancels a request after a grace period, unless a provider call waits for the request or the suggestion of the
   * request is visible.
   */
  #releaseRequest(pendingCompletion: PendingCompletion): void {
    this.#requests.release(pendingCompletion, () =>
      this.#visibleSuggestions.has(pendingCompletion.id),
    );
  }

  /** Refines the answer to a request and adds the completion to the cache. */
  #storeCompletion({
    id,
    anchor,
    snapshot,
    state,
    removedBy,
    firstSuggestionLength,
  }: PendingCompletion): void {
    if (state.kind === 'failed') this.#acceptance.discardSuggestion(id);
    if (state.kind !== 'whole' && state.kind !== 'partial') return;
    const isWhole = state.kind === 'whole';
    const { deletedText } = this.#rhythm;
    const refinedAnswer = refineAnswer(
      { text: state.text, firstSuggestionLength },
      { snapshot, deletedText, isWhole, removedBy },
    );
    if ('text' in refinedAnswer)
      this.#cache.add({ id, anchor, ...refinedAnswer, isPartial: !isWhole });
    else if (isWhole) this.#cache.add({ id, anchor, text: '', filter: refinedAnswer.filter });
    if (isWhole) this.#visibleSuggestions.handleCompleteAnswer(id);
  }

  /**
   * Returns the cached completions that match the snapshot, fitted to the cursor's line. The visible completion comes
   * first.
   */
  #suggestFromCache(snapshot: Snapshot): readonly Suggestion[] {
    const cachedCompletions = this.#cache.find(snapshot);
    const fittedSuggestions = fitCompletions(cachedCompletions, {
      lineSuffix: getLineSuffix(snapshot),
      visibleId: this.#visibleSuggestions.firstId,
    });
    const suggestions = this.#visibleSuggestions.addVisibleRest(snapshot, {
      cachedCompletions,
      fittedSuggestions,
    });
    if (suggestions.length > 0) this.#visibleSuggestions.show(snapshot, suggestions);
    return suggestions;
  }

  /**
   * Requests text that is not a suggestion, such as an edit. Returns undefined if the request fails, the signal aborts,
   * or requests are paused.
   */
  async requestText(
    snapshot: Snapshot,
    { signal, ...request }: TextRequest & { readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const { clock } = this.#ports;
    const pendingCompletion = this.#requests.startTextRequest(snapshot, request);
    if (pendingCompletion === undefined) return undefined;
    const deadline = clock.now() + maxWaitMs;
    while (!pendingCompletion.isCompleted)
      if ((await waitForChange([pendingCompletion], { clock, signal, deadline })) !== 'changed')
        pendingCompletion.cancel();
    const { state } = pendingCompletion;
    return state.kind === 'whole' ? state.text : undefined;
  }

  /**
   * Runs the code for a request once without sending a request, so that the JavaScript engine has compiled this code
   * before the first request. Returns false if no model is available.
   */
  warmUp(snapshot: Snapshot): boolean {
    return this.#requests.warmUp(snapshot);
  }

  recordAcceptance(id: number): void {
    if (this.#visibleSuggestions.accept(id)) this.#acceptance.recordAcceptance(id);
  }

  handleCursorMove(cursor: Pick<Snapshot, 'documentUri' | 'position'> | undefined): void {
    this.#requests.handleCursorMove(cursor);
  }

  clear(): void {
    this.#generation += 1;
    this.#visibleSuggestions.clear();
    this.#cache.clear();
    this.#requests.cancelAll();
    this.#requests.resetBackoff();
  }

  dispose(): void {
    this.clear();
  }
}

/**
 * Maximum time in milliseconds that {@link VariantProvider} waits for more suggestions after the first suggestion
 * arrived.
 */
const maxVariantWaitMs = 1_000;
/** Number of different suggestions at a position that {@link VariantProvider} requests. */
const variantCount = 3;

interface VariantProviderOptions {
  readonly ports: CompletionPorts;
  readonly cache: CompletionCache;
  readonly requests: ActiveRequests;
  readonly suggestFromCache: (snapshot: Snapshot) => readonly Suggestion[];
  /** Returns the reason that prevents a request; undefined if a request is possible. */
  readonly findReasonAgainstRequest: (snapshot: Snapshot) => Reason | undefined;
  /** Cancels a request for which no provider call waits. */
  readonly release: (completion: PendingCompletion) => void;
}

/** Provides several different suggestions for a position, for a user who requested suggestions with a command. */
class VariantProvider {
  readonly #options: VariantProviderOptions;

  constructor(options: VariantProviderOptions) {
    this.#options = options;
  }

  /** Returns up to three different suggestions without a debounce, or the reason why no suggestion is available. */
  async provide(snapshot: Snapshot, signal: AbortSignal): Promise<ProvidedSuggestions> {
    const { cache, suggestFromCache, findReasonAgainstRequest } = this.#options;
    const blockingRule = findExplicitBlockingRule(snapshot);
    if (blockingRule !== undefined) return createEmptyResult(createRuleReason(blockingRule));
    const hasSuggestion = suggestFromCache(snapshot).length > 0;
    const pendingCompletions = this.#startMissingRequests(snapshot);
    const change = await this.#waitForRequests(snapshot, {
      pendingCompletions,
      signal,
      hasSuggestion,
    });
    if (change === 'aborted') return createEmptyResult(movedOnReason);
    const suggestions = suggestFromCache(snapshot);
    const [firstCompletion] = pendingCompletions;
    if (suggestions.length > 0)
      return { suggestions, source: firstCompletion === undefined ? 'cached' : 'requested' };
    if (firstCompletion !== undefined)
      return createEmptyResult(explainAnswer(firstCompletion, cache));
    return createEmptyResult(findReasonAgainstRequest(snapshot) ?? createRuleReason('too-slow'));
  }

  /**
   * Returns the open requests for the position. First starts as many requests as are missing, so that there are three
   * answers for the position, including cached answers and answers to open requests.
   */
  #startMissingRequests(snapshot: Snapshot): readonly PendingCompletion[] {
    const { cache, requests } = this.#options;
    const pendingCompletions = [...requests.listMatchingRequests(snapshot)];
    // Count empty and equal answers, so that repeated commands do not request them again.
    const requestedCount = cache.find(snapshot).length + pendingCompletions.length;
    for (let variant = requestedCount; variant < variantCount; variant += 1) {
      const pendingCompletion = requests.start(snapshot, { variant });
      if (pendingCompletion !== undefined) pendingCompletions.push(pendingCompletion);
    }
    return pendingCompletions;
  }

  /** Waits for all requests. Stops waiting one second after the first suggestion. */
  async #waitForRequests(
    snapshot: Snapshot,
    { pendingCompletions, signal, ...state }: WaitOptions,
  ): Promise<WaitOutcome> {
    const { ports, suggestFromCache, release } = this.#options;
    const { clock } = ports;
    let { hasSuggestion } = state;
    let deadline = clock.now() + maxWaitMs;
    while (pendingCompletions.some(({ isCompleted }) => !isCompleted)) {
      const openCompletions = pendingCompletions.filter(({ isCompleted }) => !isCompleted);
      const change = await waitForChange(openCompletions, { clock, signal, deadline });
      if (change !== 'changed') {
        for (const completion of openCompletions) release(completion);
        return change;
      }
      if (!hasSuggestion && suggestFromCache(snapshot).length > 0) {
        hasSuggestion = true;
        deadline = Math.min(deadline, clock.now() + maxVariantWaitMs);
      }
    }
    return 'completed';
  }
}

type WaitOutcome = 'completed' | 'aborted' | 'timeout';

interface WaitOptions {
  readonly pendingCompletions: readonly PendingCompletion[];
  readonly signal: AbortSignal;
  /** True if the cache provided a suggestion before the wait. */
  readonly hasSuggestion: boolean;
}
