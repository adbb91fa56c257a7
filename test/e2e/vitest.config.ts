import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { root } from '../support/paths.ts';

/** One workbench at a time: a second one on the same two cores makes both slow. */
export default defineConfig({
  root,
  test: {
    include: [join(import.meta.dirname, '**/*.{e2e,test}.ts')],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    retry: 0,
  },
});
