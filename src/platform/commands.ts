import * as vscode from 'vscode';
import type { CommandId } from './command-ids.ts';
import type { Log } from './log.ts';
import { tellError } from './notifications.ts';

/** Registers a command of the manifest. A failing handler is logged and told to the person, never lost. */
export function registerCommand(
  id: CommandId,
  log: Log,
  // Arguments come from menus, keybindings and other extensions: handlers read them as unknown.
  run: (...args: unknown[]) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await run(...args);
    } catch (error) {
      log.error(`${id} failed`, error);
      void tellError(vscode.l10n.t('{0} could not finish. See the log for details.', id));
      return undefined;
    }
  });
}

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
