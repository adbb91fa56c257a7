import { expect, test } from 'vitest';
import { Stopwatch } from './stopwatch.ts';

test.each([
  ['a step of the accounting that is longer than the elapsed time', 0.3, 4, 0.3],
  ['work without interruption', 12, 12, 12],
  ['a thread that another thread interrupted', 80, 8, 12],
  ['a step that was not accounted yet', 2, 0, 2],
])('Stopwatch returns an upper bound for the processor time of %s', (_, elapsed, processor, ms) => {
  let [elapsedMs, processorMs] = [100, 50];
  const watch = new Stopwatch({ elapsedMs: () => elapsedMs, processorMs: () => processorMs });
  [elapsedMs, processorMs] = [elapsedMs + elapsed, processorMs + processor];
  expect(watch.ms).toBeCloseTo(ms);
});
