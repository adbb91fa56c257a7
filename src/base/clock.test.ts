import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { wait } from './clock.ts';

test('wait resolves after the given number of milliseconds', async () => {
  const clock = new ManualClock();
  let isOver = false;
  const waiting = wait(100, { clock, signal: new AbortController().signal });
  void waiting.finally(() => {
    isOver = true;
  });
  await clock.advance(99);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

test('wait rejects with the abort reason if aborted before or during the wait', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const waiting = wait(100, { clock, signal: stop.signal });
  stop.abort('why');
  await expect(waiting).rejects.toBe('why');
  await expect(wait(100, { clock, signal: stop.signal })).rejects.toBe('why');
  expect(clock.waiting).toBe(0);
});
