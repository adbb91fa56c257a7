import { suiteSetup, suiteTeardown } from 'mocha';
import * as vscode from 'vscode';

/**
 * Turns off automatic saves during the current suite. In a browser, VS Code saves each document after a second. Tests
 * with unsaved text would then depend on timing.
 */
export function disableAutoSave(): void {
  const update = (value: 'off' | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration('files')
      .update('autoSave', value, vscode.ConfigurationTarget.Global);
  suiteSetup(() => update('off'));
  suiteTeardown(() => update(undefined));
}
