import { execFile } from 'node:child_process';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root } from '../support/paths.ts';
import type { BenchOptions } from './options.ts';
import { buildInTemporaryFolder } from './production-build.ts';
import type { BenchResult } from './result.ts';
import { compareWithBaseline, compareRounds, runRounds } from './rounds.ts';

const runFile = promisify(execFile);
const probePath = join(import.meta.dirname, 'startup-probe.ts');

/**
 * Measures the sizes of the files that a production build loads at startup, and the time to load them in a new process.
 */
export async function runStartupBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  await using build = await buildInTemporaryFolder();
  const { dist } = build;
  const hostSizes = await readSizes(dist, ['host/extension.js', 'host/chunks/start.js']);
  const pageSizes = await readSizes(dist, ['webview/main.js', ...(await listFirstChunks(dist))]);
  return [
    compareWithBaseline('start: activation bundle, minified', 'bytes', 1, [
      hostSizes.bytes,
      100_000,
    ]),
    compareWithBaseline('start: activation bundle, gzip', 'bytes', 1, [
      hostSizes.gzipBytes,
      33_000,
    ]),
    compareWithBaseline('start: first load of the webview, gzip', 'bytes', 1, [
      pageSizes.gzipBytes,
      70_000,
    ]),
    ...(await measureStartTimes(dist, options)),
  ];
}

/** Returns the paths of the chunks that `main.js` imports statically. A page loads them before its first paint. */
async function listFirstChunks(dist: string): Promise<string[]> {
  const mainCode = await readFile(join(dist, 'webview', 'main.js'), 'utf8');
  const chunks = await readdir(join(dist, 'webview', 'chunks')).catch(() => []);
  return chunks
    .filter((name) => new RegExp(`(?:from|import)\\s*"\\./chunks/${name}"`, 'u').test(mainCode))
    .map((name) => `webview/chunks/${name}`);
}

async function readSizes(
  dist: string,
  files: readonly string[],
): Promise<{ bytes: number; gzipBytes: number }> {
  let [bytes, gzipBytes] = [0, 0];
  for (const file of files) {
    bytes += (await stat(join(dist, file))).size;
    gzipBytes += gzipSync(await readFile(join(dist, file)), { level: 9 }).length;
  }
  return { bytes, gzipBytes };
}

interface StartupTimes {
  readonly loadMs: number;
  readonly activationMs: number;
}

async function measureStartTimes(dist: string, options: BenchOptions): Promise<BenchResult[]> {
  const extensionUrl = pathToFileURL(join(dist, 'host', 'extension.js')).href;
  const extensionTimes: StartupTimes[] = [];
  const rounds = await runRounds(
    {
      extensionMs: async () => {
        const times = await runInFreshProcess(extensionUrl, 'activate');
        extensionTimes.push(times);
        return times.loadMs;
      },
      baselineMs: async () => (await runInFreshProcess('openai')).loadMs,
    },
    options,
  );
  const measuredTimes = extensionTimes.slice(options.warmUpCount);
  return [
    compareRounds('start: loading the extension, against loading the openai package', {
      rounds,
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.baselineMs,
      unit: 'ms',
      target: 0.5,
    }),
    compareRounds('start: loading the extension, against 12 ms', {
      rounds: measuredTimes,
      getExtensionValue: ({ loadMs }) => loadMs,
      getBaselineValue: () => 12,
      unit: 'ms',
      target: 1,
    }),
    compareRounds('start: activate(), against 10 ms', {
      rounds: measuredTimes,
      getExtensionValue: ({ activationMs }) => activationMs,
      getBaselineValue: () => 10,
      unit: 'ms',
      target: 1,
    }),
  ];
}

async function runInFreshProcess(...args: readonly string[]): Promise<StartupTimes> {
  const { stdout } = await runFile(process.execPath, [probePath, ...args], { cwd: root });
  return JSON.parse(stdout) as StartupTimes;
}
