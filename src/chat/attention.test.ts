import { expect, test } from 'vitest';
import { type AttentionReason, AttentionNotifier } from './attention.ts';

function createAttention() {
  const watchedIds = new Set<string>();
  const counts: number[] = [];
  const notifications: [id: string, reason: AttentionReason][] = [];
  const closeCallbacks: (() => void)[] = [];
  let soundCount = 0;
  const attention = new AttentionNotifier({
    playSound: () => (soundCount += 1),
    isWatched: (id) => watchedIds.has(id),
    notify: (id, reason) => {
      notifications.push([id, reason]);
      return new Promise((resolve) => closeCallbacks.push(resolve));
    },
    onChange: (count) => counts.push(count),
  });
  return {
    attention,
    watchedIds,
    counts,
    notifications,
    closeCallbacks,
    getSoundCount: () => soundCount,
  };
}

test('AttentionNotifier shows no second notification of a chat for the same reason while the first notification is open, but plays the sound again', async () => {
  const { attention, counts, notifications, closeCallbacks, getSoundCount } = createAttention();
  const firstRequest = attention.requestAttention('a', 'waiting');
  await attention.requestAttention('a', 'waiting');
  expect(notifications).toEqual([['a', 'waiting']]);
  expect(getSoundCount()).toBe(2);
  expect(counts.at(-1)).toBe(1);
  for (const close of closeCallbacks.splice(0)) close();
  await firstRequest;
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('AttentionNotifier shows a second notification of a chat for another reason while the first notification is open', () => {
  const { attention, notifications } = createAttention();
  void attention.requestAttention('a', 'waiting');
  void attention.requestAttention('a', 'ended');
  expect(notifications).toEqual([
    ['a', 'waiting'],
    ['a', 'ended'],
  ]);
});

test('AttentionNotifier shows a new notification of a chat while an outdated notification is open', async () => {
  const { attention, notifications, closeCallbacks } = createAttention();
  const firstRequest = attention.requestAttention('a', 'waiting');
  attention.clearAttention('a');
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
  // The outdated notification closes while the second one is open.
  closeCallbacks[0]?.();
  await firstRequest;
  void attention.requestAttention('a', 'waiting');
  expect(notifications).toHaveLength(2);
});

test('AttentionNotifier shows no notification and no badge for a chat that the user is looking at', async () => {
  const { attention, watchedIds, counts, notifications } = createAttention();
  watchedIds.add('a');
  await attention.requestAttention('a', 'waiting');
  expect([counts, notifications]).toEqual([[], []]);
});

test('AttentionNotifier shows a notification for each approval request of a chat, except while the user is looking at the chat', () => {
  const { attention, watchedIds, notifications, getSoundCount } = createAttention();
  for (const isWatched of [false, true, false]) {
    if (isWatched) watchedIds.add('a');
    else watchedIds.delete('a');
    void attention.requestAttention('a', 'waiting');
    attention.clearAttention('a', 'waiting');
  }
  expect(notifications).toEqual([
    ['a', 'waiting'],
    ['a', 'waiting'],
  ]);
  expect(getSoundCount()).toBe(2);
});

test('AttentionNotifier no longer counts a chat in the badge after the user looks at the chat', () => {
  const { attention, watchedIds, counts } = createAttention();
  void attention.requestAttention('a', 'waiting');
  void attention.requestAttention('b', 'ended');
  watchedIds.add('b');
  attention.clearWatchedChats();
  expect(counts).toEqual([1, 2, 1]);
});

test('AttentionNotifier counts a chat in the badge when its turn ends, even if the user has answered an earlier request of the chat', () => {
  const { attention, counts } = createAttention();
  void attention.requestAttention('a', 'waiting');
  attention.clearAttention('a', 'waiting');
  void attention.requestAttention('a', 'ended');
  attention.clearAttention('a', 'waiting');
  attention.clearAttention('b');
  expect(counts).toEqual([1, 0, 1]);
});
