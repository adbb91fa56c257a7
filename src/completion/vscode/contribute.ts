import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { commandIds, isCompletionCommand } from '../../platform/command-ids.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Contributed } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import type { InlineSuggestions } from './inline-suggestions.ts';

/** Inline suggestions: their commands, and the provider once they are on. All else is loaded with the first use. */
export function contributeCompletions(
  host: Host,
  _images: Images,
  suggestions: InlineSuggestions,
): Contributed {
  const owned = new DisposableStore();
  for (const id of commandIds.filter(isCompletionCommand)) {
    owned.add(
      registerCommand(id, host.log, async (...args) => {
        const { completionCommands } = await import('./completion-commands.ts');
        await completionCommands[id]({ host, suggestions }, args);
      }),
    );
  }
  owned.add(
    // Not in the manifest: the editor runs it after an item was accepted.
    vscode.commands.registerCommand('inferenceService.completion.accepted', (id: unknown) =>
      suggestions.runtime?.accepted(id),
    ),
  );
  suggestions.start();
  return { dispose: () => owned.dispose(), close: () => suggestions.close() };
}
