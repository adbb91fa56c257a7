import * as vscode from 'vscode';
import { type Lines, rejectionEdits, type ReviewHunk } from '../three-way.ts';
import type { ReviewState } from '../turn-record.ts';
import { changeKind, type TurnFile, type TurnState } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { fileLabel } from './changes-view.ts';
import { blobHash } from './checkpoint-files.ts';
import { toTextEdits } from './document-edits.ts';
import { FileReview, type Reviews, type PendingHunk } from './reviews.ts';
import {
  encodeText,
  reviewedContent,
  type Snapshot,
  takeSnapshot,
  decodeText,
} from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';
import {
  type LabeledConflict,
  outcomeMessage,
  type Rejection,
  type UndoOutcome,
} from './undo-turn.ts';

/** Decides about the parts of files that no editor needs to show. */
export class PartialReview {
  readonly #changes: TurnChanges;

  constructor(changes: TurnChanges) {
    this.#changes = changes;
  }

  /**
   * What is accepted of a file when all that still waits in it is. What was rejected before, or taken back by hand,
   * is not.
   * @returns the text to keep; undefined for what is no text, or is gone.
   */
  async acceptedBytes(
    turn: TurnRef,
    index: number,
    file: TurnFile,
  ): Promise<Uint8Array | undefined> {
    const review = await FileReview.read(this.#changes, { turn, file: index }, file);
    if (review === undefined) return undefined;
    const current = await currentLines(file);
    return current === undefined
      ? new TextEncoder().encode(review.after.join('\n'))
      : review.accept(review.hunksFor(current)).bytes;
  }

  /**
   * Puts the old lines back where the person changed none of them.
   * @returns how many changes waited and how many of them stay; none for what is no text or no longer that file.
   */
  async reject(
    turn: TurnRef,
    index: number,
    file: TurnFile,
  ): Promise<{ readonly total: number; readonly remaining: number }> {
    const review = await FileReview.read(this.#changes, { turn, file: index }, file);
    if (review === undefined || file.after === null || (await currentLines(file)) === undefined) {
      return { total: 0, remaining: 0 };
    }
    const uri = vscode.Uri.parse(file.after.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const hunks = review.hunksIn(document);
    await restoreOldLines(
      document,
      review,
      hunks.filter(({ mixed }) => !mixed),
    );
    return { total: hunks.length, remaining: hunks.filter(({ mixed }) => mixed).length };
  }
}

/** Takes these hunks back in the editor's model; what was saved is saved again. @throws when the editor refuses. */
export async function restoreOldLines(
  document: vscode.TextDocument,
  { before }: FileReview,
  hunks: readonly ReviewHunk[],
): Promise<void> {
  if (hunks.length === 0) return;
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, toTextEdits(document, rejectionEdits(before, hunks)));
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the rejection.');
  }
  if (!wasDirty) await document.save();
}

/** Undefined when the file is gone, is no text, or is behind a link that took its place. */
async function currentLines({ after }: TurnFile): Promise<Lines | undefined> {
  if (after === null) return undefined;
  const uri = vscode.Uri.parse(after.uri);
  const snapshot: Snapshot | undefined = await takeSnapshot(uri).catch(() => undefined);
  if (snapshot?.kind !== 'file') return undefined;
  const { link, realPath } = after.kept;
  if (snapshot.content.link !== link) return undefined;
  if (realPath !== undefined && snapshot.content.realPath !== realPath) return undefined;
  return (await decodeText(uri, snapshot.bytes, snapshot.content.encoding))?.lines;
}

/** What a person does with changes that wait for review. */
export class ReviewActions {
  readonly #changes: TurnChanges;
  readonly #reviews: Reviews;
  readonly #partial: PartialReview;

  constructor(changes: TurnChanges, reviews: Reviews) {
    this.#changes = changes;
    this.#reviews = reviews;
    this.#partial = new PartialReview(changes);
  }

  /** The change stays, with what older turns changed on the same lines. */
  async accept(document: vscode.TextDocument, pending: PendingHunk): Promise<void> {
    for (const { review, hunk } of [pending, ...this.#reviews.olderHunks(document, pending)]) {
      await this.#accept(document, review, [hunk]);
    }
  }

  /**
   * The old lines come back, as one step of the editor's undo.
   * @returns why not, for the person.
   */
  async reject(
    document: vscode.TextDocument,
    { review, hunk }: PendingHunk,
  ): Promise<string | undefined> {
    const refusal = await this.#refusal(document, review);
    if (refusal !== undefined) return refusal;
    const isWholeNewFile = review.changeKind === 'created' && review.hunksIn(document).length === 1;
    if (isWholeNewFile && !hunk.mixed && (await this.#restoreFile(review))) return undefined;
    await restoreOldLines(document, review, [hunk]);
    await this.#settle(document, review);
    return undefined;
  }

  async acceptFile(document: vscode.TextDocument): Promise<void> {
    for (const review of this.#reviews.reviewsIn(document)) {
      await this.#accept(document, review, review.hunksIn(document));
    }
  }

  /**
   * Lines that the person changed too stay, and their hunks wait on.
   * @returns why not, for the person.
   */
  async rejectFile(document: vscode.TextDocument): Promise<string | undefined> {
    for (const review of this.#reviews.reviewsIn(document)) {
      const refusal = await this.#refusal(document, review);
      if (refusal !== undefined) return refusal;
      // A new file goes, and a renamed one goes back: that is more than lines.
      if (review.changeKind !== 'edited' && (await this.#restoreFile(review))) continue;
      const hunks = review.hunksIn(document).filter(({ mixed }) => !mixed);
      await restoreOldLines(document, review, hunks);
      await this.#settle(document, review);
    }
    return undefined;
  }

  /** Everything of a turn that waits. */
  async acceptTurn(turn: TurnRef): Promise<void> {
    const state = this.#changes.getState(turn);
    for (const [index, file] of pendingFiles(state)) {
      const bytes = await this.#partial.acceptedBytes(turn, index, file);
      const reviewed = bytes && { reviewed: blobHash(bytes) };
      await this.#changes.recordReview(turn, () => ({
        records: [{ type: 'review', file: index, state: 'accepted', ...reviewed }],
        bytes,
      }));
    }
  }

  async rejectTurn(turn: TurnRef): Promise<UndoOutcome> {
    const state = this.#changes.getState(turn);
    const files: Rejection[] = [];
    for (const [index, file] of pendingFiles(state))
      files.push(await this.#rejection(turn, index, file));
    return this.#rejectRemaining(turn, await this.#changes.reject(turn, files));
  }

  /** Writes down what became of files whose changes somebody took back, or brought back, by editing. */
  async settleAll(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      for (const review of this.#reviews.reviewsIn(document)) await this.#settle(document, review);
    }
  }

  /** Of files that could not go back as a whole, what can: hunks without anything that the person typed. */
  async #rejectRemaining(turn: TurnRef, outcome: UndoOutcome): Promise<UndoOutcome> {
    // Folders, and what may not be touched at all, stay as they are.
    const conflicts = outcome.conflicts.filter(
      ({ file, reason }) => file === undefined || reason !== 'changed',
    );
    for (const [index, file] of pendingFiles(this.#changes.getState(turn))) {
      if (conflicts.some((conflict) => conflict.file === index)) continue;
      const refusal = await this.#pathRefusal(turn, file);
      if (refusal !== undefined) {
        conflicts.push(refusal);
        continue;
      }
      const { total, remaining } = await this.#partial.reject(turn, index, file);
      if (total > 0 && remaining === 0 && changeKind(file) !== 'renamed') {
        const state = file.reviewed === undefined ? 'rejected' : 'accepted';
        await this.#changes.recordReview(turn, () => ({
          records: [{ type: 'review', file: index, state }],
        }));
      } else
        conflicts.push({
          label: remainingLabel(fileLabel(file), total, remaining),
          reason: 'changed',
        });
    }
    return { ...outcome, conflicts };
  }

  async #pathRefusal(turn: TurnRef, file: TurnFile): Promise<LabeledConflict | undefined> {
    const uri = (file.after ?? file.before)?.uri;
    return uri === undefined ? undefined : this.#changes.refusalFor(turn, vscode.Uri.parse(uri));
  }

  async #refusal(document: vscode.TextDocument, review: FileReview): Promise<string | undefined> {
    const conflict = await this.#changes.refusalFor(review.target.turn, document.uri);
    return conflict && outcomeMessage({ restored: [], conflicts: [conflict], sensitive: [] });
  }

  async #accept(
    document: vscode.TextDocument,
    review: FileReview,
    hunks: readonly ReviewHunk[],
  ): Promise<void> {
    const { blob, bytes } = review.accept(hunks);
    const state = review.hunksIn(document).length === 0 ? 'accepted' : 'pending';
    const { turn, file } = review.target;
    const record = { type: 'review', file, state, reviewed: blob } as const;
    await this.#changes.recordReview(turn, () => ({ records: [record], bytes }));
  }

  /** @returns whether the file as a whole is what it was. */
  async #restoreFile({ target: { turn, file } }: FileReview): Promise<boolean> {
    const fileState = this.#changes.getState(turn)?.files[file];
    if (fileState === undefined) return false;
    const outcome = await this.#changes.reject(turn, [
      await this.#rejection(turn, file, fileState),
    ]);
    return outcome.conflicts.length === 0;
  }

  /** A file of which something was accepted goes back to no more than that. */
  async #rejection(turn: TurnRef, index: number, file: TurnFile): Promise<Rejection> {
    const original = file.before ?? file.after;
    if (file.reviewed === undefined || original === null) return { file: index };
    const uri = vscode.Uri.parse(original.uri);
    const [acceptedBytes, originalBytes] = await Promise.all([
      this.#changes.readBlob(turn.conversationId, file.reviewed),
      this.#changes.readBlob(turn.conversationId, original.kept.blob),
    ]);
    const { encoding } = reviewedContent(file.reviewed);
    const text = acceptedBytes && (await decodeText(uri, acceptedBytes, encoding));
    const style = originalBytes && (await decodeText(uri, originalBytes, original.kept.encoding));
    if (text === undefined || style === undefined) return { file: index };
    const bytes = await encodeText(uri, { ...style, lines: text.lines });
    await this.#changes.recordReview(turn, () => ({ records: [], bytes }));
    return {
      file: index,
      to: { uri: original.uri, kept: { ...original.kept, blob: blobHash(bytes) } },
    };
  }

  #settle(document: vscode.TextDocument, review: FileReview): Promise<void> {
    if (settledState(document, review, this.#fileOf(review)) === undefined)
      return Promise.resolve();
    return this.#changes.recordReview(review.target.turn, () => {
      // A turn that is being undone takes its changes back as well, but that is no decision about them.
      const isShown = this.#reviews.reviewsIn(document).includes(review);
      const state = isShown ? settledState(document, review, this.#fileOf(review)) : undefined;
      return {
        records: state === undefined ? [] : [{ type: 'review', file: review.target.file, state }],
      };
    });
  }

  #fileOf({ target: { turn, file } }: FileReview): TurnFile | undefined {
    return this.#changes.getState(turn)?.files[file];
  }
}

/** What a file's review comes to by what its document shows now; undefined when that is what is known already. */
function settledState(
  document: vscode.TextDocument,
  review: FileReview,
  file: TurnFile | undefined,
): ReviewState | undefined {
  const hasPending = review.hunksIn(document).length > 0;
  if (hasPending) return file?.review === 'rejected' ? 'pending' : undefined;
  // A renamed file is still renamed.
  if (file?.review !== 'pending' || !review.hadHunks || review.changeKind === 'renamed')
    return undefined;
  return file.reviewed === undefined ? 'rejected' : 'accepted';
}

/** Names how much of a file stays when that is not all of it. */
const remainingLabel = (label: string, total: number, remaining: number): string =>
  remaining === 0 || remaining === total
    ? label
    : vscode.l10n.t('{0} ({1} of {2} changes)', label, remaining, total);

function pendingFiles(state: TurnState | undefined): readonly (readonly [number, TurnFile])[] {
  if (state === undefined) return [];
  return state.changedIndexes.flatMap((index) => {
    const file = state.files[index];
    return file?.review === 'pending' ? [[index, file] as const] : [];
  });
}
