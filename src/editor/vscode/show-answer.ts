import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { createId } from '../../base/ids.ts';
import type { Action } from '../../platform/notifications.ts';

/**
 * Returns the button that opens a model's answer. Empty if the answer is blank.
 * @param onShown Called after the answer is visible.
 */
export const createAnswerActions = (answer: string, onShown?: () => unknown): readonly Action[] =>
  answer.trim() === ''
    ? []
    : [
        {
          label: vscode.l10n.t('Show Answer'),
          run: async () => {
            await showAnswer(answer);
            await onShown?.();
          },
        },
      ];

const answerScheme = 'inference-service-answer';

/**
 * Opens an answer as a read-only document that exists only in memory, so that closing it asks for no file name. The
 * file that the answer is for stays visible. The document is plain text, because links in Markdown can run commands.
 */
async function showAnswer(answer: string): Promise<void> {
  const query = createId();
  const uri = vscode.Uri.from({ scheme: answerScheme, path: '/answer.txt', query });
  const { text } = stripHiddenCharacters(answer);
  const registration = vscode.workspace.registerTextDocumentContentProvider(answerScheme, {
    provideTextDocumentContent: (requestedUri) => (requestedUri.query === query ? text : undefined),
  });
  try {
    // The user's settings can assign another language to `.txt`.
    const document = await vscode.languages.setTextDocumentLanguage(
      await vscode.workspace.openTextDocument(uri),
      'plaintext',
    );
    const scheme = vscode.window.activeTextEditor?.document.uri.scheme;
    const isFileActive = scheme !== undefined && scheme !== answerScheme;
    const viewColumn = isFileActive ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    await vscode.window.showTextDocument(document, { preview: true, viewColumn });
  } finally {
    // The open document retains its text.
    registration.dispose();
  }
}
