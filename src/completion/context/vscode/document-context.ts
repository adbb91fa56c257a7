import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { isSecretText } from '../secret-text.ts';
import { textBefore, LineMirror } from '../text-lines.ts';
import type { FileRules } from './file-rules.ts';
import { ImportedOutlines } from './imported-outlines.ts';
import { NearbyDefinitions } from './near-definitions.ts';
import { OpenTabs } from './open-tabs.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';
import { cellOf, openDocument, pathForModel } from '../../../workspace/vscode/documents.ts';
import { EditHistory } from '../edit-history.ts';

const maxCellsAbove = 8;
const maxCellLength = 2_000;

/** Provides the code and text cells above a notebook cell, nearest first. Never includes outputs. */
export const cellsAbove: SnippetSource = {
  getSnippets(document) {
    const cell = cellOf(document);
    if (cell === undefined) return [];
    const snippets: SourcedSnippet[] = [];
    for (let index = cell.index - 1; index >= 0 && snippets.length < maxCellsAbove; index -= 1) {
      const cellDocument = cell.notebook.cellAt(index).document;
      const text = getCellEnd(cellDocument);
      if (text.trim() === '') continue;
      snippets.push({
        uri: cellDocument.uri,
        snippet: { kind: 'cell', path: pathForModel(cellDocument), text },
      });
    }
    return snippets;
  },
};

/** Returns the last lines of a notebook cell, because they are closest to the current cell. */
function getCellEnd(document: vscode.TextDocument): string {
  const line = document.lineCount - 1;
  const { length } = document.lineAt(line).text;
  return textBefore(document, { line, character: length }, maxCellLength);
}

export interface DocumentContextOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  /** Logs an error of a background operation. */
  readonly log: (line: string) => void;
}

/** Gathers context snippets for requests in the background. Provides no snippets in an untrusted workspace. */
export class DocumentContext implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #sources: readonly SnippetSource[];

  constructor(options: DocumentContextOptions) {
    const { rules } = options;
    this.#rules = rules;
    this.#sources = [
      this.#owned.add(new NearbyDefinitions(options)),
      this.#owned.add(new ImportedOutlines(options)),
      this.#owned.add(new RecentEdits(options)),
      this.#owned.add(new OpenTabs(options)),
      cellsAbove,
    ];
  }

  /** Returns the currently available snippets, best first. Checks each snippet against the current file rules. */
  context(snapshot: Snapshot): readonly ContextSnippet[] {
    if (!vscode.workspace.isTrusted) return [];
    const document = openDocument(snapshot.document);
    if (document === undefined || this.#rules.getBlockingCause(document.uri) !== undefined)
      return [];
    return this.#sources
      .flatMap((source) => source.getSnippets(document, snapshot))
      .filter((sourcedSnippet) => this.#isAllowed(sourcedSnippet, document))
      .map(({ snippet }) => snippet);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #isAllowed({ uri, snippet }: SourcedSnippet, document: vscode.TextDocument): boolean {
    if (isSecretText(snippet.text)) return false;
    return isSameFile(uri, document)
      ? this.#rules.getBlockingCause(uri) === undefined
      : this.#rules.isShareable(uri);
  }
}

/**
 * Checks whether a snippet comes from the same document or another cell of the same notebook. Such snippets need no
 * permission to be shared.
 */
function isSameFile(uri: vscode.Uri, document: vscode.TextDocument): boolean {
  if (uri.toString() === document.uri.toString()) return true;
  const cells = cellOf(document)?.notebook.getCells() ?? [];
  return cells.some((cell) => cell.document.uri.toString() === uri.toString());
}

/** Provides recent edits in open documents. Removes the edits of a document when the document is closed. */
class RecentEdits implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #history = new EditHistory();
  readonly #mirrors = new Map<vscode.TextDocument, LineMirror>();

  constructor({ rules }: { readonly rules: FileRules }) {
    this.#rules = rules;
    const { window, workspace } = vscode;
    this.#owned.add(
      workspace.onDidChangeTextDocument((event) => this.#handleDocumentChange(event)),
    );
    this.#owned.add(
      workspace.onDidCloseTextDocument((document) => this.#handleDocumentClose(document)),
    );
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.#handleCursorMove(textEditor)),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor((editor) => this.#handleCursorMove(editor)));
    this.#owned.add(rules.onDidChange(() => void this.#recheck()));
    this.#handleCursorMove(window.activeTextEditor);
  }

  /** Returns recent edits, newest first, except for the edit at the cursor. */
  getSnippets(_: vscode.TextDocument, { document, position }: Snapshot): readonly SourcedSnippet[] {
    const snippets = this.#history.listSnippets();
    return this.#history.recent().flatMap((edit, index) => {
      const snippet = snippets[index];
      const isUnmoved =
        edit.document === document &&
        edit.line <= position.line &&
        position.line <= edit.line + edit.after.length;
      if (snippet === undefined || isUnmoved) return [];
      return [{ uri: vscode.Uri.parse(edit.document, true), snippet }];
    });
  }

  dispose(): void {
    this.#owned.dispose();
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
    // Without this change, the line numbers of the recorded edits would be wrong.
    if (change === undefined || this.#rules.getBlockingCause(document.uri) !== undefined)
      return this.#history.forgetDocument(uriText);
    this.#history.record({ document: uriText, path: pathForModel(document), ...change });
  }

  #handleDocumentClose(document: vscode.TextDocument): void {
    this.#mirrors.delete(document);
    this.#history.forgetDocument(document.uri.toString());
  }

  /** Removes the edits of documents that became secret or excluded. */
  async #recheck(): Promise<void> {
    for (const { document } of this.#history.recent()) {
      const uri = vscode.Uri.parse(document, true);
      if (this.#rules.getBlockingCause(uri) === 'secret-file')
        this.#history.forgetDocument(document);
      else if ((await this.#rules.check(uri)) !== undefined) this.#history.forgetDocument(document);
    }
  }
}
