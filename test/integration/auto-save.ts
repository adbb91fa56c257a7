import { suiteSetup, suiteTeardown } from 'mocha';
import * as vscode from 'vscode';

/**
 * Turns off auto save during the current suite. In a browser, VS Code saves each document after a second, so tests of
 * unsaved text would depend on timing.
 */
export function disableAutoSave(): void {
  const update = (value: 'off' | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration('files')
      .update('autoSave', value, vscode.ConfigurationTarget.Global);
  suiteSetup(() => update('off'));
  suiteTeardown(() => update(undefined));
}
