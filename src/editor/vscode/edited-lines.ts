import * as vscode from 'vscode';
import { toTextEdits } from '../../agent/changes/vscode/document-edits.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { diffLines } from '../../base/line-diff.ts';
import { type LineSpan, spanAfter } from '../line-span.ts';
import { linesIn } from './editor-target.ts';

/** Where a change stands in the undo history: alone, or joined with what came before. */
export interface UndoStops {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

/** The smallest edits that make the lines of a document others. */
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

/** In the editor that shows the document. False when the document changed meanwhile, or cannot be changed. */
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

/** For a document that no editor shows. A step of its own in the undo history. */
export function applyUnseen(
  { uri }: vscode.TextDocument,
  edits: readonly vscode.TextEdit[],
): Thenable<boolean> {
  const all = new vscode.WorkspaceEdit();
  all.set(uri, [...edits]);
  return vscode.workspace.applyEdit(all);
}

/** Whether a change of the document is exactly these edits. */
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

/** The editor that shows the document, the one in front first. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active?.document === document) return active;
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
}

/** How often an edit is made anew that met a change of the person. */
const mostTries = 5;

/** Some lines of a document that are written anew again and again, and can be put back. Follows what is typed around. */
export class EditedLines implements Disposable {
  /** As they were at the start. */
  readonly original: readonly string[];
  readonly #document: vscode.TextDocument;
  readonly #owned = new DisposableStore();
  readonly #touched = new Emitter<boolean>();
  /** Somebody else changed the lines; true when it is not known any more where they are. */
  readonly onDidTouch: Event<boolean> = (listener) => this.#touched.event(listener);
  #span: LineSpan;
  #isLost = false;
  /** Ours, which the editor has not told yet. */
  #making: { readonly edits: readonly vscode.TextEdit[]; readonly count: number } | undefined;
  #hasWritten = false;
  /** Something came between our changes: they are no single step in the undo history. */
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

  /** For a while; nothing happens where no editor shows the document. False when it cannot be changed. */
  async show(lines: readonly string[]): Promise<boolean> {
    if (editorOf(this.#document) === undefined) return true;
    return this.#write(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: false });
  }

  /** For good: one step back takes it all away. False when the document cannot be changed. */
  async finish(lines: readonly string[]): Promise<boolean> {
    if (!this.#isSplit)
      return this.#write(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: true });
    await this.#write(this.original, { undoStopBefore: false, undoStopAfter: true });
    return this.#write(lines, { undoStopBefore: true, undoStopAfter: true });
  }

  /** Puts the lines back. False when the document cannot be changed. */
  async restore(): Promise<boolean> {
    const done = await this.#write(this.original, { undoStopBefore: false, undoStopAfter: true });
    this.#hasWritten = false;
    this.#isSplit = false;
    return done;
  }

  dispose(): void {
    this.#owned.dispose();
    this.#touched.dispose();
  }

  async #write(lines: readonly string[], stops: UndoStops): Promise<boolean> {
    for (let tries = 0; tries < mostTries && !this.#isLost; tries += 1) {
      const document = this.#document;
      const edits = lineEdits(document, this.#span, lines);
      if (edits.length === 0) return true;
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
        return true;
      }
      // An editor that was closed meanwhile is no reason: the document is still there.
      const isRefused = document.version === version && editorOf(document) === editor;
      if (isRefused) return false;
    }
    return false;
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
    if (moved.isTouched) this.#touched.fire(false);
  }

  #lose(): void {
    this.#isLost = true;
    this.#touched.fire(true);
  }
}
