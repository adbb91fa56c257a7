import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import { AcceptanceStatistics } from '../../src/completion/acceptance.ts';
import type { CompletionPorts, SuggestionProvider } from '../../src/completion/ports.ts';
import type { Policy } from '../support/typing-traces/replay.ts';
import { PlainDebounce } from '../support/typing-traces/plain-debounce.ts';
import { traces } from '../support/typing-traces/traces.ts';
import { completionCacheBenchmarks } from './completion-cache.ts';
import { playAll, type Sums } from './completion-sums.ts';
import { printTable } from './completion-table.ts';
import { type BenchOptions, scaled } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareWithFixed } from './rounds.ts';

const plain: Policy = (ports) => new PlainDebounce(ports);

/**
 * Returns a policy that creates our pipeline for each trace. The traces share acceptance statistics, as documents of
 * one user do.
 */
function ours(portsOf: (ports: CompletionPorts) => CompletionPorts = (ports) => ports): Policy {
  const acceptance = new AcceptanceStatistics();
  return (ports) => new CompletionPipeline(portsOf(ports), acceptance);
}

const withoutDebounce = (): Policy => ours((ports) => ({ ...ports, debounceMs: () => 0 }));

const withoutPrefetch = (): Policy =>
  ours((ports) => ({
    ...ports,
    settings: () => ({ ...ports.settings(), prefetch: false }),
  }));

/** Returns our pipeline without reuse: it clears cached completions and cancels open requests before each call. */
function withoutReuse(): Policy {
  const create = ours();
  return (ports) => clearing(create(ports));
}

const clearing = (completions: SuggestionProvider): SuggestionProvider => ({
  provide(snapshot, how) {
    completions.clear();
    return completions.provide(snapshot, how);
  },
  didAccept: (id) => completions.didAccept(id),
  didMoveCursor: (to) => completions.didMoveCursor(to),
  clear: () => completions.clear(),
  dispose: () => completions.dispose(),
});

/**
 * Compares our pipeline with a plain debounce of 300 ms and with variants of our pipeline, and measures cache lookups.
 * Replays recorded typing in six languages on a virtual clock, so that every run returns the same results.
 */
export async function completionBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const playedTraces = traces.slice(0, scaled(traces.length, options.scale));
  const theirs = await playAll(plain, playedTraces);
  const all = await playAll(ours(), playedTraces);
  const withoutPrefetchSums = await playAll(withoutPrefetch(), playedTraces);
  printTable([
    ['plain debounce of 300 ms', theirs],
    ['our pipeline', all],
    ['… without cache and open requests', await playAll(withoutReuse(), playedTraces)],
    ['… without debounce', await playAll(withoutDebounce(), playedTraces)],
    ['… without prefetch', withoutPrefetchSums],
  ]);
  return [
    ...policyGoals(all, theirs),
    ...promisedGoals(all),
    ...prefetchGoals(all, withoutPrefetchSums),
    ...(await completionCacheBenchmarks(options)),
  ];
}

/** Compares our pipeline with the plain debounce over the same traces, for each goal. */
const policyGoals = (ours: Sums, theirs: Sums): BenchResult[] => [
  compareWithFixed('completion: requests', '', 1 / 3, [ours.requests, theirs.requests]),
  compareWithFixed('completion: tokens produced in vain', 'tokens', 1 / 4, [
    ours.wasted,
    theirs.wasted,
  ]),
  compareWithFixed('completion: tokens paid for fruitless requests', 'tokens', 1 / 4, [
    ours.fruitless,
    theirs.fruitless,
  ]),
  compareWithFixed('completion: rest without a suggestion', '', 1, [
    1 - ours.shownRestShare,
    1 - theirs.shownRestShare,
  ]),
];

const promisedGoals = (ours: Sums): BenchResult[] => [
  compareWithFixed('completion: added at a line start, p95, to 5 ms', 'ms', 1, [
    ours.addedLineStart,
    5,
  ]),
  compareWithFixed('completion: added within a line, p95, to 30 ms', 'ms', 1, [
    ours.addedMidLine,
    30,
  ]),
  compareWithFixed('completion: requests while typing along a suggestion', '', 0, [
    ours.requestsAlong,
    1,
  ]),
  compareWithFixed('completion: suggestions that are stale', '', 0, [ours.stale, 1]),
  compareWithFixed('completion: suggestions that flicker', '', 0, [ours.flickers, 1]),
];

const prefetchGoals = (ours: Sums, withoutPrefetching: Sums): BenchResult[] => [
  compareWithFixed('completion: accepts whose next is not there, of all', '', 0.1, [
    ours.nextWaited,
    ours.nextWaited + ours.nextThere,
  ]),
  compareWithFixed('completion: requests, to those without asking ahead', '', 1.3, [
    ours.requests,
    withoutPrefetching.requests,
  ]),
];
