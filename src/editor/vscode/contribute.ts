import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Contributed } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { editorCommands } from './editor-commands.ts';

/** Code actions, edits in place and commit messages. All they need is loaded on first use. */
export function contributeEditor(
  host: Host,
  _images: Images,
  suggestions: InlineSuggestions,
): Contributed {
  const owned = new DisposableStore();
  const runtime = new Lazy(async () => {
    const { EditorRuntime } = await import('./editor-runtime.ts');
    return owned.add(new EditorRuntime(host));
  });
  for (const id of editorCommands)
    owned.add(
      registerCommand(id, host.log, async (...args) => (await runtime.get()).run(id, args)),
    );
  owned.add(
    vscode.languages.registerCodeActionsProvider(
      { pattern: '**' },
      {
        provideCodeActions: async (document, range, context) => {
          if (!vscode.workspace.isTrusted || !suggestions.isSignedIn) return [];
          const { codeActions } = await import('./code-actions.ts');
          return codeActions(document, range, context);
        },
      },
    ),
  );
  return { dispose: () => owned.dispose() };
}
