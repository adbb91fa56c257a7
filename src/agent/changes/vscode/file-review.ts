import * as vscode from 'vscode';
import { acceptHunks, type Lines, linesOf, type ReviewHunk, reviewHunks } from '../three-way.ts';
import type { Kept } from '../turn-record.ts';
import { changeOf, type TurnFile } from '../turn-state.ts';
import type { TurnRef } from './change-recorder.ts';
import { blobOf } from './blob-files.ts';
import { reviewedKept, textOf } from './file-text.ts';
import type { TurnChanges } from './turn-changes.ts';

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
