import type { StatsView } from '../../../src/chat/protocol/view-state.ts';

/**
 * What the requests of a turn took together, of what each told; null when there are none. How fast an answer came holds
 * for one request only.
 */
export function sumStats(all: readonly StatsView[]): StatsView | null {
  const [first] = all;
  if (first === undefined || all.length === 1) return first ?? null;
  const sum = (of: (stats: StatsView) => number | null): number | null =>
    all.map(of).reduce((one, other) => (one === null ? other : one + (other ?? 0)), null);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    costUsd: sum(({ costUsd }) => costUsd),
    costDiem: sum(({ costDiem }) => costDiem),
    costEstimated: all.some(({ costEstimated }) => costEstimated),
    timeToFirstTokenMs: null,
    durationMs: sum(({ durationMs }) => durationMs),
    tokensPerSecond: null,
  };
}
