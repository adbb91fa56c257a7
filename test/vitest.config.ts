import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: [
      'src/**/*.test.ts',
      'webview/**/*.test.ts',
      'test/service/**/*.test.ts',
      'test/support/**/*.test.ts',
      'test/architecture/**/*.test.ts',
    ],
    testTimeout: 20_000,
    // The first start of a chain compiles its contracts.
    hookTimeout: 60_000,
    pool: 'threads',
    maxWorkers: 2,
  },
});
