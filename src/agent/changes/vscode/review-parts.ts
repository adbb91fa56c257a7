import * as vscode from 'vscode';
import { type Lines, rejections, type ReviewHunk } from '../three-way.ts';
import type { TurnFile } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { editsFor } from './document-edits.ts';
import { FileReview } from './file-review.ts';
import { textOf } from './file-text.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';

/** Decides about the parts of files that no editor needs to show. */
export class ReviewParts {
  readonly #changes: TurnChanges;

  constructor(changes: TurnChanges) {
    this.#changes = changes;
  }

  /**
   * What is accepted of a file when all that still waits in it is. What was rejected before, or taken back by hand,
   * is not.
   * @returns the text to keep; undefined for what is no text, or is gone.
   */
  async accepted(turn: TurnRef, index: number, file: TurnFile): Promise<Uint8Array | undefined> {
    const review = await FileReview.read(this.#changes, { turn, file: index }, file);
    if (review === undefined) return undefined;
    const now = await linesNow(file);
    return now === undefined
      ? new TextEncoder().encode(review.left.join('\n'))
      : review.accept(review.hunksOf(now)).bytes;
  }

  /**
   * Puts the old lines back where the person changed none of them.
   * @returns how many changes waited and how many of them stay; none for what is no text or no longer that file.
   */
  async reject(
    turn: TurnRef,
    index: number,
    file: TurnFile,
  ): Promise<{ readonly all: number; readonly stay: number }> {
    const review = await FileReview.read(this.#changes, { turn, file: index }, file);
    if (review === undefined || file.after === null || (await linesNow(file)) === undefined) {
      return { all: 0, stay: 0 };
    }
    const uri = vscode.Uri.parse(file.after.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const hunks = review.hunks(document);
    await putOldLines(
      document,
      review,
      hunks.filter(({ mixed }) => !mixed),
    );
    return { all: hunks.length, stay: hunks.filter(({ mixed }) => mixed).length };
  }
}

/** Takes these hunks back in the editor's model; what was saved is saved again. @throws when the editor refuses. */
export async function putOldLines(
  document: vscode.TextDocument,
  { before }: FileReview,
  hunks: readonly ReviewHunk[],
): Promise<void> {
  if (hunks.length === 0) return;
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, editsFor(document, rejections(before, hunks)));
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the rejection.');
  }
  if (!wasDirty) await document.save();
}

/** Undefined when the file is gone, is no text, or is behind a link that took its place. */
async function linesNow({ after }: TurnFile): Promise<Lines | undefined> {
  if (after === null) return undefined;
  const uri = vscode.Uri.parse(after.uri);
  const snapshot: Snapshot | undefined = await snapshotOf(uri).catch(() => undefined);
  if (snapshot?.kind !== 'file') return undefined;
  const { link, realPath } = after.kept;
  if (snapshot.kept.link !== link) return undefined;
  if (realPath !== undefined && snapshot.kept.realPath !== realPath) return undefined;
  return (await textOf(uri, snapshot.bytes, snapshot.kept.encoding))?.lines;
}
