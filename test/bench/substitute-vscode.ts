import { registerHooks } from 'node:module';

const substituteUrl = new URL('vscode-stand-in.ts', import.meta.url).href;

/**
 * Replaces the module `vscode` with `vscode-stand-in.ts` for all later imports, because this process runs without VS
 * Code.
 */
export function substituteVsCode(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'vscode' ? substituteUrl : specifier, context),
  });
}
