import { defineConfig } from 'vitest/config';
import { timeLimits } from './support/time-limits.ts';

/**
 * Folders whose modules retain no variable, timer or connection between tests. The test files in these folders share
 * workers, so that the modules are loaded once for all of them.
 */
const statelessTests = [
  'src/{base,workspace,account,models,privacy,conversation,agent,image,speech,wallet,completion,editor,chat}/**/!(vscode)/*.test.ts',
  'src/{base,workspace,account,models,privacy,conversation,agent,image,speech,wallet,completion,editor,chat}/*.test.ts',
  'test/service/**/*.test.ts',
];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: { alias: { vscode: new URL('support/vscode-stub.ts', import.meta.url).pathname } },
  test: {
    testTimeout: timeLimits.unitTest,
    // Less than a test, so that a failure shows the last value.
    expect: { poll: { timeout: timeLimits.unitTest / 2 } },
    // The first start of a chain compiles its contracts.
    hookTimeout: timeLimits.start,
    setupFiles: [new URL('support/node-22.ts', import.meta.url).pathname],
    pool: 'threads',
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'stateless', include: statelessTests, isolate: false } },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: [
            'src/**/*.test.ts',
            'webview/**/*.test.ts',
            'test/service/**/*.test.ts',
            'test/support/**/*.test.ts',
            'test/architecture/**/*.test.ts',
            'test/bench/**/*.test.ts',
          ],
          exclude: statelessTests,
        },
      },
    ],
  },
});
