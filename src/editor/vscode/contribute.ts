import * as vscode from 'vscode';
import type { Lazy } from '../../base/lazy.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { EditorRuntime } from './editor-runtime.ts';

/**
 * Registers the code actions. Disposing the result also stops all running edits and requests for commit messages.
 * @param session Sign-in state. Signed-out users get no code actions.
 */
export function contributeEditor(
  editor: Lazy<EditorRuntime>,
  session: { readonly isSignedIn: boolean },
): Contribution {
  const registration = vscode.languages.registerCodeActionsProvider(
    { pattern: '**' },
    {
      provideCodeActions: async (document, range, context) => {
        if (!vscode.workspace.isTrusted || !session.isSignedIn) return [];
        const { createCodeActions: createActions } = await import('./code-actions.ts');
        return createActions(document, range, context);
      },
    },
  );
  return {
    dispose: () => {
      registration.dispose();
      void editor.getIfCreated().then((runtime) => runtime?.dispose());
    },
  };
}
