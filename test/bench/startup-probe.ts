/** Run in a fresh process: loads one package and prints how long it took. `vscode` is a stand-in that costs nothing. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../support/paths.ts';

const names = [
  ...['commands', 'env', 'extensions', 'l10n', 'languages', 'window', 'workspace'],
  ...['ConfigurationTarget', 'DiagnosticSeverity', 'EventEmitter', 'MarkdownString', 'Range'],
  ...[
    'QuickInputButtons',
    'QuickPickItemKind',
    'StatusBarAlignment',
    'ThemeColor',
    'ThemeIcon',
    'Uri',
    'ViewColumn',
  ],
  ...['ProgressLocation', 'TabInputText', 'UIKind', 'InputBoxValidationSeverity', 'ExtensionMode'],
];
/** Anything asked of it is itself again; as text it is a path that does not exist. */
const standIn = `const any = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => '/nowhere' : key === 'then' || key === Symbol.iterator ? undefined : any,
  set: () => true, apply: () => any, construct: () => any,
});
${names.map((name) => `export const ${name} = any;`).join('\n')}
export default any;`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(standIn)}`, shortCircuit: true }
      : next(specifier, context),
});
await import('vscode');

const [what] = process.argv.slice(2);
const target =
  what === 'extension' ? pathToFileURL(join(root, 'dist', 'host', 'extension.js')).href : 'openai';
const started = performance.now();
const loaded: Record<string, unknown> = await import(target);
const load = performance.now() - started;
console.log(JSON.stringify({ load, activate: await activationTime(loaded['activate']) }));
process.exit(0);

async function activationTime(activate: unknown): Promise<number> {
  if (typeof activate !== 'function') return 0;
  const { default: any } = (await import('vscode')) as unknown as { default: object };
  const before = performance.now();
  activate(any);
  return performance.now() - before;
}
