import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Contributed } from '../../platform/contribution.ts';

/** The commands of this part. The chat has those that ask it. */
export const editorCommands = [
  'inferenceService.editInline',
  'inferenceService.fix',
  'inferenceService.document',
  'inferenceService.inlineEdit.accept',
  'inferenceService.inlineEdit.reject',
  'inferenceService.inlineEdit.retry',
  'inferenceService.inlineEdit.stop',
  'inferenceService.generateCommitMessage',
  'inferenceService.stopCommitMessage',
  'inferenceService.forgetExtensionAccess',
] as const;

export type EditorCommand = (typeof editorCommands)[number];

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
