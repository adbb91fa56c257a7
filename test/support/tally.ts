import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artefacts } from './paths.ts';

/** How many tests of a stage passed and failed. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** Leaves the counts of a stage where `npm test` finds them. */
export function writeTally(stage: string, tally: Tally): void {
  mkdirSync(join(artefacts, 'tally'), { recursive: true });
  writeFileSync(tallyFile(stage), JSON.stringify(tally));
}

/** The counts `stage` left, or `undefined` when it did not come so far. Reads vitest's JSON report too. */
export function readTally(stage: string): Tally | undefined {
  try {
    const report = JSON.parse(readFileSync(tallyFile(stage), 'utf8')) as Record<string, number>;
    const passed = report['passed'] ?? report['numPassedTests'];
    const failed = report['failed'] ?? report['numFailedTests'];
    return passed === undefined || failed === undefined ? undefined : { passed, failed };
  } catch {
    return undefined;
  }
}

/** Forgets the counts of an earlier run. */
export function clearTally(stage: string): void {
  rmSync(tallyFile(stage), { force: true });
}

/** The path of the counts of `stage`, for a runner that writes its own report. */
export function tallyFile(stage: string): string {
  return join(artefacts, 'tally', `${stage}.json`);
}
