import { expect, test } from 'vitest';
import { createStatsView } from './message-view.ts';

const answerUsage = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

test.each([
  ['without a number of cached tokens', null, answerUsage],
  ['with 0 cached tokens', 0, { ...answerUsage, cachedTokens: 0 }],
  ['with 7 cached tokens', 7, { ...answerUsage, cachedTokens: 7 }],
])(
  'createStatsView, given a usage report %s, returns %j as the number of cached tokens',
  (_, cachedTokens, reportedUsage) => {
    expect(createStatsView({ result: { durationMs: 1, usage: reportedUsage } })?.cachedTokens).toBe(
      cachedTokens,
    );
  },
);
