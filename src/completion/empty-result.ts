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

/** Creates the reason for a rule, a position or a limit that prevented a suggestion. */
export const createRuleReason = (rule: PipelineCause): Reason => ({ kind: 'rule', rule });

/** Reason of a call whose snapshot is outdated, because the user typed or moved the cursor. */
export const movedOnReason = createRuleReason('moved-on');

/** Delay in milliseconds above which rejected suggestions are reported as the reason. */
const minLowAcceptanceMs = 900;

/**
 * Returns the reason for a call that was canceled during its delay. After a long delay, the reason is that the user
 * rejected many suggestions; otherwise, the user's next action.
 */
export const explainDelay = (delayMs: number): Reason =>
  delayMs > minLowAcceptanceMs ? createRuleReason('low-acceptance') : movedOnReason;

/**
 * Explains why no request is necessary although the cached completions provide no suggestion: the user already typed
 * the newest completion, or a filter removed its text. Returns undefined if no completion is cached, or if the user
 * typed all of a partial completion, because a request can then return the rest.
 */
export function explainCachedCompletions([newest]: readonly CachedCompletion[]):
  | Reason
  | undefined {
  if (newest === undefined) return undefined;
  const { completion, remainingText } = newest;
  if (remainingText === '' && completion.isPart === true) return undefined;
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
  const answer = cache.find(snapshot).find(({ completion }) => completion.id === id);
  return explainFilter(answer?.completion);
}

/**
 * Creates the reason for a completion that provided no suggestion: the filter that removed its text. If no filter
 * removed the text, the text did not fit the cursor's line.
 */
const explainFilter = (completion: Completion | undefined): Reason => ({
  kind: 'filtered',
  filter: completion?.filter ?? 'does-not-fit-line',
});
