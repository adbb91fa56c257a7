import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { markedLexer } from '../../marked-lexer.ts';
import type { BenchResult } from './result.ts';

const maxKilobytes = { first: 32, lazy: 38 };

/**
 * Measures the minified and gzipped size of two bundles: the one that renders a transcript, and the one that a page
 * loads for its first code block.
 */
export async function measureMarkdownBundle(): Promise<BenchResult[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['webview/markdown/markdown-stream.ts'],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    outdir: 'bundle',
    plugins: [markedLexer],
    metafile: true,
    write: false,
  });
  const paths = Object.keys(metafile.outputs);
  const first = listStaticImports(
    metafile,
    paths.filter((path) => path.includes('markdown-stream')),
  );
  const code = listStaticImports(
    metafile,
    paths.filter((path) => path.includes('highlight-code')),
  );
  const sumSizes = (selected: readonly string[]): number =>
    outputFiles
      .filter(({ path }) => selected.some((name) => path.endsWith(name)))
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length / 1000, 0);
  const lazy = [...code].filter((path) => !first.has(path));
  const sizes = { first: sumSizes([...first]), lazy: sumSizes(lazy) };
  return [
    createSizeResult('Markdown bundle loaded at once', sizes.first, maxKilobytes.first),
    createSizeResult(
      'Markdown bundle loaded with the first code block',
      sizes.lazy,
      maxKilobytes.lazy,
    ),
  ];
}

/** Returns the paths of the bundles, and of all files that they import statically. */
function listStaticImports({ outputs }: Metafile, entryPaths: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') visit(imported);
  };
  for (const path of entryPaths) visit(path);
  return found;
}

function createSizeResult(
  name: string,
  extensionValue: number,
  alternativeValue: number,
): BenchResult {
  const ratio = extensionValue / alternativeValue;
  return {
    name,
    extensionValue,
    alternativeValue,
    ratio,
    unit: 'KB gzip',
    target: 1,
    isMet: ratio <= 1,
  };
}
