import type { CompletionCache } from './completion-cache.ts';
import {
  explainAnswer,
  createEmptyResult,
  movedOnReason,
  createRuleReason,
} from './empty-result.ts';
import { maxWaitMs, waitForChange, type PendingCompletion } from './pending-completion.ts';
import type { CompletionPorts, ProvidedSuggestions, Suggestion } from './ports.ts';
import type { Reason } from './reason.ts';
import { findExplicitBlockingRule } from './request-timing.ts';
import type { ActiveRequests } from './requests.ts';
import type { Snapshot } from './snapshot.ts';

/** Maximum time in milliseconds that a command waits for more suggestions after the first suggestion arrived. */
const maxVariantWaitMs = 1_000;
/** Number of suggestions that a command requests at a position. */
const variantCount = 3;

export interface VariantProviderOptions {
  readonly ports: CompletionPorts;
  readonly cache: CompletionCache;
  readonly requests: ActiveRequests;
  readonly suggestFromCache: (snapshot: Snapshot) => readonly Suggestion[];
  /** Returns the reason that prevents a request; undefined if a request is possible. */
  readonly reasonAgainstRequest: (snapshot: Snapshot) => Reason | undefined;
  /** Cancels a request that no call waits for. */
  readonly release: (pending: PendingCompletion) => void;
}

/** Provides several different suggestions for a position, for a user who requested suggestions with a command. */
export class VariantProvider {
  readonly #options: VariantProviderOptions;

  constructor(options: VariantProviderOptions) {
    this.#options = options;
  }

  /** Returns up to three different suggestions without a debounce, or the reason why there are none. */
  async provide(snapshot: Snapshot, signal: AbortSignal): Promise<ProvidedSuggestions> {
    const { cache, suggestFromCache, reasonAgainstRequest } = this.#options;
    const blockingRule = findExplicitBlockingRule(snapshot);
    if (blockingRule !== undefined) return createEmptyResult(createRuleReason(blockingRule));
    const hasSuggestion = suggestFromCache(snapshot).length > 0;
    const pendings = this.#start(snapshot);
    const change = await this.#wait(snapshot, { pendings, signal, hasSuggestion });
    if (change === 'aborted') return createEmptyResult(movedOnReason);
    const suggestions = suggestFromCache(snapshot);
    const [first] = pendings;
    if (suggestions.length > 0)
      return { suggestions, source: first === undefined ? 'cached' : 'requested' };
    if (first !== undefined) return createEmptyResult(explainAnswer(first, cache));
    return createEmptyResult(reasonAgainstRequest(snapshot) ?? createRuleReason('too-slow'));
  }

  /**
   * Returns the open requests at the position. First sends requests until the position has three answers or open
   * requests.
   */
  #start(snapshot: Snapshot): readonly PendingCompletion[] {
    const { cache, requests } = this.#options;
    const pendings = [...requests.findAllMatching(snapshot)];
    // Count empty and equal answers, so that repeated commands do not request them again.
    const requested = cache.find(snapshot).length + pendings.length;
    for (let variant = requested; variant < variantCount; variant += 1) {
      const pending = requests.start(snapshot, { variant });
      if (pending !== undefined) pendings.push(pending);
    }
    return pendings;
  }

  /** Waits for all requests, but at most one more second after the first suggestion. */
  async #wait(snapshot: Snapshot, { pendings, signal, ...state }: WaitOptions): Promise<WaitEnd> {
    const { ports, suggestFromCache, release } = this.#options;
    const { clock } = ports;
    let { hasSuggestion } = state;
    let until = clock.now() + maxWaitMs;
    while (pendings.some(({ isCompleted }) => !isCompleted)) {
      const open = pendings.filter(({ isCompleted }) => !isCompleted);
      const change = await waitForChange(open, { clock, signal, until });
      if (change !== 'changed') {
        for (const pending of open) release(pending);
        return change;
      }
      if (!hasSuggestion && suggestFromCache(snapshot).length > 0) {
        hasSuggestion = true;
        until = Math.min(until, clock.now() + maxVariantWaitMs);
      }
    }
    return 'completed';
  }
}

type WaitEnd = 'completed' | 'aborted' | 'timeout';

interface WaitOptions {
  readonly pendings: readonly PendingCompletion[];
  readonly signal: AbortSignal;
  /** True if the cache provided a suggestion before the wait. */
  readonly hasSuggestion: boolean;
}
