import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/** Returns an id of this window's folder or workspace that is safe in a file name: 32 hexadecimal digits. */
export function workspaceId(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const uri = (workspaceFile ?? workspaceFolders[0]?.uri)?.toString() ?? '';
  return createHash('sha256').update(uri).digest('hex').slice(0, 32);
}

/** Returns the active text editor, else a visible one. The chat may have the focus; output panels are skipped. */
export function activeOrVisibleEditor(): vscode.TextEditor | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((editor) => editor !== undefined && editor.document.uri.scheme !== 'output');
}
