import { appendFileSync } from 'node:fs';
import { launchBrowser } from '../browser.ts';
import { type ServerOptions, startServer } from './server.ts';

export interface SuiteRun extends ServerOptions {
  readonly folder: string;
  /** Path of a CommonJS module that exports a function `run()`. */
  readonly suite: string;
  readonly timeoutMs: number;
}

/**
 * Runs a suite in the extension host of the VS Code server. Returns false if a test fails.
 * @throws Error if the suite exceeds the time limit
 */
export async function runInServer(options: SuiteRun): Promise<boolean> {
  await using server = await startServer(options);
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  const exitResolvers = Promise.withResolvers<number>();
  await page.exposeFunction('codeAutomationExit', exitResolvers.resolve);
  await page.exposeFunction('codeAutomationLog', (level: string, values: unknown[]) =>
    // The browser closes last, because the page stays connected until then.
    appendFileSync(server.logFile, `[${level}] ${values.map(String).join(' ')}\n`),
  );
  page.once('crash', () => exitResolvers.reject(new Error('The workbench crashed.')));
  const timer = setTimeout(() => {
    exitResolvers.reject(
      new Error(`The suites did not end in ${options.timeoutMs} ms; see ${server.logFile}`),
    );
  }, options.timeoutMs);
  try {
    await page.goto(server.createUrl({ folder: options.folder, suitePath: options.suite }));
    return (await exitResolvers.promise) === 0;
  } finally {
    clearTimeout(timer);
  }
}
