import * as vscode from 'vscode';
import { shownEditor } from '../../platform/window.ts';

/** Puts code where the cursor is, in place of the selection; one undo takes it back. */
export async function insertAtCursor(text: string): Promise<string | undefined> {
  const editor = shownEditor();
  if (editor === undefined) return vscode.l10n.t('Open a file to insert the code into.');
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!done) return vscode.l10n.t('The code could not be inserted: the file is read-only.');
  await vscode.window.showTextDocument(
    editor.document,
    editor.viewColumn ?? vscode.ViewColumn.Active,
  );
  return undefined;
}

/** Opens the code as an untitled file in the language that its fence names, where VS Code knows that language. */
export async function openAsNewFile(content: string, fence: string): Promise<void> {
  const known = await vscode.languages.getLanguages();
  const language = languageOfFence(fence, known);
  const document = await vscode.workspace.openTextDocument({
    content,
    ...(language === undefined ? {} : { language }),
  });
  await vscode.window.showTextDocument(document, { preview: false });
}

const aliases: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  cs: 'csharp',
  js: 'javascript',
  jsx: 'javascriptreact',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

function languageOfFence(fence: string, known: readonly string[]): string | undefined {
  const name = fence.toLowerCase();
  return [name, aliases[name]].find((each) => each !== undefined && known.includes(each));
}
