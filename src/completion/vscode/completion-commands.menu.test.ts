import { beforeEach, expect, test, vi } from 'vitest';
import { getSetting, setChoiceState } from '../../platform/settings.ts';
import { showMenu } from './completion-commands.ts';

interface MenuItem {
  readonly label: string;
  readonly detail?: string;
  readonly description?: string;
}

const menu = vi.hoisted(() => ({ choices: [] as string[], items: [] as readonly MenuItem[] }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  QuickPickItemKind: { Separator: -1 },
  ThemeIcon: Object,
  window: {
    showQuickPick: async (items: readonly MenuItem[]) => {
      const choice = menu.choices.shift();
      if (items.some(({ label }) => label === 'Suggest in comments')) menu.items = items;
      return items.find(({ label }) => label === choice);
    },
  },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));
vi.mock('./turn-on.ts', () => ({
  formatModelAndPrice: () => 'Model: A. 100 suggestions cost $1.',
}));
vi.mock('./status-rows.ts', () => ({
  createCompletionLinks: () => [],
  createCompletionRows: () => [],
}));

const storedValues = new Map<string, unknown>();

beforeEach(() => {
  storedValues.clear();
  setChoiceState({
    get: (key: string) => storedValues.get(key),
    update: async (key: string, value: unknown) => void storedValues.set(key, value),
  } as never);
});

/** Opens the menu and chooses the items with these labels, one after the other. */
async function chooseMenuItems(...labels: readonly string[]): Promise<void> {
  menu.choices = [...labels];
  await showMenu({ suggestions: { state: 'on' } } as unknown as Parameters<typeof showMenu>[0]);
  expect(menu.choices).toEqual([]);
}

const getItemDescription = (text: string): string | undefined =>
  menu.items.find(({ label }) => label === text)?.description;

test.each([
  ['Suggest while you type', 'inferenceService.completion.automatic'],
  ['Suggest in comments', 'inferenceService.completion.inComments'],
  ['Suggest next edits', 'inferenceService.completion.nextEdit'],
  ['Request the next suggestion ahead', 'inferenceService.completion.prefetch'],
  ['Respect .gitignore', 'inferenceService.completion.respectGitignore'],
] as const)(
  'the item "%s" of the inline suggestions menu turns the setting %s off and on again',
  async (label, name) => {
    await chooseMenuItems(label);
    expect(getSetting(name)).toBe(false);
    await chooseMenuItems(label);
    expect(getItemDescription(label)).toBe('Off');
    expect(getSetting(name)).toBe(true);
  },
);

test('the item "Suggest next edits by the model" of the inline suggestions menu turns its setting on and off again', async () => {
  const name = 'inferenceService.completion.modelNextEdit';
  const label = 'Suggest next edits by the model';
  expect(getSetting(name)).toBe(false);
  await chooseMenuItems(label);
  expect(getSetting(name)).toBe(true);
  await chooseMenuItems(label);
  expect(getItemDescription(label)).toBe('On');
  expect(getSetting(name)).toBe(false);
});

test('the inline suggestions menu changes the endpoint of suggestions', async () => {
  const label = 'Endpoint for suggestions';
  await chooseMenuItems(label, 'completions');
  expect(getSetting('inferenceService.completion.route')).toBe('completions');
  await chooseMenuItems(label, 'auto');
  expect(getSetting('inferenceService.completion.route')).toBe('auto');
});

test('the inline suggestions menu shows that next edits by the model are off, and the price of these edits', async () => {
  await chooseMenuItems();
  const pricedItems = menu.items.filter(({ detail }) => detail !== undefined);
  expect(pricedItems).toMatchObject([
    {
      label: 'Suggest next edits by the model',
      description: 'Off',
      detail: 'Model: A. 100 suggestions cost $1.',
    },
  ]);
});
