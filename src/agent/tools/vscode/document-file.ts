import * as vscode from 'vscode';
import type { Place } from '../../edit/hunk.ts';
import { narrowed, withPlaces } from '../../edit/find-exact.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { losslessText, sameBytes } from './encoding.ts';
import type { TextFile } from './edits-text-file.ts';

/** A file by its editor's document: cursors, folds and what was typed stay, and one undo takes an edit back. */
export class DocumentFile implements TextFile {
  readonly text: string;
  readonly isUnsaved: boolean;
  readonly #document: vscode.TextDocument;
  readonly #bytes: Uint8Array;
  readonly #label: string;

  /** @param bytes On disk now, which are older than the document's text when that is not saved. */
  constructor(document: vscode.TextDocument, bytes: Uint8Array, label: string) {
    this.text = document.getText();
    this.isUnsaved = document.isDirty;
    this.#document = document;
    this.#bytes = bytes;
    this.#label = label;
  }

  async write(places: readonly Place[]): Promise<string> {
    const document = this.#document;
    const onDisk = await vscode.workspace.fs.readFile(document.uri);
    if (!sameBytes(onDisk, this.#bytes)) throw changedError(this.#label);
    if (document.isClosed || document.getText() !== this.text) throw changedError(this.#label);
    // The editor checks the version once more when the edit arrives.
    if (document.isClosed || document.getText() !== this.text) throw changedError(this.#label);
    if (!(await replacePlaces(document, places))) throw changedError(this.#label);
    const meant = withPlaces(this.text, places);
    const made = document.getText();
    await document.save();
    if (document.isDirty) {
      if (document.getText() === made && made === meant) await setText(document, this.text);
      throw new ToolError(
        'failed',
        `${this.#label} could not be saved: it may be read-only, or have been changed on disk meanwhile. The edit was taken back.`,
      );
    }
    return this.#saved();
  }

  async #saved(): Promise<string> {
    const document = this.#document;
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const onDisk = await losslessText(bytes, document.encoding);
    if (onDisk?.text === document.getText()) return onDisk.text;
    throw new ToolError(
      'failed',
      `${this.#label} was saved as ${document.encoding}, but holds something else now. Read it again.`,
    );
  }
}

/** Puts a document back to an earlier text, or forward to a later one, by the least edits. */
export async function setText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const places = narrowed(document.getText(), text);
  return places.length === 0 || replacePlaces(document, places);
}

async function replacePlaces(
  document: vscode.TextDocument,
  places: readonly Place[],
): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.set(
    document.uri,
    places.map(({ start, end, text }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      return vscode.TextEdit.replace(range, text);
    }),
  );
  return vscode.workspace.applyEdit(edit);
}

/** Whether a document that has nothing unsaved shows this text, or comes to within so many milliseconds. */
export async function textReached(
  document: vscode.TextDocument,
  text: string,
  withinMs: number,
): Promise<boolean> {
  const reached = (): boolean => document.getText() === text;
  if (reached()) return true;
  const changed = Promise.withResolvers<void>();
  const timer = setTimeout(changed.resolve, withinMs);
  const listening = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document === document && reached()) changed.resolve();
  });
  try {
    await changed.promise;
  } finally {
    clearTimeout(timer);
    listening.dispose();
  }
  return reached() && !document.isDirty;
}

export const changedError = (label: string): ToolError =>
  new ToolError('changed', `${label} was changed by somebody else just now. Read it again.`);
