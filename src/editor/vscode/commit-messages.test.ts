import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { MessageBox } from './commit-messages.ts';

function opened(value = ''): { input: { value: string }; clock: ManualClock; box: MessageBox } {
  const input = { value };
  const clock = new ManualClock();
  return { input, clock, box: new MessageBox(input, clock) };
}

test('updates the message at intervals and completes it at the end', async () => {
  const { input, clock, box } = opened();
  expect(box.show(() => 'Add')).toBe(true);
  expect(box.show(() => 'Add ti')).toBe(true);
  expect(input.value).toBe('Add');
  await clock.advance(100);
  box.show(() => 'Add tid');
  expect(input.value).toBe('Add tid');
  box.end('Add tides');
  expect(input.value).toBe('Add tides');
  expect(box.isEmpty).toBe(false);
});

test('keeps text that the user types during streaming', async () => {
  const { input, clock, box } = opened('wip');
  box.show(() => 'Add');
  input.value = 'Mine';
  await clock.advance(100);
  expect(box.show(() => 'Add tides')).toBe(false);
  box.end('Add tides');
  expect(input.value).toBe('Mine');
  expect(box.isTaken).toBe(true);
});

test('restores the previous text', () => {
  const { input, box } = opened('wip');
  box.end('Add tides');
  expect(box.replaced).toBe('wip');
  box.restore();
  expect(input.value).toBe('wip');
});

test('keeps the previous text if the message is empty', () => {
  const { input, box } = opened('wip');
  box.show(() => '');
  box.end('');
  expect(input.value).toBe('wip');
  expect(box.isEmpty).toBe(true);
});
