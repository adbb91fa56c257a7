import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../paths.ts';

/** Builds the webview into a new folder of its own, so that nobody's `dist` is in the way; returns the folder. */
export async function buildPage(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'inference-service-webview-'));
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'webview/main.ts', style: 'webview/style.css' },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'chrome134',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outdir;
}
