import * as vscode from 'vscode';
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
let shownAnswerCount = 0;

/**
 * Opens an answer as a read-only document that exists only in memory, so that closing it asks for no file name. The
 * file that the answer is for stays visible.
 */
async function showAnswer(answer: string): Promise<void> {
  shownAnswerCount += 1;
  const query = String(shownAnswerCount);
  const uri = vscode.Uri.from({ scheme: answerScheme, path: '/answer.md', query });
  const provider = vscode.workspace.registerTextDocumentContentProvider(answerScheme, {
    provideTextDocumentContent: (requested) => (requested.query === query ? answer : undefined),
  });
  const closing = vscode.workspace.onDidCloseTextDocument((closed) => {
    if (closed.uri.toString() !== uri.toString()) return;
    provider.dispose();
    closing.dispose();
  });
  const document = await vscode.workspace.openTextDocument(uri);
  const scheme = vscode.window.activeTextEditor?.document.uri.scheme;
  const isFileActive = scheme !== undefined && scheme !== answerScheme;
  const viewColumn = isFileActive ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.window.showTextDocument(document, { preview: true, viewColumn });
}
