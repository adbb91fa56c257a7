import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Watchdog } from './watchdog.ts';

test('Watchdog expires only once, when the time limit has passed since the last call of `feed`', async () => {
  const clock = new ManualClock();
  let expiryCount = 0;
  const watchdog = new Watchdog(clock, 100, () => expiryCount++);
  await clock.advance(90);
  watchdog.feed();
  await clock.advance(99);
  expect(expiryCount).toBe(0);
  await clock.advance(1);
  expect(expiryCount).toBe(1);
  await clock.advance(1_000);
  expect(expiryCount).toBe(1);
});

test('Watchdog uses the new time limit after a restart, and does not expire after a stop', async () => {
  const clock = new ManualClock();
  let expiryCount = 0;
  const watchdog = new Watchdog(clock, 100, () => expiryCount++);
  await clock.advance(99);
  watchdog.restart(10);
  await clock.advance(9);
  expect(expiryCount).toBe(0);
  await clock.advance(1);
  expect(expiryCount).toBe(1);
  watchdog.restart(10);
  watchdog.stop();
  await clock.advance(1_000);
  expect(expiryCount).toBe(1);
  expect(clock.pendingTimerCount).toBe(0);
});
