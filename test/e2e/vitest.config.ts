import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../support/paths.ts';
import { timeLimits } from '../support/time-limits.ts';

/**
 * Runs two files at the same time. A workbench spends about half of the time waiting for timers, frames and its server.
 */
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
