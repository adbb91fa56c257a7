import { expect, test, vi } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import { selectModel } from './select-model.ts';

interface FakeButton {
  readonly tooltip?: string;
  readonly toggle?: { checked: boolean };
}

const shownPick = vi.hoisted(() => ({
  pick: {
    placeholder: '',
    items: [] as { label: string }[],
    activeItems: [],
    buttons: [] as FakeButton[],
  },
  trigger: (_button: FakeButton): void => {},
}));

vi.mock('vscode', () => {
  const subscribe = (): object => ({ dispose: () => {} });
  return {
    l10n: {
      t: (text: string, ...values: string[]) =>
        text.replaceAll(/\{(\d+)\}/gu, (_, index: string) => String(values[Number(index)])),
    },
    version: '1.110.0',
    ThemeIcon: vi.fn(),
    QuickInputButtonLocation: { Input: 3 },
    window: {
      createQuickPick: () =>
        Object.assign(shownPick.pick, {
          ...{ onDidTriggerItemButton: subscribe, onDidAccept: subscribe, onDidHide: subscribe },
          onDidTriggerButton: (listener: (button: FakeButton) => void) => {
            shownPick.trigger = listener;
            return { dispose: () => {} };
          },
          ...{ show: () => {}, dispose: () => {} },
        }),
    },
  };
});

const createModel = (id: string, type: string) => readModel({ id, type, model_spec: {} });

/** Opens the model picker, and activates the filter buttons with the given tooltips. */
function openPicker(models: object, tooltips: readonly string[] = []): void {
  const allModels = [createModel('chat', 'text'), createModel('canvas', 'image')];
  const catalog = {
    ...{ models: allModels, allModels, isPrivateOnly: false, isLoading: false },
    choices: { pinnedIds: [], recentIds: [] },
    ...{ refresh: async () => {}, onDidChange: () => ({ dispose: () => {} }), ...models },
  };
  selectModel({ models: catalog } as never);
  for (const tooltip of tooltips) {
    const button = shownPick.pick.buttons.find((candidate) =>
      [tooltip, `Filter: ${tooltip}`].includes(candidate.tooltip ?? ''),
    );
    if (button?.toggle === undefined) throw new Error(`There is no button ${tooltip}.`);
    button.toggle.checked = true;
    shownPick.trigger(button);
  }
}

const allTypesTitle = 'All models';

test.each([
  ['chat models', '1 models: type to search, Tab to the filters', {}, []],
  ['models of all types', '2 models: type to search, Tab to the filters', {}, [allTypesTitle]],
  [
    'private chat models',
    '1 private models: others are locked by a setting',
    { isPrivateOnly: true },
    [],
  ],
  [
    'private models of all types',
    '2 private models: others are locked by a setting',
    { isPrivateOnly: true },
    [allTypesTitle],
  ],
])('the model picker for %s shows the count "%s"', (_name, placeholder, models, tooltips) => {
  openPicker(models, tooltips);
  expect(shownPick.pick.placeholder).toBe(placeholder);
});

test('the model picker shows the number of matching models of all types in its placeholder', () => {
  openPicker({}, [allTypesTitle]);
  const filter = shownPick.pick.buttons.find(({ toggle }) => toggle?.checked === false);
  if (filter?.toggle === undefined) throw new Error('There is no filter.');
  filter.toggle.checked = true;
  shownPick.trigger(filter);
  expect(shownPick.pick.placeholder).toMatch(/^\d of 2 models: /u);
});

test.each([
  [
    'chat models',
    'The service offers no models to this account.',
    { models: [], allModels: [] },
    [],
  ],
  [
    'models of all types',
    'The service offers no models to this account.',
    { models: [], allModels: [] },
    [allTypesTitle],
  ],
  [
    'private chat models',
    'The service offers no private models',
    { models: [], isPrivateOnly: true },
    [],
  ],
  [
    'private models of all types',
    'The service offers no private models',
    { models: [], isPrivateOnly: true },
    [allTypesTitle],
  ],
])('the empty model picker for %s shows the explanation "%s"', (_name, label, models, tooltips) => {
  openPicker(models, tooltips);
  expect(shownPick.pick.items.map((item) => item.label)).toContain(label);
});

test.each([
  ['after a failed refresh', ['No key.', 'Set API Key', 'Get API Key with Wallet', 'Retry'], false],
  ['before the retry of a failed refresh', ['No key.', 'Cancel'], true],
])('the model picker %s shows the items %j', (_name, labels, isWaiting) => {
  const failure = { code: 'no-key', message: 'No key.' };
  openPicker({ models: [], failure, staleReason: 'No key.', isLoading: true, isWaiting });
  expect(shownPick.pick.items.map(({ label }) => label)).toEqual(labels);
});

test('the refresh button of the model picker clears the records of rejected fields, so that later requests contain these fields again', () => {
  const refreshForUser = vi.fn(async () => {});
  openPicker({ refreshForUser });
  const refreshButton = shownPick.pick.buttons.find(({ tooltip = '' }) =>
    /refresh/iu.test(tooltip),
  );
  shownPick.trigger(refreshButton ?? {});
  expect(refreshForUser).toHaveBeenCalledOnce();
});
