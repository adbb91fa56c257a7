import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { wait } from './clock.ts';

test('wait resolves after the given number of milliseconds', async () => {
  const clock = new ManualClock();
  let isResolved = false;
  const pendingWait = wait(100, { clock, signal: new AbortController().signal });
  void pendingWait.finally(() => {
    isResolved = true;
  });
  await clock.advance(99);
  expect(isResolved).toBe(false);
  await clock.advance(1);
  expect(isResolved).toBe(true);
});

test('wait rejects with the signal’s abort reason if the signal aborts before or during the wait', async () => {
  const clock = new ManualClock();
  const abortController = new AbortController();
  const pendingWait = wait(100, { clock, signal: abortController.signal });
  abortController.abort('why');
  await expect(pendingWait).rejects.toBe('why');
  await expect(wait(100, { clock, signal: abortController.signal })).rejects.toBe('why');
  expect(clock.pendingTimerCount).toBe(0);
});
