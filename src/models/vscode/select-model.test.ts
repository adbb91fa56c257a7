import { expect, test, vi } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import { selectModel } from './select-model.ts';

interface Button {
  readonly tooltip?: string;
  readonly toggle?: { checked: boolean };
}

const shown = vi.hoisted(() => ({
  pick: {
    placeholder: '',
    items: [] as { label: string }[],
    activeItems: [],
    buttons: [] as Button[],
  },
  trigger: (_button: Button): void => {},
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
        Object.assign(shown.pick, {
          ...{ onDidTriggerItemButton: subscribe, onDidAccept: subscribe, onDidHide: subscribe },
          onDidTriggerButton: (listener: (button: Button) => void) => {
            shown.trigger = listener;
            return { dispose: () => {} };
          },
          ...{ show: () => {}, dispose: () => {} },
        }),
    },
  };
});

const createModel = (id: string, type: string) => readModel({ id, type, model_spec: {} });

/** Opens the model picker and turns on the filter buttons with these tooltips. */
function openPicker(models: object, tooltips: readonly string[] = []): void {
  const all = [createModel('chat', 'text'), createModel('canvas', 'image')];
  const catalog = {
    ...{ models: all, allModels: all, privateOnly: false, isLoading: false },
    choices: { pinnedIds: [], recent: [] },
    ...{ refresh: async () => {}, onDidChange: () => ({ dispose: () => {} }), ...models },
  };
  selectModel({ models: catalog } as never);
  for (const tooltip of tooltips) {
    const button = shown.pick.buttons.find((candidate) =>
      [tooltip, `Filter: ${tooltip}`].includes(candidate.tooltip ?? ''),
    );
    if (button?.toggle === undefined) throw new Error(`There is no button ${tooltip}.`);
    button.toggle.checked = true;
    shown.trigger(button);
  }
}

const allTypes = 'Models of all types';

test.each([
  [{}, [], '1 models: type to search, Tab to the filters'],
  [{}, [allTypes], '2 models: type to search, Tab to the filters'],
  [{ privateOnly: true }, [], '1 private models: others are locked by a setting'],
  [{ privateOnly: true }, [allTypes], '2 private models: others are locked by a setting'],
])(
  'the model picker for the models %j and the active filters %j shows the count "%s"',
  (models, tooltips, placeholder) => {
    openPicker(models, tooltips);
    expect(shown.pick.placeholder).toBe(placeholder);
  },
);

test('the model picker counts matching models of all types', () => {
  openPicker({}, [allTypes]);
  const filter = shown.pick.buttons.find(({ toggle }) => toggle?.checked === false);
  if (filter?.toggle === undefined) throw new Error('There is no filter.');
  filter.toggle.checked = true;
  shown.trigger(filter);
  expect(shown.pick.placeholder).toMatch(/^\d of 2 models: /u);
});

test.each([
  [{ models: [], allModels: [] }, [], 'The service offers no models to this account.'],
  [{ models: [], allModels: [] }, [allTypes], 'The service offers no models to this account.'],
  [{ models: [], privateOnly: true }, [], 'The service offers no private models'],
  [{ models: [], privateOnly: true }, [allTypes], 'The service offers no private models'],
])(
  'the model picker for the models %j and the active filters %j explains the empty list: %s',
  (models, tooltips, label) => {
    openPicker(models, tooltips);
    expect(shown.pick.items.map((item) => item.label)).toContain(label);
  },
);

test.each([
  [false, ['No key.', 'Set API Key', 'Get API Key with Wallet', 'Retry']],
  [true, ['No key.', 'Cancel']],
])(
  'the model picker shows the actions of a failed refresh (refresh waits for a retry: %s)',
  (isWaiting, labels) => {
    const failure = { code: 'no-key', message: 'No key.' };
    openPicker({ models: [], failure, staleReason: 'No key.', isLoading: true, isWaiting });
    expect(shown.pick.items.map(({ label }) => label)).toEqual(labels);
  },
);

test('the refresh button of the model picker forgets rejected fields, so that later requests contain these fields', () => {
  const refreshForUser = vi.fn(async () => {});
  openPicker({ refreshForUser });
  const refreshButton = shown.pick.buttons.find(({ tooltip = '' }) => /refresh/iu.test(tooltip));
  shown.trigger(refreshButton ?? {});
  expect(refreshForUser).toHaveBeenCalledOnce();
});
