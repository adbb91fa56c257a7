import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { EditHistory } from '../edit-history.ts';
import type { Snapshot } from '../../snapshot.ts';
import type { FileRules } from './file-rules.ts';
import { LineMirror } from '../text-lines.ts';
import { pathForModel } from '../../../workspace/vscode/documents.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';

/** What the person changed lately, wherever; of closed documents nothing is remembered. */
export class RecentEdits implements SnippetSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #history = new EditHistory();
  readonly #shadows = new Map<vscode.TextDocument, LineMirror>();

  constructor({ rules }: { readonly rules: FileRules }) {
    this.#rules = rules;
    const { window, workspace } = vscode;
    this.#owned.add(workspace.onDidChangeTextDocument((event) => this.#changed(event)));
    this.#owned.add(workspace.onDidCloseTextDocument((document) => this.#closed(document)));
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.#moved(textEditor)),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor((editor) => this.#moved(editor)));
    this.#owned.add(rules.onDidChange(() => void this.#judgeAgain()));
    this.#moved(window.activeTextEditor);
  }

  /** But for the one that is being made at the cursor. */
  snippets(_: vscode.TextDocument, { document, position }: Snapshot): readonly SourcedSnippet[] {
    const parts = this.#history.snippets();
    return this.#history.recent().flatMap((edit, at) => {
      const part = parts[at];
      const isHere =
        edit.document === document &&
        edit.line <= position.line &&
        position.line <= edit.line + edit.after.length;
      if (part === undefined || isHere) return [];
      return [{ uri: vscode.Uri.parse(edit.document, true), snippet: part }];
    });
  }

  dispose(): void {
    this.#owned.dispose();
    this.#history.clear();
    this.#shadows.clear();
  }

  #moved(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const { document, selection } = editor;
    let shadow = this.#shadows.get(document);
    if (shadow === undefined && !document.isClosed) {
      shadow = new LineMirror(document);
      this.#shadows.set(document, shadow);
      // So that the answer is at hand at the first change.
      this.#rules.ruleFor(document.uri);
    }
    shadow?.moveTo(selection.active.line);
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const shadow = this.#shadows.get(document);
    if (shadow === undefined || contentChanges.length === 0) return;
    const change = shadow.applyChanges(contentChanges);
    const address = document.uri.toString();
    // Places are only right when every change is known.
    if (change === undefined || this.#rules.ruleFor(document.uri) !== undefined)
      return this.#history.forgetDocument(address);
    this.#history.record({ document: address, path: pathForModel(document), ...change });
  }

  #closed(document: vscode.TextDocument): void {
    this.#shadows.delete(document);
    this.#history.forgetDocument(document.uri.toString());
  }

  /** What was secret for a moment is forgotten for good. */
  async #judgeAgain(): Promise<void> {
    for (const { document } of this.#history.recent()) {
      const uri = vscode.Uri.parse(document, true);
      if (this.#rules.ruleFor(uri) === 'secret-file') this.#history.forgetDocument(document);
      else if ((await this.#rules.check(uri)) !== undefined) this.#history.forgetDocument(document);
    }
  }
}
