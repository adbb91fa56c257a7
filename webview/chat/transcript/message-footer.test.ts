import { expect, test } from 'vitest';
import type { StatsView } from '../../../src/chat/protocol/view-state.ts';
import { stats } from '../../../test/support/webview-page/chat-states.ts';
import { sumStats } from './message-footer.ts';

const nothing: StatsView = {
  promptTokens: null,
  completionTokens: null,
  costUsd: null,
  costDiem: null,
  costEstimated: false,
  timeToFirstTokenMs: null,
  durationMs: null,
  tokensPerSecond: null,
};

test('one request keeps all of its figures', () => {
  expect(sumStats([stats])).toBe(stats);
});

test.each<[string, StatsView[], StatsView | null]>([
  ['none', [], null],
  [
    'two, without what holds for one request only',
    [stats, { ...stats, promptTokens: 10, costEstimated: true }],
    {
      ...nothing,
      promptTokens: 1_244,
      completionTokens: 760,
      costUsd: 0.0042,
      costEstimated: true,
      durationMs: 4_260,
    },
  ],
  [
    'what one does not tell',
    [stats, nothing],
    { ...stats, timeToFirstTokenMs: null, tokensPerSecond: null },
  ],
  ['what none tells', [nothing, nothing], nothing],
])('the sum of %s', (_, all, expected) => {
  expect(sumStats(all)).toEqual(expected);
});
