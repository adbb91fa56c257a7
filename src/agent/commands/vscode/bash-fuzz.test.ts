import { expect, test, vi } from 'vitest';
import { compareWithBash, fuzzLineCount, fuzzTimeoutMs } from '../bash-fuzz.fixture.ts';

vi.mock('../command-text.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../command-text.ts')>();
  return {
    ...original,
    isHarmlessRedirect: (text: string) => original.isHarmlessRedirect(text.replaceAll(/\s/gu, '')),
  };
});

test(
  'the comparison of the command gate with Bash detects a gate that ignores blanks in the target of a redirect',
  { timeout: fuzzTimeoutMs },
  async () => {
    const { disagreements } = await compareWithBash(fuzzLineCount);
    const splitDestinationChecks = disagreements.map(({ commandLine }) =>
      /[<>][ \t]*\/ ?dev? ?\/ ?null/u.test(commandLine),
    );
    expect(splitDestinationChecks.length).toBeGreaterThan(0);
    expect(splitDestinationChecks).not.toContain(false);
  },
);
