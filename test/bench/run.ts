/** `npm run bench [-- name…] [-- --json FILE]`: ours against the best alternatives, both sides in one run, as ratios. */
import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from '../support/paths.ts';
import type { BenchResult } from './result.ts';

const benchmarks: Readonly<Record<string, () => Promise<BenchResult[]>>> = {
  stream: async () => (await import('./stream-client.ts')).streamClientBenchmarks(),
  messages: async () => (await import('./messages.ts')).messageBenchmarks(),
  markdown: async () => (await import('./markdown.ts')).markdownBenchmarks(),
  paint: async () => (await import('./first-paint.ts')).firstPaintBenchmarks(),
  search: async () => (await import('./search.ts')).searchBenchmarks(),
  rows: async () => (await import('./rows.ts')).rowBenchmarks(),
  startup: async () => (await import('./startup.ts')).startupBenchmarks(),
  edits: async () => (await import('./edits.ts')).editBenchmarks(),
  gallery: async () => (await import('./gallery.ts')).galleryBenchmarks(),
  agent: async () => (await import('./agent-loop.ts')).agentLoopBenchmarks(),
  images: async () => (await import('./images.ts')).imageBenchmarks(),
  completion: async () => (await import('./completion.ts')).completionBenchmarks(),
  keystrokes: async () => (await import('./keystrokes.ts')).keystrokeBenchmarks(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' } },
});
const wanted = positionals.length === 0 ? Object.keys(benchmarks) : positionals;
// What people get is what is measured.
execFileSync(process.execPath, ['esbuild.mjs', '--production'], { cwd: root, stdio: 'inherit' });
const results: BenchResult[] = [];
for (const name of wanted) {
  const run = benchmarks[name];
  if (run === undefined)
    throw new Error(`No benchmark "${name}": ${Object.keys(benchmarks).join(', ')}`);
  for (const result of await run()) {
    results.push(result);
    console.log(line(result));
  }
}
console.log(`${results.filter(({ met }) => met).length} of ${results.length} goals met`);
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify(byName(results), null, 2)}\n`);

function line({ name, ours, theirs, ratio, unit, target, met }: BenchResult): string {
  const figures = `${round(ours)} / ${round(theirs)} ${unit}`;
  return `${met ? 'met   ' : 'missed'} ${round(ratio)}x (goal ${round(target)}x)  ${name}  [${figures}]`;
}

function byName(all: readonly BenchResult[]): Record<string, Omit<BenchResult, 'name'>> {
  return Object.fromEntries(all.map(({ name, ...figures }) => [name, figures]));
}

function round(figure: number): string {
  return figure.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
