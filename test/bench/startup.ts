import { execFile } from 'node:child_process';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root } from '../support/paths.ts';
import type { BenchResult } from './result.ts';
import { against, compare, median, rounds } from './rounds.ts';

const run = promisify(execFile);
const dist = join(root, 'dist');
const probe = join(import.meta.dirname, 'startup-probe.ts');

/** Sizes of what loads first, and the time a fresh process takes for it; a production build must be there. */
export async function startupBenchmarks(): Promise<BenchResult[]> {
  const host = await weigh(['host/extension.js']);
  const page = await weigh(['webview/main.js', ...(await firstChunks())]);
  return [
    against('start: activation bundle, minified', 'bytes', 1, [host.bytes, 200_000]),
    against('start: activation bundle, gzip', 'bytes', 1, [host.gzip, 60_000]),
    against('start: first load of the webview, gzip', 'bytes', 1, [page.gzip, 70_000]),
    ...(await startTimes()),
  ];
}

/** The scripts a page loads before anything is shown: those `main.js` imports statically. */
async function firstChunks(): Promise<string[]> {
  const main = await readFile(join(dist, 'webview', 'main.js'), 'utf8');
  const chunks = await readdir(join(dist, 'webview', 'chunks')).catch(() => []);
  return chunks
    .filter((name) => new RegExp(`(?:from|import)\\s*"\\./chunks/${name}"`, 'u').test(main))
    .map((name) => `webview/chunks/${name}`);
}

async function weigh(files: readonly string[]): Promise<{ bytes: number; gzip: number }> {
  let [bytes, gzip] = [0, 0];
  for (const file of files) {
    bytes += (await stat(join(dist, file))).size;
    gzip += gzipSync(await readFile(join(dist, file)), { level: 9 }).length;
  }
  return { bytes, gzip };
}

interface Times {
  readonly load: number;
  readonly activate: number;
}

async function startTimes(): Promise<BenchResult[]> {
  const ours: Times[] = [];
  const measured = await rounds(
    {
      ours: async () => {
        const times = await inFreshProcess('extension');
        ours.push(times);
        return times.load;
      },
      theirs: async () => (await inFreshProcess('openai')).load,
    },
    11,
  );
  return [
    compare('start: loading the extension, against loading the openai package', {
      rounds: measured,
      ours: (round) => round.ours,
      theirs: (round) => round.theirs,
      unit: 'ms',
      target: 0.5,
    }),
    against('start: loading the extension, against 12 ms', 'ms', 1, [
      median(ours.map(({ load }) => load)),
      12,
    ]),
    against('start: activate(), against 10 ms', 'ms', 1, [
      median(ours.map(({ activate }) => activate)),
      10,
    ]),
  ];
}

async function inFreshProcess(what: 'extension' | 'openai'): Promise<Times> {
  const { stdout } = await run(process.execPath, [probe, what], { cwd: root });
  return JSON.parse(stdout) as Times;
}
