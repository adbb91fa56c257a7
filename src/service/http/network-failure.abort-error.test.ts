import { expect, test } from 'vitest';
import { abortError } from './network-failure.ts';

test('abortError reports a passed time limit as a timeout, and not as stopped', async () => {
  const signal = AbortSignal.timeout(1);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(abortError(signal).failure.code).toBe('timeout');
  expect(abortError(AbortSignal.any([signal])).failure.code).toBe('timeout');
  expect(abortError(AbortSignal.abort()).failure.code).toBe('stopped');
});
