import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';

/** Two files at a time: a workbench waits for timers, frames and its server about half of the time. */
export default defineConfig({
  root,
  test: {
    include: [join(import.meta.dirname, '**/*.{e2e,test}.ts')],
    maxWorkers: 2,
    testTimeout: timeLimits.test,
    hookTimeout: timeLimits.test,
    expect: { poll: { timeout: timeLimits.condition } },
    retry: 0,
  },
});
