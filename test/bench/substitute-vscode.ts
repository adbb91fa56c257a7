import { registerHooks } from 'node:module';

const substituteUrl = new URL('vscode-stand-in.ts', import.meta.url).href;

/** Makes later imports of the module `vscode` load `vscode-stand-in.ts`, because this process runs without VS Code. */
export function substituteVsCode(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'vscode' ? substituteUrl : specifier, context),
  });
}
