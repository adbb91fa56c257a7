import { expect, test } from 'vitest';
import { compareWithBash, fuzzLineCount, fuzzTimeoutMs } from './bash-fuzz.fixture.ts';

test(
  'the command gate finds every command that Bash runs for a randomly generated line',
  { timeout: fuzzTimeoutMs },
  async () => {
    const { allowedCount, disagreements, changedFiles } = await compareWithBash(fuzzLineCount);
    // A comparison of only a few lines could miss differences.
    expect(allowedCount).toBeGreaterThan(fuzzLineCount / 20);
    expect(disagreements).toEqual([]);
    expect(changedFiles).toEqual([]);
  },
);
