/**
 * Loads one module in a new process and prints the load time in milliseconds. The arguments are the URL of the module,
 * and optionally `activate` to activate the module as an extension.
 */
import { substituteVsCode } from './substitute-vscode.ts';

substituteVsCode();
const { context } = await import('./vscode-stand-in.ts');

const [target = '', mode] = process.argv.slice(2);
const startTime = performance.now();
const loadedModule: Record<string, unknown> = await import(target);
const loadMs = performance.now() - startTime;
const activationMs = mode === 'activate' ? measureActivation(loadedModule['activate']) : 0;
console.log(JSON.stringify({ load: loadMs, activate: activationMs }));
process.exit(0);

function measureActivation(run: unknown): number {
  if (typeof run !== 'function') throw new Error('The extension has no activate().');
  const before = performance.now();
  run(context);
  return performance.now() - before;
}
