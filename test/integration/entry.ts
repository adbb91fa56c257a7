import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import Mocha from 'mocha';
import { formatError } from '../support/format-error.ts';
import { timeLimits } from '../support/time-limits.ts';
import { readSuiteEnvironment } from './environment.ts';
import type { TestResult } from './results.ts';

/** Entry point that VS Code calls in the extension host. Rejects if a test fails. */
export async function run(): Promise<void> {
  const { suiteFiles, resultsFile } = readSuiteEnvironment();
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: timeLimits.test,
    reporter: createReporter(resultsFile),
  });
  for (const file of suiteFiles) mocha.addFile(file);
  const failureCount = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failureCount > 0) throw new Error(`${failureCount} failed`);
}

/**
 * Creates a reporter that writes each result immediately. If the extension host crashes or hangs, the file then
 * contains all earlier results.
 */
function createReporter(file: string): Mocha.ReporterConstructor {
  return class extends Mocha.reporters.Base {
    constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
      super(runner, options);
      const reportResult = (test: Mocha.Runnable, error?: string): void => {
        const suite = basename(test.file ?? '', '.cjs');
        const result: TestResult = {
          title: test.fullTitle(),
          file: `test/integration/${suite}.ts`,
          ms: test.duration ?? 0,
          ...(error !== undefined && { error }),
        };
        appendFileSync(file, `${JSON.stringify(result)}\n`);
      };
      runner.on('pass', (test) => reportResult(test));
      runner.on('fail', (test, error: unknown) => reportResult(test, formatError(error)));
      // A skipped test could be mistaken for a passed test, so it counts as failed.
      runner.on('pending', (test) => reportResult(test, 'skipped'));
    }
  };
}
