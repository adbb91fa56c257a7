import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isRecord } from '../../src/base/json.ts';
import { encodeTurnRecords, type TurnRecord } from '../../src/agent/changes/turn-record.ts';
import { systemClock } from '../../src/base/clock.ts';
import { AgentChanges } from '../../src/agent/changes/vscode/agent-changes.ts';
import { hashBlob } from '../../src/agent/changes/vscode/checkpoint-files.ts';
import { type CommandContext, commands } from '../../src/commands.ts';
import type { TurnRef } from '../../src/agent/changes/vscode/change-recorder.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import type { ChangesView } from '../../src/agent/protocol.ts';
import { createLineLog } from './account-fixture.ts';

type ReviewCommandId = Extract<keyof typeof commands, `inferenceService.agent.${string}`>;

/** Workspace folder, and a change recorder that stores its data in a temporary folder. Dispose with `await using`. */
export class ReviewFixture implements AsyncDisposable {
  readonly turn: TurnRef = { conversationId: 'chat-1', turnId: 'turn-1' };
  readonly folder: vscode.Uri;
  readonly storageFolder = mkdtempSync(join(tmpdir(), 'inference-service-review-'));
  /** Folder on disk, outside of all workspace folders. */
  readonly outsideFolder = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-outside-')));
  readonly logLines: string[] = [];
  isTrusted = true;
  folders: readonly vscode.WorkspaceFolder[] = vscode.workspace.workspaceFolders ?? [];
  changes = this.#start();

  private constructor(folder: vscode.Uri) {
    this.folder = folder;
  }

  static async create(
    files: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<ReviewFixture> {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    if (root === undefined) throw new Error('No folder is open.');
    const folder = vscode.Uri.joinPath(root.uri, `review-${fixtureCount++}`);
    await mkdir(folder.fsPath);
    const fixture = new ReviewFixture(folder);
    for (const [name, content] of Object.entries(files)) await fixture.writeFile(name, content);
    return fixture;
  }

  getUri(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.folder, name);
  }

  writeFile(name: string, content: string | Uint8Array): Thenable<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return vscode.workspace.fs.writeFile(this.getUri(name), bytes);
  }

  /** Reads all files of the folder. Decodes bytes as Latin-1, so that texts are equal only if the bytes are equal. */
  readFiles(): Promise<Record<string, string>> {
    return readFolderContents(this.folder.fsPath);
  }

  readOutsideFiles(): Promise<Record<string, string>> {
    return readFolderContents(this.outsideFolder);
  }

  /**
   * Replaces the stored record of the turn's changes and the stored texts, as an attacker with access to the files
   * could. Then simulates a restart.
   */
  async writeJournal(records: readonly TurnRecord[], texts: readonly string[]): Promise<void> {
    const { conversationId, turnId } = this.turn;
    const folder = join(this.storageFolder, 'checkpoints', conversationId);
    await mkdir(join(folder, 'blobs'), { recursive: true });
    for (const text of texts) {
      await writeFile(join(folder, 'blobs', hashBlob(Buffer.from(text))), text);
    }
    const start = { type: 'turn-start', version: 1, turnId } as const;
    await writeFile(join(folder, `${turnId}.jsonl`), encodeTurnRecords([start, ...records]));
    await this.simulateRestart();
  }

  /** Edits the file in an open document and saves it, as the edit tool does. */
  async editFile(name: string, change: (text: string) => string, turn = this.turn): Promise<void> {
    const uri = this.getUri(name);
    await this.changes.turns.recordBeforeChange(turn, uri);
    await this.type(name, change);
    await (await vscode.workspace.openTextDocument(uri)).save();
    await this.changes.turns.recordAfterChange(turn, { type: 'edit', uri });
  }

  async create(name: string, content: string | Uint8Array, turn = this.turn): Promise<void> {
    const uri = this.getUri(name);
    await this.changes.turns.recordBeforeChange(turn, uri);
    await this.writeFile(name, content);
    await this.changes.turns.recordAfterChange(turn, { type: 'create', uri });
  }

  async deleteFile(name: string): Promise<void> {
    const uri = this.getUri(name);
    await this.changes.turns.recordBeforeChange(this.turn, uri);
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(uri, { recursive: true });
    await vscode.workspace.applyEdit(edit);
    await this.changes.turns.recordAfterChange(this.turn, { type: 'delete', uri });
  }

  async renameFile(from: string, to: string): Promise<void> {
    const [source, target] = [this.getUri(from), this.getUri(to)];
    await this.changes.turns.recordBeforeChange(this.turn, source);
    await this.changes.turns.recordBeforeChange(this.turn, target);
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(source, target, { overwrite: true });
    await vscode.workspace.applyEdit(edit);
    const change = { type: 'rename', from: source, to: target } as const;
    await this.changes.turns.recordAfterChange(this.turn, change);
  }

  /** Changes the text in an editor without saving. */
  async type(name: string, change: (text: string) => string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(this.getUri(name));
    const text = document.getText();
    const edit = new vscode.WorkspaceEdit();
    const documentRange = new vscode.Range(
      document.positionAt(0),
      document.positionAt(text.length),
    );
    edit.replace(document.uri, documentRange, change(text));
    await vscode.workspace.applyEdit(edit);
    return document;
  }

  async typeAndSave(name: string, change: (text: string) => string): Promise<void> {
    await (await this.type(name, change)).save();
  }

  decideTurn(decision: 'accept' | 'reject' | 'undo' | 'redo'): Promise<string | undefined> {
    return this.changes.decideChanges(this.turn.conversationId, this.turn.turnId, decision);
  }

  get view(): ChangesView | undefined {
    return this.changes.turns.createChangesView(this.turn.conversationId, this.turn.turnId);
  }

  /** Simulates a restart by creating a new recorder with the same storage. */
  async simulateRestart(): Promise<void> {
    await this.changes.turns.waitForWrites();
    this.changes.dispose();
    this.changes = this.#start();
    await this.changes.turns.load(this.turn.conversationId);
  }

  runCommand(id: ReviewCommandId, ...args: unknown[]): unknown {
    const agents = { getRuntime: async () => ({ changes: this.changes }) };
    const parts = { chat: { get: async () => ({ agents }) } };
    return commands[id].run(parts as unknown as CommandContext, ...args);
  }

  async showFile(name: string): Promise<vscode.TextEditor> {
    const editor = await vscode.window.showTextDocument(this.getUri(name), { preview: false });
    await this.changes.reviews.waitUntilReady();
    return editor;
  }

  /** Returns the code lenses that the extension provides for the file. */
  async readLenses(name: string): Promise<vscode.CodeLens[]> {
    await vscode.workspace.openTextDocument(this.getUri(name));
    await this.changes.reviews.waitUntilReady();
    const codeLenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      this.getUri(name),
      100,
    );
    return codeLenses.filter(({ command }) =>
      command?.command.startsWith('inferenceService.agent.'),
    );
  }

  /** Executes the code lens with this title above the line. */
  async pressCodeLens(name: string, line: number, title: string): Promise<void> {
    const lens = (await this.readLenses(name)).find(
      ({ command, range }) => range.start.line === line && command?.title === title,
    );
    if (lens?.command === undefined) throw new Error(`No ${title} above line ${line}`);
    await this.runCommand(
      lens.command.command as ReviewCommandId,
      ...(lens.command.arguments ?? []),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.changes.turns.waitForWrites();
    this.changes.dispose();
    for (const document of vscode.workspace.textDocuments) {
      if (!document.isDirty || document.uri.scheme !== 'file') continue;
      await document.save();
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(this.folder.fsPath, { recursive: true, force: true });
    rmSync(this.storageFolder, { recursive: true, force: true });
    rmSync(this.outsideFolder, { recursive: true, force: true });
  }

  #start(): AgentChanges {
    const listFolders = (): readonly vscode.WorkspaceFolder[] => this.folders;
    const isTrusted = (): boolean => this.isTrusted;
    return new AgentChanges({
      storage: vscode.Uri.file(this.storageFolder),
      paths: new WorkspacePaths({ folders: listFolders, isTrusted, forbiddenFolders: [] }),
      listFolders,
      isTrusted,
      clock: systemClock,
      log: createLineLog((line) => this.logLines.push(line)),
    });
  }
}

/** Records warnings, and presses the button `answer` in each of them. Dismisses a warning that has no such button. */
export class FakeWarnings implements Disposable {
  readonly shownMessages: string[] = [];
  /** Detail text of each shown message; an empty string for a notification. */
  readonly shownDetails: string[] = [];
  readonly #originalShow = vscode.window.showWarningMessage;

  /**
   * @param answer button to press, or several buttons for dialogs with different buttons
   * @param whileWarningIsOpen called while a warning is visible
   */
  constructor(
    answer: string | readonly string[] | undefined,
    whileWarningIsOpen?: () => Promise<void>,
  ) {
    const showWarningMessage = async (message: string, ...args: unknown[]): Promise<unknown> => {
      this.shownMessages.push(message);
      this.shownDetails.push(getDetail(args[0]));
      await whileWarningIsOpen?.();
      return [answer].flat().find((button) => button !== undefined && args.includes(button));
    };
    Object.assign(vscode.window, { showWarningMessage });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { showWarningMessage: this.#originalShow });
  }
}

const getDetail = (options: unknown): string =>
  isRecord(options) && typeof options['detail'] === 'string' ? options['detail'] : '';

let fixtureCount = 0;

async function readFolderContents(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (entry.isDirectory()) contents[`${name}/`] = '';
    else contents[name] = (await readFile(path)).toString('latin1');
  }
  return Object.fromEntries(Object.entries(contents).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
