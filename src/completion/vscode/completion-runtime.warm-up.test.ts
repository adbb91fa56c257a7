import { expect, test } from 'vitest';
import { Emitter, type Event } from '../../base/event.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { warmUpInIdleTime } from './completion-runtime.ts';

test('warmUpInIdleTime repeats the call after each change of the editor until the call succeeds', async () => {
  const clock = new ManualClock();
  const changeEmitter = new Emitter<unknown>();
  const results = [false, false, true, true];
  const callTimes: number[] = [];
  const start = clock.now();
  warmUpInIdleTime({
    clock,
    warmUp() {
      callTimes.push(clock.now() - start);
      return results[callTimes.length - 1] ?? true;
    },
    onDidChange: (listener) => changeEmitter.event(listener),
  });
  for (let changeIndex = 0; changeIndex < 4; changeIndex++) {
    await clock.advance(10_000);
    changeEmitter.fire(undefined);
  }
  await clock.advance(10_000);
  expect(callTimes).toEqual([1_000, 11_000, 21_000]);
});

test('warmUpInIdleTime makes no call after it is disposed', async () => {
  const clock = new ManualClock();
  const changeEmitter = new Emitter<unknown>();
  let callCount = 0;
  const warmUp = (): boolean => ++callCount > 9;
  const onDidChange: Event<unknown> = (listener) => changeEmitter.event(listener);
  const earlyWarmUp = warmUpInIdleTime({ clock, warmUp, onDidChange });
  earlyWarmUp.dispose();
  await clock.advance(2_000);
  expect(callCount).toBe(0);
  const lateWarmUp = warmUpInIdleTime({ clock, warmUp, onDidChange });
  await clock.advance(2_000);
  lateWarmUp.dispose();
  changeEmitter.fire(undefined);
  await clock.advance(2_000);
  expect(callCount).toBe(1);
});
