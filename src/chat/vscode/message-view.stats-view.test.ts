import { expect, test } from 'vitest';
import { createStatsView } from './message-view.ts';

const usage = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

test.each([
  [usage, null],
  [{ ...usage, cachedTokens: 0 }, 0],
  [{ ...usage, cachedTokens: 7 }, 7],
])('createStatsView, given the usage %j, shows %j cached tokens', (reported, cachedTokens) => {
  expect(createStatsView({ result: { durationMs: 1, usage: reported } })?.cachedTokens).toBe(
    cachedTokens,
  );
});
