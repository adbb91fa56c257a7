import { expect, test, vi } from 'vitest';
import type { ConversationSummary } from '../../conversation/summary.ts';
import { groupByDay, PinnedChats } from './history.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  env: { language: 'en' },
}));

const nowMs = new Date(2026, 10, 28, 9).getTime();
const createSummary = (
  id: string,
  ...date: [number, number, number, number]
): ConversationSummary => ({
  id,
  title: id,
  updatedAt: new Date(...date).getTime(),
  folder: null,
  text: '',
  snippet: '',
  foldedText: '',
});

const groupingOptions = {
  isPinned: (_id: string) => false,
  isRunning: (_id: string) => false,
  now: nowMs,
};

test('groupByDay groups chats by local day, with running and pinned chats first', () => {
  const summaries = [
    createSummary('a', 2026, 10, 28, 8),
    createSummary('b', 2026, 10, 28, 0),
    createSummary('c', 2026, 10, 27, 23),
    createSummary('d', 2026, 10, 24, 12),
    createSummary('e', 2026, 9, 1, 12),
    createSummary('f', 2025, 9, 1, 12),
  ];
  const groups = groupByDay(summaries, {
    ...groupingOptions,
    isPinned: (id) => id === 'd' || id === 'e',
    isRunning: (id) => id === 'c' || id === 'e',
  });
  expect(
    groups.map(({ title, summaries: members }) => [title, members.map(({ id }) => id)]),
  ).toEqual([
    ['Running', ['c', 'e']],
    ['Pinned', ['d']],
    ['Today', ['a', 'b']],
    ['October 1, 2025', ['f']],
  ]);
});

test('groupByDay names a day of the last week by its weekday, and treats a time in the future as today', () => {
  const groups = groupByDay(
    [createSummary('later', 2026, 10, 29, 8), createSummary('d', 2026, 10, 24, 12)],
    groupingOptions,
  );
  expect(groups.map(({ title }) => title)).toEqual(['Today', 'Tuesday']);
});

test('PinnedChats stores pinned chats, and ignores unreadable values', async () => {
  let storedValue: unknown = ['a', 7];
  const pins = new PinnedChats({
    get: () => storedValue as never,
    update: async (_key: string, value: unknown) => void (storedValue = value),
  });
  await pins.togglePin('b');
  expect([pins.isPinned('a'), pins.isPinned('b')]).toEqual([true, true]);
  await pins.togglePin('a');
  expect(storedValue).toEqual(['b']);
});
