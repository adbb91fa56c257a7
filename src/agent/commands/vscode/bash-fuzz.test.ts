import { expect, test, vi } from 'vitest';
import { compareWithBash, fuzzLineCount, fuzzTimeoutMs } from '../bash-fuzz.fixture.ts';

vi.mock('../command-text.ts', async (importOriginal) => {
  const originalModule = await importOriginal<typeof import('../command-text.ts')>();
  return {
    ...originalModule,
    isHarmlessRedirect: (text: string) =>
      originalModule.isHarmlessRedirect(text.replaceAll(/\s/gu, '')),
  };
});

test(
  'the comparison of the command gate with Bash detects a gate that ignores blanks in the target of a redirect',
  { timeout: fuzzTimeoutMs },
  async () => {
    const { disagreements } = await compareWithBash(fuzzLineCount);
    const haveSplitDestinations = disagreements.map(({ commandLine }) =>
      /[<>][ \t]*\/ ?dev? ?\/ ?null/u.test(commandLine),
    );
    expect(haveSplitDestinations.length).toBeGreaterThan(0);
    expect(haveSplitDestinations).not.toContain(false);
  },
);
