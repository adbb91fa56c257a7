import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/** Stands for the folder or workspace of this window, also as the name of a file: what belongs to one is not in another. */
export function workspaceName(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const place = (workspaceFile ?? workspaceFolders[0]?.uri)?.toString() ?? '';
  return createHash('sha256').update(place).digest('hex').slice(0, 32);
}

/** The editor a person means. The chat may hold the focus, and an output panel counts as an editor too. */
export function shownEditor(): vscode.TextEditor | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((editor) => editor !== undefined && editor.document.uri.scheme !== 'output');
}
