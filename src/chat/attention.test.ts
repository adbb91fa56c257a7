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

test('ChatAttention shows no second notification of a chat for the same reason while the first notification is open, but plays the sound again', async () => {
  const { attention, counts, notifications, open, getSoundCount } = createAttention();
  const first = attention.requestAttention('a', 'waiting');
  await attention.requestAttention('a', 'waiting');
  expect(notifications).toEqual([['a', 'waiting']]);
  expect(getSoundCount()).toBe(2);
  expect(counts.at(-1)).toBe(1);
  for (const close of open.splice(0)) close();
  await first;
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('ChatAttention shows a second notification of a chat for another reason while the first notification is open', () => {
  const { attention, notifications } = createAttention();
  void attention.requestAttention('a', 'waiting');
  void attention.requestAttention('a', 'ended');
  expect(notifications).toEqual([
    ['a', 'waiting'],
    ['a', 'ended'],
  ]);
});

test('ChatAttention shows a new notification of a chat while an outdated notification is open', async () => {
  const { attention, notifications, open } = createAttention();
  const first = attention.requestAttention('a', 'waiting');
  attention.clearAttention('a');
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
  // The outdated notification closes while the second one is open.
  open[0]?.();
  await first;
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('ChatAttention shows no notification and no badge for a chat that the user is looking at', async () => {
  const { attention, watched, counts, notifications } = createAttention();
  watched.add('a');
  await attention.requestAttention('a', 'waiting');
  expect([counts, notifications]).toEqual([[], []]);
});

test('ChatAttention shows a notification for the next approval request of a chat after the user answers the previous request, but none while the user is looking at the chat', () => {
  const { attention, watched, notifications, getSoundCount } = createAttention();
  for (const isWatched of [false, true, false]) {
    if (isWatched) watched.add('a');
    else watched.delete('a');
    void attention.requestAttention('a', 'waiting');
    attention.clearAttention('a', 'waiting');
  }
  expect(notifications).toEqual([
    ['a', 'waiting'],
    ['a', 'waiting'],
  ]);
  expect(getSoundCount()).toBe(2);
});

test('ChatAttention no longer counts a chat in the badge after the user looks at the chat', () => {
  const { attention, watched, counts } = createAttention();
  void attention.requestAttention('a', 'waiting');
  void attention.requestAttention('b', 'ended');
  watched.add('b');
  attention.clearWatched();
  expect(counts).toEqual([1, 2, 1]);
});

test('ChatAttention counts a chat in the badge when its turn ends, even if the user has answered an earlier request of the chat', () => {
  const { attention, counts } = createAttention();
  void attention.requestAttention('a', 'waiting');
  attention.clearAttention('a', 'waiting');
  void attention.requestAttention('a', 'ended');
  attention.clearAttention('a', 'waiting');
  attention.clearAttention('b');
  expect(counts).toEqual([1, 0, 1]);
});
