import { expect, test } from 'vitest';
import { suites } from '../bench/suites.ts';

const vsCodeSuites = Object.entries(suites)
  .filter(([, { needsVsCode }]) => needsVsCode)
  .map(([name, { run, minScale = 0.02 }]) => ({ name, run, scale: minScale }));

/** Runs the benchmarks that need VS Code. `test/bench/bench.test.ts` runs the others. */
test.each(vsCodeSuites)(
  'the benchmark suite $name returns finite results for a short round',
  async ({ run, scale }) => {
    const results = await run({ roundCount: 1, warmUpCount: 0, scale });
    expect(results).not.toEqual([]);
    for (const { name, extensionValue, baselineValue, ratio, target } of results)
      expect([extensionValue, baselineValue, ratio, target].every(Number.isFinite), name).toBe(
        true,
      );
  },
);
