import { expect, test } from 'vitest';
import { createStatsView } from './message-view.ts';

const answerUsage = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

test.each([
  [answerUsage, null],
  [{ ...answerUsage, cachedTokens: 0 }, 0],
  [{ ...answerUsage, cachedTokens: 7 }, 7],
])('createStatsView, given the usage %j, shows %j cached tokens', (reportedUsage, cachedTokens) => {
  expect(createStatsView({ result: { durationMs: 1, usage: reportedUsage } })?.cachedTokens).toBe(
    cachedTokens,
  );
});
