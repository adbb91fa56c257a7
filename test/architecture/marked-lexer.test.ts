import { build } from 'esbuild';
import { Lexer } from 'marked';
import { expect, test } from 'vitest';
import { markedLexer } from '../../marked-lexer.ts';
import { root } from '../support/paths.ts';

test('the bundled Markdown lexer is a fifth smaller than the published lexer, and returns the same tokens', async () => {
  const bundleLexer = async (plugins: (typeof markedLexer)[]): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: `export { Lexer } from 'marked'`, resolveDir: root },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      plugins,
    });
    return outputFiles[0]?.text ?? '';
  };
  const [bundledCode, wholeCode] = [await bundleLexer([markedLexer]), await bundleLexer([])];
  expect(bundledCode.length).toBeLessThan(0.8 * wholeCode.length);
  const url = `data:text/javascript,${encodeURIComponent(bundledCode)}`;
  const module = (await import(/* @vite-ignore */ url)) as { readonly Lexer: typeof Lexer };
  const source = '# Tide\n\n> - *high* [a]\n\n| a | b |\n|---|---|\n| `c` | ~~d~~ |\n\n[a]: b\n';
  expect(module.Lexer.lex(source)).toEqual(Lexer.lex(source));
});
