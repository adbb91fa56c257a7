import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { root } from '../../test/support/paths.ts';
import { defaultImageFolder } from '../image/image-folder.ts';
import { speechSpeeds } from '../service/speech.ts';
import {
  isEnabledInAnyScope,
  onDidChangeSettings,
  setChoice,
  setSetting,
  getSetting,
  type SettingName,
  type SettingValue,
  settingValues,
  type UserSetting,
  setChoiceState,
  getWorkspaceSetting,
  workspaceSettings,
} from './settings.ts';

interface SettingProperty {
  readonly type: string | readonly string[];
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly scope?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, SettingProperty> }[];
  };
};
const settingProperties = Object.fromEntries(
  contributes.configuration.flatMap(({ properties }) => Object.entries(properties)),
);
const settingNames = Object.keys(settingProperties) as SettingName[];
const isWorkspaceSetting = (name: SettingName): boolean =>
  workspaceSettings.some((candidate) => candidate === name);
const userSettingNames = settingNames.filter(
  (name): name is UserSetting => !isWorkspaceSetting(name),
);

/** Values of a setting in the user and workspace scopes. */
interface SettingLayers {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
}

const fakeVscode = vi.hoisted(() => ({
  layers: {} as Record<string, SettingLayers>,
  defaults: {} as Record<string, unknown>,
  updates: [] as unknown[],
  listener: undefined as
    | ((event: { affectsConfiguration: (section: string) => boolean }) => void)
    | undefined,
}));

vi.mock('vscode', () => ({
  ConfigurationTarget: { Global: 1 },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) => ({
        ...fakeVscode.layers[name],
        defaultValue: fakeVscode.defaults[name],
      }),
      get: (name: string) => {
        const { globalValue, workspaceValue } = fakeVscode.layers[name] ?? {};
        return workspaceValue ?? globalValue ?? fakeVscode.defaults[name];
      },
      update: async (...args: unknown[]) => void fakeVscode.updates.push(args),
    }),
    onDidChangeConfiguration: (listener: typeof fakeVscode.listener) => {
      fakeVscode.listener = listener;
      return { dispose: () => (fakeVscode.listener = undefined) };
    },
  },
}));

fakeVscode.defaults = Object.fromEntries(
  Object.entries(settingProperties).map(([name, property]) => [name, property.default]),
);

afterEach(() => {
  fakeVscode.layers = {};
  fakeVscode.updates.length = 0;
});

describe('the manifest', () => {
  test('has a default of the right type for each setting', () => {
    const checkedNames = settingNames.map((name) => {
      const { type, default: value } = settingProperties[name] as SettingProperty;
      const types = [type].flat();
      const isOfType =
        value === null
          ? types.includes('null')
          : types.includes(typeof value) || Number.isInteger(value);
      return [name, isOfType];
    });
    expect(checkedNames.filter(([, isOfType]) => isOfType !== true)).toEqual([]);
  });

  test('declares the enumerated values of `settingValues`', () => {
    // The manifest does not declare this setting.
    const { 'inferenceService.completion.route': _, ...declaredValues } = settingValues;
    const enumSettings = Object.entries(settingProperties).filter(
      ([, property]) => property.enum !== undefined,
    );
    expect(
      Object.fromEntries(enumSettings.map(([name, property]) => [name, property.enum])),
    ).toEqual(declaredValues);
  });

  test('allows a workspace to change exactly the settings in `workspaceSettings`', () => {
    const workspaceSettingNames = settingNames.filter(
      (name) => settingProperties[name]?.scope !== 'application',
    );
    expect(workspaceSettingNames.toSorted()).toEqual(workspaceSettings.toSorted());
  });

  test('has the limits and defaults that the code declares as constants', () => {
    expect(settingProperties['inferenceService.image.folder']?.default).toBe(defaultImageFolder);
    const { minimum, maximum } = settingProperties[
      'inferenceService.speech.speed'
    ] as SettingProperty;
    expect({ min: minimum, max: maximum }).toEqual(speechSpeeds);
  });
});

describe('the permission settings', () => {
  test('by default apply edits immediately in new chats, and require no approval for commands that only read files', () => {
    expect(getSetting('inferenceService.agent.permissions')).toBe('applyEdits');
    expect(getSetting('inferenceService.agent.allowReadingCommands')).toBe(true);
  });

  test('keep a stored user value that requires approval for commands that only read files', () => {
    const name = 'inferenceService.agent.allowReadingCommands';
    fakeVscode.layers[name] = { globalValue: false };
    expect(getSetting(name)).toBe(false);
  });
});

describe('a setting', () => {
  test.each(settingNames)('named %s has the default from the manifest', (name) => {
    const value = isWorkspaceSetting(name)
      ? getWorkspaceSetting(name as (typeof workspaceSettings)[number])
      : getSetting(name as UserSetting);
    expect(value).toEqual(settingProperties[name]?.default);
  });

  test.each(userSettingNames)('named %s is never read from a workspace', (name) => {
    const { default: value } = settingProperties[name] as SettingProperty;
    const otherValue =
      typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : 'x';
    fakeVscode.layers[name] = { workspaceValue: otherValue };
    expect(getSetting(name)).toEqual(value);
  });

  test('returns the user value if the value has the type of the default', () => {
    fakeVscode.layers = {
      'inferenceService.completion.enabled': { globalValue: true },
      'inferenceService.agent.maxCost': { globalValue: 2.5 },
      'inferenceService.chat.encrypt': { globalValue: 'off' },
      'inferenceService.profiles': { globalValue: { work: {} } },
      'inferenceService.budget.daily': { globalValue: 3 },
    };
    expect(getSetting('inferenceService.completion.enabled')).toBe(true);
    expect(getSetting('inferenceService.agent.maxCost')).toBe(2.5);
    expect(getSetting('inferenceService.chat.encrypt')).toBe('off');
    expect(getSetting('inferenceService.profiles')).toEqual({ work: {} });
    expect(getSetting('inferenceService.budget.daily')).toBe(3);
  });

  test.each<[name: UserSetting, value: unknown]>([
    ['inferenceService.completion.enabled', 'true'],
    ['inferenceService.completion.frequency', 'always'],
    ['inferenceService.agent.maxCost', Number.POSITIVE_INFINITY],
    ['inferenceService.chat.encrypt', 'Off'],
    ['inferenceService.network.transport', 'toString'],
    ['inferenceService.baseUrl', ['https://example.com']],
    ['inferenceService.baseUrl', null],
  ])('named %s returns its default for the invalid value %o', (name, value) => {
    fakeVscode.layers[name] = { globalValue: value };
    expect(getSetting(name)).toEqual(settingProperties[name]?.default);
  });

  test.each<[name: UserSetting, value: unknown, otherwise: unknown]>([
    ['inferenceService.completion.automatic', false, true],
    ['inferenceService.agent.maxRequests', 7, 25],
    ['inferenceService.agent.maxTokens', 5, 2_000_000],
    ['inferenceService.agent.maxToolCalls', 0, 100],
    ['inferenceService.completion.inComments', false, true],
    ['inferenceService.completion.modelNextEdit', true, false],
    ['inferenceService.completion.nextEdit', false, true],
    ['inferenceService.completion.prefetch', false, true],
    ['inferenceService.completion.respectGitignore', false, true],
    ['inferenceService.completion.route', 'chat', 'auto'],
    ['inferenceService.image.gallerySize', 123, 500],
    ['inferenceService.wallet.topUpCeiling', 35, 20],
  ])(
    'named %s takes effect even if the manifest does not declare the setting',
    (name, value, defaultValue) => {
      expect(settingNames).not.toContain(name);
      expect(getSetting(name)).toBe(defaultValue);
      fakeVscode.layers[name] = { workspaceValue: value };
      expect(getSetting(name)).toBe(defaultValue);
      fakeVscode.layers[name] = { globalValue: value };
      expect(getSetting(name)).toBe(value);
      fakeVscode.layers[name] = { globalValue: ['wrong'] };
      expect(getSetting(name)).toBe(defaultValue);
    },
  );

  test('returns an allowed workspace value if the value has the type of the default', () => {
    const name = 'inferenceService.image.folder';
    fakeVscode.layers[name] = { globalValue: 'own', workspaceValue: 'shared' };
    expect(getWorkspaceSetting(name)).toBe('shared');
    fakeVscode.layers[name] = { workspaceValue: 7 };
    expect(getWorkspaceSetting(name)).toBe('images');
  });

  test.each<[string, string, SettingLayers, boolean]>([
    ['does not count', 'it has no value', {}, false],
    ['counts', 'only the user value is true', { globalValue: true, workspaceValue: false }, true],
    [
      'counts',
      'only the workspace value is true',
      { globalValue: false, workspaceValue: true },
      true,
    ],
    [
      'does not count',
      'its values are not booleans',
      { globalValue: 'true', workspaceValue: 1 },
      false,
    ],
  ])(
    '%s as enabled by the user or the workspace if %s',
    (_result, _condition, layers, isEnabled) => {
      fakeVscode.layers['inferenceService.privateModelsOnly'] = layers;
      expect(isEnabledInAnyScope('inferenceService.privateModelsOnly')).toBe(isEnabled);
    },
  );

  test('is written to the user scope', async () => {
    await setSetting('inferenceService.completion.enabled', undefined);
    expect(fakeVscode.updates).toEqual([['inferenceService.completion.enabled', undefined, 1]]);
  });

  test('has a TypeScript type that matches its default', () => {
    const values: [boolean, number, string, 'whenOffered' | 'off', unknown] = [
      checkType<'inferenceService.completion.enabled'>(true),
      checkType<'inferenceService.agent.maxCost'>(1),
      checkType<'inferenceService.baseUrl'>(''),
      checkType<'inferenceService.chat.encrypt'>('off'),
      checkType<'inferenceService.budget.daily'>({}),
    ];
    // @ts-expect-error A boolean setting rejects a string.
    expect(checkType<'inferenceService.completion.enabled'>('')).toBe('');
    // @ts-expect-error A workspace may change this setting, so it requires `getWorkspaceSetting`.
    expect(getSetting('inferenceService.chat.wrapCode')).toBe(false);
    expect(values).toHaveLength(5);
  });
});

/** Returns the value. A call does not compile if the value does not have the type of the setting. */
const checkType = <Name extends SettingName>(value: SettingValue<Name>): SettingValue<Name> =>
  value;

test('onDidChangeSettings notifies a listener once about a change that affects several sections', () => {
  const listener = vi.fn();
  const fireChange = (...sections: string[]): void =>
    fakeVscode.listener?.({ affectsConfiguration: (section) => sections.includes(section) });
  const subscription = onDidChangeSettings(['inferenceService.budget', 'http'], listener);
  fireChange('inferenceService.chat');
  expect(listener).not.toHaveBeenCalled();
  fireChange('inferenceService.budget', 'http');
  expect(listener).toHaveBeenCalledTimes(1);
  subscription.dispose();
});

describe('a choice stored by setChoice', () => {
  const name = 'inferenceService.completion.inComments';

  test('replaces the value of an undeclared setting, and calls the listeners of its section', async () => {
    fakeVscode.layers[name] = { globalValue: false };
    const state = new MemoryState();
    setChoiceState(state as never);
    const listener = vi.fn<() => void>();
    const subscription = onDidChangeSettings(['inferenceService.completion'], listener);
    expect(getSetting(name)).toBe(false);
    await setChoice(name, true);
    expect(getSetting(name)).toBe(true);
    expect(state.values).toEqual(new Map([['choice.completion.inComments', true]]));
    await setChoice('inferenceService.chat.sound', true);
    expect(listener).toHaveBeenCalledTimes(1);
    subscription.dispose();
  });

  test('replaces a number and an enumerated value', async () => {
    setChoiceState(new MemoryState() as never);
    await setChoice('inferenceService.image.gallerySize', 70);
    await setChoice('inferenceService.completion.route', 'chat');
    expect(getSetting('inferenceService.image.gallerySize')).toBe(70);
    expect(getSetting('inferenceService.completion.route')).toBe('chat');
  });

  test('has no effect if its type differs from the type of the default', () => {
    setChoiceState(new MemoryState([['choice.completion.inComments', 'no']]) as never);
    expect(getSetting(name)).toBe(true);
  });
});

class MemoryState {
  readonly values: Map<string, unknown>;

  constructor(entries: readonly (readonly [string, unknown])[] = []) {
    this.values = new Map(entries);
  }

  get(key: string): unknown {
    return this.values.get(key);
  }

  async update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }
}
