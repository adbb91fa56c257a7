import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Matches the end of marked's source file: the shared instance of the complete parser, the functions that use this
 * instance, and the list of exports.
 */
const instance =
  /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\([\s\S]*export\{(?<exports>[^}]*)\}/u;
const usedExport = / as (?:Lexer|Tokenizer|getDefaults)$/u;

/**
 * Build plugin that removes the shared instance of the complete parser from marked, because bundlers cannot remove the
 * instance themselves. The pages use only the lexer, so the bundle then contains neither the parser nor the renderers.
 */
export const markedLexer: Plugin = {
  name: 'marked-lexer',
  setup(build) {
    build.onLoad({ filter: /[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const exports = instance.exec(source)?.groups?.['exports']?.split(',') ?? [];
      const used = exports.filter((name) => usedExport.test(name));
      if (used.length !== 3)
        throw new Error(`${path} no longer ends with the exports as expected.`);
      return { contents: source.replace(instance, `export{${used.join(',')}}`) };
    });
  },
};
