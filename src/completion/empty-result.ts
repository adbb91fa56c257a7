import type { CachedCompletion, Completion, CompletionCache } from './completion-cache.ts';
import type { PendingCompletion } from './pending-completion.ts';
import type { ProvidedSuggestions } from './ports.ts';
import type { PipelineCause, Reason } from './reason.ts';

/** Creates the result of a provider call that returns no suggestion. */
export const createEmptyResult = (reason: Reason): ProvidedSuggestions => ({
  suggestions: [],
  reason,
  source: 'none',
});

/** Creates the reason why there is no suggestion, if the cause is a rule, the position or a limit. */
export const createRuleReason = (rule: PipelineCause): Reason => ({ kind: 'rule', rule });

/**
 * Reason for an empty result if the user typed or moved the cursor during the provider call, so that its snapshot is
 * outdated.
 */
export const movedOnReason = createRuleReason('moved-on');

/** Maximum delay in milliseconds that counts as short. {@link explainDelay} returns the reason for a longer delay. */
const maxShortDelayMs = 900;

/**
 * Returns the reason for the empty result of a provider call that was canceled during the delay before its request:
 * `low-acceptance` after a long delay, because the delay grows when the user rejects suggestions; otherwise `moved-on`.
 */
export const explainDelay = (delayMs: number): Reason =>
  delayMs > maxShortDelayMs ? createRuleReason('low-acceptance') : movedOnReason;

/**
 * Returns the reason why the newest cached completion provides no suggestion: the user already typed its text, or a
 * filter removed its text. Returns undefined if no completion is cached, or if the user typed all of a partial
 * completion. In these cases, a request is necessary.
 */
export function explainCachedCompletions([newestCompletion]: readonly CachedCompletion[]):
  | Reason
  | undefined {
  if (newestCompletion === undefined) return undefined;
  const { completion, remainingText } = newestCompletion;
  if (remainingText === '' && completion.isPartial === true) return undefined;
  return remainingText === '' && completion.text !== ''
    ? createRuleReason('already-typed')
    : explainFilter(completion);
}

/** Returns the reason why the answer of a request provided no suggestion. */
export function explainAnswer(
  { id, snapshot, state }: PendingCompletion,
  cache: CompletionCache,
): Reason {
  if (state.kind === 'failed') return { kind: 'failed', failure: state.failure };
  if (state.kind === 'canceled') return movedOnReason;
  const cachedCompletion = cache.find(snapshot).find(({ completion }) => completion.id === id);
  return explainFilter(cachedCompletion?.completion);
}

/**
 * Returns the reason why a completion provided no suggestion: the filter that removed its text, or `does-not-fit-line`
 * if no filter removed the text.
 */
const explainFilter = (completion: Completion | undefined): Reason => ({
  kind: 'filtered',
  filter: completion?.filter ?? 'does-not-fit-line',
});
