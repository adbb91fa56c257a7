import * as vscode from 'vscode';
import { acceptHunks, type Lines, linesOf, type ReviewHunk, reviewHunks } from '../three-way.ts';
import type { Kept } from '../turn-record.ts';
import { changeOf, type TurnFile } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { blobOf } from './checkpoint-files.ts';
import { reviewedKept, textOf } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import type { Log } from '../../../platform/log.ts';
import { openDocument } from '../../../workspace/vscode/documents.ts';

/** One file of one turn under review. Its position in the turn never changes. */
export interface ReviewedFile {
  readonly turn: TurnRef;
  readonly file: number;
}

/** The texts that a file's changes are reviewed between, read from what was kept. */
export class FileReview {
  readonly of: ReviewedFile;
  readonly change: ReturnType<typeof changeOf>;
  readonly left: Lines;
  /** The person typed into the file during the turn: any of its hunks may have lines of theirs. */
  readonly #isMixed: boolean;
  #before: Lines;
  #wasShown = false;
  #cached:
    | { document: vscode.TextDocument; version: number; hunks: readonly ReviewHunk[] }
    | undefined;

  private constructor(of: ReviewedFile, file: TurnFile, texts: { before: Lines; left: Lines }) {
    this.of = of;
    this.change = changeOf(file);
    this.#isMixed = file.mixed;
    this.#before = texts.before;
    this.left = texts.left;
  }

  /** Undefined for what is no text, or is gone. */
  static async read(
    changes: TurnChanges,
    of: ReviewedFile,
    file: TurnFile,
  ): Promise<FileReview | undefined> {
    if (file.after === null) return undefined;
    const uri = vscode.Uri.parse(file.after.uri);
    const text = async ({ blob, encoding }: Kept): Promise<Lines | undefined> => {
      const bytes = await changes.read(of.turn.conversationId, blob);
      return bytes && (await textOf(uri, bytes, encoding))?.lines;
    };
    const left = await text(file.after.kept);
    const reviewed = file.reviewed === undefined ? file.before?.kept : reviewedKept(file.reviewed);
    const before = reviewed === undefined ? [''] : await text(reviewed);
    return left === undefined || before === undefined
      ? undefined
      : new FileReview(of, file, { before, left });
  }

  /** Whether there was ever a hunk to decide. */
  get wasShown(): boolean {
    return this.#wasShown;
  }

  /** The text that the changes are shown against. */
  get before(): Lines {
    return this.#before;
  }

  hunks(document: vscode.TextDocument): readonly ReviewHunk[] {
    const { version } = document;
    if (this.#cached?.version !== version || this.#cached.document !== document) {
      this.#cached = { document, version, hunks: this.hunksOf(linesOf(document.getText())) };
    }
    this.#wasShown ||= this.#cached.hunks.length > 0;
    return this.#cached.hunks;
  }

  /** @param now The file's text now, whether a document shows it or not. */
  hunksOf(now: Lines): readonly ReviewHunk[] {
    const hunks = reviewHunks({ before: this.#before, left: this.left, now });
    return this.#isMixed ? hunks.map((hunk) => ({ ...hunk, mixed: true })) : hunks;
  }

  /** The hunks are no longer shown. Returns the new text to review against, to be kept. */
  accept(hunks: readonly ReviewHunk[]): { readonly blob: string; readonly bytes: Uint8Array } {
    this.#before = acceptHunks({ before: this.#before, left: this.left }, hunks);
    this.#cached = undefined;
    const bytes = new TextEncoder().encode(this.#before.join('\n'));
    return { blob: blobOf(bytes), bytes };
  }
}

/** Long enough not to compute while someone types. */
const delayMs = 150;

/** A change that waits for review, and where it is in the document now. */
export interface WaitingHunk {
  readonly review: FileReview;
  readonly hunk: ReviewHunk;
}

/** Names a change for as long as it waits, whatever is typed around it. */
export const hunkId = ({ review, hunk }: WaitingHunk): string =>
  `${fileKey(review.of)}:${hunk.left.start}-${hunk.left.end}`;

export interface ReviewsOptions {
  readonly changes: TurnChanges;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which changes of turns wait for review in which documents. Does nothing while none waits. */
export class Reviews implements Disposable {
  readonly #options: ReviewsOptions;
  readonly #owned = new DisposableStore();
  /** What waits, by the URI of the file. Newest turn last. */
  readonly #waiting = new Map<string, ReviewedFile[]>();
  /** The texts of those whose document is open. */
  readonly #texts = new Map<
    string,
    { readonly key: string; readonly review: FileReview | undefined }
  >();
  readonly #changed = new Emitter<void>((error) => this.#options.log.error('Review', error));
  /** Something that is shown of the review may be another one now. */
  readonly onDidChange = this.#changed.event;
  #listening: DisposableStore | undefined;
  #cancel: (() => void) | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: ReviewsOptions) {
    this.#options = options;
    this.#owned.add(options.changes.onDidChange((turn) => this.#update(turn)));
    for (const turn of options.changes.turns()) this.#update(turn);
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether anything about this file waits, also while its texts are still being read. */
  has(uri: vscode.Uri): boolean {
    return this.#waiting.has(uri.toString());
  }

  /** Of an open document, the newest turn first. */
  of(document: vscode.TextDocument): readonly FileReview[] {
    const files = this.#waiting.get(document.uri.toString()) ?? [];
    return files.toReversed().flatMap((file) => this.#texts.get(fileKey(file))?.review ?? []);
  }

  /** What waits in a document, from top to bottom. Of changes on the same lines only the newest turn's. */
  hunks(document: vscode.TextDocument): readonly WaitingHunk[] {
    const all: WaitingHunk[] = [];
    for (const review of this.of(document)) {
      const free = review
        .hunks(document)
        .filter((hunk) => !all.some((each) => meet(each.hunk, hunk)));
      all.push(...free.map((hunk) => ({ review, hunk })));
    }
    return all.toSorted((a, b) => a.hunk.now.start - b.hunk.now.start);
  }

  /** The hunks of older turns on the same lines. */
  beneath(document: vscode.TextDocument, { review, hunk }: WaitingHunk): readonly WaitingHunk[] {
    const reviews = this.of(document);
    return reviews
      .slice(reviews.indexOf(review) + 1)
      .flatMap((older) => older.hunks(document).map((each) => ({ review: older, hunk: each })))
      .filter((each) => meet(each.hunk, hunk));
  }

  /** Resolves when the texts of all open documents are read. */
  async ready(): Promise<void> {
    await this.#reading;
  }

  dispose(): void {
    this.#cancel?.();
    this.#listening?.dispose();
    this.#owned.dispose();
    this.#changed.dispose();
  }

  #update(turn: TurnRef): void {
    this.#drop(turn);
    const state = this.#options.changes.stateOf(turn);
    if (state !== undefined && !state.undone) {
      for (const file of state.changed) this.#add({ turn, file });
    }
    this.#listen();
    this.#read();
  }

  #drop(turn: TurnRef): void {
    for (const [uri, files] of [...this.#waiting]) {
      const others = files.filter((file) => !isSameTurn(file.turn, turn));
      if (others.length === 0) this.#waiting.delete(uri);
      else this.#waiting.set(uri, others);
    }
  }

  #add(reviewed: ReviewedFile): void {
    const file = this.#options.changes.stateOf(reviewed.turn)?.files[reviewed.file];
    if (file?.after == null || file.review === 'accepted') return;
    // Someone may take back a rejection with the editor's own undo, as long as the file is open.
    if (file.review === 'rejected' && !this.#isRead(reviewed)) return;
    const { uri } = file.after;
    const files = [...(this.#waiting.get(uri) ?? []), reviewed];
    const order = this.#options.changes.turns();
    const position = ({ turn }: ReviewedFile): number =>
      order.findIndex((each) => isSameTurn(each, turn));
    this.#waiting.set(
      uri,
      files.toSorted((a, b) => position(a) - position(b)),
    );
  }

  #isRead(reviewed: ReviewedFile): boolean {
    return this.#texts.get(fileKey(reviewed))?.review !== undefined;
  }

  #forgetDecided(uri: vscode.Uri): void {
    const files = this.#waiting.get(uri.toString()) ?? [];
    for (const file of files) this.#texts.delete(fileKey(file));
    for (const { turn } of files) this.#update(turn);
  }

  /** Editors are only listened to while something waits. */
  #listen(): void {
    if (this.isEmpty) {
      this.#listening?.dispose();
      this.#listening = undefined;
      return;
    }
    if (this.#listening !== undefined) return;
    this.#listening = new DisposableStore();
    this.#listening.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.has(uri) && this.#read()),
    );
    this.#listening.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forgetDecided(uri)),
    );
    this.#listening.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.has(document.uri)) this.#fireSoon();
      }),
    );
  }

  #fireSoon(): void {
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(delayMs, () => this.#changed.fire());
  }

  #read(): void {
    const before = this.#reading;
    this.#reading = this.#readAfter(before);
  }

  async #readAfter(before: Promise<void>): Promise<void> {
    await before;
    try {
      await this.#readTexts();
    } catch (error) {
      this.#options.log.error('A review could not be read', error);
    }
    this.#changed.fire();
  }

  async #readTexts(): Promise<void> {
    const needed = [...this.#waiting].filter(([uri]) => openDocument(uri));
    const names = new Set<string>();
    for (const reviewed of needed.flatMap(([, files]) => files)) {
      const { changes } = this.#options;
      const file = changes.stateOf(reviewed.turn)?.files[reviewed.file];
      if (file === undefined) continue;
      const name = fileKey(reviewed);
      names.add(name);
      const blobs = [file.before, file.after].map((side) => side?.kept.blob);
      const key = [...blobs, file.mixed].join();
      if (this.#texts.get(name)?.key === key) continue;
      this.#texts.set(name, { key, review: await FileReview.read(changes, reviewed, file) });
    }
    for (const name of this.#texts.keys()) if (!names.has(name)) this.#texts.delete(name);
  }
}

const fileKey = ({ turn, file }: ReviewedFile): string =>
  `${turn.conversationId}/${turn.turnId}/${file}`;

const isSameTurn = (a: TurnRef, b: TurnRef): boolean =>
  a.conversationId === b.conversationId && a.turnId === b.turnId;

/** Whether two hunks have lines, or a place between lines, in common. */
function meet(a: ReviewHunk, b: ReviewHunk): boolean {
  if (a.now.start === b.now.start) return true;
  return a.now.start < b.now.end && b.now.start < a.now.end;
}
