import * as vscode from 'vscode';
import { type Lines, rejections, type ReviewHunk } from '../three-way.ts';
import type { ReviewState } from '../turn-record.ts';
import { changeOf, type TurnFile, type TurnState } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { fileLabel } from './changes-view.ts';
import { blobOf } from './checkpoint-files.ts';
import { editsFor } from './document-edits.ts';
import { FileReview, type Reviews, type WaitingHunk } from './reviews.ts';
import { bytesOfText, reviewedKept, type Snapshot, snapshotOf, textOf } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';
import {
  type LabelledConflict,
  outcomeText,
  type Rejection,
  type UndoOutcome,
} from './undo-turn.ts';

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

/** What a person does with changes that wait for review. */
export class ReviewActions {
  readonly #changes: TurnChanges;
  readonly #reviews: Reviews;
  readonly #parts: ReviewParts;

  constructor(changes: TurnChanges, reviews: Reviews) {
    this.#changes = changes;
    this.#reviews = reviews;
    this.#parts = new ReviewParts(changes);
  }

  /** The change stays, with what older turns changed on the same lines. */
  async accept(document: vscode.TextDocument, waiting: WaitingHunk): Promise<void> {
    for (const each of [waiting, ...this.#reviews.beneath(document, waiting)]) {
      await this.#accept(document, each.review, [each.hunk]);
    }
  }

  /**
   * The old lines come back, as one step of the editor's undo.
   * @returns why not, for the person.
   */
  async reject(
    document: vscode.TextDocument,
    { review, hunk }: WaitingHunk,
  ): Promise<string | undefined> {
    const refusal = await this.#refusal(document, review);
    if (refusal !== undefined) return refusal;
    const isWholeNewFile = review.change === 'created' && review.hunks(document).length === 1;
    if (isWholeNewFile && !hunk.mixed && (await this.#putBack(review))) return undefined;
    await putOldLines(document, review, [hunk]);
    await this.#settle(document, review);
    return undefined;
  }

  async acceptFile(document: vscode.TextDocument): Promise<void> {
    for (const review of this.#reviews.of(document)) {
      await this.#accept(document, review, review.hunks(document));
    }
  }

  /**
   * Lines that the person changed too stay, and their hunks wait on.
   * @returns why not, for the person.
   */
  async rejectFile(document: vscode.TextDocument): Promise<string | undefined> {
    for (const review of this.#reviews.of(document)) {
      const refusal = await this.#refusal(document, review);
      if (refusal !== undefined) return refusal;
      // A new file goes, and a renamed one goes back: that is more than lines.
      if (review.change !== 'edited' && (await this.#putBack(review))) continue;
      const hunks = review.hunks(document).filter(({ mixed }) => !mixed);
      await putOldLines(document, review, hunks);
      await this.#settle(document, review);
    }
    return undefined;
  }

  /** Everything of a turn that waits. */
  async acceptTurn(turn: TurnRef): Promise<void> {
    const state = this.#changes.stateOf(turn);
    for (const [index, file] of pendingOf(state)) {
      const bytes = await this.#parts.accepted(turn, index, file);
      const reviewed = bytes && { reviewed: blobOf(bytes) };
      await this.#changes.review(turn, () => ({
        records: [{ type: 'review', file: index, state: 'accepted', ...reviewed }],
        bytes,
      }));
    }
  }

  async rejectTurn(turn: TurnRef): Promise<UndoOutcome> {
    const state = this.#changes.stateOf(turn);
    const files: Rejection[] = [];
    for (const [index, file] of pendingOf(state))
      files.push(await this.#rejection(turn, index, file));
    return this.#rejectParts(turn, await this.#changes.reject(turn, files));
  }

  /** Writes down what became of files whose changes somebody took back, or brought back, by editing. */
  async settleAll(): Promise<void> {
    for (const document of vscode.workspace.textDocuments) {
      for (const review of this.#reviews.of(document)) await this.#settle(document, review);
    }
  }

  /** Of files that could not go back as a whole, what can: hunks without anything that the person typed. */
  async #rejectParts(turn: TurnRef, whole: UndoOutcome): Promise<UndoOutcome> {
    // Folders, and what may not be touched at all, stay as they are.
    const conflicts = whole.conflicts.filter(
      ({ file, reason }) => file === undefined || reason !== 'changed',
    );
    for (const [index, file] of pendingOf(this.#changes.stateOf(turn))) {
      if (conflicts.some((each) => each.file === index)) continue;
      const elsewhere = await this.#placeRefusal(turn, file);
      if (elsewhere !== undefined) {
        conflicts.push(elsewhere);
        continue;
      }
      const { all, stay } = await this.#parts.reject(turn, index, file);
      if (all > 0 && stay === 0 && changeOf(file) !== 'renamed') {
        const state = file.reviewed === undefined ? 'rejected' : 'accepted';
        await this.#changes.review(turn, () => ({
          records: [{ type: 'review', file: index, state }],
        }));
      } else conflicts.push({ label: stayLabel(fileLabel(file), all, stay), reason: 'changed' });
    }
    return { ...whole, conflicts };
  }

  async #placeRefusal(turn: TurnRef, file: TurnFile): Promise<LabelledConflict | undefined> {
    const uri = (file.after ?? file.before)?.uri;
    return uri === undefined ? undefined : this.#changes.refusalOf(turn, vscode.Uri.parse(uri));
  }

  async #refusal(document: vscode.TextDocument, review: FileReview): Promise<string | undefined> {
    const conflict = await this.#changes.refusalOf(review.of.turn, document.uri);
    return conflict && outcomeText({ restored: [], conflicts: [conflict], sensitive: [] });
  }

  async #accept(
    document: vscode.TextDocument,
    review: FileReview,
    hunks: readonly ReviewHunk[],
  ): Promise<void> {
    const { blob, bytes } = review.accept(hunks);
    const state = review.hunks(document).length === 0 ? 'accepted' : 'pending';
    const { turn, file } = review.of;
    const record = { type: 'review', file, state, reviewed: blob } as const;
    await this.#changes.review(turn, () => ({ records: [record], bytes }));
  }

  /** @returns whether the file as a whole is what it was. */
  async #putBack({ of: { turn, file } }: FileReview): Promise<boolean> {
    const known = this.#changes.stateOf(turn)?.files[file];
    if (known === undefined) return false;
    const outcome = await this.#changes.reject(turn, [await this.#rejection(turn, file, known)]);
    return outcome.conflicts.length === 0;
  }

  /** A file of which something was accepted goes back to no more than that. */
  async #rejection(turn: TurnRef, index: number, file: TurnFile): Promise<Rejection> {
    const place = file.before ?? file.after;
    if (file.reviewed === undefined || place === null) return { file: index };
    const uri = vscode.Uri.parse(place.uri);
    const [accepted, like] = await Promise.all([
      this.#changes.read(turn.conversationId, file.reviewed),
      this.#changes.read(turn.conversationId, place.kept.blob),
    ]);
    const { encoding } = reviewedKept(file.reviewed);
    const text = accepted && (await textOf(uri, accepted, encoding));
    const style = like && (await textOf(uri, like, place.kept.encoding));
    if (text === undefined || style === undefined) return { file: index };
    const bytes = await bytesOfText(uri, { ...style, lines: text.lines });
    await this.#changes.review(turn, () => ({ records: [], bytes }));
    return { file: index, to: { uri: place.uri, kept: { ...place.kept, blob: blobOf(bytes) } } };
  }

  #settle(document: vscode.TextDocument, review: FileReview): Promise<void> {
    if (settledState(document, review, this.#fileOf(review)) === undefined)
      return Promise.resolve();
    return this.#changes.review(review.of.turn, () => {
      // A turn that is being undone takes its changes back as well, but that is no decision about them.
      const isShown = this.#reviews.of(document).includes(review);
      const state = isShown ? settledState(document, review, this.#fileOf(review)) : undefined;
      return {
        records: state === undefined ? [] : [{ type: 'review', file: review.of.file, state }],
      };
    });
  }

  #fileOf({ of: { turn, file } }: FileReview): TurnFile | undefined {
    return this.#changes.stateOf(turn)?.files[file];
  }
}

/** What a file's review comes to by what its document shows now; undefined when that is what is known already. */
function settledState(
  document: vscode.TextDocument,
  review: FileReview,
  file: TurnFile | undefined,
): ReviewState | undefined {
  const waits = review.hunks(document).length > 0;
  if (waits) return file?.review === 'rejected' ? 'pending' : undefined;
  // A renamed file is still renamed.
  if (file?.review !== 'pending' || !review.wasShown || review.change === 'renamed')
    return undefined;
  return file.reviewed === undefined ? 'rejected' : 'accepted';
}

/** Names how much of a file stays when that is not all of it. */
const stayLabel = (label: string, all: number, stay: number): string =>
  stay === 0 || stay === all ? label : vscode.l10n.t('{0} ({1} of {2} changes)', label, stay, all);

function pendingOf(state: TurnState | undefined): readonly (readonly [number, TurnFile])[] {
  if (state === undefined) return [];
  return state.changed.flatMap((index) => {
    const file = state.files[index];
    return file?.review === 'pending' ? [[index, file] as const] : [];
  });
}
