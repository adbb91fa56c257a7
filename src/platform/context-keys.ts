import * as vscode from 'vscode';

/** Tells the editor what the manifest's `when` clauses ask for; each only when it has changed. */
export class ContextKeys {
  readonly #told = new Map<string, boolean>();

  /** `name` without the extension's own in front. */
  set(name: string, value: boolean): void {
    if (this.#told.get(name) === value) return;
    this.#told.set(name, value);
    void vscode.commands.executeCommand('setContext', `inferenceService.${name}`, value);
  }
}
