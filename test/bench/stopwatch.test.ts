import { expect, test } from 'vitest';
import { Stopwatch } from './stopwatch.ts';

test.each([
  ['a step that is shorter than the reported processor time', [0.3, 0, 4], 0.3],
  ['work without interruption', [12, 0, 12], 12],
  ['a thread that another thread interrupted', [80, 79, 0], 1],
  ['a thread that waited for another thread', [80, 0, 8], 12],
  ['a step that was not accounted yet', [2, 0, 0], 2],
  ['a step that is interrupted after its end', [2, 5, 0], 0],
] as const)(
  'Stopwatch returns an upper bound for the processor time of %s',
  (_, [elapsedIncrease, queuedIncrease, processorIncrease], ms) => {
    let [elapsedMs, queuedMs, processorMs] = [100, 70, 50];
    const watch = new Stopwatch({
      getElapsedMs: () => elapsedMs,
      getQueuedMs: () => queuedMs,
      getProcessorMs: () => processorMs,
    });
    [elapsedMs, queuedMs, processorMs] = [
      elapsedMs + elapsedIncrease,
      queuedMs + queuedIncrease,
      processorMs + processorIncrease,
    ];
    expect(watch.ms).toBeCloseTo(ms);
  },
);
