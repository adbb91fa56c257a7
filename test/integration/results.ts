import { existsSync, readFileSync } from 'node:fs';

export interface TestResult {
  readonly title: string;
  /** Path of the suite file, relative to the repository. */
  readonly file: string;
  readonly ms: number;
  /** Stack trace. Absent if the test passed. */
  readonly error?: string;
}

/** Reads the results that the file currently contains, one JSON object per line. */
export function readResults(file: string): TestResult[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as TestResult);
}

export function printResult({ title, ms, error }: TestResult): void {
  console.log(`  ${error ? '✗' : '✓'} ${title} (${Math.round(ms)} ms)`);
  if (error) console.log(error.replace(/^/gmu, '      '));
}
