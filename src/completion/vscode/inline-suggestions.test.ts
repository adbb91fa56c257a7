import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Snooze } from './inline-suggestions.ts';

test('ends after its time', async () => {
  const clock = new ManualClock();
  const seen: (number | undefined)[] = [];
  const snooze = new Snooze(clock, () => seen.push(snooze.until));
  snooze.begin(5);
  await clock.advance(5 * 60_000 - 1);
  expect([snooze.until, seen]).toEqual([clock.now() + 1, []]);
  await clock.advance(1);
  expect([snooze.until, seen]).toEqual([undefined, [undefined]]);
});

test('ends when its timer fires slightly early', () => {
  let fire = (): void => {};
  const seen: (number | undefined)[] = [];
  const clock = {
    now: () => 1_000,
    after: (_: number, run: () => void) => {
      fire = run;
      return () => {};
    },
  };
  const snooze = new Snooze(clock, () => seen.push(snooze.until));
  snooze.begin(5);
  fire();
  expect(seen).toEqual([undefined]);
});

test.each([
  ['restarted', (snooze: Snooze) => snooze.begin(30), 1],
  ['ended', (snooze: Snooze) => snooze.end(), 0],
  ['disposed', (snooze: Snooze) => snooze.dispose(), 0],
])('leaves no timer when %s', (_, act, waiting) => {
  const clock = new ManualClock();
  const snooze = new Snooze(clock, () => {});
  snooze.begin(5);
  act(snooze);
  expect(clock.waiting).toBe(waiting);
});
