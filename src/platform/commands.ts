import { stripEllipsis } from '../base/amounts.ts';
import * as vscode from 'vscode';
import type manifest from '../../package.json';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { isRecord } from '../base/json.ts';
import type { CommandId } from './command-ids.ts';
import type { Log } from './log.ts';
import { showError } from './notifications.ts';

/** Entry of the command table. `Context` is the type of the first argument of the handlers. */
export interface Command<Context> {
  /**
   * `when` clause for the Command Palette, as in the manifest. If absent, the Command Palette
   * always lists the command. The clause `false` hides the command.
   */
  readonly when?: string;
  /**
   * Loads the command's module and runs the command. The types of `args` are unknown, because the arguments come from
   * menus, keybindings and other extensions.
   */
  readonly run: (commandContext: Context, ...args: unknown[]) => unknown;
}

/** Command table with one entry per command of the manifest. */
export type CommandTable<Context> = Readonly<Record<CommandId, Command<Context>>>;

/**
 * Registers every command of the manifest.
 * @param load Loads the command table. Called at each run of a command.
 */
export function registerCommands<Context>(
  { context, log }: { readonly context: vscode.ExtensionContext; readonly log: Log },
  commandContext: Context,
  load: () => Promise<CommandTable<Context>>,
): Disposable {
  const disposables = new DisposableStore();
  const { contributes } = context.extension.packageJSON as typeof manifest;
  for (const { command, title } of contributes.commands) {
    // A test checks that the table and the manifest have the same commands.
    const id = command as CommandId;
    try {
      disposables.add(
        addCommand({ id, log, title: readTitle(title) }, async (...args) =>
          (await load())[id].run(commandContext, ...args),
        ),
      );
    } catch (error) {
      // Another extension owns this command id. The other commands are registered anyway.
      log.error(`Could not register ${id}`, error);
    }
  }
  return disposables;
}

/**
 * Registers a command that is not in the manifest, for use by the extension itself. Logs a failure
 * of the handler and shows it to the user.
 */
export function registerCommand(
  id: `inferenceService.${string}`,
  log: Log,
  run: (...args: unknown[]) => unknown,
): Disposable {
  return addCommand({ id, log, title: vscode.l10n.t('Inference Service') }, run);
}

/**
 * Returns a command's title in the display language. VS Code passes a translated title as an object that also contains
 * the original.
 */
function readTitle(title: unknown): string {
  const titleText = isRecord(title) ? title['value'] : title;
  return stripEllipsis(String(titleText));
}

function addCommand(
  { id, log, title }: { readonly id: string; readonly log: Log; readonly title: string },
  run: (...args: unknown[]) => unknown,
): Disposable {
  return vscode.commands.registerCommand(id, async (...args: unknown[]) => {
    try {
      return await run(...args);
    } catch (error) {
      log.error(`Could not run ${id}`, error);
      const reason = vscode.l10n.t('That did not work. See the log for details.');
      void showError(vscode.l10n.t('{0}: {1}', title, reason));
      return undefined;
    }
  });
}

/** Context keys for the `when` clauses of the manifest. Calls VS Code only if a value changes. */
export class ContextKeys {
  readonly #values = new Map<string, boolean>();

  /**
   * Sets a context key.
   * @param name Name without the prefix `inferenceService`.
   */
  set(name: string, value: boolean): void {
    if (this.#values.get(name) === value) return;
    this.#values.set(name, value);
    void vscode.commands.executeCommand('setContext', `inferenceService.${name}`, value);
  }
}
