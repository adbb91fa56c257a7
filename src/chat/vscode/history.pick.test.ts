import { expect, test, vi } from 'vitest';
import { Emitter } from '../../base/event.ts';
import { type HistoryActions, showHistory } from './history.ts';

interface HistoryRow {
  readonly label: string;
  readonly description?: string;
}

/** Quick pick that, like VS Code, activates the first row of new items. */
const fakeQuickPick = vi.hoisted(() => {
  const createSubscription = (): { dispose: () => void } => ({ dispose: () => {} });
  return {
    rows: [] as readonly HistoryRow[],
    activeItems: [] as readonly HistoryRow[],
    value: '',
    title: '',
    buttons: [] as readonly unknown[],
    set items(rows: readonly HistoryRow[]) {
      this.rows = rows;
      this.activeItems = rows.filter(({ label }) => label !== 'Running').slice(0, 1);
    },
    ...{
      onDidTriggerButton: createSubscription,
      onDidChangeValue: createSubscription,
      onDidAccept: createSubscription,
    },
    ...{ onDidTriggerItemButton: createSubscription, onDidHide: createSubscription },
    ...{ show: () => {}, hide: () => {}, dispose: () => {} },
  };
});

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  env: { language: 'en' },
  QuickPickItemKind: { Separator: -1 },
  ThemeIcon: Object,
  window: { createQuickPick: () => fakeQuickPick },
}));

test('the chat history updates its rows on a status change without reading the chats again, and keeps the active row', async () => {
  const onDidChangeStatusEmitter = new Emitter<void>();
  let readCount = 0;
  let status: 'running' | 'waiting' = 'running';
  const createSummary = (id: string) =>
    ({ id, title: id, updatedAt: 1, folder: null, text: '', snippet: '', foldedText: '' }) as const;
  const actions: Partial<HistoryActions> = {
    listConversations: async () => {
      readCount += 1;
      return [createSummary('First'), createSummary('Second')];
    },
    pins: { isPinned: () => false } as never,
    getStatus: () => status,
    onDidChangeStatus: onDidChangeStatusEmitter.event,
  };
  await showHistory(actions as HistoryActions);
  fakeQuickPick.activeItems = fakeQuickPick.rows.filter(({ label }) => label.endsWith('Second'));
  status = 'waiting';
  onDidChangeStatusEmitter.fire();
  expect(readCount).toBe(1);
  expect(fakeQuickPick.activeItems.map(({ label }) => label)).toEqual(['$(bell-dot) Second']);
  expect(fakeQuickPick.activeItems[0]?.description).toMatch(/^Waiting for you · /u);
});

test('the empty chat history shows its title and one row that states that there are no chats, but no button to delete all chats', async () => {
  const actions: Partial<HistoryActions> = {
    listConversations: async () => [],
    onDidChangeStatus: new Emitter<void>().event,
  };
  await showHistory(actions as HistoryActions);
  expect(fakeQuickPick).toMatchObject({
    title: 'Chat History',
    rows: [{ label: 'There are no chats.' }],
    buttons: [],
  });
});
