import * as vscode from 'vscode';

/**
 * A setting as the user typed it, unchecked, else its default. Workspace and folder values are never read, whatever the
 * setting's scope: a repository must not decide where a key goes.
 * @param name The full name, such as `inferenceService.baseUrl`.
 */
export function userSetting(name: string): unknown {
  const found = vscode.workspace.getConfiguration().inspect(name);
  return found?.globalValue ?? found?.defaultValue;
}

/** Writes a setting for the user, in every workspace. `undefined` restores the default. */
export async function setUserSetting(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration().update(name, value, target);
}
