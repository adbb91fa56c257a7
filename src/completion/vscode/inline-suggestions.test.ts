import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Snooze } from './inline-suggestions.ts';

test('Snooze ends the snooze after the requested time', async () => {
  const clock = new ManualClock();
  const endTimes: (number | undefined)[] = [];
  const snooze = new Snooze(clock, () => endTimes.push(snooze.endsAt));
  snooze.begin(5);
  await clock.advance(5 * 60_000 - 1);
  expect([snooze.endsAt, endTimes]).toEqual([clock.now() + 1, []]);
  await clock.advance(1);
  expect([snooze.endsAt, endTimes]).toEqual([undefined, [undefined]]);
});

test('Snooze ends when the timer fires, even if the clock is slightly behind', () => {
  let fireTimer = (): void => {};
  const endTimes: (number | undefined)[] = [];
  const clock = {
    now: () => 1_000,
    after: (_: number, run: () => void) => {
      fireTimer = run;
      return () => {};
    },
  };
  const snooze = new Snooze(clock, () => endTimes.push(snooze.endsAt));
  snooze.begin(5);
  fireTimer();
  expect(endTimes).toEqual([undefined]);
});

test.each([
  ['restarted', (snooze: Snooze) => snooze.begin(30), 1],
  ['ended', (snooze: Snooze) => snooze.end(), 0],
  ['disposed', (snooze: Snooze) => snooze.dispose(), 0],
])('Snooze cancels the previous timer when the snooze is %s', (_, changeSnooze, timerCount) => {
  const clock = new ManualClock();
  const snooze = new Snooze(clock, () => {});
  snooze.begin(5);
  changeSnooze(snooze);
  expect(clock.pendingTimerCount).toBe(timerCount);
});
