import { expect, test, vi } from 'vitest';
import { compareWithBash, lineCount, timeout } from '../bash-fuzz.fixture.ts';

vi.mock('../command-text.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../command-text.ts')>();
  return {
    ...original,
    isHarmlessRedirect: (text: string) => original.isHarmlessRedirect(text.replaceAll(/\s/gu, '')),
  };
});

test(
  'the fuzz test that compares the command gate with Bash detects a gate that ignores blanks in the target of a redirect',
  { timeout },
  async () => {
    const { disagreements } = await compareWithBash(lineCount);
    const hasSplitDestination = disagreements.map(({ line }) =>
      /[<>][ \t]*\/ ?dev? ?\/ ?null/u.test(line),
    );
    expect(hasSplitDestination.length).toBeGreaterThan(0);
    expect(hasSplitDestination).not.toContain(false);
  },
);
