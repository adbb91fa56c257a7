import * as vscode from 'vscode';
import type manifest from '../../package.json';
import type { Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';

/**
 * Allowed values of settings with a fixed list of values. Repeated here, because the types that TypeScript derives from
 * the manifest are too wide. A test compares these values with the manifest.
 */
export const settingValues = {
  'inferenceService.network.transport': ['direct', 'editor'],
  'inferenceService.chat.encrypt': ['whenOffered', 'off'],
  'inferenceService.agent.permissions': ['ask', 'applyEdits', 'runCommands'],
  'inferenceService.completion.frequency': ['eager', 'balanced', 'economical'],
  'inferenceService.completion.route': ['auto', 'chat', 'completions'],
  'inferenceService.wallet.x402Headers': ['v2', 'compatible'],
} as const;

/**
 * Settings that a workspace may change: appearance, the image folder inside the workspace, and
 * restrictions of the user's permissions. Settings that determine the receiver of a key or run
 * programs must not be added. All other settings have the scope `application`.
 */
export const workspaceSettings = [
  'inferenceService.chat.wrapCode',
  'inferenceService.image.folder',
  'inferenceService.privateModelsOnly',
] as const;

/**
 * Defaults of settings that the manifest does not declare, because few users need them. The user can still set them in
 * `settings.json`. {@link setChoice} stores values in the extension state, because VS Code's API cannot write
 * undeclared settings.
 */
const undeclaredDefaults = {
  'inferenceService.agent.maxRequests': 25,
  'inferenceService.agent.maxTokens': 2_000_000,
  'inferenceService.agent.maxToolCalls': 100,
  'inferenceService.chat.fallbackMaxPrice': 0,
  'inferenceService.chat.notify': true,
  'inferenceService.chat.sound': false,
  'inferenceService.completion.automatic': true,
  'inferenceService.completion.inComments': true,
  'inferenceService.completion.modelNextEdit': false,
  'inferenceService.completion.nextEdit': true,
  'inferenceService.completion.prefetch': true,
  'inferenceService.completion.respectGitignore': true,
  'inferenceService.completion.route': 'auto',
  'inferenceService.image.gallerySize': 500,
  'inferenceService.wallet.topUpCeiling': 20,
};

type ManifestProperties = (typeof manifest)['contributes']['configuration'][number]['properties'];
type UndeclaredProperties = {
  readonly [Name in keyof typeof undeclaredDefaults]: {
    readonly default: (typeof undeclaredDefaults)[Name];
  };
};
type SettingProperties = ManifestProperties & UndeclaredProperties;
type DeclaredSetting = Exclude<keyof SettingProperties, keyof UndeclaredProperties>;

/** Full name of a setting of the extension, such as `inferenceService.privateModelsOnly`. */
export type SettingName = keyof SettingProperties;
type WorkspaceSetting = (typeof workspaceSettings)[number];
export type UserSetting = Exclude<SettingName, WorkspaceSetting>;

type DefaultOf<Name extends SettingName> = NonNullable<SettingProperties[Name]>['default'];

/**
 * Value type of a setting, derived from its default. The type is `unknown` for objects and nullable
 * amounts, which callers must decode.
 */
export type SettingValue<Name extends SettingName> = Name extends keyof typeof settingValues
  ? (typeof settingValues)[Name][number]
  : DefaultOf<Name> extends boolean | number | string
    ? DefaultOf<Name>
    : unknown;

/** Name of a setting, or a prefix of the name that ends before a dot: for `a.b.c`, also `a` and `a.b`. */
type SectionOf<Name, Before extends string = ''> = Name extends `${infer Head}.${infer Rest}`
  ? `${Before}${Head}` | SectionOf<Rest, `${Before}${Head}.`>
  : `${Before}${Name & string}`;

/** Returns the user's value of a rarely needed setting that the manifest does not declare. Ignores workspace values. */
export const getUndeclaredSetting = (name: `inferenceService.${string}`): unknown =>
  vscode.workspace.getConfiguration().inspect(name)?.globalValue;

/**
 * Returns the user's value of a setting, or the default if the user has set no value. Ignores workspace and folder
 * values, because a repository must not decide where a key is sent. Ignores a value whose type differs from the type of
 * the default.
 */
export function getSetting<Name extends UserSetting>(name: Name): SettingValue<Name> {
  const inspection = vscode.workspace.getConfiguration().inspect(name);
  return getValidSettingOrDefault(
    name,
    readChoice(name) ?? inspection?.globalValue,
    getUndeclaredDefault(name) ?? inspection?.defaultValue,
  );
}

/**
 * Returns the value of a setting that a workspace can change. `scope` selects the folder, because each workspace folder
 * can have a different value.
 */
export function getWorkspaceSetting<Name extends WorkspaceSetting>(
  name: Name,
  scope?: vscode.ConfigurationScope,
): SettingValue<Name> {
  const configuration = vscode.workspace.getConfiguration(undefined, scope);
  return getValidSettingOrDefault(name, configuration.get(name), getSettingDefault(name));
}

/**
 * Checks whether the user or the workspace enabled a setting. The user cannot disable a setting that the workspace
 * enabled, and the workspace cannot disable a setting that the user enabled.
 */
export function isEnabledInAnyScope(name: 'inferenceService.privateModelsOnly'): boolean {
  const inspection = vscode.workspace.getConfiguration().inspect(name);
  return [inspection?.globalValue, inspection?.workspaceValue].includes(true);
}

/** Returns the default of a setting. */
export const getSettingDefault = (name: SettingName): unknown =>
  getUndeclaredDefault(name) ?? vscode.workspace.getConfiguration().inspect(name)?.defaultValue;

const getUndeclaredDefault = (name: string): unknown =>
  Object.hasOwn(undeclaredDefaults, name)
    ? undeclaredDefaults[name as keyof UndeclaredProperties]
    : undefined;

/**
 * Writes a value to the user settings, which apply to every workspace. `undefined` removes the value, which restores
 * the default.
 */
export const setSetting = <Name extends DeclaredSetting>(
  name: Name,
  value: SettingValue<Name> | undefined,
): Promise<void> => setUserSetting(name, value);

/** Extension state that stores the values of {@link setChoice}. Undefined until the extension is activated. */
let choiceState: vscode.Memento | undefined;
const onDidChooseEmitter = new Emitter<string>();
const getChoiceKey = (name: string): string => `choice.${name.replace('inferenceService.', '')}`;

/** Sets the extension state that stores the values of {@link setChoice}. */
export function setChoiceState(state: vscode.Memento): void {
  choiceState = state;
}

/**
 * Stores a value that the user chose in the extension's UI for an undeclared setting. This value takes precedence over
 * the value in the user settings.
 */
export async function setChoice<Name extends keyof UndeclaredProperties>(
  name: Name,
  value: SettingValue<Name>,
): Promise<void> {
  await choiceState?.update(getChoiceKey(name), value);
  onDidChooseEmitter.fire(name);
}

const readChoice = (name: string): unknown =>
  Object.hasOwn(undeclaredDefaults, name) ? choiceState?.get(getChoiceKey(name)) : undefined;

/**
 * Calls `listener` when a setting in `sections` changes. A section is a setting or a prefix such as
 * `inferenceService.completion`.
 */
export const onDidChangeSettings = (
  sections: readonly (SectionOf<SettingName> | VsCodeSetting)[],
  listener: () => unknown,
): Disposable => {
  const configurationSubscription = vscode.workspace.onDidChangeConfiguration((event) => {
    if (sections.some((section) => event.affectsConfiguration(section))) listener();
  });
  const choiceSubscription = onDidChooseEmitter.event((name) => {
    if (sections.some((section) => name === section || name.startsWith(`${section}.`))) listener();
  });
  return {
    dispose: () => {
      configurationSubscription.dispose();
      choiceSubscription.dispose();
    },
  };
};

/** Name of a VS Code setting that the extension reads or writes. */
export type VsCodeSetting =
  | 'http'
  | `${'chat' | 'editor' | 'files' | 'http' | 'terminal'}.${string}`;

/**
 * Returns the user's value of a VS Code setting, else its default. The value is not validated.
 * Ignores workspace values, because a workspace must not configure a proxy.
 */
export function getVsCodeSetting(name: VsCodeSetting): unknown {
  const inspection = vscode.workspace.getConfiguration().inspect(name);
  return inspection?.globalValue ?? inspection?.defaultValue;
}

export const setVsCodeSetting = (name: VsCodeSetting, value: unknown): Promise<void> =>
  setUserSetting(name, value);

async function setUserSetting(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration().update(name, value, target);
}

function getValidSettingOrDefault<Name extends SettingName>(
  name: Name,
  value: unknown,
  defaultValue: unknown,
): SettingValue<Name> {
  return (
    isValidSettingValue(name, value, defaultValue) ? value : defaultValue
  ) as SettingValue<Name>;
}

/** Checks whether a value from a settings file is allowed for the setting. Returns false for `undefined` and `null`. */
function isValidSettingValue(name: SettingName, value: unknown, defaultValue: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Object.hasOwn(settingValues, name))
    return Object.values(settingValues[name as keyof typeof settingValues]).includes(
      value as never,
    );
  if (typeof defaultValue === 'number') return Number.isFinite(value);
  return typeof defaultValue === 'object' || typeof value === typeof defaultValue;
}
