import { registerHooks } from 'node:module';

const substituteUrl = new URL('vscode-stand-in.ts', import.meta.url).href;

/** Substitutes `vscode-stand-in.ts` for the module `vscode` in later imports of this process, which has no VS Code. */
export function substituteVsCode(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'vscode' ? substituteUrl : specifier, context),
  });
}
