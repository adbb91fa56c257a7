/**
 * Runs one suite in a separate process: `suite-process.ts NAME`. Started by `run.ts`. Sends one {@link SuiteMessage}
 * and exits, also after an uncaught error or an unhandled rejection.
 */
import { endTreesOnSignals } from '../support/process.ts';
import { buildForProduction } from './production-build.ts';
import type { SuiteMessage } from './run-suites.ts';
import { substituteVsCode } from './substitute-vscode.ts';
import { suites } from './suites.ts';

endTreesOnSignals();
substituteVsCode();
process.on('uncaughtException', failSuite);
// Exit when the parent process has ended, because no other process reads the results.
process.on('disconnect', () => process.exit(1));

const [name = ''] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) throw new Error(`There is no suite "${name}".`);
try {
  if (suite.needsVsCode) buildForProduction();
  sendMessage({ results: await suite.run(suite.options) }, 0);
} catch (error) {
  failSuite(error);
}

function failSuite(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(text);
  sendMessage({ error: error instanceof Error ? `${error.name}: ${error.message}` : text }, 1);
}

function sendMessage(message: SuiteMessage, exitCode: number): void {
  process.send?.(message, () => process.exit(exitCode));
}
