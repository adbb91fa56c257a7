import { expect, test } from 'vitest';
import { type AttentionReason, ChatAttention } from './attention.ts';

function createAttention() {
  const watched = new Set<string>();
  const counts: number[] = [];
  const notifications: [id: string, reason: AttentionReason][] = [];
  const open: (() => void)[] = [];
  let soundCount = 0;
  const attention = new ChatAttention({
    playSound: () => (soundCount += 1),
    isWatched: (id) => watched.has(id),
    notify: (id, reason) => {
      notifications.push([id, reason]);
      return new Promise((resolve) => open.push(resolve));
    },
    onChange: (count) => counts.push(count),
  });
  return { attention, watched, counts, notifications, open, getSoundCount: () => soundCount };
}

test('a chat shows no second notification for the same reason while the first is open, but plays the sound again', async () => {
  const { attention, counts, notifications, open, getSoundCount } = createAttention();
  const first = attention.request('a', 'waiting');
  await attention.request('a', 'waiting');
  expect(notifications).toEqual([['a', 'waiting']]);
  expect(getSoundCount()).toBe(2);
  expect(counts.at(-1)).toBe(1);
  for (const close of open.splice(0)) close();
  await first;
  void attention.request('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('a chat with an unanswered notification shows another one for another reason', () => {
  const { attention, notifications } = createAttention();
  void attention.request('a', 'waiting');
  void attention.request('a', 'ended');
  expect(notifications).toEqual([
    ['a', 'waiting'],
    ['a', 'ended'],
  ]);
});

test('a chat whose unanswered notification is outdated shows the next notification', async () => {
  const { attention, notifications, open } = createAttention();
  const first = attention.request('a', 'waiting');
  attention.clear('a');
  void attention.request('a', 'waiting');
  expect(notifications).toHaveLength(2);
  // The outdated notification closes while the second one is open.
  open[0]?.();
  await first;
  void attention.request('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('a chat at which the user looks shows no notification and is not counted', async () => {
  const { attention, watched, counts, notifications } = createAttention();
  watched.add('a');
  await attention.request('a', 'waiting');
  expect([counts, notifications]).toEqual([[], []]);
});

test('the count drops when the user looks at a chat', () => {
  const { attention, watched, counts } = createAttention();
  void attention.request('a', 'waiting');
  void attention.request('b', 'ended');
  watched.add('b');
  attention.clearWatched();
  expect(counts).toEqual([1, 2, 1]);
});

test('a chat whose turn ended after the user answered its request is still counted', () => {
  const { attention, counts } = createAttention();
  void attention.request('a', 'waiting');
  attention.clear('a', 'waiting');
  void attention.request('a', 'ended');
  attention.clear('a', 'waiting');
  attention.clear('b');
  expect(counts).toEqual([1, 0, 1]);
});
