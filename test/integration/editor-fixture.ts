import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { EditResult, EditState, InlineEdit } from '../../src/editor/vscode/inline-edit.ts';
import { InlineEdits } from '../../src/editor/vscode/inline-edits.ts';
import { waitForEvent } from '../support/eventually.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { makeFolder } from './workspace-folder.ts';

/** File in an editor, with an instance of the inline edit feature. Dispose with `await using`. */
export class EditorFixture implements AsyncDisposable {
  readonly chat: ChatFixture;
  readonly edits: InlineEdits;
  readonly editor: vscode.TextEditor;
  readonly #folder: string;

  private constructor(chat: ChatFixture, editor: vscode.TextEditor, folder: string) {
    this.chat = chat;
    this.edits = new InlineEdits(chat.host);
    this.editor = editor;
    this.#folder = folder;
  }

  static async open(lines: readonly string[], name = 'tide.ts'): Promise<EditorFixture> {
    const folder = makeFolder('editor');
    writeFileSync(join(folder, name), lines.join('\n'));
    const document = await vscode.workspace.openTextDocument(join(folder, name));
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const { service } = readSuiteEnvironment();
    const chat = createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
    await chat.account.readKey();
    return new EditorFixture(chat, editor, folder);
  }

  get document(): vscode.TextDocument {
    return this.editor.document;
  }

  get lines(): string[] {
    return this.document.getText().split('\n');
  }

  /** Starts an edit of the lines from `start` (inclusive) to `end` (exclusive). */
  async startEdit(
    start: number,
    end: number,
  ): Promise<{ edit: InlineEdit; resultPromise: Promise<EditResult> }> {
    const editRequest = { document: this.document, span: { start, end }, problems: [] };
    return this.edits.start({ ...editRequest, instruction: 'Change it' });
  }

  /** Inserts text as a separate undo step, as typing does. */
  async type(line: number, character: number, text: string): Promise<void> {
    const isApplied = await this.editor.edit((edit) =>
      edit.insert(new vscode.Position(line, character), text),
    );
    if (!isApplied) throw new Error('Nothing could be typed.');
  }

  async undoLastChange(): Promise<void> {
    await vscode.window.showTextDocument(this.document);
    await vscode.commands.executeCommand('undo');
  }

  /** Returns the code lenses of inline edits in the document, each as `line title`, with line numbers from 0. */
  async readLensTitles(): Promise<string[]> {
    const codeLenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      this.document.uri,
      100,
    );
    return codeLenses.flatMap(({ command, range }) =>
      command?.command.startsWith('inferenceService.inlineEdit.') === true
        ? [`${range.start.line} ${command.title.replace(/\$\([^)]*\) /u, '')}`]
        : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.edits.dispose();
    this.chat[Symbol.dispose]();
    if (this.document.isDirty) await this.document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Resolves when the edit has the given state. */
export async function waitForState(edit: InlineEdit, state: EditState): Promise<void> {
  await waitForEdit(edit, () => edit.state === state);
}

/** Resolves when the predicate returns true. Checks it after each change of the edit. */
export const waitForEdit = (edit: InlineEdit, predicate: () => boolean): Promise<void> =>
  waitForEvent(predicate, (listener) => edit.onDidChange(listener));
