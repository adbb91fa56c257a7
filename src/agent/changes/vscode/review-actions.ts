import * as vscode from 'vscode';
import {
  areLinesEqual,
  computeRejectionEdits,
  type Lines,
  replaceLines,
  type ReviewHunk,
} from '../three-way.ts';
import type { ReviewState } from '../turn-record.ts';
import { getChangeKind, type TurnFile, type TurnState } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { formatFileLabel } from './changes-view.ts';
import { hashBlob } from './checkpoint-files.ts';
import { toTextEdits } from './document-edits.ts';
import { FileReview, type Reviews, type PendingHunk } from './reviews.ts';
import {
  encodeLikeFile,
  encodeText,
  createReviewedContent,
  type Snapshot,
  takeSnapshot,
  decodeText,
} from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';
import {
  type LabeledConflict,
  formatOutcomeMessage,
  type RejectedFile,
  type UndoOutcome,
} from './undo-turn.ts';
import { isUnsavedNotebook, needsDiskWrite } from '../../../workspace/vscode/documents.ts';

/** Accepts or rejects parts of changed files, even if no editor shows the files. */
export class PartialReview {
  readonly #changes: TurnChanges;

  constructor(changes: TurnChanges) {
    this.#changes = changes;
  }

  /**
   * Computes the content of a file with its pending hunks accepted. Excludes changes that the user rejected or
   * reverted.
   * @returns the bytes to store; undefined for a binary or deleted file
   */
  async computeAcceptedBytes(
    turn: TurnRef,
    index: number,
    file: TurnFile,
  ): Promise<Uint8Array | undefined> {
    const review = await FileReview.read(this.#changes, { turn, fileIndex: index }, file);
    if (review === undefined) return undefined;
    const currentLines = await readCurrentLines(file);
    return currentLines === undefined
      ? new TextEncoder().encode(review.after.join('\n'))
      : review.accept(review.computeHunks(currentLines)).bytes;
  }

  /**
   * Rejects the pending hunks of a file by restoring the old lines, except for lines that the user changed.
   * @returns the number of pending hunks before the call, and the number that remain pending; both are 0 for a binary
   *   file, a deleted file, a file that was replaced by a link, and a notebook with unsaved changes
   */
  async rejectPendingHunks(
    turn: TurnRef,
    index: number,
    file: TurnFile,
  ): Promise<{ readonly hunkCount: number; readonly remainingCount: number }> {
    const review = await FileReview.read(this.#changes, { turn, fileIndex: index }, file);
    const currentLines = await readCurrentLines(file);
    const isRejectable = file.after !== null && !isUnsavedNotebook(file.after.uri);
    if (review === undefined || !isRejectable || currentLines === undefined)
      return { hunkCount: 0, remainingCount: 0 };
    const uri = vscode.Uri.parse(file.after.uri);
    const document = needsDiskWrite(uri) ? undefined : await vscode.workspace.openTextDocument(uri);
    const hunks = document ? review.listHunks(document) : review.computeHunks(currentLines);
    const hunkCount = hunks.length;
    const hunksToReject = hunks.filter(({ hasUserEdits }) => !hasUserEdits);
    if (document !== undefined) await restoreOldLines(document, review, hunksToReject);
    else if (hunksToReject.length > 0) {
      const { before } = review;
      if (!(await restoreOldLinesOnDisk(uri, currentLines, { before, hunks: hunksToReject })))
        return { hunkCount, remainingCount: hunkCount };
    }
    return { hunkCount, remainingCount: hunkCount - hunksToReject.length };
  }
}

/**
 * Restores the old lines of these hunks in a document. Saves the document if it had no unsaved changes.
 * @throws Error if VS Code rejects the edit
 */
export async function restoreOldLines(
  document: vscode.TextDocument,
  { before }: FileReview,
  hunks: readonly ReviewHunk[],
): Promise<void> {
  if (hunks.length === 0) return;
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, toTextEdits(document, computeRejectionEdits(before, hunks)));
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the rejection.');
  }
  if (!wasDirty) await document.save();
}

/**
 * Restores the old lines of these hunks in a file on disk.
 * @param lines Lines in which the hunks were found.
 * @returns false if the file contains other lines, is open as a notebook with unsaved changes, or cannot be encoded
 *   without a change to other bytes
 */
async function restoreOldLinesOnDisk(
  uri: vscode.Uri,
  lines: Lines,
  { before, hunks }: { readonly before: Lines; readonly hunks: readonly ReviewHunk[] },
): Promise<boolean> {
  const snapshot = await takeSnapshot(uri);
  if (snapshot.kind !== 'file' || isUnsavedNotebook(uri.toString())) return false;
  const text = await decodeText(uri, snapshot.bytes, snapshot.content.encoding);
  if (text === undefined || !areLinesEqual(text.lines, lines)) return false;
  const restoredLines = replaceLines(lines, computeRejectionEdits(before, hunks));
  const bytes = await encodeLikeFile(uri, snapshot.bytes, restoredLines);
  if (bytes === undefined) return false;
  await vscode.workspace.fs.writeFile(uri, bytes);
  return true;
}

/**
 * Returns the current lines of a changed file; undefined if the file was deleted, is binary, or was replaced by a link.
 */
async function readCurrentLines({ after }: TurnFile): Promise<Lines | undefined> {
  if (after === null) return undefined;
  const uri = vscode.Uri.parse(after.uri);
  const snapshot: Snapshot | undefined = await takeSnapshot(uri).catch(() => undefined);
  if (snapshot?.kind !== 'file') return undefined;
  const { link, realPath } = after.kept;
  if (snapshot.content.link !== link) return undefined;
  if (realPath !== undefined && snapshot.content.realPath !== realPath) return undefined;
  return (await decodeText(uri, snapshot.bytes, snapshot.content.encoding))?.lines;
}

/** Actions with which the user accepts or rejects pending changes. */
export class ReviewActions {
  readonly #changes: TurnChanges;
  readonly #reviews: Reviews;
  readonly #partialReview: PartialReview;

  constructor(changes: TurnChanges, reviews: Reviews) {
    this.#changes = changes;
    this.#reviews = reviews;
    this.#partialReview = new PartialReview(changes);
  }

  /** Accepts a hunk, and the pending hunks of older turns that share lines with it. */
  async acceptHunk(document: vscode.TextDocument, pendingHunk: PendingHunk): Promise<void> {
    for (const { review, hunk } of [
      pendingHunk,
      ...this.#reviews.listOlderHunks(document, pendingHunk),
    ]) {
      await this.#acceptHunks(document, review, [hunk]);
    }
  }

  /**
   * Rejects a hunk by restoring its old lines in one undo step of the editor.
   * @returns an error message to show; undefined on success
   */
  async rejectHunk(
    document: vscode.TextDocument,
    { review, hunk }: PendingHunk,
  ): Promise<string | undefined> {
    const refusal = await this.#findRefusal(document, review);
    if (refusal !== undefined) return refusal;
    const isWholeNewFile =
      review.changeKind === 'created' && review.listHunks(document).length === 1;
    if (isWholeNewFile && !hunk.hasUserEdits && (await this.#restoreFile(review))) return undefined;
    await restoreOldLines(document, review, [hunk]);
    await this.#settleReview(document, review);
    return undefined;
  }

  async acceptFile(document: vscode.TextDocument): Promise<void> {
    for (const review of this.#reviews.listReviews(document)) {
      await this.#acceptHunks(document, review, review.listHunks(document));
    }
  }

  /**
   * Rejects all hunks of a file. Retains lines that the user also changed; their hunks remain pending.
   * @returns an error message to show; undefined on success
   */
  async rejectFile(document: vscode.TextDocument): Promise<string | undefined> {
    for (const review of this.#reviews.listReviews(document)) {
      const refusal = await this.#findRefusal(document, review);
      if (refusal !== undefined) return refusal;
      // Deletes a new file or moves a renamed file back, because restoring lines does not undo
      // these changes.
      if (review.changeKind !== 'edited' && (await this.#restoreFile(review))) continue;
      const hunks = review.listHunks(document).filter(({ hasUserEdits }) => !hasUserEdits);
      await restoreOldLines(document, review, hunks);
      await this.#settleReview(document, review);
    }
    return undefined;
  }

  /** Accepts all pending changes of a turn. */
  async acceptTurn(turn: TurnRef): Promise<void> {
    const state = this.#changes.getState(turn);
    for (const [index, file] of listPendingFiles(state)) {
      const bytes = await this.#partialReview.computeAcceptedBytes(turn, index, file);
      const reviewedField = bytes && { reviewed: hashBlob(bytes) };
      await this.#changes.recordReview(turn, () => ({
        records: [{ type: 'review', file: index, state: 'accepted', ...reviewedField }],
        bytes,
      }));
    }
  }

  async rejectTurn(turn: TurnRef): Promise<UndoOutcome> {
    const state = this.#changes.getState(turn);
    const files: RejectedFile[] = [];
    for (const [index, file] of listPendingFiles(state))
      files.push(await this.#createRejection(turn, index, file));
    return this.#rejectRemainingHunks(turn, await this.#changes.reject(turn, files));
  }

  /**
   * Counts the pending changes of the open files. If the user has reverted or restored changes by editing the text,
   * records the new review state of the file.
   */
  async settleAllReviews(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      for (const review of this.#reviews.listReviews(document)) {
        const { turn, fileIndex } = review.target;
        this.#changes.updateCounts(turn, fileIndex, review.listHunks(document));
        await this.#settleReview(document, review);
      }
    }
  }

  /** Rejects the pending hunks of files that were edited after the turn, except for hunks with user edits. */
  async #rejectRemainingHunks(turn: TurnRef, outcome: UndoOutcome): Promise<UndoOutcome> {
    // Keeps the conflicts of folders and of forbidden paths, because these stay unchanged.
    const conflicts = outcome.conflicts.filter(
      ({ fileIndex, reason }) => fileIndex === undefined || reason !== 'changed',
    );
    for (const [index, file] of listPendingFiles(this.#changes.getState(turn))) {
      if (conflicts.some((conflict) => conflict.fileIndex === index)) continue;
      const refusal = await this.#findPathRefusal(turn, file);
      if (refusal !== undefined) {
        conflicts.push(refusal);
        continue;
      }
      const { hunkCount, remainingCount } = await this.#partialReview.rejectPendingHunks(
        turn,
        index,
        file,
      );
      if (hunkCount > 0 && remainingCount === 0 && getChangeKind(file) !== 'renamed') {
        const state = file.reviewedBlob === undefined ? 'rejected' : 'accepted';
        await this.#changes.recordReview(turn, () => ({
          records: [{ type: 'review', file: index, state }],
        }));
      } else
        conflicts.push({
          label: formatRemainingLabel(formatFileLabel(file), hunkCount, remainingCount),
          reason: 'changed',
        });
    }
    return { ...outcome, conflicts };
  }

  async #findPathRefusal(turn: TurnRef, file: TurnFile): Promise<LabeledConflict | undefined> {
    const uri = (file.after ?? file.before)?.uri;
    return uri === undefined ? undefined : this.#changes.findRefusal(turn, vscode.Uri.parse(uri));
  }

  async #findRefusal(
    document: vscode.TextDocument,
    review: FileReview,
  ): Promise<string | undefined> {
    const conflict = await this.#changes.findRefusal(review.target.turn, document.uri);
    return (
      conflict &&
      formatOutcomeMessage({ restoredFiles: [], conflicts: [conflict], sensitiveFiles: [] })
    );
  }

  async #acceptHunks(
    document: vscode.TextDocument,
    review: FileReview,
    hunks: readonly ReviewHunk[],
  ): Promise<void> {
    const { blob, bytes } = review.accept(hunks);
    const state = review.listHunks(document).length === 0 ? 'accepted' : 'pending';
    const { turn, fileIndex } = review.target;
    const record = { type: 'review', file: fileIndex, state, reviewed: blob } as const;
    await this.#changes.recordReview(turn, () => ({ records: [record], bytes }));
  }

  /**
   * Undoes all changes of a turn to a file.
   * @returns false if some changes could not be undone
   */
  async #restoreFile({ target: { turn, fileIndex } }: FileReview): Promise<boolean> {
    const turnFile = this.#changes.getState(turn)?.files[fileIndex];
    if (turnFile === undefined) return false;
    const outcome = await this.#changes.reject(turn, [
      await this.#createRejection(turn, fileIndex, turnFile),
    ]);
    return outcome.conflicts.length === 0;
  }

  /**
   * Describes the rejection of a file. The rejection restores a partly accepted file to its text with the accepted
   * changes, and any other file to its state before the turn.
   */
  async #createRejection(turn: TurnRef, index: number, file: TurnFile): Promise<RejectedFile> {
    const originalState = file.before ?? file.after;
    if (file.reviewedBlob === undefined || originalState === null) return { fileIndex: index };
    const uri = vscode.Uri.parse(originalState.uri);
    const [acceptedBytes, originalBytes] = await Promise.all([
      this.#changes.readBlob(turn.conversationId, file.reviewedBlob),
      this.#changes.readBlob(turn.conversationId, originalState.kept.blob),
    ]);
    const { encoding } = createReviewedContent(file.reviewedBlob);
    const text = acceptedBytes && (await decodeText(uri, acceptedBytes, encoding));
    const originalText =
      originalBytes && (await decodeText(uri, originalBytes, originalState.kept.encoding));
    if (text === undefined || originalText === undefined) return { fileIndex: index };
    const bytes = await encodeText(uri, { ...originalText, lines: text.lines });
    await this.#changes.recordReview(turn, () => ({ records: [], bytes }));
    return {
      fileIndex: index,
      to: { uri: originalState.uri, kept: { ...originalState.kept, blob: hashBlob(bytes) } },
    };
  }

  #settleReview(document: vscode.TextDocument, review: FileReview): Promise<void> {
    if (computeReviewState(document, review, this.#getFile(review)) === undefined)
      return Promise.resolve();
    return this.#changes.recordReview(review.target.turn, () => {
      // Ignores a review that is no longer displayed: undoing a turn also reverts its changes, but
      // is not a review decision.
      const isShown = this.#reviews.listReviews(document).includes(review);
      const state = isShown
        ? computeReviewState(document, review, this.#getFile(review))
        : undefined;
      return {
        records:
          state === undefined ? [] : [{ type: 'review', file: review.target.fileIndex, state }],
      };
    });
  }

  #getFile({ target: { turn, fileIndex } }: FileReview): TurnFile | undefined {
    return this.#changes.getState(turn)?.files[fileIndex];
  }
}

/**
 * Returns the review state that results from a document's current text; undefined if the review state stays the same.
 */
function computeReviewState(
  document: vscode.TextDocument,
  review: FileReview,
  file: TurnFile | undefined,
): ReviewState | undefined {
  const hasPendingHunks = review.listHunks(document).length > 0;
  if (hasPendingHunks) return file?.review === 'rejected' ? 'pending' : undefined;
  // A renamed file remains pending, because it has another path than before the turn.
  if (file?.review !== 'pending' || !review.hadHunks || review.changeKind === 'renamed')
    return undefined;
  return file.reviewedBlob === undefined ? 'rejected' : 'accepted';
}

/** Appends the number of remaining changes to the label of a file, unless none or all of its changes remain. */
const formatRemainingLabel = (label: string, hunkCount: number, remainingCount: number): string =>
  remainingCount === 0 || remainingCount === hunkCount
    ? label
    : vscode.l10n.t('{0} ({1} of {2} changes)', label, remainingCount, hunkCount);

function listPendingFiles(state: TurnState | undefined): readonly (readonly [number, TurnFile])[] {
  if (state === undefined) return [];
  return state.changedIndexes.flatMap((index) => {
    const file = state.files[index];
    return file?.review === 'pending' ? [[index, file] as const] : [];
  });
}
