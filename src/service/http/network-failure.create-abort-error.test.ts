import { expect, test } from 'vitest';
import { createAbortError } from './network-failure.ts';

test('createAbortError returns the code "timeout" if the time limit of the signal has passed', async () => {
  const signal = AbortSignal.timeout(1);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(createAbortError(signal).failure.code).toBe('timeout');
  expect(createAbortError(AbortSignal.any([signal])).failure.code).toBe('timeout');
  expect(createAbortError(AbortSignal.abort()).failure.code).toBe('stopped');
});
