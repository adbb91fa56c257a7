/**
 * Runs the named benchmarks, or all of them: `npm run bench -- [name…] [--json FILE]`. Compares the code of the
 * extension with the best alternatives, by the ratio of values from the same run. The exit status is 1 if a suite
 * crashed, and 2 for a usage error. Missed goals do not change the exit status.
 */
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { root } from '../support/paths.ts';
import type { BenchResult } from './result.ts';
import {
  formatOutcome,
  runSuites,
  type StartSuite,
  formatSummary,
  type SuiteReport,
} from './run-suites.ts';
import { suites } from './suites.ts';

if (import.meta.main) process.exitCode = await runBench(process.argv.slice(2));

/** Runs the suites named in `args`, or all suites if `args` names none. Returns the exit status. */
export async function runBench(
  args: readonly string[],
  start: StartSuite = startSuite,
): Promise<number> {
  const request = readArguments(args);
  if ('usage' in request) {
    console.error(request.usage);
    return 2;
  }
  const { names, json } = request;
  const reports = await runSuites(names, { startSuite: start, onReport: printReport });
  console.log(`\n${formatSummary(reports)}`);
  if (json !== undefined) {
    const results = reports.flatMap((report) => report.results);
    await writeFile(json, `${JSON.stringify(indexByName(results), null, 2)}\n`);
  }
  return reports.some(({ error }) => error !== undefined) ? 1 : 0;
}

function startSuite(name: string): ReturnType<StartSuite> {
  console.log(`\n── ${name} ──`);
  // JSON cannot represent NaN and Infinity, which results may contain.
  return fork(new URL('suite-process.ts', import.meta.url), [name], {
    cwd: root,
    serialization: 'advanced',
  });
}

type BenchArguments = { readonly names: readonly string[]; readonly json: string | undefined };

function readArguments(args: readonly string[]): BenchArguments | { readonly usage: string } {
  const allNames = Object.keys(suites);
  const usage = `Usage: npm run bench [-- name…] [-- --json FILE]\nSuites: ${allNames.join(', ')}`;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'string' } },
    });
    const unknownNames = positionals.filter((name) => !allNames.includes(name));
    if (unknownNames.length > 0)
      return { usage: `Unknown suite: ${unknownNames.join(', ')}\n${usage}` };
    return { names: positionals.length === 0 ? allNames : positionals, json: values.json };
  } catch (error) {
    return { usage: `${error instanceof Error ? error.message : String(error)}\n${usage}` };
  }
}

function printReport(report: SuiteReport): void {
  for (const result of report.results) console.log(formatResultLine(result));
  console.log(`${report.name}: ${formatOutcome(report)} in ${report.durationSeconds.toFixed(0)} s`);
}

function formatResultLine({
  name,
  extensionValue,
  baselineValue,
  ratio,
  spread,
  unit,
  target,
  isMet,
}: BenchResult): string {
  const range = spread === undefined ? '' : ` (${spread.map(formatRounded).join('–')})`;
  const figures = `${formatRounded(extensionValue)} / ${formatRounded(baselineValue)} ${unit}`;
  return `${isMet ? 'met   ' : 'missed'} ${formatRounded(ratio)}x${range} (goal ${formatRounded(target)}x)  ${name}  [${figures}]`;
}

function indexByName(results: readonly BenchResult[]): Record<string, Omit<BenchResult, 'name'>> {
  return Object.fromEntries(results.map(({ name, ...figures }) => [name, figures]));
}

function formatRounded(figure: number): string {
  return figure.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
