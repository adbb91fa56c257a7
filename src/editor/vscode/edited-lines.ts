import * as vscode from 'vscode';
import { toTextEdits } from '../../agent/changes/vscode/document-edits.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { diffLines } from '../../base/line-diff.ts';
import { type LineSpan, updateSpan } from '../line-span.ts';
import { readLines } from './editor-target.ts';

/** Options of `TextEditor.edit` that separate undo steps. */
export interface UndoStops {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

/** Returns the smallest text edits that replace the lines in a span. */
export function computeLineEdits(
  document: vscode.TextDocument,
  span: LineSpan,
  lines: readonly string[],
): readonly vscode.TextEdit[] {
  const replacements = diffLines(readLines(document, span), lines).map(({ from, to }) => ({
    range: { start: span.start + from.start, end: span.start + from.end },
    lines: lines.slice(to.start, to.end),
  }));
  return toTextEdits(document, replacements);
}

/**
 * Applies edits in an editor. Returns false if the document is read-only, or if it changed before VS Code applied the
 * edits.
 */
export async function applyEditsInEditor(
  editor: vscode.TextEditor,
  edits: readonly vscode.TextEdit[],
  undoStops: UndoStops,
): Promise<boolean> {
  try {
    return await editor.edit((builder) => {
      for (const { range, newText } of edits) builder.replace(range, newText);
    }, undoStops);
  } catch {
    // `edit` rejects if the editor was closed.
    return false;
  }
}

/**
 * Applies edits to a document that no visible editor shows. The edits become a separate undo step. Resolves to false if
 * VS Code rejects the edits.
 */
export function applyEditsToDocument(
  { uri }: vscode.TextDocument,
  edits: readonly vscode.TextEdit[],
): Thenable<boolean> {
  const workspaceEdit = new vscode.WorkspaceEdit();
  workspaceEdit.set(uri, [...edits]);
  return vscode.workspace.applyEdit(workspaceEdit);
}

/** Checks whether a change event contains the given edits and no other changes. */
export function matchesEdits(
  changes: readonly vscode.TextDocumentContentChangeEvent[],
  edits: readonly vscode.TextEdit[],
): boolean {
  if (changes.length !== edits.length) return false;
  const editKeys = edits.map(({ range, newText }) => toEditKey(range, newText)).toSorted();
  const changeKeys = changes.map(({ range, text }) => toEditKey(range, text)).toSorted();
  return editKeys.every((key, index) => key === changeKeys[index]);
}

const toEditKey = ({ start, end }: vscode.Range, text: string): string =>
  `${start.line}:${start.character}-${end.line}:${end.character} ${text.replaceAll('\r\n', '\n')}`;

/**
 * Returns a visible editor that shows the document, preferably the active editor. Returns undefined if no editor shows
 * it.
 */
export function findEditor(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const activeEditor = vscode.window.activeTextEditor;
  if (activeEditor?.document === document) return activeEditor;
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
}

/**
 * Calls the listener before VS Code saves the document, or the notebook of the document. VS Code then waits for the
 * listener.
 */
export function onWillSave(
  document: vscode.TextDocument,
  listener: () => Promise<void>,
): Disposable {
  const registrations = new DisposableStore();
  registrations.add(
    vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document === document) event.waitUntil(listener());
    }),
  );
  registrations.add(
    vscode.workspace.onWillSaveNotebookDocument((event) => {
      if (event.notebook.getCells().some((cell) => cell.document === document))
        event.waitUntil(listener());
    }),
  );
  return registrations;
}

/** Calls the listener after VS Code saved the document, or the notebook of the document. */
function onDidSave(document: vscode.TextDocument, listener: () => void): Disposable {
  const registrations = new DisposableStore();
  registrations.add(
    vscode.workspace.onDidSaveTextDocument((savedDocument) => {
      if (savedDocument === document) listener();
    }),
  );
  registrations.add(
    vscode.workspace.onDidSaveNotebookDocument((notebook) => {
      if (notebook.getCells().some((cell) => cell.document === document)) listener();
    }),
  );
  return registrations;
}

/** Maximum number of attempts to apply edits while other changes to the document conflict. */
const maxAttempts = 5;

/**
 * Result of writing lines to a document. `refused`: the document cannot be changed. `touched`: the user changed the
 * lines, and the user's text stays.
 */
export type WriteResult = 'written' | 'refused' | 'touched';

/**
 * Lines of a document that an inline edit rewrites repeatedly. Can restore the original lines. Tracks the position of
 * the lines when the document changes.
 */
export class EditedLines implements Disposable {
  /** Lines of the document before this class first changed them. */
  readonly originalLines: readonly string[];
  readonly #document: vscode.TextDocument;
  readonly #disposables = new DisposableStore();
  readonly #onDidModifyEmitter = new Emitter<boolean>();
  /**
   * Fires when the user or another extension changes the lines. The event's value is true if the change made the
   * position of the lines unknown.
   */
  readonly onDidModify: Event<boolean> = (listener) => this.#onDidModifyEmitter.event(listener);
  #span: LineSpan;
  #isPositionLost = false;
  /** Number of times that the user or another extension changed the lines. */
  #modificationCount = 0;
  /** Edits that this class requested and for which VS Code has not fired a change event yet. */
  #pendingWrite:
    | { readonly edits: readonly vscode.TextEdit[]; readonly lineCount: number }
    | undefined;
  #hasWritten = false;
  /**
   * State of the preview of an unfinished answer. `none`: no line of the answer has been written. `visible`: the
   * document can contain lines of the answer. `ended`: no more lines of the unfinished answer are written.
   */
  #previewState: 'none' | 'visible' | 'ended' = 'none';
  /**
   * True between the start and the end of a save. VS Code does not report the end of a failed save: the flag then stays
   * true until the next save or {@link restore}, so that no line of an unfinished answer is written during a save.
   */
  #isSaving = false;
  /** Completes when all requested writes have ended. */
  #lastWritePromise: Promise<unknown> = Promise.resolve();
  /** True if another change or a save occurred between two writes, so that the writes are separate undo steps. */
  #isSplit = false;

  constructor(document: vscode.TextDocument, span: LineSpan) {
    this.#document = document;
    this.#span = span;
    this.originalLines = readLines(document, span);
    this.#disposables.add(
      vscode.workspace.onDidChangeTextDocument((event) => this.#handleChange(event)),
    );
    this.#disposables.add(
      onDidSave(document, () => {
        this.#isSaving = false;
        this.#isSplit ||= this.#hasWritten;
      }),
    );
    this.#disposables.add(
      vscode.workspace.onDidCloseTextDocument((closedDocument) => {
        if (closedDocument === document) this.#markPositionLost();
      }),
    );
  }

  get span(): LineSpan {
    return this.#span;
  }

  /** True if this class has written lines since its creation or the last restore. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  get isPositionLost(): boolean {
    return this.#isPositionLost;
  }

  get isOriginal(): boolean {
    if (this.#isPositionLost) return false;
    const currentLines = readLines(this.#document, this.#span);
    return (
      currentLines.length === this.originalLines.length &&
      currentLines.every((line, index) => line === this.originalLines[index])
    );
  }

  /**
   * Writes the lines of an unfinished answer if an editor shows the document, because each write would otherwise be a
   * separate undo step. Writes nothing during a save, and after a save that removed lines of this answer. Returns
   * `written` even if it writes nothing.
   */
  async show(lines: readonly string[]): Promise<WriteResult> {
    if (this.#isSaving || this.#previewState === 'ended') return 'written';
    if (findEditor(this.#document) === undefined) return 'written';
    this.#previewState = 'visible';
    return this.#writeLines(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: false });
  }

  /**
   * Restores the original lines before a save, so that the saved file contains no line of an unfinished answer.
   * Afterwards, {@link show} writes no further lines of this answer. Otherwise, each automatic save would remove the
   * lines and the next write would add them again.
   */
  async prepareSave(): Promise<void> {
    this.#isSaving = true;
    if (this.#previewState === 'visible') await this.revert();
    else await this.#lastWritePromise;
  }

  /** Writes the final lines. Afterwards, a single undo step restores the original lines. */
  async finish(lines: readonly string[]): Promise<WriteResult> {
    this.#previewState = 'ended';
    if (!this.#isSplit)
      return this.#writeLines(lines, { undoStopBefore: !this.#hasWritten, undoStopAfter: true });
    const undoStops = { undoStopBefore: false, undoStopAfter: true };
    const restoreResult = await this.#writeLines(this.originalLines, undoStops);
    if (restoreResult === 'touched') return restoreResult;
    return this.#writeLines(lines, { undoStopBefore: true, undoStopAfter: true });
  }

  /**
   * Restores the original lines, even if the user changes them meanwhile. Returns false if the document cannot be
   * changed.
   */
  async restore(): Promise<boolean> {
    let result = await this.revert();
    for (let attempt = 1; result === 'touched' && attempt < maxAttempts; attempt += 1)
      result = await this.revert();
    this.#previewState = 'none';
    this.#isSaving = false;
    return result === 'written';
  }

  /** Restores the original lines. Returns `touched` if the user changes them meanwhile, and keeps the user's text. */
  async revert(): Promise<WriteResult> {
    this.#previewState = 'ended';
    const result = await this.#writeLines(this.originalLines, {
      undoStopBefore: false,
      undoStopAfter: true,
    });
    if (result === 'written') {
      this.#hasWritten = false;
      this.#isSplit = false;
    }
    return result;
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#onDidModifyEmitter.dispose();
  }

  /** Writes lines as soon as the previous write has ended. */
  #writeLines(lines: readonly string[], undoStops: UndoStops): Promise<WriteResult> {
    const modificationCount = this.#modificationCount;
    const writePromise = this.#lastWritePromise.then(() =>
      this.#applyLines(lines, { undoStops, modificationCount }),
    );
    this.#lastWritePromise = writePromise.catch(() => undefined);
    return writePromise;
  }

  /** Applies the edits. Retries if a change elsewhere in the document prevents VS Code from applying the edits. */
  async #applyLines(
    lines: readonly string[],
    {
      undoStops,
      modificationCount,
    }: { readonly undoStops: UndoStops; readonly modificationCount: number },
  ): Promise<WriteResult> {
    for (let attempt = 0; attempt < maxAttempts && !this.#isPositionLost; attempt += 1) {
      if (this.#modificationCount !== modificationCount) return 'touched';
      const document = this.#document;
      const edits = computeLineEdits(document, this.#span, lines);
      if (edits.length === 0) return 'written';
      const { version } = document;
      this.#pendingWrite = { edits, lineCount: lines.length };
      const editor = findEditor(document);
      const isApplied =
        editor === undefined
          ? await applyEditsToDocument(document, edits)
          : await applyEditsInEditor(editor, edits, undoStops);
      this.#pendingWrite = undefined;
      if (isApplied && document.version !== version) {
        this.#hasWritten = true;
        return 'written';
      }
      if (this.#modificationCount !== modificationCount) return 'touched';
      // Retries if the editor was closed, because the document can still exist.
      const isRefused = document.version === version && findEditor(document) === editor;
      if (isRefused) return 'refused';
    }
    return 'refused';
  }

  #handleChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document !== this.#document || contentChanges.length === 0 || this.#isPositionLost) return;
    const pendingWrite = this.#pendingWrite;
    if (pendingWrite !== undefined && matchesEdits(contentChanges, pendingWrite.edits)) {
      this.#pendingWrite = undefined;
      this.#span = { start: this.#span.start, end: this.#span.start + pendingWrite.lineCount };
      return;
    }
    this.#isSplit ||= this.#hasWritten;
    const changes = contentChanges.map(({ range, text }) => ({
      start: range.start,
      end: range.end,
      text,
    }));
    const updatedSpan = updateSpan(this.#span, changes);
    if (updatedSpan === undefined) return this.#markPositionLost();
    this.#span = updatedSpan.span;
    if (!updatedSpan.isTouched) return;
    this.#modificationCount += 1;
    this.#previewState = 'ended';
    this.#onDidModifyEmitter.fire(false);
  }

  #markPositionLost(): void {
    this.#isPositionLost = true;
    this.#onDidModifyEmitter.fire(true);
  }
}
