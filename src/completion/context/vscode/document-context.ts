import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { isSecretText } from '../secret-text.ts';
import { getTextBefore, LineMirror } from '../text-lines.ts';
import type { FileRules } from './file-rules.ts';
import { ImportedOutlines } from './imported-outlines.ts';
import { NearbyDefinitions } from './near-definitions.ts';
import type { FileSnippet, SnippetSource } from './snippet-cache.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';
import {
  findCell,
  findOpenDocument,
  getPathForModel,
  listTabUris,
} from '../../../workspace/vscode/documents.ts';
import { EditHistory } from '../edit-history.ts';
import { SnippetIndex, snippetLimits } from '../snippet-index.ts';

const maxCellsAbove = 8;
const maxCellLength = 2_000;

/** Provides the code and text cells above a notebook cell, nearest first. Never includes the outputs of these cells. */
export const cellSource: SnippetSource = {
  getSnippets(document) {
    const cell = findCell(document);
    if (cell === undefined) return [];
    const snippets: FileSnippet[] = [];
    for (let index = cell.index - 1; index >= 0 && snippets.length < maxCellsAbove; index -= 1) {
      const cellDocument = cell.notebook.cellAt(index).document;
      const text = getCellEndText(cellDocument);
      if (text.trim() === '') continue;
      snippets.push({
        uri: cellDocument.uri,
        snippet: { kind: 'cell', path: getPathForModel(cellDocument), text },
      });
    }
    return snippets;
  },
};

/** Returns the last lines of a notebook cell, because they are closest to the current cell. */
function getCellEndText(document: vscode.TextDocument): string {
  const line = document.lineCount - 1;
  const { length } = document.lineAt(line).text;
  return getTextBefore(document, { line, character: length }, maxCellLength);
}

export interface DocumentContextOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  /** Logs an error of a background operation. */
  readonly log: (line: string) => void;
}

/**
 * Gathers context snippets for completion requests, in the background. Provides no snippets in an untrusted workspace.
 */
export class DocumentContext implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #rules: FileRules;
  readonly #sources: readonly SnippetSource[];

  constructor(options: DocumentContextOptions) {
    const { rules } = options;
    this.#rules = rules;
    this.#sources = [
      this.#disposables.add(new NearbyDefinitions(options)),
      this.#disposables.add(new ImportedOutlines(options)),
      this.#disposables.add(new RecentEdits(options)),
      this.#disposables.add(new OpenTabs(options)),
      cellSource,
    ];
  }

  /**
   * Returns the currently available snippets, best first. Omits snippets that contain secrets, and snippets of files
   * that the current settings and ignore files exclude.
   */
  readContext(snapshot: Snapshot): readonly ContextSnippet[] {
    if (!vscode.workspace.isTrusted) return [];
    const document = findOpenDocument(snapshot.documentUri);
    if (document === undefined || this.#rules.getBlockingCause(document.uri) !== undefined)
      return [];
    return this.#sources
      .flatMap((source) => source.getSnippets(document, snapshot))
      .filter((fileSnippet) => this.#isAllowed(fileSnippet, document))
      .map(({ snippet }) => snippet);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #isAllowed({ uri, snippet }: FileSnippet, document: vscode.TextDocument): boolean {
    if (isSecretText(snippet.text)) return false;
    return isSameFile(uri, document)
      ? this.#rules.getBlockingCause(uri) === undefined
      : this.#rules.isShareable(uri);
  }
}

/**
 * Checks whether a snippet comes from the same document or another cell of the same notebook. Such a snippet may be
 * sent whenever the document itself may be sent.
 */
function isSameFile(uri: vscode.Uri, document: vscode.TextDocument): boolean {
  if (uri.toString() === document.uri.toString()) return true;
  const cells = findCell(document)?.notebook.getCells() ?? [];
  return cells.some((cell) => cell.document.uri.toString() === uri.toString());
}

/** Provides recent edits in open documents. Removes the edits of a document when the document is closed. */
class RecentEdits implements SnippetSource, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #rules: FileRules;
  readonly #history = new EditHistory();
  readonly #mirrors = new Map<vscode.TextDocument, LineMirror>();

  constructor({ rules }: { readonly rules: FileRules }) {
    this.#rules = rules;
    const { window, workspace } = vscode;
    this.#disposables.add(
      workspace.onDidChangeTextDocument((event) => this.#handleDocumentChange(event)),
    );
    this.#disposables.add(
      workspace.onDidCloseTextDocument((document) => this.#handleDocumentClose(document)),
    );
    this.#disposables.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.#handleCursorMove(textEditor)),
    );
    this.#disposables.add(
      window.onDidChangeActiveTextEditor((editor) => this.#handleCursorMove(editor)),
    );
    this.#disposables.add(rules.onDidChange(() => void this.#recheckOpenFiles()));
    this.#handleCursorMove(window.activeTextEditor);
  }

  /** Returns recent edits, newest first, except for the edit at the cursor. */
  getSnippets(_: vscode.TextDocument, { documentUri, position }: Snapshot): readonly FileSnippet[] {
    const snippets = this.#history.listSnippets();
    return this.#history.listRecentEdits().flatMap((edit, index) => {
      const snippet = snippets[index];
      const isUnmoved =
        edit.documentUri === documentUri &&
        edit.line <= position.line &&
        position.line <= edit.line + edit.after.length;
      if (snippet === undefined || isUnmoved) return [];
      return [{ uri: vscode.Uri.parse(edit.documentUri, true), snippet }];
    });
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#history.clear();
    this.#mirrors.clear();
  }

  #handleCursorMove(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const { document, selection } = editor;
    let mirror = this.#mirrors.get(document);
    if (mirror === undefined && !document.isClosed) {
      mirror = new LineMirror(document);
      this.#mirrors.set(document, mirror);
      // Start the check of the file, so that the result is available when the user types.
      this.#rules.getBlockingCause(document.uri);
    }
    mirror?.moveTo(selection.active.line);
  }

  #handleDocumentChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const mirror = this.#mirrors.get(document);
    if (mirror === undefined || contentChanges.length === 0) return;
    const change = mirror.applyChanges(contentChanges);
    const uriText = document.uri.toString();
    // If this change is not recorded, the line numbers of the stored edits become wrong.
    if (change === undefined || this.#rules.getBlockingCause(document.uri) !== undefined)
      return this.#history.removeDocument(uriText);
    this.#history.record({ documentUri: uriText, path: getPathForModel(document), ...change });
  }

  #handleDocumentClose(document: vscode.TextDocument): void {
    this.#mirrors.delete(document);
    this.#history.removeDocument(document.uri.toString());
  }

  /** Removes the edits of documents that became secret or excluded. */
  async #recheckOpenFiles(): Promise<void> {
    for (const { documentUri } of this.#history.listRecentEdits()) {
      const uri = vscode.Uri.parse(documentUri, true);
      if (this.#rules.getBlockingCause(uri) === 'secret-file')
        this.#history.removeDocument(documentUri);
      else if ((await this.#rules.check(uri)) !== undefined)
        this.#history.removeDocument(documentUri);
    }
  }
}

/** Idle time of the user before the first document is read, in milliseconds. */
const idleMs = 400;
/** Interval between the reads of two documents, in milliseconds. */
const readIntervalMs = 20;
/** Maximum number of characters per line that the index uses. */
const maxLineLength = 200;

/**
 * Provides text from open tabs that is similar to the text around the cursor. Reads one document at a time while the
 * user is idle.
 */
export class OpenTabs implements SnippetSource, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #rules: FileRules;
  readonly #clock: Clock;
  readonly #index = new SnippetIndex();
  /** Paths of the indexed documents, by document URI. */
  readonly #paths = new Map<string, string>();
  /** URIs of the indexed documents, by path. Necessary, because the index returns only the path of a snippet. */
  readonly #uris = new Map<string, vscode.Uri>();
  /** URIs of the documents that must be read. */
  readonly #unreadUris = new Set<string>();
  #cancelRead = (): void => {};
  #isDisposed = false;

  constructor({ rules, clock }: { readonly rules: FileRules; readonly clock: Clock }) {
    this.#rules = rules;
    this.#clock = clock;
    const { window, workspace } = vscode;
    this.#disposables.add(
      workspace.onDidChangeTextDocument(({ document }) => this.#handleDocumentChange(document)),
    );
    this.#disposables.add(
      workspace.onDidCloseTextDocument(({ uri }) => this.#dropDocument(uri.toString())),
    );
    const update = (): void => this.#updateTabs();
    this.#disposables.add(window.onDidChangeVisibleTextEditors(update));
    this.#disposables.add(window.tabGroups.onDidChangeTabs(update));
    this.#disposables.add(workspace.onDidGrantWorkspaceTrust(update));
    this.#disposables.add(
      rules.onDidChange(() => {
        for (const uriText of this.#paths.keys()) this.#dropDocument(uriText);
        update();
      }),
    );
    update();
  }

  getSnippets(_: vscode.TextDocument, snapshot: Snapshot): readonly FileSnippet[] {
    return this.#index.query(snapshot).flatMap((snippet) => {
      const uri = this.#uris.get(snippet.path);
      return uri === undefined ? [] : [{ uri, snippet }];
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#cancelRead();
    this.#disposables.dispose();
    this.#index.clear();
  }

  /** Schedules a read of a changed document. Does not read immediately, because this method runs on every key press. */
  #handleDocumentChange({ uri }: vscode.TextDocument): void {
    const uriText = uri.toString();
    if (this.#paths.has(uriText)) this.#unreadUris.add(uriText);
    if (this.#unreadUris.size > 0) this.#scheduleRead(idleMs);
  }

  #updateTabs(): void {
    if (!vscode.workspace.isTrusted) return;
    const tabUris = new Set([...listTabUris()].slice(0, snippetLimits.documents));
    for (const uriText of this.#paths.keys())
      if (!tabUris.has(uriText)) this.#dropDocument(uriText);
    for (const uriText of tabUris) if (!this.#paths.has(uriText)) this.#unreadUris.add(uriText);
    if (this.#unreadUris.size > 0) this.#scheduleRead(idleMs);
  }

  #dropDocument(uriText: string): void {
    const path = this.#paths.get(uriText);
    this.#unreadUris.delete(uriText);
    this.#paths.delete(uriText);
    this.#index.delete(uriText);
    if (path !== undefined) this.#uris.delete(path);
  }

  #scheduleRead(delayMs: number): void {
    this.#cancelRead();
    this.#cancelRead = this.#clock.after(delayMs, () => void this.#readNextDocument());
  }

  async #readNextDocument(): Promise<void> {
    const [uriText] = this.#unreadUris;
    if (uriText === undefined) return;
    this.#unreadUris.delete(uriText);
    const document = findOpenDocument(uriText);
    if (document !== undefined) {
      await this.#rules.check(document.uri);
      if (!this.#isDisposed && !document.isClosed) this.#readDocument(document);
    }
    if (!this.#isDisposed && this.#unreadUris.size > 0) this.#scheduleRead(readIntervalMs);
  }

  #readDocument(document: vscode.TextDocument): void {
    const uriText = document.uri.toString();
    const path = getPathForModel(document);
    this.#dropDocument(uriText);
    // Two workspace folders may have the same name. Without unique paths, the source of a snippet is ambiguous.
    if (!this.#rules.isShareable(document.uri) || this.#uris.has(path)) return;
    const focusLine = getFocusLineNumber(document);
    this.#paths.set(uriText, path);
    this.#uris.set(path, document.uri);
    this.#index.set({
      documentUri: uriText,
      path,
      text: getTextAround(document, focusLine),
      focusLine,
    });
  }
}

/** Returns the 0-based line of the cursor if the document is visible, otherwise 0. */
function getFocusLineNumber(document: vscode.TextDocument): number {
  const editor = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  return editor?.selection.active.line ?? 0;
}

/**
 * Returns the text of the lines to index. Replaces each line before them with an empty line, so that the line numbers
 * remain correct. Does not read the other lines of a long document.
 */
function getTextAround(document: vscode.TextDocument, focusLine: number): string {
  const firstLine = Math.max(0, focusLine - snippetLimits.lines / 2);
  const end = Math.min(document.lineCount, firstLine + snippetLimits.lines);
  const lines = Array.from({ length: Math.max(0, end - firstLine) }, (_, index) =>
    document.lineAt(firstLine + index).text.slice(0, maxLineLength),
  );
  return '\n'.repeat(firstLine) + lines.join('\n');
}
