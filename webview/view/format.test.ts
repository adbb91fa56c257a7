import { expect, test } from 'vitest';
import { stats } from '../../test/support/webview-page/chat-states.ts';
import {
  formatDuration,
  formatTokens,
  formatUsage,
  formatUsageDetail,
  formatUsd,
} from './format.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [1_234, '1.2k'],
  [9_960, '10k'],
  [131_072, '131k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_500_000, '1.5M'],
])('%d tokens are %s', (count, text) => expect(formatTokens(count)).toBe(text));

test.each([
  [40, '0 s'],
  [412, '0.4 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, '$0'],
  [1.25, '$1.25'],
  [0.04, '$0.04'],
  [0.0021, '$0.0021'],
  [0.00213, '$0.0021'],
  [0.005, '$0.005'],
  [0.00000012, '$0.00000012'],
])('%d dollars are %s', (amount, text) => expect(formatUsd(amount)).toBe(text));

test('usage is one line of what is known', () => {
  expect(formatUsage(stats)).toBe('1.2k → 380 tokens · $0.0021 · 2.1 s');
  expect(formatUsage({ ...stats, costUsd: null, costDiem: 0.5, costEstimated: true })).toBe(
    '1.2k → 380 tokens · ≈ 0.50 DIEM · 2.1 s',
  );
  expect(formatUsage({ ...stats, promptTokens: null, costUsd: null, durationMs: null })).toBe(
    '? → 380 tokens',
  );
});

test('the details are the rest', () => {
  expect(formatUsageDetail(stats)).toBe('First token after 0.4 s · 221 tokens per second');
  expect(
    formatUsageDetail({
      ...stats,
      timeToFirstTokenMs: null,
      tokensPerSecond: 4.26,
      costEstimated: true,
    }),
  ).toBe("4.3 tokens per second · Cost estimated from the model's prices");
});
