import * as vscode from 'vscode';
import type manifest from '../../package.json';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { CommandId } from './command-ids.ts';
import type { Log } from './log.ts';
import { showError } from './notifications.ts';

/** An entry of the command table. `Parts` is the type of the handlers' first argument. */
export interface Command<Parts> {
  /**
   * Condition under which the Command Palette lists the command, as in the manifest. Default: always; `false`: never.
   */
  readonly when?: string;
  /**
   * Loads the module of the command and runs it. Arguments come from menus, keybindings and other extensions, so they are
   * unknown.
   */
  readonly run: (parts: Parts, ...args: unknown[]) => unknown;
}

/** Table with one entry per command of the manifest. */
export type CommandTable<Parts> = Readonly<Record<CommandId, Command<Parts>>>;

/**
 * Registers every command of the manifest.
 * @param load Loads the command table. Called when a command runs.
 */
export function registerCommands<Parts>(
  { context, log }: { readonly context: vscode.ExtensionContext; readonly log: Log },
  parts: Parts,
  load: () => Promise<CommandTable<Parts>>,
): Disposable {
  const disposables = new DisposableStore();
  const { contributes } = context.extension.packageJSON as typeof manifest;
  for (const { command } of contributes.commands) {
    // A test compares the table with the manifest.
    const id = command as CommandId;
    try {
      disposables.add(
        registerCommand(id, log, async (...args) => (await load())[id].run(parts, ...args)),
      );
    } catch (error) {
      // Another extension has registered this id. The other commands still work.
      log.error(`${id} could not be registered`, error);
    }
  }
  return disposables;
}

/**
 * Registers one command. Logs a failure of its handler and shows it to the user. Commands of the manifest are registered
 * by {@link registerCommands}; this function is for commands that only the extension itself runs.
 */
export function registerCommand(
  id: `inferenceService.${string}`,
  log: Log,
  run: (...args: unknown[]) => unknown,
): Disposable {
  return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await run(...args);
    } catch (error) {
      log.error(`${id} failed`, error);
      void showError(vscode.l10n.t('{0} could not finish. See the log for details.', id));
      return undefined;
    }
  });
}

/** Sets the context keys of the manifest's `when` clauses. Calls VS Code only when a value changes. */
export class ContextKeys {
  readonly #values = new Map<string, boolean>();

  /** @param name Without the prefix `inferenceService`. */
  set(name: string, value: boolean): void {
    if (this.#values.get(name) === value) return;
    this.#values.set(name, value);
    void vscode.commands.executeCommand('setContext', `inferenceService.${name}`, value);
  }
}
