import * as vscode from 'vscode';
import {
  acceptHunks,
  type Lines,
  splitLines,
  type ReviewHunk,
  listReviewHunks,
} from '../three-way.ts';
import type { StoredContent } from '../turn-record.ts';
import { getChangeKind, type TurnFile } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { hashBlob } from './checkpoint-files.ts';
import { createReviewedContent, decodeText } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import type { Log } from '../../../platform/log.ts';
import { findOpenDocument } from '../../../workspace/vscode/documents.ts';

/** A file of a turn that the user reviews. `fileIndex` is the constant index of the file in the turn. */
export interface ReviewedFile {
  readonly turn: TurnRef;
  readonly fileIndex: number;
}

/** Texts of a file that the user reviews, as read from the checkpoints. */
export class FileReview {
  readonly target: ReviewedFile;
  readonly changeKind: ReturnType<typeof getChangeKind>;
  readonly after: Lines;
  /** True if the user edited the file during the turn. Any hunk may then contain user edits. */
  readonly #hasUserEdits: boolean;
  #before: Lines;
  #hadHunks = false;
  #cachedHunks:
    | { document: vscode.TextDocument; version: number; hunks: readonly ReviewHunk[] }
    | undefined;

  private constructor(
    target: ReviewedFile,
    file: TurnFile,
    texts: { before: Lines; after: Lines },
  ) {
    this.target = target;
    this.changeKind = getChangeKind(file);
    this.#hasUserEdits = file.hasUserEdits;
    this.#before = texts.before;
    this.after = texts.after;
  }

  /** Reads the stored texts of a changed file. Returns undefined for a binary or deleted file. */
  static async read(
    changes: TurnChanges,
    target: ReviewedFile,
    file: TurnFile,
  ): Promise<FileReview | undefined> {
    if (file.after === null) return undefined;
    const uri = vscode.Uri.parse(file.after.uri);
    const readLines = async ({ blob, encoding }: StoredContent): Promise<Lines | undefined> => {
      const bytes = await changes.readBlob(target.turn.conversationId, blob);
      return bytes && (await decodeText(uri, bytes, encoding))?.lines;
    };
    const after = await readLines(file.after.kept);
    const reviewedContent =
      file.reviewedBlob === undefined
        ? file.before?.kept
        : createReviewedContent(file.reviewedBlob);
    const before = reviewedContent === undefined ? [''] : await readLines(reviewedContent);
    return after === undefined || before === undefined
      ? undefined
      : new FileReview(target, file, { before, after });
  }

  /** True if the file has had a pending hunk at any time since its original and current text were read. */
  get hadHunks(): boolean {
    return this.#hadHunks;
  }

  /** Text before the turn, with the changes that the user has accepted. */
  get before(): Lines {
    return this.#before;
  }

  listHunks(document: vscode.TextDocument): readonly ReviewHunk[] {
    const { version } = document;
    if (this.#cachedHunks?.version !== version || this.#cachedHunks.document !== document) {
      this.#cachedHunks = {
        document,
        version,
        hunks: this.computeHunks(splitLines(document.getText())),
      };
    }
    this.#hadHunks ||= this.#cachedHunks.hunks.length > 0;
    return this.#cachedHunks.hunks;
  }

  /**
   * Returns the pending hunks of a file.
   * @param now Current text of the file, or of its open document.
   */
  computeHunks(now: Lines): readonly ReviewHunk[] {
    const hunks = listReviewHunks({ before: this.#before, after: this.after, now });
    return this.#hasUserEdits ? hunks.map((hunk) => ({ ...hunk, hasUserEdits: true })) : hunks;
  }

  /**
   * Accepts hunks. Returns the text before the turn with all accepted hunks applied, as bytes to store, and the hash of
   * these bytes.
   */
  accept(hunks: readonly ReviewHunk[]): { readonly blob: string; readonly bytes: Uint8Array } {
    this.#before = acceptHunks({ before: this.#before, after: this.after }, hunks);
    this.#cachedHunks = undefined;
    const bytes = new TextEncoder().encode(this.#before.join('\n'));
    return { blob: hashBlob(bytes), bytes };
  }
}

/** Milliseconds to wait after a document change before hunks are computed, so that typing stays fast. */
const changeDelayMs = 150;

/** A pending change, with its current position in the document. */
export interface PendingHunk {
  readonly review: FileReview;
  readonly hunk: ReviewHunk;
}

/** Returns the id of a pending hunk. Edits of other lines do not change this id. */
export const getHunkId = ({ review, hunk }: PendingHunk): string =>
  `${createFileKey(review.target)}:${hunk.after.start}-${hunk.after.end}`;

export interface ReviewsOptions {
  readonly changes: TurnChanges;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Tracks the pending changes of turns by document. Adds no listeners and computes nothing while no change is pending.
 */
export class Reviews implements Disposable {
  readonly #options: ReviewsOptions;
  readonly #disposables = new DisposableStore();
  /** Files with pending changes, by URI, oldest turn first. */
  readonly #pendingFiles = new Map<string, ReviewedFile[]>();
  /** Reviews of the files that are open as documents, by the key from `createFileKey`. */
  readonly #cachedReviews = new Map<
    string,
    { readonly key: string; readonly review: FileReview | undefined }
  >();
  readonly #onDidChangeEmitter = new Emitter<void>((error) =>
    this.#options.log.error('Could not notify a listener of reviews', error),
  );
  /** Fires when the pending changes of a document may have changed. */
  readonly onDidChange = this.#onDidChangeEmitter.event;
  #subscriptions: DisposableStore | undefined;
  #cancelDelay: (() => void) | undefined;
  #readPromise: Promise<void> = Promise.resolve();

  constructor(options: ReviewsOptions) {
    this.#options = options;
    this.#disposables.add(options.changes.onDidChange((turn) => this.#updateTurn(turn)));
    for (const turn of options.changes.listTurns()) this.#updateTurn(turn);
  }

  get isEmpty(): boolean {
    return this.#pendingFiles.size === 0;
  }

  /** Checks whether a file has pending changes. Also true while its texts are being read. */
  has(uri: vscode.Uri): boolean {
    return this.#pendingFiles.has(uri.toString());
  }

  /** URIs of the files with pending changes, oldest turn first. */
  get uris(): readonly vscode.Uri[] {
    return [...this.#pendingFiles.keys()].map((uri) => vscode.Uri.parse(uri));
  }

  /** Returns the reviews of an open document, newest turn first. */
  listReviews(document: vscode.TextDocument): readonly FileReview[] {
    const files = this.#pendingFiles.get(document.uri.toString()) ?? [];
    return files
      .toReversed()
      .flatMap((file) => this.#cachedReviews.get(createFileKey(file))?.review ?? []);
  }

  /**
   * Returns the pending hunks of a document from top to bottom. If hunks of several turns share lines, returns only the
   * hunk of the newest turn.
   */
  listHunks(document: vscode.TextDocument): readonly PendingHunk[] {
    const pendingHunks: PendingHunk[] = [];
    for (const review of this.listReviews(document)) {
      const visibleHunks = review
        .listHunks(document)
        .filter(
          (hunk) => !pendingHunks.some((pendingHunk) => doHunksOverlap(pendingHunk.hunk, hunk)),
        );
      pendingHunks.push(...visibleHunks.map((hunk) => ({ review, hunk })));
    }
    return pendingHunks.toSorted((a, b) => a.hunk.now.start - b.hunk.now.start);
  }

  /** Returns the hunks of older turns that share lines with the given hunk. */
  listOlderHunks(
    document: vscode.TextDocument,
    { review, hunk }: PendingHunk,
  ): readonly PendingHunk[] {
    const reviews = this.listReviews(document);
    return reviews
      .slice(reviews.indexOf(review) + 1)
      .flatMap((olderReview) =>
        olderReview.listHunks(document).map((hunk) => ({ review: olderReview, hunk })),
      )
      .filter((pendingHunk) => doHunksOverlap(pendingHunk.hunk, hunk));
  }

  /** Resolves after the texts of all open documents with pending changes are read. */
  async waitUntilReady(): Promise<void> {
    await this.#readPromise;
  }

  dispose(): void {
    this.#cancelDelay?.();
    this.#subscriptions?.dispose();
    this.#disposables.dispose();
    this.#onDidChangeEmitter.dispose();
  }

  #updateTurn(turn: TurnRef): void {
    this.#removeTurn(turn);
    const state = this.#options.changes.getState(turn);
    if (state !== undefined && !state.isUndone && !state.isDamaged) {
      for (const file of state.changedIndexes) this.#addReview({ turn, fileIndex: file });
    }
    this.#updateListeners();
    this.#scheduleRead();
  }

  #removeTurn(turn: TurnRef): void {
    for (const [uri, files] of [...this.#pendingFiles]) {
      const otherFiles = files.filter((file) => !isSameTurn(file.turn, turn));
      if (otherFiles.length === 0) this.#pendingFiles.delete(uri);
      else this.#pendingFiles.set(uri, otherFiles);
    }
  }

  #addReview(reviewedFile: ReviewedFile): void {
    const file = this.#options.changes.getState(reviewedFile.turn)?.files[reviewedFile.fileIndex];
    if (file?.after == null || file.review === 'accepted') return;
    // Keeps the review while the file is open, because the user can undo a rejection in the editor.
    if (file.review === 'rejected' && !this.#isLoaded(reviewedFile)) return;
    const { uri } = file.after;
    const files = [...(this.#pendingFiles.get(uri) ?? []), reviewedFile];
    const turns = this.#options.changes.listTurns();
    const getTurnPosition = ({ turn }: ReviewedFile): number =>
      turns.findIndex((candidate) => isSameTurn(candidate, turn));
    this.#pendingFiles.set(
      uri,
      files.toSorted((a, b) => getTurnPosition(a) - getTurnPosition(b)),
    );
  }

  #isLoaded(reviewedFile: ReviewedFile): boolean {
    return this.#cachedReviews.get(createFileKey(reviewedFile))?.review !== undefined;
  }

  #discardTexts(uri: vscode.Uri): void {
    const files = this.#pendingFiles.get(uri.toString()) ?? [];
    for (const file of files) this.#cachedReviews.delete(createFileKey(file));
    for (const { turn } of files) this.#updateTurn(turn);
  }

  /** Adds the listeners for editors if changes are pending, and removes them otherwise. */
  #updateListeners(): void {
    if (this.isEmpty) {
      this.#subscriptions?.dispose();
      this.#subscriptions = undefined;
      return;
    }
    if (this.#subscriptions !== undefined) return;
    this.#subscriptions = new DisposableStore();
    this.#subscriptions.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.has(uri) && this.#scheduleRead()),
    );
    this.#subscriptions.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#discardTexts(uri)),
    );
    this.#subscriptions.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.has(document.uri)) this.#scheduleChangeEvent();
      }),
    );
  }

  #scheduleChangeEvent(): void {
    this.#cancelDelay?.();
    this.#cancelDelay = this.#options.clock.after(changeDelayMs, () =>
      this.#onDidChangeEmitter.fire(),
    );
  }

  #scheduleRead(): void {
    const previousReadPromise = this.#readPromise;
    this.#readPromise = this.#readTextsAfter(previousReadPromise);
  }

  async #readTextsAfter(previousReadPromise: Promise<void>): Promise<void> {
    await previousReadPromise;
    try {
      await this.#readTexts();
    } catch (error) {
      this.#options.log.error('Could not read a review', error);
    }
    this.#onDidChangeEmitter.fire();
  }

  async #readTexts(): Promise<void> {
    const openEntries = [...this.#pendingFiles].filter(([uri]) => findOpenDocument(uri));
    const fileKeys = new Set<string>();
    for (const reviewedFile of openEntries.flatMap(([, files]) => files)) {
      const { changes } = this.#options;
      const file = changes.getState(reviewedFile.turn)?.files[reviewedFile.fileIndex];
      if (file === undefined) continue;
      const fileKey = createFileKey(reviewedFile);
      fileKeys.add(fileKey);
      const blobs = [file.before, file.after].map((side) => side?.kept.blob);
      const key = [...blobs, file.hasUserEdits].join();
      if (this.#cachedReviews.get(fileKey)?.key === key) continue;
      this.#cachedReviews.set(fileKey, {
        key,
        review: await FileReview.read(changes, reviewedFile, file),
      });
    }
    for (const fileKey of this.#cachedReviews.keys())
      if (!fileKeys.has(fileKey)) this.#cachedReviews.delete(fileKey);
  }
}

const createFileKey = ({ turn, fileIndex }: ReviewedFile): string =>
  `${turn.conversationId}/${turn.turnId}/${fileIndex}`;

const isSameTurn = (a: TurnRef, b: TurnRef): boolean =>
  a.conversationId === b.conversationId && a.turnId === b.turnId;

/** Checks whether two hunks share a line, or a position between lines. */
function doHunksOverlap(a: ReviewHunk, b: ReviewHunk): boolean {
  if (a.now.start === b.now.start) return true;
  return a.now.start < b.now.end && b.now.start < a.now.end;
}
