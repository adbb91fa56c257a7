import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { artefactsFolder, root } from './paths.ts';

/**
 * Results of a test stage of `npm test`: the numbers of passed and failed tests, its failures, and the duration of each
 * test file.
 */
export interface Tally {
  readonly passedCount: number;
  readonly failedCount: number;
  readonly files: readonly FileDuration[];
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  /** File path relative to the repository. */
  readonly file: string;
  /** Full name of the test. */
  readonly title: string;
  /** Message and stack trace. */
  readonly error: string;
}

export interface FileDuration {
  /** File path relative to the repository. */
  readonly file: string;
  readonly ms: number;
}

/** Writes the tally of a test stage to a file, from which `npm test` reads it. */
export function writeTally(stage: string, tally: Tally): void {
  mkdirSync(join(artefactsFolder, 'tally'), { recursive: true });
  writeFileSync(getTallyPath(stage), JSON.stringify(tally));
}

/**
 * Returns the tally of `stage`. Returns `undefined` if the stage wrote no file. The file can also contain vitest's JSON
 * report.
 */
export function readTally(stage: string): Tally | undefined {
  try {
    return toTally(JSON.parse(readFileSync(getTallyPath(stage), 'utf8')) as Tally | VitestReport);
  } catch {
    return undefined;
  }
}

/** Fields of vitest's JSON report that the tally uses. Times are in milliseconds. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    /** Message of an error outside of all tests, such as a failed import. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

function toTally(report: Tally | VitestReport): Tally {
  if (!('testResults' in report)) return report;
  return {
    passedCount: report.numPassedTests,
    failedCount: report.numFailedTests,
    files: report.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      ms: endTime - startTime,
    })),
    failures: report.testResults.flatMap(listFailures),
  };
}

function listFailures(file: VitestReport['testResults'][number]): TestFailure[] {
  const path = relative(root, file.name);
  const failures = file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      file: path,
      title: fullName,
      error: (failureMessages ?? []).join('\n'),
    }));
  if (failures.length > 0 || file.message === '') return failures;
  return [{ file: path, title: 'the file', error: file.message }];
}

/** Deletes the tally that an earlier run of `stage` wrote. */
export function clearTally(stage: string): void {
  rmSync(getTallyPath(stage), { force: true });
}

/** Returns the path of the tally file of `stage`, for test runners that write the file themselves. */
export function getTallyPath(stage: string): string {
  return join(artefactsFolder, 'tally', `${stage}.json`);
}
