import * as vscode from 'vscode';
import { toTextEdits } from '../../agent/changes/vscode/document-edits.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { diffLines } from '../../base/line-diff.ts';
import { type LineSpan, spanAfter } from '../line-span.ts';
import { linesIn } from './editor-target.ts';

/** Undo stops around a change, as in `TextEditor.edit`. */
export interface UndoStops {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

/** Returns the smallest text edits that replace the lines in a span. */
export function lineEdits(
  document: vscode.TextDocument,
  span: LineSpan,
  lines: readonly string[],
): readonly vscode.TextEdit[] {
  const replacements = diffLines(linesIn(document, span), lines).map(({ from, to }) => ({
    range: { start: span.start + from.start, end: span.start + from.end },
    lines: lines.slice(to.start, to.end),
  }));
  return toTextEdits(document, replacements);
}

/**
 * Applies edits in an editor. Returns false if the document changed meanwhile or cannot be changed.
 */
export async function applyInEditor(
  editor: vscode.TextEditor,
  edits: readonly vscode.TextEdit[],
  stops: UndoStops,
): Promise<boolean> {
  try {
    return await editor.edit((builder) => {
      for (const { range, newText } of edits) builder.replace(range, newText);
    }, stops);
  } catch {
    // The editor was closed.
    return false;
  }
}

/** Applies edits to a document that no editor shows, as a separate undo step. */
export function applyUnseen(
  { uri }: vscode.TextDocument,
  edits: readonly vscode.TextEdit[],
): Thenable<boolean> {
  const all = new vscode.WorkspaceEdit();
  all.set(uri, [...edits]);
  return vscode.workspace.applyEdit(all);
}

/** Checks whether a change event consists of exactly these edits. */
export function areSame(
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  edits: readonly vscode.TextEdit[],
): boolean {
  if (changes.length !== edits.length) return false;
  const wanted = edits.map(({ range, newText }) => editKey(range, newText)).toSorted();
  const made = changes.map(({ range, text }) => editKey(range, text)).toSorted();
  return wanted.every((each, index) => each === made[index]);
}

const editKey = ({ start, end }: vscode.Range, text: string): string =>
  `${start.line}:${start.character}-${end.line}:${end.character} ${text.replaceAll('\r\n', '\n')}`;

/** Returns an editor that shows the document, preferably the active one. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active?.document === document) return active;
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
}

/** Maximum attempts to apply edits that conflict with the user's changes. */
const mostTries = 5;

/**
 * Result of a write: `refused` if the document cannot be changed, `touched` if the user changed the
 * lines meanwhile. Their text then stays.
 */
export type WriteResult = 'written' | 'refused' | 'touched';

/**
 * Lines of a document that are rewritten repeatedly and can be restored. Their position follows all
 * other changes.
 */
export class EditedLines implements Disposable {
  /** The lines before the first write. */
  readonly original: readonly string[];
  readonly #document: vscode.TextDocument;
  readonly #owned = new DisposableStore();
  readonly #touched = new Emitter<boolean>();
  /** Fires when another change modifies the lines. The value is true if their position is lost. */
  readonly onDidTouch: Event<boolean> = (listener) => this.#touched.event(listener);
  #span: LineSpan;
  #isLost = false;
  /** Number of changes by others to the lines. */
  #touches = 0;
  /** Own edits that VS Code has not reported yet. */
  #making: { readonly edits: readonly vscode.TextEdit[]; readonly count: number } | undefined;
  #hasWritten = false;
  /** True if another change came between two writes. They are then not a single undo step. */
  #isSplit = false;

  constructor(document: vscode.TextDocument, span: LineSpan) {
    this.#document = document;
    this.#span = span;
    this.original = linesIn(document, span);
    this.#owned.add(vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)));
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument((saved) => {
        if (saved === document) this.#isSplit ||= this.#hasWritten;
      }),
    );
    this.#owned.add(
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed === document) this.#lose();
      }),
    );
  }

  get span(): LineSpan {
    return this.#span;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get isOriginal(): boolean {
    if (this.#isLost) return false;
    const now = linesIn(this.#document, this.#span);
    return (
      now.length === this.original.length && now.every((line, at) => line === this.original[at])
    );
  }

  /** Shows intermediate lines if an editor shows the document. */
  async show(lines: readonly string[]): Promise<WriteResult> {
    if (editorOf(this.#document) === undefined) return 'written';
    return this.#write(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: false });
  }

  /** Writes the final lines as one undo step. */
  async finish(lines: readonly string[]): Promise<WriteResult> {
    if (!this.#isSplit)
      return this.#write(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: true });
    const stops = { undoStopBefore: false, undoStopAfter: true };
    const restored = await this.#write(this.original, stops);
    if (restored === 'touched') return restored;
    return this.#write(lines, { undoStopBefore: true, undoStopAfter: true });
  }

  /** Restores the original lines. Returns false if the document cannot be changed. */
  async restore(): Promise<boolean> {
    const stops = { undoStopBefore: false, undoStopAfter: true };
    let result = await this.#write(this.original, stops);
    for (let tries = 1; result === 'touched' && tries < mostTries; tries += 1)
      result = await this.#write(this.original, stops);
    this.#hasWritten = false;
    this.#isSplit = false;
    return result === 'written';
  }

  dispose(): void {
    this.#owned.dispose();
    this.#touched.dispose();
  }

  /** Retries an edit that conflicts with changes elsewhere in the document. */
  async #write(lines: readonly string[], stops: UndoStops): Promise<WriteResult> {
    const touches = this.#touches;
    for (let tries = 0; tries < mostTries && !this.#isLost; tries += 1) {
      const document = this.#document;
      const edits = lineEdits(document, this.#span, lines);
      if (edits.length === 0) return 'written';
      const { version } = document;
      this.#making = { edits, count: lines.length };
      const editor = editorOf(document);
      const done =
        editor === undefined
          ? await applyUnseen(document, edits)
          : await applyInEditor(editor, edits, stops);
      this.#making = undefined;
      if (done && document.version !== version) {
        this.#hasWritten = true;
        return 'written';
      }
      if (this.#touches !== touches) return 'touched';
      // A closed editor does not mean that the edit was rejected: the document still exists.
      const isRefused = document.version === version && editorOf(document) === editor;
      if (isRefused) return 'refused';
    }
    return 'refused';
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document !== this.#document || contentChanges.length === 0 || this.#isLost) return;
    const making = this.#making;
    if (making !== undefined && areSame(contentChanges, making.edits)) {
      this.#making = undefined;
      this.#span = { start: this.#span.start, end: this.#span.start + making.count };
      return;
    }
    this.#isSplit ||= this.#hasWritten;
    const changes = contentChanges.map(({ range, text }) => ({
      start: range.start,
      end: range.end,
      text,
    }));
    const moved = spanAfter(this.#span, changes);
    if (moved === undefined) return this.#lose();
    this.#span = moved.span;
    if (!moved.isTouched) return;
    this.#touches += 1;
    this.#touched.fire(false);
  }

  #lose(): void {
    this.#isLost = true;
    this.#touched.fire(true);
  }
}
