import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Returns the id of the folder or workspace that is open in this window: 32 hexadecimal digits, safe in a file name.
 */
export function getWorkspaceId(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const uri = (workspaceFile ?? workspaceFolders[0]?.uri)?.toString() ?? '';
  return createHash('sha256').update(uri).digest('hex').slice(0, 32);
}

/**
 * Returns the active text editor, or a visible text editor if none is active, for example while the chat has the focus.
 * Ignores output panels.
 */
export function findActiveOrVisibleEditor(): vscode.TextEditor | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((editor) => editor !== undefined && editor.document.uri.scheme !== 'output');
}

export const createRefreshButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: vscode.l10n.t('Refresh'),
});
