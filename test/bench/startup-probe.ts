/**
 * Loads a module in a new process. The first argument is the URL of the module. If the second argument is `activate`,
 * also activates the module as an extension. Prints the load time and the activation time in milliseconds as JSON.
 */
import { substituteVsCode } from './substitute-vscode.ts';

substituteVsCode();
const { context } = await import('./vscode-stand-in.ts');

const [target = '', mode] = process.argv.slice(2);
const startTime = performance.now();
const loadedModule: Record<string, unknown> = await import(target);
const loadMs = performance.now() - startTime;
const activationMs = mode === 'activate' ? measureActivation(loadedModule['activate']) : 0;
console.log(JSON.stringify({ loadMs, activationMs }));
process.exit(0);

function measureActivation(run: unknown): number {
  if (typeof run !== 'function') throw new Error('The extension has no activate().');
  const start = performance.now();
  run(context);
  return performance.now() - start;
}
