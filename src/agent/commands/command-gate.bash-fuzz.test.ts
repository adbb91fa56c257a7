import { expect, test } from 'vitest';
import { compareWithBash, lineCount, timeout } from './bash-fuzz.fixture.ts';

test('every allowed line runs only the commands that the gate read', { timeout }, async () => {
  const { allowedCount, disagreements, changedFiles } = await compareWithBash(lineCount);
  // A comparison of only a few lines could miss differences.
  expect(allowedCount).toBeGreaterThan(lineCount / 20);
  expect(disagreements).toEqual([]);
  expect(changedFiles).toEqual([]);
});
