import { expect, test } from 'vitest';
import { Stopwatch } from './stopwatch.ts';

test.each([
  ['without interruption', 12, 0, 12],
  ['that other threads interrupted', 80, 68, 12],
  ['that was interrupted after the end of the measurement', 2, 5, 0],
])('Stopwatch returns the processor time of work %s', (_, elapsed, waited, ms) => {
  let [elapsedMs, waitedMs] = [100, 50];
  const watch = new Stopwatch({ elapsedMs: () => elapsedMs, waitedMs: () => waitedMs });
  [elapsedMs, waitedMs] = [elapsedMs + elapsed, waitedMs + waited];
  expect(watch.ms).toBeCloseTo(ms);
});
