import { expect, test } from 'vitest';
import { compareWithBash, lineCount, timeout } from './bash-fuzz.fixture.ts';

test(
  'the command gate finds every command that Bash runs for a randomly generated line',
  { timeout },
  async () => {
    const { allowedCount, disagreements, changedFiles } = await compareWithBash(lineCount);
    // A comparison of only a few lines could miss differences.
    expect(allowedCount).toBeGreaterThan(lineCount / 20);
    expect(disagreements).toEqual([]);
    expect(changedFiles).toEqual([]);
  },
);
