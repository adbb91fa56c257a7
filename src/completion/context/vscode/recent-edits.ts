import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { EditHistory } from '../edit-history.ts';
import type { Snapshot } from '../../snapshot.ts';
import type { FileRules } from './file-rules.ts';
import { LineMirror } from '../text-lines.ts';
import { pathForModel } from '../../../workspace/vscode/documents.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';

/** Provides recent edits in open documents. Removes the edits of a document when the document is closed. */
export class RecentEdits implements SnippetSource, Disposable {
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
