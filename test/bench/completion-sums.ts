import { type PolicyFigures, sumTokens } from '../support/typing-traces/figures.ts';
import { type Policy, replayTrace } from '../support/typing-traces/replay.ts';
import type { Trace } from '../support/typing-traces/trace.ts';
import { computeMedian, computePercentile } from './rounds.ts';

/** Sums and statistics over the replays of all traces under one policy. */
export interface ReplaySums {
  readonly keyCount: number;
  readonly requestCount: number;
  readonly requestsPer100Keys: number;
  /** Fraction of idle time with a visible suggestion. Idle time starts 300 ms after each key press. */
  readonly visibleIdleRatio: number;
  /** Fraction of the total time with a visible suggestion. */
  readonly visibleRatio: number;
  /** Median delay between a key press and the appearance of a new suggestion, in milliseconds. */
  readonly appearanceDelayMedian: number;
  readonly appearanceDelayP95: number;
  readonly totalTokens: number;
  readonly wastedTokens: number;
  readonly ineffectiveTokens: number;
  readonly retainedCharacterCount: number;
  readonly addedLineStartMs: number;
  readonly addedMidLineMs: number;
  readonly requestCountWhileVisible: number;
  readonly staleCount: number;
  readonly flickerCount: number;
  readonly readyNextSuggestionCount: number;
  readonly delayedNextSuggestionCount: number;
}

export async function replayTraces(policy: Policy, traces: readonly Trace[]): Promise<ReplaySums> {
  const allFigures: PolicyFigures[] = [];
  for (const trace of traces) allFigures.push(await replayTrace(trace, policy));
  const sumFigures = (getFigure: (figures: PolicyFigures) => number): number =>
    allFigures.reduce((total, figures) => total + getFigure(figures), 0);
  const [keyCount, requestCount] = [
    sumFigures((figures) => figures.keyCount),
    sumFigures((figures) => figures.requests.length),
  ];
  const appearanceDelays = allFigures.flatMap(({ appearanceDelaysMs }) => appearanceDelaysMs);
  return {
    keyCount,
    requestCount,
    requestsPer100Keys: (100 * requestCount) / keyCount,
    visibleIdleRatio:
      sumFigures((figures) => figures.visibleIdleMs) / sumFigures((figures) => figures.idleMs),
    visibleRatio:
      sumFigures((figures) => figures.visibleMs) / sumFigures((figures) => figures.totalMs),
    appearanceDelayMedian: computePercentile(appearanceDelays, 0.5),
    appearanceDelayP95: computePercentile(appearanceDelays, 0.95),
    ...sumTokens(allFigures.flatMap((figures) => figures.requests)),
    retainedCharacterCount: sumFigures((figures) => figures.retainedCharacterCount),
    addedLineStartMs: computePercentile(
      allFigures.flatMap(({ addedDelaysMs }) => addedDelaysMs.lineStart),
      0.95,
    ),
    addedMidLineMs: computePercentile(
      allFigures.flatMap(({ addedDelaysMs }) => addedDelaysMs.midLine),
      0.95,
    ),
    requestCountWhileVisible: sumFigures((figures) => figures.requestsWhileVisible.length),
    staleCount: sumFigures((figures) => figures.staleSuggestions.length),
    flickerCount: sumFigures((figures) => figures.flickers.length),
    readyNextSuggestionCount: sumFigures((figures) => figures.readyNextSuggestionCount),
    delayedNextSuggestionCount: sumFigures((figures) => figures.delayedNextSuggestionCount),
  };
}

/**
 * Returns the median of each value over all rounds.
 * @throws if there are no rounds
 */
export function computeMedianSums(rounds: readonly ReplaySums[]): ReplaySums {
  const [firstSums] = rounds;
  if (firstSums === undefined) throw new Error('No round was replayed.');
  const names = Object.keys(firstSums) as (keyof ReplaySums)[];
  return Object.fromEntries(
    names.map((name) => [name, computeMedian(rounds.map((sums) => sums[name]))]),
  ) as unknown as ReplaySums;
}
