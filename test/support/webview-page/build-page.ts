import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { constantFocusVisible } from '../../../constant-focus-visible.ts';
import { diagramLayout } from '../../../diagram-layout.ts';
import { markedLexer } from '../../../marked-lexer.ts';
import { root } from '../paths.ts';

const chatEntryPoints = {
  main: 'webview/chat/main.ts',
  style: 'webview/chat/style.css',
  formulas: 'webview/markdown/formulas.css',
};
const studioEntryPoints = [
  { in: 'webview/studio/main.ts', out: 'studio' },
  { in: 'webview/studio/style.css', out: 'studio' },
];

/** Builds the chat and image studio pages into a new folder, separate from `dist`. Returns the path of this folder. */
export async function buildPage(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'inference-service-webview-'));
  await Promise.all(
    [chatEntryPoints, studioEntryPoints].map((entryPoints) =>
      build({ ...buildOptions, entryPoints, outdir }),
    ),
  );
  return outdir;
}

const buildOptions: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'chrome134',
  loader: { '.ttf': 'file', '.woff': 'file', '.woff2': 'file' },
  plugins: [constantFocusVisible, diagramLayout, markedLexer],
  assetNames: '[name]',
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
};
