import { type Figures, tokensOf } from '../support/typing-traces/figures.ts';
import { type Policy, replay } from '../support/typing-traces/replay.ts';
import type { Trace } from '../support/typing-traces/trace.ts';
import { percentile } from './rounds.ts';

/** Sums and statistics over the replays of all traces under one policy. */
export interface Sums {
  readonly keys: number;
  readonly requests: number;
  readonly per100Keys: number;
  /** Fraction of idle time with a visible suggestion. Idle time starts 300 ms after each key. */
  readonly shownRestShare: number;
  /** Fraction of the total time with a visible suggestion. */
  readonly shownShare: number;
  /** Median delay from the last key to a newly visible suggestion, in milliseconds. */
  readonly appearedMedian: number;
  readonly appearedP95: number;
  readonly paid: number;
  readonly wasted: number;
  readonly fruitless: number;
  readonly keptCharacters: number;
  readonly addedLineStart: number;
  readonly addedMidLine: number;
  readonly requestsAlong: number;
  readonly stale: number;
  readonly flickers: number;
  readonly nextThere: number;
  readonly nextWaited: number;
}

export async function playAll(policy: Policy, traces: readonly Trace[]): Promise<Sums> {
  const all: Figures[] = [];
  for (const trace of traces) all.push(await replay(trace, policy));
  const sum = (figureOf: (figures: Figures) => number): number =>
    all.reduce((total, figures) => total + figureOf(figures), 0);
  const [keys, requests] = [
    sum((figures) => figures.keys),
    sum((figures) => figures.requests.length),
  ];
  const appeared = all.flatMap(({ appearedAfterMs }) => appearedAfterMs);
  return {
    keys,
    requests,
    per100Keys: (100 * requests) / keys,
    shownRestShare: sum((figures) => figures.visibleIdleMs) / sum((figures) => figures.idleMs),
    shownShare: sum((figures) => figures.visibleMs) / sum((figures) => figures.totalMs),
    appearedMedian: percentile(appeared, 0.5),
    appearedP95: percentile(appeared, 0.95),
    ...tokensOf(all.flatMap((figures) => figures.requests)),
    keptCharacters: sum((figures) => figures.retainedCharacters),
    addedLineStart: percentile(
      all.flatMap(({ added }) => added.lineStart),
      0.95,
    ),
    addedMidLine: percentile(
      all.flatMap(({ added }) => added.midLine),
      0.95,
    ),
    requestsAlong: sum((figures) => figures.requestsWhileVisible.length),
    stale: sum((figures) => figures.stale.length),
    flickers: sum((figures) => figures.flickers.length),
    nextThere: sum((figures) => figures.nextReadyCount),
    nextWaited: sum((figures) => figures.nextDelayedCount),
  };
}
