import { expect, test, vi } from 'vitest';
import type { ConversationSummary } from '../../conversation/summary.ts';
import { groupByDay, Pins } from './history.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  env: { language: 'en' },
}));

const now = new Date(2026, 10, 28, 9).getTime();
const summary = (id: string, ...date: [number, number, number, number]): ConversationSummary => ({
  id,
  title: id,
  updatedAt: new Date(...date).getTime(),
  folder: null,
  text: '',
  snippet: '',
  folded: '',
});

const grouping = { isPinned: (_id: string) => false, isRunning: (_id: string) => false, now };

test('groups chats by local day, with running and pinned chats first', () => {
  const summaries = [
    summary('a', 2026, 10, 28, 8),
    summary('b', 2026, 10, 28, 0),
    summary('c', 2026, 10, 27, 23),
    summary('d', 2026, 10, 24, 12),
    summary('e', 2026, 9, 1, 12),
    summary('f', 2025, 9, 1, 12),
  ];
  const groups = groupByDay(summaries, {
    ...grouping,
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

test('names a day of the last week by its weekday, and a time in the future today', () => {
  const groups = groupByDay(
    [summary('later', 2026, 10, 29, 8), summary('d', 2026, 10, 24, 12)],
    grouping,
  );
  expect(groups.map(({ title }) => title)).toEqual(['Today', 'Tuesday']);
});

test('stores pins, and ignores unreadable ones', async () => {
  let stored: unknown = ['a', 7];
  const pins = new Pins({
    get: () => stored as never,
    update: async (_key: string, value: unknown) => void (stored = value),
  });
  await pins.toggle('b');
  expect([pins.has('a'), pins.has('b')]).toEqual([true, true]);
  await pins.toggle('a');
  expect(stored).toEqual(['b']);
});
