import { traces } from '../support/typing-traces/traces.ts';
import type { Trace } from '../support/typing-traces/trace.ts';
import { runCompletionCacheBenchmarks } from './completion-cache.ts';
import {
  type CreatePolicy,
  otherPolicies,
  ownPolicies,
  createPipelineFactory,
} from './completion-policies.ts';
import { computeMedianSums, replayTraces, type ReplaySums } from './completion-sums.ts';
import { printTable } from './completion-table.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds } from './rounds.ts';
import { requestPolicies } from '../../src/completion/request-timing.ts';

/** Results of one round by policy name. */
type Round = Readonly<Record<keyof typeof policies, ReplaySums>>;

const policies = {
  ...otherPolicies,
  ...ownPolicies,
  'balanced, without lines ahead': createPipelineFactory({
    ...requestPolicies.balanced,
    maxLinesAhead: 0,
  }),
  'balanced, without prefetch': createPipelineFactory(requestPolicies.balanced, (ports) => ({
    ...ports,
    getSettings: () => ({ ...ports.getSettings(), canPrefetch: false }),
  })),
} as const satisfies Record<string, CreatePolicy>;

/**
 * Replays recorded typing with the request policies of the extension and with policies similar to those of other
 * extensions. Compares the extension's policies with goals and with a plain debounce. Also measures cache lookups. The
 * clock is virtual: times between key presses differ between rounds, but are the same in every run.
 */
export async function runCompletionBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const playedTraces = traces.slice(0, scaleCount(traces.length, options.scale));
  const rounds: Round[] = [];
  for (let round = 0; round < options.roundCount; round += 1)
    rounds.push(await replayPolicies(policies, changeRhythm(playedTraces, round)));
  const names = Object.keys(policies) as (keyof typeof policies)[];
  printTable(names.map((name) => [name, computeMedianSums(rounds.map((round) => round[name]))]));
  return [
    ...compareBalancedPolicy(rounds),
    ...compareSteps(rounds),
    ...(await runCompletionCacheBenchmarks(options)),
  ];
}

/** Replays the traces once under each policy. */
export async function replayPolicies<Name extends string>(
  create: Readonly<Record<Name, CreatePolicy>>,
  playedTraces: readonly Trace[],
): Promise<Readonly<Record<Name, ReplaySums>>> {
  const sums: Partial<Record<Name, ReplaySums>> = {};
  for (const name of Object.keys(create) as Name[])
    sums[name] = await replayTraces(create[name](), playedTraces);
  return sums as Record<Name, ReplaySums>;
}

/**
 * Returns the traces with the typing rhythm of a round. Round 0 uses the seeds in the traces, and each later round uses
 * other seeds.
 */
export const changeRhythm = (playedTraces: readonly Trace[], round: number): readonly Trace[] =>
  playedTraces.map((trace) => ({ ...trace, seed: trace.seed + 1_000 * round }));

/** Compares the results of the balanced policy, which is the default, with its goals. */
function compareBalancedPolicy(rounds: readonly Round[]): BenchResult[] {
  const compareWithMaximum = (
    name: string,
    limit: number,
    getFigure: (sums: ReplaySums) => number,
    unit = '',
  ): BenchResult =>
    compareRounds(`completion: ${name}`, {
      rounds,
      unit,
      getExtensionValue: ({ balanced }) => getFigure(balanced),
      getBaselineValue: () => limit,
      target: 1,
    });
  const compareWithMinimum = (
    name: string,
    limit: number,
    getFigure: (sums: ReplaySums) => number,
  ): BenchResult =>
    compareRounds(`completion: ${name}, goal to figure`, {
      rounds,
      unit: '',
      getExtensionValue: () => limit,
      getBaselineValue: ({ balanced }) => getFigure(balanced),
      target: 1,
    });
  const compareWithZero = (name: string, getFigure: (sums: ReplaySums) => number): BenchResult =>
    compareRounds(`completion: ${name}`, {
      rounds,
      unit: '',
      getExtensionValue: ({ balanced }) => getFigure(balanced),
      getBaselineValue: () => 1,
      target: 0,
    });
  return [
    compareWithMaximum(
      'key to visible p50, to 200 ms',
      200,
      (sums) => sums.appearanceDelayMedian,
      'ms',
    ),
    compareWithMaximum(
      'key to visible p95, to 800 ms',
      800,
      (sums) => sums.appearanceDelayP95,
      'ms',
    ),
    compareWithMinimum('time with a suggestion', 0.42, (sums) => sums.visibleRatio),
    compareWithMinimum('retained characters', 1_350, (sums) => sums.retainedCharacterCount),
    compareWithMinimum('next suggestion ready after an acceptance', 0.7, computeReadyRatio),
    compareWithZero(
      'requests while typing along a suggestion',
      (sums) => sums.requestCountWhileVisible,
    ),
    compareWithZero('suggestions that are stale', (sums) => sums.staleCount),
    compareWithZero('suggestions that flicker', (sums) => sums.flickerCount),
  ];
}

const computeReadyRatio = ({
  readyNextSuggestionCount: readyCount,
  delayedNextSuggestionCount: delayedCount,
}: ReplaySums): number => readyCount / Math.max(1, readyCount + delayedCount);

/** Maximum number of requests under each policy, as a multiple of the number with a plain debounce of 300 ms. */
const maxRequestRatios = { eager: 1.6, balanced: 1, economical: 0.45 } as const;

const compareSteps = (rounds: readonly Round[]): BenchResult[] =>
  (Object.keys(maxRequestRatios) as (keyof typeof maxRequestRatios)[]).map((step) =>
    compareRounds(`completion: requests of ${step}, to a plain debounce`, {
      rounds,
      unit: '',
      getExtensionValue: (round) => round[step].requestCount,
      getBaselineValue: (round) => round['plain debounce of 300 ms'].requestCount,
      target: maxRequestRatios[step],
    }),
  );
