import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { timeLimits } from '../support/time-limits.ts';
import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';
import { runSearchBenchmarks } from './search.ts';
import { suites } from './suites.ts';

const shortOptions: BenchOptions = { roundCount: 1, warmUpCount: 0, scale: 0.02 };

/**
 * Functions that run a suite with a stub in place of the VS Code program that the suite normally uses, by suite name.
 */
const substituteRuns: Readonly<Record<string, () => Promise<BenchResult[]>>> = {
  search: () =>
    withStubProgram((program) => runSearchBenchmarks(shortOptions, async () => program)),
};

// `test/e2e/bench.e2e.ts` runs the suites that need VS Code.
test.each(Object.keys(suites).filter((name) => !suites[name]?.needsVsCode))(
  'the benchmark suite %s returns finite results for a short round',
  async (name) => {
    const results = await (substituteRuns[name]?.() ?? suites[name]?.run(shortOptions) ?? []);
    expect(results).not.toEqual([]);
    // A short round can take less than one step of the processor clock. The time is then 0 and the ratio NaN.
    for (const { name: title, extensionValue, baselineValue } of results)
      expect([extensionValue, baselineValue].every(Number.isFinite), title).toBe(true);
  },
  timeLimits.test,
);

// Vitest replaces the module `vscode`, which the process of a suite lacks.
test(
  'every benchmark suite loads in a process without VS Code',
  async () => {
    const source = await readFile(new URL('suites.ts', import.meta.url), 'utf8');
    const modules = [...source.matchAll(/import\('(\.\/[\w-]+\.ts)'\)/gu)].map(
      ([, path = '']) => new URL(path, import.meta.url).href,
    );
    expect(modules.length).toBeGreaterThanOrEqual(Object.keys(suites).length);
    const substituteUrl = new URL('substitute-vscode.ts', import.meta.url).href;
    const script = `
      const { substituteVsCode } = await import('${substituteUrl}');
      substituteVsCode();
      await Promise.all(${JSON.stringify(modules)}.map((url) => import(url)));
      process.exit();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  },
  timeLimits.test,
);

/**
 * Calls `run` with the path of a program that replaces ripgrep. The program supports only the arguments of the search
 * suite.
 */
async function withStubProgram<Result>(run: (program: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-ripgrep-'));
  try {
    const program = join(folder, 'rg');
    await writeFile(program, `#!${process.execPath}\n${stubProgram}`);
    await chmod(program, 0o755);
    return await run(program);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const stubProgram = String.raw`
const { readdirSync, readFileSync, writeSync } = require('node:fs');
const args = process.argv.slice(2);
const word = args.find((arg) => arg.startsWith('--regexp='))?.slice('--regexp='.length) ?? args.at(-2);
const end = args.includes('--null') ? '\0' : '\n';
const paths = readdirSync('.', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/^dist/.test(entry.parentPath))
  .map((entry) => './' + entry.parentPath + '/' + entry.name);
let output = '';
for (const path of paths) {
  if (args.includes('--files')) output += path + end;
  else
    readFileSync(path, 'utf8').split('\n').forEach((line, at) => {
      const column = line.indexOf(word);
      if (column >= 0) output += path + end + (at + 1) + ':' + (column + 1) + ':' + line + '\n';
    });
}
process.stdout.write(output);
`;
