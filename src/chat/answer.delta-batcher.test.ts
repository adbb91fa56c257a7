import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { DeltaBatcher, type TextDelta } from './answer.ts';

function createBatcher() {
  const clock = new ManualClock();
  const deliveredDeltas: TextDelta[] = [];
  return {
    clock,
    deliveredDeltas,
    batcher: new DeltaBatcher(clock, 16, (delta) => deliveredDeltas.push(delta)),
  };
}
const createTextDelta = (value: string): TextDelta => ({ text: value, reasoning: '' });

test('DeltaBatcher delivers the first delta immediately and combines the later deltas within the interval', async () => {
  const { clock, deliveredDeltas, batcher } = createBatcher();
  for (const word of ['a', 'b', 'c']) batcher.addDelta(createTextDelta(word));
  expect(deliveredDeltas).toEqual([createTextDelta('a')]);
  await clock.advance(16);
  expect(deliveredDeltas).toEqual([createTextDelta('a'), createTextDelta('bc')]);
});

test('DeltaBatcher immediately delivers the first delta after a pause, and leaves no timer', async () => {
  const { clock, deliveredDeltas, batcher } = createBatcher();
  batcher.addDelta(createTextDelta('a'));
  await clock.advance(100);
  expect(clock.pendingTimerCount).toBe(0);
  batcher.addDelta(createTextDelta('b'));
  expect(deliveredDeltas).toEqual([createTextDelta('a'), createTextDelta('b')]);
});

test('DeltaBatcher delivers all text with at most one delivery per interval', async () => {
  const { clock, deliveredDeltas, batcher } = createBatcher();
  for (let i = 0; i < 10_000; i += 1) {
    batcher.addDelta(createTextDelta('x'));
    if (i % 100 === 0) await clock.advance(1);
  }
  batcher.deliverAndStop();
  expect(deliveredDeltas.length).toBeLessThanOrEqual(100 / 16 + 3);
  expect(deliveredDeltas.map((delta) => delta.text).join('')).toHaveLength(10_000);
  expect(clock.pendingTimerCount).toBe(0);
});

test('DeltaBatcher does not deliver discarded text', async () => {
  const { clock, deliveredDeltas, batcher } = createBatcher();
  batcher.addDelta(createTextDelta('a'));
  batcher.addDelta(createTextDelta('b'));
  batcher.discardPendingDelta();
  await clock.advance(100);
  expect(deliveredDeltas).toEqual([createTextDelta('a')]);
});
