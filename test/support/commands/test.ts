/**
 * Runs all test stages in sequence: `npm test`. Continues after a failed stage, and reports the slowest files, the
 * failures and the totals at the end. If a file fails in a VS Code stage, runs the file again at the end of the stage,
 * when the machine is idle. Reports tests that pass only in the second run as unstable. `--stages=check,unit` runs only
 * these stages. A signal ends this process immediately. The parent process, `bootstrap.mjs`, then ends the processes of
 * the stage.
 */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { installBrowser } from '../browser.ts';
import { artefactsFolder, root } from '../paths.ts';
import {
  clearTally,
  type FileDuration,
  readTally,
  type Tally,
  getTallyPath,
  type TestFailure,
} from '../tally.ts';

interface Stage {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
  /** False for a stage without separate tests, which passes or fails as a whole. Such a stage counts as one test. */
  readonly isCounted: boolean;
  /**
   * Returns the command-line argument that makes the last command of the stage run only the file of the given failure.
   * If absent, failed files are not run again.
   */
  readonly createFileFilter?: (failure: TestFailure) => string;
}

const { values: options } = parseArgs({ options: { stages: { type: 'string' } } });
const isWindows = process.platform === 'win32';
const packageFile = join(artefactsFolder, 'inference-service.vsix');
const unitReportOption = `--outputFile.json=${getTallyPath('unit')}`;
const allStages: readonly Stage[] = [
  { name: 'check', commands: [['npm', 'run', '--silent', 'check']], isCounted: false },
  {
    name: 'unit',
    commands: [
      [
        'npm',
        'run',
        '--silent',
        'test:unit',
        '--',
        '--reporter=default',
        '--reporter=json',
        unitReportOption,
      ],
    ],
    isCounted: true,
  },
  {
    name: 'integration',
    commands: [['npm', 'run', '--silent', 'test:integration', '--']],
    isCounted: true,
    // A failure of a whole host has the title "<name> host".
    createFileFilter: ({ file, title }) =>
      file.endsWith('.suite.ts') ? basename(file, '.suite.ts') : title.replace(/ host$/u, ''),
  },
  {
    name: 'e2e',
    commands: [['npm', 'run', '--silent', 'test:e2e', '--']],
    isCounted: true,
    createFileFilter: ({ file }) => file,
  },
  {
    name: 'pack',
    commands: [['npm', 'run', '--silent', 'package', '--', '--out', packageFile]],
    isCounted: false,
  },
  {
    name: 'package',
    commands: [['npm', 'run', '--silent', 'test:e2e', '--', '--package', packageFile]],
    isCounted: true,
  },
];

await rm(join(artefactsFolder, 'logs'), { recursive: true, force: true });
await rm(packageFile, { force: true });
await rm(join(artefactsFolder, 'screenshots'), { recursive: true, force: true });

installBrowser();

const summaryLines: string[] = [];
const unstableTests: TestFailure[] = [];
let totalTally = createEmptyTally();
for (const stage of getSelectedStages()) {
  const { passedCount, failedCount, files, failures } = await runStage(stage);
  totalTally = {
    passedCount: totalTally.passedCount + passedCount,
    failedCount: totalTally.failedCount + failedCount,
    files: [...totalTally.files, ...files],
    failures: [...totalTally.failures, ...failures],
  };
}
console.log(`\nSlowest files:\n${formatSlowestFiles(totalTally.files).join('\n')}`);
printFailures('Unstable tests, which failed first and passed when repeated', unstableTests);
printFailures('Failed tests', totalTally.failures);
console.log(`\n${summaryLines.join('\n')}\n\n${formatTally(totalTally)}`);
if (totalTally.failedCount > 0 || totalTally.passedCount === 0) process.exitCode = 1;

/** Returns the stages named in `--stages`, or all stages without this option. An unknown name ends the process. */
function getSelectedStages(): readonly Stage[] {
  const names = options.stages?.split(',') ?? allStages.map(({ name }) => name);
  const unknownNames = names.filter((name) => !allStages.some((stage) => stage.name === name));
  if (unknownNames.length > 0) {
    console.error(`Unknown stages: ${unknownNames.join(', ')}`);
    process.exit(1);
  }
  return allStages.filter(({ name }) => names.includes(name));
}

async function runStage(stage: Stage): Promise<Tally> {
  console.log(`\n── ${stage.name} ──`);
  const start = performance.now();
  clearTally(stage.name);
  const hasSucceeded = await runCommands(stage.commands);
  const tally = await repeatFailures(stage, createStageTally(stage, hasSucceeded));
  const seconds = Math.round((performance.now() - start) / 1_000);
  summaryLines.push(
    `${stage.name.padEnd(12)} ${seconds.toString().padStart(4)} s   ${formatTally(tally)}`,
  );
  return tally;
}

/** Returns the test counts of a stage. Adds a failure if the stage ended with an error, or if no test ran. */
function createStageTally(stage: Stage, hasSucceeded: boolean): Tally {
  if (!stage.isCounted)
    return {
      ...createEmptyTally(),
      passedCount: hasSucceeded ? 1 : 0,
      failedCount: hasSucceeded ? 0 : 1,
    };
  const tally = readTally(stage.name) ?? createEmptyTally();
  const hasPassed = hasSucceeded && tally.passedCount > 0;
  return { ...tally, failedCount: hasPassed ? tally.failedCount : Math.max(tally.failedCount, 1) };
}

function createEmptyTally(): Tally {
  return { passedCount: 0, failedCount: 0, files: [], failures: [] };
}

/**
 * Runs the files with failures again. Returns the tally with the failures of the second run, and adds tests that passed
 * only in this run to `unstableTests`. Returns `firstTally` if the stage cannot run single files, or if no test
 * passed in the second run.
 */
async function repeatFailures(stage: Stage, firstTally: Tally): Promise<Tally> {
  const command = stage.commands.at(-1);
  const { createFileFilter } = stage;
  if (!command || !createFileFilter || firstTally.failures.length === 0) return firstTally;
  console.log(`\n── ${stage.name}: files with failures, again ──`);
  clearTally(stage.name);
  const hasSucceeded =
    (await runCommand([...command, ...new Set(firstTally.failures.map(createFileFilter))])) === 0;
  const secondTally = createStageTally(stage, hasSucceeded);
  if (secondTally.passedCount === 0) return firstTally;
  const failingIds = new Set(secondTally.failures.map(formatTestId));
  unstableTests.push(
    ...firstTally.failures.filter((failure) => !failingIds.has(formatTestId(failure))),
  );
  return {
    ...firstTally,
    passedCount: firstTally.passedCount + firstTally.failedCount - secondTally.failedCount,
    failedCount: secondTally.failedCount,
    failures: secondTally.failures,
  };
}

function formatTestId({ file, title }: TestFailure): string {
  return `${file} > ${title}`;
}

function printFailures(heading: string, failures: readonly TestFailure[]): void {
  if (failures.length === 0) return;
  const texts = failures.map((failure) => `${formatTestId(failure)}\n${failure.error}`);
  console.log(`\n${heading}:\n${texts.join('\n').replace(/^/gmu, '  ')}`);
}

async function runCommands(commands: Stage['commands']): Promise<boolean> {
  for (const command of commands) if ((await runCommand(command)) !== 0) return false;
  return true;
}

function runCommand([command = '', ...args]: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const stage = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      // npm is a script on Windows.
      shell: isWindows,
    });
    stage.once('error', () => resolve(null));
    stage.once('close', resolve);
  });
}

/** Returns a line for each of the ten slowest test files. */
function formatSlowestFiles(files: readonly FileDuration[]): string[] {
  const slowestFiles = files.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  return slowestFiles.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s   ${file}`);
}

function formatTally({ passedCount, failedCount }: Tally): string {
  return `${passedCount} passed, ${failedCount} failed`;
}
