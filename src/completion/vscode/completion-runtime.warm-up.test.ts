import { expect, test } from 'vitest';
import { Emitter, type Event } from '../../base/event.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { warmUpInIdleTime } from './completion-runtime.ts';

test('warmUpInIdleTime repeats the call after each change of the editor until the call succeeds', async () => {
  const clock = new ManualClock();
  const changes = new Emitter<unknown>();
  const results = [false, false, true, true];
  const callTimes: number[] = [];
  const start = clock.now();
  warmUpInIdleTime({
    clock,
    warmUp() {
      callTimes.push(clock.now() - start);
      return results[callTimes.length - 1] ?? true;
    },
    onDidChange: (listener) => changes.event(listener),
  });
  for (let change = 0; change < 4; change++) {
    await clock.advance(10_000);
    changes.fire(undefined);
  }
  await clock.advance(10_000);
  expect(callTimes).toEqual([1_000, 11_000, 21_000]);
});

test('warmUpInIdleTime makes no call after it is disposed', async () => {
  const clock = new ManualClock();
  const changes = new Emitter<unknown>();
  let calls = 0;
  const warmUp = (): boolean => ++calls > 9;
  const onDidChange: Event<unknown> = (listener) => changes.event(listener);
  const early = warmUpInIdleTime({ clock, warmUp, onDidChange });
  early.dispose();
  await clock.advance(2_000);
  expect(calls).toBe(0);
  const late = warmUpInIdleTime({ clock, warmUp, onDidChange });
  await clock.advance(2_000);
  late.dispose();
  changes.fire(undefined);
  await clock.advance(2_000);
  expect(calls).toBe(1);
});
