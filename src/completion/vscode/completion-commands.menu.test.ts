import { expect, test, vi } from 'vitest';
import { getSetting, useChoiceState } from '../../platform/settings.ts';
import { showMenu } from './completion-commands.ts';

interface MenuItem {
  readonly label: string;
  readonly description?: string;
}

const menu = vi.hoisted(() => ({ choice: '', items: [] as readonly MenuItem[] }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  QuickPickItemKind: { Separator: -1 },
  window: {
    showQuickPick: async (items: readonly MenuItem[]) => {
      menu.items = items;
      return items.find(({ label }) => label === menu.choice);
    },
  },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));
vi.mock('./status-rows.ts', () => ({
  createCompletionLinks: () => [],
  createCompletionRows: () => [],
}));

test('the inline suggestions menu turns suggestions in comments off and on again', async () => {
  const values = new Map<string, unknown>();
  useChoiceState({
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  } as never);
  menu.choice = 'Suggest in comments';
  const context = { suggestions: { state: 'on' } } as unknown as Parameters<typeof showMenu>[0];
  const read = (): boolean => getSetting('inferenceService.completion.inComments');
  await showMenu(context);
  expect(read()).toBe(false);
  await showMenu(context);
  expect(menu.items.find(({ label }) => label === menu.choice)?.description).toBe('Off');
  expect(read()).toBe(true);
});
