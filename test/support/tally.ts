import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { artefacts, root } from './paths.ts';

/** Number of passed and failed tests of a stage, and how long its files took. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly files: readonly FileDuration[];
}

export interface FileDuration {
  /** Path from the repository's folder. */
  readonly file: string;
  readonly ms: number;
}

/** Writes the tally of a stage to the file that `npm test` reads. */
export function writeTally(stage: string, tally: Tally): void {
  mkdirSync(join(artefacts, 'tally'), { recursive: true });
  writeFileSync(tallyFile(stage), JSON.stringify(tally));
}

/** Returns the tally of `stage`, or `undefined` if the stage wrote none. Reads vitest's JSON report too. */
export function readTally(stage: string): Tally | undefined {
  try {
    return tallyOf(JSON.parse(readFileSync(tallyFile(stage), 'utf8')) as Tally | VitestReport);
  } catch {
    return undefined;
  }
}

/** Part of vitest's JSON report from which a tally is created. Times in milliseconds. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

function tallyOf(report: Tally | VitestReport): Tally {
  if (!('testResults' in report)) return report;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    files: report.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      ms: endTime - startTime,
    })),
  };
}

/** Removes the tally of an earlier run. */
export function clearTally(stage: string): void {
  rmSync(tallyFile(stage), { force: true });
}

/** Returns the path of the tally of `stage`, for a runner that writes its own report. */
export function tallyFile(stage: string): string {
  return join(artefacts, 'tally', `${stage}.json`);
}
