import * as vscode from 'vscode';
import type { Lines, ReviewHunk } from '../three-way.ts';
import type { StoredContent } from '../turn-record.ts';
import { getChangeKind, type TurnFile, type TurnState } from '../turn-state.ts';
import type { BlobStore } from './checkpoint-files.ts';
import { formatDisplayPath } from './restore-check.ts';
import { countLines, createReviewedContent, decodeText } from './snapshot.ts';
import { countChangedLines, diffLines } from '../../../base/line-diff.ts';
import type { ChangesView } from '../../protocol.ts';

/** Number of changes in a file, with the numbers of added and removed lines. */
interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly changeCount: number;
}

type FileCounts = Pick<ChangesView['files'][number], 'added' | 'removed' | 'keptChanges'>;

/** Counts the lines and changes of files that the user has reviewed in part. */
export class ReviewCounts {
  /** Counts of the accepted changes. The keys are created by {@link createAcceptedKey}. */
  readonly #acceptedCounts = new Map<string, ChangeCounts>();
  /** Counts of the pending changes. The keys are created by {@link createPendingKey}. */
  readonly #pendingCounts = new Map<string, ChangeCounts>();

  /**
   * Counts the lines that the changes of a file add and remove, without the changes that the user rejected. Returns the
   * counts in the turn's journal if the texts of the file are not read yet.
   */
  getFileCounts(file: TurnFile): FileCounts {
    const { added, removed, review } = file;
    const key = createAcceptedKey(file);
    const acceptedCounts = key === undefined ? noChanges : this.#acceptedCounts.get(key);
    const pendingCounts = this.#pendingCounts.get(createPendingKey(file));
    if (review === 'accepted' && key !== undefined && acceptedCounts !== undefined)
      return { added: acceptedCounts.added, removed: acceptedCounts.removed };
    if (review === 'accepted' || acceptedCounts === undefined || pendingCounts === undefined)
      return { added, removed };
    const total = acceptedCounts.changeCount + pendingCounts.changeCount;
    return {
      added: acceptedCounts.added + pendingCounts.added,
      removed: acceptedCounts.removed + pendingCounts.removed,
      ...(acceptedCounts.changeCount > 0 && {
        keptChanges: { count: acceptedCounts.changeCount, total },
      }),
    };
  }

  /** Counts the changes of partly accepted files that are not counted yet. Skips unreadable files. */
  async countAcceptedParts(state: TurnState, blobStore: Pick<BlobStore, 'read'>): Promise<void> {
    for (const file of state.files) {
      const key = createAcceptedKey(file);
      if (key === undefined || this.#acceptedCounts.has(key)) continue;
      const texts = await readTexts(file, blobStore);
      if (texts === undefined) continue;
      const { before, reviewed, after } = texts;
      this.#acceptedCounts.set(key, countChanges(before, reviewed));
      const pendingKey = createPendingKey(file);
      if (after !== undefined && !this.#pendingCounts.has(pendingKey))
        this.#pendingCounts.set(pendingKey, countChanges(reviewed, after));
    }
  }

  /**
   * Counts the pending changes of a file in its open document.
   * @returns true if the counts differ from the previous counts
   */
  updateCounts(file: TurnFile, hunks: readonly ReviewHunk[]): boolean {
    const previousCounts = this.getFileCounts(file);
    const isNew = file.before === null;
    const sumHunkLines = (count: (hunk: ReviewHunk) => number): number =>
      hunks.reduce((total, hunk) => total + count(hunk), 0);
    this.#pendingCounts.set(createPendingKey(file), {
      added: sumHunkLines(({ now }) => now.end - now.start),
      removed: isNew ? 0 : sumHunkLines(({ before }) => before.end - before.start),
      changeCount: hunks.length,
    });
    const { added, removed, keptChanges } = this.getFileCounts(file);
    return (
      added !== previousCounts.added ||
      removed !== previousCounts.removed ||
      keptChanges?.count !== previousCounts.keptChanges?.count ||
      keptChanges?.total !== previousCounts.keptChanges?.total
    );
  }
}

const noChanges: ChangeCounts = { added: 0, removed: 0, changeCount: 0 };

/**
 * Returns the key under which the counts of the accepted changes are cached. Returns undefined if none or all of the
 * file's changes are accepted.
 */
function createAcceptedKey({ before, after, reviewedBlob }: TurnFile): string | undefined {
  if (reviewedBlob === undefined || reviewedBlob === after?.kept.blob) return undefined;
  return `${before?.kept.blob ?? ''}:${reviewedBlob}`;
}

/** Returns the key under which the counts of the pending changes are cached. */
const createPendingKey = ({ before, after, reviewedBlob }: TurnFile): string =>
  [after?.uri, reviewedBlob ?? before?.kept.blob, after?.kept.blob].join();

function countChanges(before: Lines, after: Lines): ChangeCounts {
  return { ...countChangedLines(before, after), changeCount: diffLines(before, after).length };
}

interface ReviewedTexts {
  readonly before: Lines;
  readonly reviewed: Lines;
  readonly after: Lines | undefined;
}

async function readTexts(
  { before, after, reviewedBlob }: TurnFile,
  blobStore: Pick<BlobStore, 'read'>,
): Promise<ReviewedTexts | undefined> {
  const uri = before?.uri ?? after?.uri;
  if (uri === undefined || reviewedBlob === undefined) return undefined;
  const readLines = async ({ blob, encoding }: StoredContent): Promise<Lines | undefined> => {
    const bytes = await blobStore.read(blob);
    return bytes && (await decodeText(vscode.Uri.parse(uri), bytes, encoding))?.lines;
  };
  const reviewed = await readLines(createReviewedContent(reviewedBlob));
  const originalLines = before === null ? [] : await readLines(before.kept);
  if (reviewed === undefined || originalLines === undefined) return undefined;
  return {
    before: originalLines,
    reviewed: before === null ? reviewed.slice(0, countLines(reviewed)) : reviewed,
    after: after === null ? undefined : await readLines(after.kept),
  };
}

/**
 * Creates the view of a turn's changes for the chat page; undefined if the turn changed nothing.
 * @param counts Counts of files that the user has reviewed in part.
 */
export function createChangesView(
  turnId: string,
  state: TurnState,
  counts: Pick<ReviewCounts, 'getFileCounts'>,
): ChangesView | undefined {
  const files = state.changedIndexes.flatMap((index) => state.files[index] ?? []);
  if (files.length === 0 && !state.isDamaged) return undefined;
  return {
    turnId,
    undone: state.isUndone,
    files: files.map((file) => createFileView(file, counts)),
    ...(state.isDamaged && { isDamaged: true }),
  };
}

/**
 * Returns the path of a file relative to its workspace folder, or its absolute path outside the workspace. Returns both
 * paths for a renamed file, and an empty string for an unknown file.
 */
export function formatFileLabel(file: TurnFile | undefined): string {
  const [before, after] = [formatUriLabel(file?.before?.uri), formatUriLabel(file?.after?.uri)];
  if (before !== undefined && after !== undefined && before !== after)
    return `${before} → ${after}`;
  return after ?? before ?? '';
}

function createFileView(
  file: TurnFile,
  counts: Pick<ReviewCounts, 'getFileCounts'>,
): ChangesView['files'][number] {
  return {
    label: formatFileLabel(file),
    change: getChangeKind(file),
    review: file.review,
    ...getReviewedCounts(file, counts),
  };
}

/**
 * Counts the lines that the changes of a file add and remove, without the changes that the user rejected. Returns zero
 * for a rejected file.
 */
function getReviewedCounts(
  file: TurnFile,
  counts: Pick<ReviewCounts, 'getFileCounts'>,
): FileCounts {
  if (file.review === 'rejected') return { added: 0, removed: 0 };
  if (getChangeKind(file) === 'deleted') return { added: 0, removed: file.before?.kept.lines ?? 0 };
  return counts.getFileCounts(file);
}

function formatUriLabel(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const uri = vscode.Uri.parse(name);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? formatDisplayPath(name)
    : vscode.workspace.asRelativePath(uri);
}
