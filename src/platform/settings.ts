import * as vscode from 'vscode';
import type manifest from '../../package.json';
import type { Disposable } from '../base/disposable.ts';

/** Settings with a closed set of values. A test compares these with the manifest, whose types are too wide. */
export const settingValues = {
  'inferenceService.network.transport': ['direct', 'editor'],
  'inferenceService.chat.encrypt': ['whenOffered', 'off'],
  'inferenceService.completion.route': ['chat', 'completions'],
  'inferenceService.wallet.x402Headers': ['v2', 'compatible'],
} as const;

/**
 * Settings that a workspace may change: how things look, where in it images go, and what only narrows what the user allows.
 * Never where a key goes or what runs. Every other setting has the scope `application`.
 */
export const workspaceSettings = [
  'inferenceService.chat.wrapCode',
  'inferenceService.image.folder',
  'inferenceService.privateModelsOnly',
] as const;

type Properties = (typeof manifest)['contributes']['configuration'][number]['properties'];

/** A setting of the manifest. */
export type SettingName = keyof Properties;
type WorkspaceSetting = (typeof workspaceSettings)[number];
export type UserSetting = Exclude<SettingName, WorkspaceSetting>;

type DefaultOf<Name extends SettingName> = NonNullable<Properties[Name]>['default'];

/** Type of a setting: that of its default. Objects and amounts that can be `null` are decoded by their reader. */
export type SettingValue<Name extends SettingName> = Name extends keyof typeof settingValues
  ? (typeof settingValues)[Name][number]
  : DefaultOf<Name> extends boolean | number | string
    ? DefaultOf<Name>
    : unknown;

/** A setting, or the beginning of some: `a.b.c` → `a`, `a.b` and `a.b.c`. */
type SectionOf<Name, Before extends string = ''> = Name extends `${infer Head}.${infer Rest}`
  ? `${Before}${Head}` | SectionOf<Rest, `${Before}${Head}.`>
  : `${Before}${Name & string}`;

/**
 * Returns a setting of the user, else its default. Workspace and folder values are never read: a repository must not decide
 * where a key goes. A value of another type than the default's counts as the default.
 */
export function setting<Name extends UserSetting>(name: Name): SettingValue<Name> {
  const found = vscode.workspace.getConfiguration().inspect(name);
  return checked(name, found?.globalValue, found?.defaultValue);
}

/** Returns a setting that the workspace may change, for `scope` if the setting has a value for each folder. */
export function workspaceSetting<Name extends WorkspaceSetting>(
  name: Name,
  scope?: vscode.ConfigurationScope,
): SettingValue<Name> {
  const configuration = vscode.workspace.getConfiguration(undefined, scope);
  return checked(name, configuration.get(name), settingDefault(name));
}

/** Checks whether the user or the workspace turned a switch on. Neither can undo the other. */
export function isOnAnywhere(name: 'inferenceService.privateModelsOnly'): boolean {
  const found = vscode.workspace.getConfiguration().inspect(name);
  return [found?.globalValue, found?.workspaceValue].includes(true);
}

/** Returns the default of a setting, as the manifest has it. */
export const settingDefault = (name: SettingName): unknown =>
  vscode.workspace.getConfiguration().inspect(name)?.defaultValue;

/** Writes a setting for the user, in every workspace. `undefined` restores the default. */
export const setSetting = <Name extends SettingName>(
  name: Name,
  value: SettingValue<Name> | undefined,
): Promise<void> => setForUser(name, value);

/** Calls `listener` when one of the settings changes, or one that begins with it: `inferenceService.completion`. */
export const onDidChangeSettings = (
  sections: readonly (SectionOf<SettingName> | VsCodeSetting)[],
  listener: () => unknown,
): Disposable =>
  vscode.workspace.onDidChangeConfiguration((event) => {
    if (sections.some((section) => event.affectsConfiguration(section))) listener();
  });

/** A setting of VS Code itself that the extension reads or writes for the user. */
export type VsCodeSetting = 'http' | `${'chat' | 'editor' | 'files' | 'http'}.${string}`;

/** Returns a setting of VS Code as the user typed it, unchecked, else its default. A workspace must not put a proxy in. */
export function vsCodeSetting(name: VsCodeSetting): unknown {
  const found = vscode.workspace.getConfiguration().inspect(name);
  return found?.globalValue ?? found?.defaultValue;
}

export const setVsCodeSetting = (name: VsCodeSetting, value: unknown): Promise<void> =>
  setForUser(name, value);

async function setForUser(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration().update(name, value, target);
}

function checked<Name extends SettingName>(
  name: Name,
  value: unknown,
  byDefault: unknown,
): SettingValue<Name> {
  return (isValid(name, value, byDefault) ? value : byDefault) as SettingValue<Name>;
}

/** A settings file may hold anything. */
function isValid(name: SettingName, value: unknown, byDefault: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Object.hasOwn(settingValues, name))
    return Object.values(settingValues[name as keyof typeof settingValues]).includes(
      value as never,
    );
  if (typeof byDefault === 'number') return Number.isFinite(value);
  return typeof byDefault === 'object' || typeof value === typeof byDefault;
}
