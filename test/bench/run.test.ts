import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runBench } from './run.ts';
import { runSuites } from './run-suites.ts';

const metResult = {
  name: 'a figure',
  extensionValue: 1,
  baselineValue: 2,
  ratio: 0.5,
  unit: 'ms',
  target: 1,
  isMet: true,
};
const missedResult = { ...metResult, name: 'a missed goal', ratio: 2, isMet: false };

/** Source code of the programs that replace the suite processes, by suite name. */
const suitePrograms: Record<string, string> = {
  stream: `process.send({ results: ${JSON.stringify([metResult])} }, () => process.exit(0));`,
  messages: `process.send({ error: 'Error: no browser' }, () => process.exit(1));`,
  markdown: 'process.exit(1);',
  paint: `process.kill(process.pid, 'SIGKILL');`,
  rows: `process.send({ results: ${JSON.stringify([missedResult])} }, () => process.exit(0));`,
  edits: 'setInterval(() => {}, 1_000);',
};

let folder: string;
let startedSuites: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inference-service-bench-'));
  startedSuites = [];
  await Promise.all(
    Object.entries(suitePrograms).map(([name, text]) =>
      writeFile(join(folder, `${name}.cjs`), text),
    ),
  );
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

function startRun(name: string): ChildProcess {
  startedSuites.push(name);
  return forkQuietly(join(folder, `${name}.cjs`));
}

const forkQuietly = (program: string | URL, ...args: readonly string[]): ChildProcess =>
  fork(program, args, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });

test('the bench program continues after a suite crashes, lists the suite as failed, and returns 1', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const json = join(folder, 'results.json');
  const names = ['messages', 'markdown', 'paint', 'stream'];
  expect(await runBench([...names, '--json', json], startRun)).toBe(1);
  expect(startedSuites).toEqual(names);
  const list = String(log.mock.lastCall?.[0]);
  expect(list).toMatch(/^messages +\d+ s +failed: Error: no browser$/mu);
  expect(list).toMatch(/^markdown +\d+ s +failed: The process ended with exit code 1/mu);
  expect(list).toMatch(/^paint +\d+ s +failed: The process ended by signal SIGKILL/mu);
  expect(list).toMatch(/^stream +\d+ s +1 of 1 goals met$/mu);
  expect(list).toMatch(/^1 of 1 goals met in \d+ s, 3 of 4 suites failed$/mu);
  expect(Object.keys(JSON.parse(await readFile(json, 'utf8')) as object)).toEqual(['a figure']);
});

test('the bench program returns 0 if a suite misses its goal but no suite crashes', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await runBench(['rows', 'stream'], startRun)).toBe(0);
  const lines = log.mock.calls.map(([text]) => String(text));
  expect(lines).toContainEqual(expect.stringMatching(/^missed .*a missed goal/u));
});

test.each([
  ['the name of an unknown suite', ['stream', 'streams']],
  ['an unknown option', ['--rounds', '3']],
])('the bench program rejects %s before any suite starts', async (_, args) => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(await runBench(args, startRun)).toBe(2);
  expect(startedSuites).toEqual([]);
  expect(String(error.mock.lastCall?.[0])).toContain('Suites: stream, messages, ');
});

test('runSuites kills a suite that hangs, and continues with the next suite', async () => {
  const reports = await runSuites(['edits', 'stream'], {
    startSuite: startRun,
    onReport() {},
    limitMs: 5_000,
  });
  expect(reports.map(({ error }) => error)).toEqual(['No end after 5 s', undefined]);
});

test('runSuites reports an uncaught error of a suite’s process', async () => {
  const program = new URL('suite-process.ts', import.meta.url);
  const [report] = await runSuites(['stream'], {
    startSuite: () => forkQuietly(program, 'no-such-suite'),
    onReport() {},
  });
  expect(report?.error).toBe('Error: There is no suite "no-such-suite".');
});
