import * as vscode from 'vscode';

/** The editor a person means. The chat may hold the focus, and an output panel counts as an editor too. */
export function shownEditor(): vscode.TextEditor | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  return editors.find((editor) => editor !== undefined && editor.document.uri.scheme !== 'output');
}
