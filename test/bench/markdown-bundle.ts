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
  const initialPaths = listStaticImports(
    metafile,
    paths.filter((path) => path.includes('markdown-stream')),
  );
  const codePaths = listStaticImports(
    metafile,
    paths.filter((path) => path.includes('highlight-code')),
  );
  const sumSizes = (selectedPaths: readonly string[]): number =>
    outputFiles
      .filter(({ path }) => selectedPaths.some((name) => path.endsWith(name)))
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length / 1000, 0);
  const lazyPaths = [...codePaths].filter((path) => !initialPaths.has(path));
  const sizes = { first: sumSizes([...initialPaths]), lazy: sumSizes(lazyPaths) };
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
  const foundPaths = new Set<string>();
  const visitPath = (path: string): void => {
    if (foundPaths.has(path)) return;
    foundPaths.add(path);
    for (const { path: importedPath, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') visitPath(importedPath);
  };
  for (const path of entryPaths) visitPath(path);
  return foundPaths;
}

function createSizeResult(
  name: string,
  extensionValue: number,
  baselineValue: number,
): BenchResult {
  const ratio = extensionValue / baselineValue;
  return {
    name,
    extensionValue,
    baselineValue,
    ratio,
    unit: 'KB gzip',
    target: 1,
    isMet: ratio <= 1,
  };
}
