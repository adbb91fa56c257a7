import { readFileSync } from 'node:fs';
import { readTrace, type Trace } from './trace.ts';

/** All traces, one per language. */
export const traces: readonly Trace[] = [
  'typescript',
  'python',
  'go',
  'rust',
  'html',
  'markdown',
].map((name) => readTrace(readFileSync(new URL(`${name}.trace`, import.meta.url), 'utf8')));
