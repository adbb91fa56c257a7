import { expect, test } from 'vitest';
import { stats } from '../../test/support/webview-page/chat-states.ts';
import { formatDuration, formatUsage, formatUsageDetail } from './format.ts';

test.each([
  [40, '0 s'],
  [412, '0.4 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('%d ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test('usage is one line of what is known; it breaks after a dot only', () => {
  expect(glued(formatUsage(stats))).toBe('1.2k_→_380_tokens_· $0.0021_· 2.1_s');
  expect(glued(formatUsage({ ...stats, costUsd: null, costDiem: 0.5, costEstimated: true }))).toBe(
    '1.2k_→_380_tokens_· ≈_0.50_DIEM_· 2.1_s',
  );
  expect(
    glued(formatUsage({ ...stats, promptTokens: null, costUsd: null, durationMs: null })),
  ).toBe('?_→_380_tokens');
});

test('the details are the rest', () => {
  expect(glued(formatUsageDetail(stats))).toBe('First token after 0.4_s · 221_tokens_per_second');
  expect(
    glued(
      formatUsageDetail({
        ...stats,
        timeToFirstTokenMs: null,
        tokensPerSecond: 4.26,
        costEstimated: true,
      }),
    ),
  ).toBe('4.3_tokens_per_second · Cost estimated from the prices of the model');
});

/** With no-break spaces made visible. */
function glued(text: string): string {
  return text.replaceAll('\u00a0', '_');
}
