import { expect, test } from 'vitest';
import type { StatsView } from '../../../src/agent/protocol.ts';
import { answerStats } from '../../../test/support/webview-page/chat-states.ts';
import { formatUsage, formatUsageDetail, sumStats } from './message-footer.ts';

const emptyStats: StatsView = {
  promptTokens: null,
  cachedTokens: null,
  completionTokens: null,
  costUsd: null,
  costDiem: null,
  costEstimated: false,
  timeToFirstTokenMs: null,
  durationMs: null,
  tokensPerSecond: null,
};

test('sumStats returns the statistics of a single request unchanged', () => {
  expect(sumStats([answerStats])).toBe(answerStats);
});

test.each<[string, StatsView[], StatsView | null]>([
  ['no requests', [], null],
  [
    'two requests, without timings of a single request',
    [answerStats, { ...answerStats, promptTokens: 10, costEstimated: true }],
    {
      ...emptyStats,
      promptTokens: 1_244,
      completionTokens: 760,
      costUsd: 0.0042,
      costEstimated: true,
      durationMs: 4_260,
    },
  ],
  [
    'two requests of which one reports nothing',
    [answerStats, emptyStats],
    { ...answerStats, timeToFirstTokenMs: null, tokensPerSecond: null },
  ],
  [
    'two requests of which one has cached tokens',
    [answerStats, { ...answerStats, cachedTokens: 617 }],
    {
      ...answerStats,
      promptTokens: 2_468,
      cachedTokens: 617,
      completionTokens: 760,
      costUsd: 0.0042,
      timeToFirstTokenMs: null,
      durationMs: 4_260,
      tokensPerSecond: null,
    },
  ],
  ['two requests that report nothing', [emptyStats, emptyStats], emptyStats],
])('sumStats sums the usage of %s', (_, statsViews, expected) => {
  expect(sumStats(statsViews)).toEqual(expected);
});

test('formatUsage omits missing values, and allows line breaks only after the separator “·”', () => {
  expect(showNoBreakSpaces(formatUsage(answerStats))).toBe('1.2k_→_380_tokens_· $0.0021_· 2.1_s');
  expect(
    showNoBreakSpaces(
      formatUsage({ ...answerStats, costUsd: null, costDiem: 0.5, costEstimated: true }),
    ),
  ).toBe('1.2k_→_380_tokens_· ≈_$0.50_· 2.1_s');
  expect(
    showNoBreakSpaces(
      formatUsage({ ...answerStats, promptTokens: null, costUsd: null, durationMs: null }),
    ),
  ).toBe('?_→_380_tokens');
});

test('formatUsage shows the total in dollars, and formatUsageDetail shows the part that was paid in DIEM', () => {
  const paidStats = { ...answerStats, costUsd: 0.25, costDiem: 0.5 };
  expect(showNoBreakSpaces(formatUsage(paidStats))).toContain('· $0.75_·');
  expect(showNoBreakSpaces(formatUsageDetail(paidStats))).toContain('$0.50_paid_in_DIEM');
  expect(formatUsageDetail(answerStats)).not.toContain('DIEM');
});

test('formatUsageDetail formats latency, speed and a note about estimated costs', () => {
  expect(showNoBreakSpaces(formatUsageDetail(answerStats))).toBe(
    'First token after 0.4_s · 221_tokens_per_second',
  );
  expect(
    showNoBreakSpaces(
      formatUsageDetail({
        ...answerStats,
        timeToFirstTokenMs: null,
        tokensPerSecond: 4.26,
        costEstimated: true,
      }),
    ),
  ).toBe('4.3_tokens_per_second · Cost estimated from the prices of the model');
});

test('formatUsage and formatUsageDetail show the cached tokens and the cache hit rate', () => {
  const cachedStats = { ...answerStats, cachedTokens: 925 };
  expect(showNoBreakSpaces(formatUsage(cachedStats))).toBe(
    '1.2k_→_380_tokens_· 75%_cached_· $0.0021_· 2.1_s',
  );
  expect(showNoBreakSpaces(formatUsageDetail(cachedStats))).toContain('925_cached');
  expect(formatUsage({ ...answerStats, cachedTokens: 0 })).not.toContain('cached');
});

/** Replaces no-break spaces with a visible character. */
function showNoBreakSpaces(text: string): string {
  return text.replaceAll('\u00a0', '_');
}
