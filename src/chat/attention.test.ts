import { expect, test } from 'vitest';
import { type AttentionReason, ChatAttention } from './attention.ts';

function createAttention() {
  const watched = new Set<string>();
  const counts: number[] = [];
  const notifications: [id: string, reason: AttentionReason][] = [];
  const open: (() => void)[] = [];
  const attention = new ChatAttention({
    isWatched: (id) => watched.has(id),
    notify: (id, reason) => {
      notifications.push([id, reason]);
      return new Promise((resolve) => open.push(resolve));
    },
    onChange: (count) => counts.push(count),
  });
  return { attention, watched, counts, notifications, open };
}

test('a chat calls the user once while its notification is open, and again after it closed', async () => {
  const { attention, counts, notifications, open } = createAttention();
  const first = attention.request('a', 'waiting');
  await attention.request('a', 'ended');
  expect(notifications).toEqual([['a', 'waiting']]);
  expect(counts.at(-1)).toBe(1);
  for (const close of open.splice(0)) close();
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
