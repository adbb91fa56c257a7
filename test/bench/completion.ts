import { CompletionEngine, type Mechanism } from '../../src/completion/pipeline.ts';
import { Usefulness } from '../../src/completion/acceptance.ts';
import type { Policy } from '../support/typing-traces/replay.ts';
import { PlainDebounce } from '../support/typing-traces/plain-debounce.ts';
import { traces } from '../support/typing-traces/traces.ts';
import { completionCacheBenchmarks } from './completion-cache.ts';
import { playAll, type Sums } from './completion-sums.ts';
import { printTable } from './completion-table.ts';
import { type BenchOptions, scaled } from './options.ts';
import type { BenchResult } from './result.ts';
import { against } from './rounds.ts';

const mechanisms: readonly Mechanism[] = [
  'cache',
  'in-flight',
  'debounce',
  'cut',
  'prefetch',
  'rules',
];
const plain: Policy = (ports) => new PlainDebounce(ports);

/** One person works in one document after the other: what was learnt in the first is known in the next. */
function ours(...without: readonly Mechanism[]): Policy {
  const usefulness = new Usefulness();
  return (ports) => new CompletionEngine(ports, { without: new Set(without), usefulness });
}

/**
 * The written-down typing of six languages, played against a plain debounce of 300 ms, against our engine, and against
 * our engine without each of its mechanisms; and what it takes to find a known suggestion again. The clock of the
 * replays is virtual, so that their figures are the same in every run.
 */
export async function completionBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const played = traces.slice(0, scaled(traces.length, options.scale));
  const theirs = await playAll(plain, played);
  const all = await playAll(ours(), played);
  const reduced = new Map<Mechanism, Sums>();
  for (const mechanism of mechanisms)
    reduced.set(mechanism, await playAll(ours(mechanism), played));
  printTable([
    ['plain debounce of 300 ms', theirs],
    ['our engine', all],
    ...[...reduced].map(([mechanism, sums]) => [`… without ${mechanism}`, sums] as const),
  ]);
  return [
    ...policyGoals(all, theirs),
    ...promises(all),
    ...aheadGoals(all, reduced.get('prefetch') ?? all),
    ...(await completionCacheBenchmarks(options)),
  ];
}

/** Against the plain debounce, over the same work. */
const policyGoals = (ours: Sums, theirs: Sums): BenchResult[] => [
  against('completion: requests', '', 1 / 3, [ours.requests, theirs.requests]),
  against('completion: tokens produced in vain', 'tokens', 1 / 4, [ours.wasted, theirs.wasted]),
  against('completion: tokens paid for fruitless requests', 'tokens', 1 / 4, [
    ours.fruitless,
    theirs.fruitless,
  ]),
  against('completion: rest without a suggestion', '', 1, [
    1 - ours.shownRestShare,
    1 - theirs.shownRestShare,
  ]),
];

const promises = (ours: Sums): BenchResult[] => [
  against('completion: added at a line start, p95, to 5 ms', 'ms', 1, [ours.addedLineStart, 5]),
  against('completion: added within a line, p95, to 30 ms', 'ms', 1, [ours.addedMidLine, 30]),
  against('completion: requests while typing along a suggestion', '', 0, [ours.requestsAlong, 1]),
  against('completion: suggestions that are stale', '', 0, [ours.stale, 1]),
  against('completion: suggestions that flicker', '', 0, [ours.flickers, 1]),
];

const aheadGoals = (ours: Sums, withoutIt: Sums): BenchResult[] => [
  against('completion: accepts whose next is not there, of all', '', 0.1, [
    ours.nextWaited,
    ours.nextWaited + ours.nextThere,
  ]),
  against('completion: requests, to those without asking ahead', '', 1.3, [
    ours.requests,
    withoutIt.requests,
  ]),
];
