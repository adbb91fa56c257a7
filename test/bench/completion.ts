import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import { AcceptanceStatistics } from '../../src/completion/acceptance.ts';
import type { CompletionPorts, SuggestionProvider } from '../../src/completion/ports.ts';
import type { Policy } from '../support/typing-traces/replay.ts';
import { PlainDebounce } from '../support/typing-traces/plain-debounce.ts';
import { traces } from '../support/typing-traces/traces.ts';
import { runCompletionCacheBenchmarks } from './completion-cache.ts';
import { replayAll, type Sums } from './completion-sums.ts';
import { printTable } from './completion-table.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithBaseline } from './rounds.ts';

const debouncePolicy: Policy = (ports) => new PlainDebounce(ports);

/**
 * Returns a policy that creates our pipeline for each trace. The traces share acceptance statistics, as documents of
 * one user do.
 */
function createPipelinePolicy(
  portsOf: (ports: CompletionPorts) => CompletionPorts = (ports) => ports,
): Policy {
  const acceptance = new AcceptanceStatistics();
  return (ports) => new CompletionPipeline(portsOf(ports), acceptance);
}

const createPolicyWithoutDebounce = (): Policy =>
  createPipelinePolicy((ports) => ({ ...ports, debounceMs: () => 0 }));

const createPolicyWithoutPrefetch = (): Policy =>
  createPipelinePolicy((ports) => ({
    ...ports,
    settings: () => ({ ...ports.settings(), prefetch: false }),
  }));

/** Returns our pipeline without reuse: it clears cached completions and cancels open requests before each call. */
function createPolicyWithoutReuse(): Policy {
  const create = createPipelinePolicy();
  return (ports) => clearBeforeEachCall(create(ports));
}

const clearBeforeEachCall = (completions: SuggestionProvider): SuggestionProvider => ({
  provide(snapshot, options) {
    completions.clear();
    return completions.provide(snapshot, options);
  },
  didAccept: (id) => completions.didAccept(id),
  didMoveCursor: (cursor) => completions.didMoveCursor(cursor),
  clear: () => completions.clear(),
  dispose: () => completions.dispose(),
});

/**
 * Compares our pipeline with a plain debounce of 300 ms and with variants of our pipeline, and measures cache lookups.
 * Replays recorded typing in six languages on a virtual clock, so that every run returns the same results.
 */
export async function runCompletionBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const playedTraces = traces.slice(0, scaleCount(traces.length, options.scale));
  const debounceSums = await replayAll(debouncePolicy, playedTraces);
  const all = await replayAll(createPipelinePolicy(), playedTraces);
  const withoutPrefetchSums = await replayAll(createPolicyWithoutPrefetch(), playedTraces);
  printTable([
    ['plain debounce of 300 ms', debounceSums],
    ['our pipeline', all],
    [
      '… without cache and open requests',
      await replayAll(createPolicyWithoutReuse(), playedTraces),
    ],
    ['… without debounce', await replayAll(createPolicyWithoutDebounce(), playedTraces)],
    ['… without prefetch', withoutPrefetchSums],
  ]);
  return [
    ...comparePolicies(all, debounceSums),
    ...compareFixedGoals(all),
    ...comparePrefetch(all, withoutPrefetchSums),
    ...(await runCompletionCacheBenchmarks(options)),
  ];
}

/** Compares the totals of our pipeline with those of a plain debounce. Both replayed the same typing traces. */
const comparePolicies = (pipelineSums: Sums, debounceSums: Sums): BenchResult[] => [
  compareWithBaseline('completion: requests', '', 1 / 3, [
    pipelineSums.requests,
    debounceSums.requests,
  ]),
  compareWithBaseline('completion: wasted answer tokens', 'tokens', 1 / 4, [
    pipelineSums.wastedTokens,
    debounceSums.wastedTokens,
  ]),
  compareWithBaseline('completion: tokens of requests without effect', 'tokens', 1 / 4, [
    pipelineSums.ineffectiveTokens,
    debounceSums.ineffectiveTokens,
  ]),
  compareWithBaseline('completion: idle time without a suggestion', '', 1, [
    1 - pipelineSums.visibleIdleRatio,
    1 - debounceSums.visibleIdleRatio,
  ]),
];

const compareFixedGoals = (pipelineSums: Sums): BenchResult[] => [
  compareWithBaseline('completion: added at a line start, p95, to 5 ms', 'ms', 1, [
    pipelineSums.addedLineStartMs,
    5,
  ]),
  compareWithBaseline('completion: added within a line, p95, to 30 ms', 'ms', 1, [
    pipelineSums.addedMidLineMs,
    30,
  ]),
  compareWithBaseline('completion: requests while typing along a suggestion', '', 0, [
    pipelineSums.requestsWhileVisible,
    1,
  ]),
  compareWithBaseline('completion: suggestions that are stale', '', 0, [pipelineSums.stale, 1]),
  compareWithBaseline('completion: suggestions that flicker', '', 0, [pipelineSums.flickers, 1]),
];

const comparePrefetch = (pipelineSums: Sums, withoutPrefetchSums: Sums): BenchResult[] => [
  compareWithBaseline('completion: acceptances with a delayed next suggestion, of all', '', 0.1, [
    pipelineSums.nextDelayedCount,
    pipelineSums.nextDelayedCount + pipelineSums.nextReadyCount,
  ]),
  compareWithBaseline('completion: requests, relative to no prefetching', '', 1.3, [
    pipelineSums.requests,
    withoutPrefetchSums.requests,
  ]),
];
