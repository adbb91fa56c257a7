import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Tool, ToolArguments, ToolContext, ToolPlan } from '../../src/agent/tool.ts';
import { ToolError, type ToolErrorCode } from '../../src/workspace/tool-error.ts';
import type {
  ChangeRecorder,
  FileChange,
  TurnRef,
} from '../../src/agent/changes/vscode/change-recorder.ts';
import { createEditTools } from '../../src/agent/tools/vscode/workspace-tools.ts';
import { TextDigests } from '../../src/workspace/vscode/file-text.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';

/**
 * Records all calls of the change recorder. Before a file changes, also records the first characters of its text, and
 * then calls `beforeChange`. Reads the text from the open document, or from disk if the file is not open.
 */
export class FakeRecorder implements ChangeRecorder {
  readonly recordedCalls: string[] = [];
  beforeChange: (uri: vscode.Uri) => unknown = () => {};
  readonly #getLabel: (uri: vscode.Uri) => string;

  constructor(getLabel: (uri: vscode.Uri) => string) {
    this.#getLabel = getLabel;
  }

  async recordBeforeChange(_: TurnRef, uri: vscode.Uri): Promise<void> {
    const document = vscode.workspace.textDocuments.find(
      (textDocument) => textDocument.uri.toString() === uri.toString(),
    );
    const text = document?.getText() ?? readTextOnDisk(uri.fsPath);
    this.recordedCalls.push(`before ${this.#getLabel(uri)}: ${JSON.stringify(text?.slice(0, 40))}`);
    await this.beforeChange(uri);
  }

  async recordAfterChange(_: TurnRef, change: FileChange): Promise<void> {
    this.recordedCalls.push(
      change.type === 'rename'
        ? `rename ${this.#getLabel(change.from)} → ${this.#getLabel(change.to)}`
        : `${change.type} ${this.#getLabel(change.uri)}`,
    );
  }
}

function readTextOnDisk(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Workspace folder with files to change, and the tools that change them. Dispose with `await using`. */
export class EditsFixture implements AsyncDisposable {
  readonly root: string;
  readonly versions = new TextDigests();
  readonly recorder: FakeRecorder;
  readonly #tools: readonly Tool[];
  #callCount = 0;

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (folder === undefined) throw new Error('No folder is open.');
    this.root = join(folder.uri.fsPath, `edits-${fixtureCount++}`);
    mkdirSync(this.root);
    for (const [path, content] of Object.entries(files)) this.writeFile(path, content);
    this.recorder = new FakeRecorder((uri) => uri.fsPath.slice(this.root.length + 1));
    this.#tools = createEditTools({
      paths: new WorkspacePaths({
        folders: () => vscode.workspace.workspaceFolders ?? [],
        isTrusted: () => true,
        forbiddenFolders: [],
      }),
      versions: this.versions,
      changes: this.recorder,
    });
  }

  getAbsolutePath(path: string): string {
    return join(this.root, path);
  }

  getUri(path: string): vscode.Uri {
    return vscode.Uri.file(this.getAbsolutePath(path));
  }

  writeFile(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.getAbsolutePath(path)), { recursive: true });
    writeFileSync(this.getAbsolutePath(path), content);
  }

  readFile(path: string): string {
    return readFileSync(this.getAbsolutePath(path), 'utf8');
  }

  readBytes(path: string): Buffer {
    return readFileSync(this.getAbsolutePath(path));
  }

  /**
   * Plans and runs a tool call as the agent does.
   * @param duringApproval called after planning and before running
   */
  async callTool(
    name: string,
    args: ToolArguments,
    duringApproval?: () => unknown,
  ): Promise<string> {
    const context = this.#createContext();
    await this.#findTool(name).plan(args, context);
    await duringApproval?.();
    return (await this.#findTool(name).run(args, context)).output;
  }

  planCall(name: string, args: ToolArguments): Promise<ToolPlan> {
    return this.#findTool(name).plan(args, this.#createContext());
  }

  /** Calls `edit_file` with one search/replace block per pair of old and new text. */
  editFile(
    path: string,
    pairs: readonly (readonly [search: string, replace: string])[],
    duringApproval?: () => unknown,
  ): Promise<string> {
    return this.callTool('edit_file', this.createEditArguments(path, pairs), duringApproval);
  }

  createEditArguments(
    path: string,
    pairs: readonly (readonly [search: string, replace: string])[],
  ): ToolArguments {
    const edits = pairs.map(([search, replace]) => ({ search, replace }));
    return { path: this.getAbsolutePath(path), edits };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      if (!document.isDirty || !document.uri.fsPath.startsWith(this.root)) continue;
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(this.root, { recursive: true, force: true });
  }

  #findTool(name: string): Tool {
    const tool = this.#tools.find((tool) => tool.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
  }

  #createContext(): ToolContext {
    return {
      conversationId: 'c1',
      turnId: 't1',
      messageId: 'm1',
      callId: `call-${++this.#callCount}`,
      signal: new AbortController().signal,
      supportsVision: false,
    };
  }
}

let fixtureCount = 0;

/** Checks that the promise rejects with a tool error of this kind. Returns the message of the error. */
export async function expectToolError(
  code: ToolErrorCode,
  promise: Promise<unknown>,
): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ToolError, `not refused: ${String(error)}`);
  assert.equal(error.code, code, error.message);
  return error.message;
}

/** Changes the text of a document without saving it. */
export async function typeInto(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}
