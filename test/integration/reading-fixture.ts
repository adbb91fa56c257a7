import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../src/agent/tool.ts';
import type { FileVersions } from '../../src/workspace/vscode/file-text.ts';
import { type PathResolver, WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import { createReadTools } from '../../src/agent/tools/vscode/workspace-tools.ts';

/** Records the last text of each file that a tool has read. */
export class RecordedTexts implements FileVersions {
  readonly texts = new Map<string, string>();

  recordText(_: string, uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
  }

  hasChanged(): boolean {
    return false;
  }

  removeConversation(): void {}
}

/** Folder in the open workspace with files to read, and the tools that read them. Dispose with `using`. */
export class ReadingFixture implements Disposable {
  /** Root of the workspace. The tests write their files below its subfolder `reading`. */
  readonly root: vscode.Uri;
  readonly versions = new RecordedTexts();
  readonly logLines: string[] = [];
  readonly #tools: readonly Tool[];
  #callCount = 0;

  constructor({
    files = {},
    hasRipgrep = true,
    paths,
  }: {
    /** File contents by path relative to `reading`. */
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    readonly hasRipgrep?: boolean;
    readonly paths?: PathResolver;
  } = {}) {
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (folder === undefined) throw new Error('No folder is open.');
    this.root = folder.uri;
    for (const [path, content] of Object.entries(files)) this.writeFile(path, content);
    const log = (line: string): void => void this.logLines.push(line);
    this.#tools = createReadTools({
      paths: paths ?? createWorkspacePaths(),
      versions: this.versions,
      log: { info: log, warn: log },
      ...(!hasRipgrep && { getRipgrepPath: async () => undefined }),
    });
  }

  /** Returns the absolute path of a file in the fixture's folder. */
  getAbsolutePath(path: string): string {
    return join(this.root.fsPath, 'reading', path);
  }

  getUri(path: string): vscode.Uri {
    return vscode.Uri.file(this.getAbsolutePath(path));
  }

  writeFile(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.getAbsolutePath(path)), { recursive: true });
    writeFileSync(this.getAbsolutePath(path), content);
  }

  findTool(name: string): Tool {
    const tool = this.#tools.find((tool) => tool.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
  }

  /** Plans and runs a tool call as the agent does. */
  async callTool(
    name: string,
    args: ToolArguments = {},
    context: Partial<ToolContext> = {},
  ): Promise<ToolResult> {
    const fullContext: ToolContext = {
      conversationId: 'c1',
      turnId: 't1',
      messageId: 'm1',
      callId: `call-${++this.#callCount}`,
      signal: new AbortController().signal,
      supportsVision: true,
      ...context,
    };
    await this.findTool(name).plan(args, fullContext);
    return this.findTool(name).run(args, fullContext);
  }

  /** Plans and runs a tool call. Returns the output for the model. */
  async readOutput(
    name: string,
    args: ToolArguments = {},
    context: Partial<ToolContext> = {},
  ): Promise<string> {
    return (await this.callTool(name, args, context)).output;
  }

  [Symbol.dispose](): void {
    rmSync(join(this.root.fsPath, 'reading'), { recursive: true, force: true });
  }
}

/** Changes a document without saving it. Disposal reverts the document. */
export async function openWithUnsavedText(uri: vscode.Uri, text: string): Promise<AsyncDisposable> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  await vscode.workspace.applyEdit(edit);
  return {
    async [Symbol.asyncDispose]() {
      await revertAllDocuments();
      await vscode.window.showTextDocument(uri);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    },
  };
}

/**
 * Reverts all unsaved documents. Resolves when there are none. Repeats the command, because VS Code opens an editor for
 * an unsaved document with a delay. Gets the document objects again each time, because the object of a closed document
 * always reports that it is saved.
 */
export async function revertAllDocuments(): Promise<void> {
  for (;;) {
    const unsavedDocument = vscode.workspace.textDocuments.find(({ isDirty }) => isDirty);
    if (unsavedDocument === undefined) return;
    await vscode.window.showTextDocument(unsavedDocument);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function createWorkspacePaths(): WorkspacePaths {
  return new WorkspacePaths({
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => true,
    forbiddenFolders: [],
  });
}
