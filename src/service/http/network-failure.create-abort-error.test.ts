import { expect, test } from 'vitest';
import { createAbortError } from './network-failure.ts';

test('createAbortError reports a passed time limit as a timeout, and not as stopped', async () => {
  const signal = AbortSignal.timeout(1);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(createAbortError(signal).failure.code).toBe('timeout');
  expect(createAbortError(AbortSignal.any([signal])).failure.code).toBe('timeout');
  expect(createAbortError(AbortSignal.abort()).failure.code).toBe('stopped');
});
