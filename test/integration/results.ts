import { existsSync, readFileSync } from 'node:fs';

export interface TestResult {
  readonly title: string;
  /** The suite's path from the repository's folder. */
  readonly file: string;
  readonly ms: number;
  /** Present when it failed: the stack. */
  readonly error?: string;
}

/** The results written so far, one JSON object per line. */
export function readResults(file: string): TestResult[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as TestResult);
}

export function printResult({ title, ms, error }: TestResult): void {
  console.log(`  ${error ? '✗' : '✓'} ${title} (${Math.round(ms)} ms)`);
  if (error) console.log(error.replace(/^/gmu, '      '));
}
