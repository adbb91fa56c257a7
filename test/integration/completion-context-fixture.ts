import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import type { ContextSnippet } from '../../src/completion/ports.ts';
import { DocumentContext } from '../../src/completion/context/vscode/document-context.ts';
import { FileRules } from '../../src/completion/context/vscode/file-rules.ts';
import { takeSnapshot } from '../../src/completion/vscode/take-snapshot.ts';
import { timeLimits } from '../support/time-limits.ts';

type FileTree = Readonly<Record<string, string>>;

/**
 * Folder of a test in the open workspace, with the rules that exclude files from suggestions, and with the context that
 * the other files provide for suggestions. Dispose with `await using`.
 */
export class CompletionContextFixture implements AsyncDisposable {
  /** Root of the workspace. Tests create their files in its subfolder `completion`. */
  readonly root: vscode.Uri;
  readonly rules: FileRules;
  readonly context: DocumentContext;
  readonly logLines: string[] = [];

  constructor(files: FileTree = {}, rules = new FileRules({ clock: systemClock })) {
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (folder === undefined) throw new Error('No folder is open.');
    this.root = folder.uri;
    for (const [path, text] of Object.entries(files)) this.writeFile(path, text);
    this.rules = rules;
    const writeLog = (line: string): void => void this.logLines.push(line);
    this.context = new DocumentContext({ rules, clock: systemClock, log: writeLog });
  }

  /** Returns the absolute path of a file in the fixture's folder. */
  getAbsolutePath(path: string): string {
    return join(this.root.fsPath, 'completion', path);
  }

  getUri(path: string): vscode.Uri {
    return vscode.Uri.file(this.getAbsolutePath(path));
  }

  writeFile(path: string, text: string): void {
    mkdirSync(dirname(this.getAbsolutePath(path)), { recursive: true });
    writeFileSync(this.getAbsolutePath(path), text);
  }

  /** Opens the file in its own tab. */
  async openFile(path: string): Promise<vscode.TextEditor> {
    return showDocument(await vscode.workspace.openTextDocument(this.getUri(path)));
  }

  /**
   * Returns the context snippets for a cursor at the end of the document. Excludes snippets that are not loaded yet.
   */
  listSnippets(document: vscode.TextDocument): readonly ContextSnippet[] {
    const end = document.lineAt(document.lineCount - 1).range.end;
    return this.context.readContext(takeSnapshot(document, end, {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.context.dispose();
    this.rules.dispose();
    await closeAllTabs();
    rmSync(this.getAbsolutePath(''), { recursive: true, force: true });
  }
}

export const showDocument = (document: vscode.TextDocument): Thenable<vscode.TextEditor> =>
  vscode.window.showTextDocument(document, { preview: false });

/** Inserts text at the end of a document, as typing does. */
export async function appendText(document: vscode.TextDocument, text: string): Promise<void> {
  // VS Code rejects an edit of a document that it has just reread from disk.
  for (let attempt = 0; attempt < timeLimits.condition / 100; attempt += 1) {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, text);
    if (await vscode.workspace.applyEdit(edit)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The edit was not taken.');
}

/** Changes a workspace setting. Disposal restores the previous value. */
export async function changeSetting(
  section: string,
  name: string,
  value: unknown,
): Promise<AsyncDisposable> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration(section).update(name, value, target);
  return {
    async [Symbol.asyncDispose]() {
      await vscode.workspace.getConfiguration(section).update(name, undefined, target);
    },
  };
}

/** Closes every tab and discards unsaved changes. */
async function closeAllTabs(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty || document.isClosed) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}
