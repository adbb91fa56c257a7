import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createSuiteVariables } from '../integration/environment.ts';
import { runService, createSignedInValues } from '../support/local-service.ts';
import { artefactsFolder, root } from '../support/paths.ts';
import { copySampleWorkspace } from '../support/sample.ts';
import { runInDesktop } from '../support/vscode/desktop.ts';
import { chooseHost } from '../support/vscode/host-kind.ts';
import { runInServer } from '../support/vscode/run-suite.ts';
import {
  type KeystrokeFigures,
  keyCountVariable,
  type KeystrokePhase,
} from './keystroke-figures.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, computePercentile, runRounds } from './rounds.ts';

const benchFolder = join(artefactsFolder, 'bench');
const probePath = join(benchFolder, 'keystrokes-probe.cjs');
const resultsFile = join(benchFolder, 'keystrokes.json');
/** Maximum processor time of the extension host per key press, and per request, in milliseconds. */
const keyLimitMs = 2;
/** Maximum processor time of the first request, whose code may run for the first time, in milliseconds. */
const firstRequestLimitMs = 5;

/**
 * Measures the extension host's processor time for inline suggestions while 300 keys are typed into a document of
 * 20,000 lines. Uses a real VS Code with all features on. Measures twice: with only this document open, and with ten
 * more open tabs of 2,000 lines each.
 */
export async function runKeystrokeBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const rounds = await runRounds({ figures: () => measureKeystrokes(options) }, options);
  const [firstRound] = rounds;
  if (firstRound === undefined) throw new Error('There is no round.');
  return Object.keys(firstRound.figures).flatMap((documentName) => {
    const figures = rounds.flatMap((round) => round.figures[documentName] ?? []);
    printAllTimes(
      documentName,
      figures.map(({ phaseTimes }) => phaseTimes),
    );
    printAllTimes(
      `${documentName}:  `,
      figures.map(({ listenerTimes }) => listenerTimes),
    );
    return compareKeystrokes(
      documentName,
      figures.map(({ phaseTimes }) => phaseTimes),
    );
  });
}

/** Prints the times of all rounds, one line for each name. */
function printAllTimes(
  title: string,
  rounds: readonly Readonly<Record<string, readonly number[]>>[],
): void {
  for (const name of Object.keys(rounds[0] ?? {}))
    printTimes(
      `${title}: ${name}`,
      rounds.flatMap(({ [name]: times = [] }) => times),
    );
}

function compareKeystrokes(
  documentName: string,
  rounds: readonly Readonly<Record<KeystrokePhase, readonly number[]>>[],
): BenchResult[] {
  return (Object.keys(rounds[0] ?? {}) as KeystrokePhase[]).map((phase) => {
    const limit = phase === 'first request' ? firstRequestLimitMs : keyLimitMs;
    return compareRounds(`keystrokes: ${documentName}, ${phase}, p99, to ${limit} ms`, {
      rounds,
      getExtensionValue: ({ [phase]: times }) => computePercentile(times, 0.99),
      getBaselineValue: () => limit,
      unit: 'ms',
      target: 1,
    });
  });
}

function printTimes(name: string, times: readonly number[]): void {
  const getFigure = (ratio: number): string => computePercentile(times, ratio).toFixed(2);
  const figures = `p50 ${getFigure(0.5)}, p99 ${getFigure(0.99)}, max ${getFigure(1)} ms`;
  console.log(
    `${name}: ${figures}; p99 is ${(computePercentile(times, 0.99) / keyLimitMs).toFixed(2)} of the limit (${times.length})`,
  );
}

async function measureKeystrokes({
  scale,
}: BenchOptions): Promise<Readonly<Record<string, KeystrokeFigures>>> {
  await buildProbe();
  await using service = await runService('keystrokes');
  await using sample = await copySampleWorkspace();
  await writeDocuments(sample.folder, scale);
  // The extension has no API key, so only the measured provider returns suggestions.
  const { settings } = createSignedInValues(service);
  const run = { desktop: runInDesktop, server: runInServer }[await chooseHost()];
  const isSuccessful = await run({
    name: 'bench-keystrokes',
    extension: { kind: 'folder', path: root },
    folder: sample.folder,
    suite: probePath,
    timeoutMs: 600_000,
    settings: { ...settings, ...typingSettings },
    env: {
      ...createSuiteVariables({ service, suiteFiles: [], resultsFile }),
      [keyCountVariable]: String(scaleCount(300, scale)),
    },
  });
  const text = await readFile(resultsFile, 'utf8');
  if (!isSuccessful) throw new Error(`The keys were not typed: ${text}`);
  return JSON.parse(text) as Record<string, KeystrokeFigures>;
}

/**
 * Settings for the test window. VS Code must neither change typed text nor request suggestions, because the probe calls
 * the provider itself. Other document features are off, which shortens the pauses between key presses and does not
 * affect the results.
 */
const typingSettings = {
  // In a browser, VS Code would save the document every second.
  'files.autoSave': 'off',
  'typescript.validate.enable': false,
  'typescript.tsserver.useSyntaxServer': 'always',
  'git.enabled': false,
  'breadcrumbs.enabled': false,
  'editor.autoClosingBrackets': 'never',
  'editor.autoIndent': 'none',
  'editor.bracketPairColorization.enabled': false,
  'editor.codeLens': false,
  'editor.colorDecorators': false,
  'editor.folding': false,
  'editor.inlineSuggest.enabled': false,
  'editor.lightbulb.enabled': 'off',
  'editor.links': false,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.parameterHints.enabled': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.semanticHighlighting.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.suggestOnTriggerCharacters': false,
  'editor.wordBasedSuggestions': 'off',
};

async function buildProbe(): Promise<void> {
  await mkdir(benchFolder, { recursive: true });
  await rm(resultsFile, { force: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'keystrokes-probe.ts')],
    outfile: probePath,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    logLevel: 'warning',
  });
}

async function writeDocuments(folder: string, scale: number): Promise<void> {
  await mkdir(join(folder, 'keystrokes'));
  const write = (name: string, lineCount: number): Promise<void> =>
    writeFile(join(folder, 'keystrokes', `${name}.ts`), createSource(name, lineCount));
  await write('long', 10 * scaleCount(2_000, scale));
  for (let index = 0; index < 10; index += 1)
    await write(`tab${index}`, 10 * scaleCount(200, scale));
}

/** Generates source text that consists of distinct functions of ten lines. */
function createSource(name: string, lineCount: number): string {
  return Array.from({ length: lineCount / 10 }, (_, index) =>
    createFunctionBody(`${name}${index}`, index),
  ).join('\n');
}

const createFunctionBody = (
  name: string,
  index: number,
): string => `export function ${name}(gauges: Gauges): number {
  const first = gauges.at(${index}) ?? gauges.first();
  const level${index} = first.read(${index}) * ${index + 1};
  if (level${index} > gauges.limit) {
    gauges.warn('${name}', level${index});
    return gauges.limit;
  }
  // Reports values below the limit unrounded.
  return level${index} + gauges.offset('${name}');
}`;
