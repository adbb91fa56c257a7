import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { BenchResult } from './result.ts';

const goalKb = { first: 28, lazy: 37 };

/**
 * Measures the minified and gzipped size of the code that renders a transcript, and of the code that the first code
 * block adds.
 */
export async function markdownBundle(): Promise<BenchResult[]> {
  const { outputFiles } = await build({
    entryPoints: ['webview/markdown/markdown-stream.ts'],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    outdir: 'bundle',
    write: false,
  });
  const sizes = { first: 0, lazy: 0 };
  for (const { path, contents } of outputFiles) {
    const part = path.includes('highlight-code') ? 'lazy' : 'first';
    sizes[part] += gzipSync(contents, { level: 9 }).length / 1000;
  }
  return [
    size('Markdown bundle loaded at once', sizes.first, goalKb.first),
    size('Markdown bundle loaded with the first code block', sizes.lazy, goalKb.lazy),
  ];
}

function size(name: string, ours: number, theirs: number): BenchResult {
  const ratio = ours / theirs;
  return { name, ours, theirs, ratio, unit: 'KB gzip', target: 1, met: ratio <= 1 };
}
