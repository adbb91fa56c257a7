import * as vscode from 'vscode';
import type { Lines } from '../three-way.ts';
import type { StoredContent } from '../turn-record.ts';
import { getChangeKind, type TurnFile, type TurnState } from '../turn-state.ts';
import type { BlobStore } from './checkpoint-files.ts';
import { formatDisplayPath } from './restore-check.ts';
import { countLines, createReviewedContent, decodeText } from './snapshot.ts';
import { countChangedLines } from '../../../base/line-diff.ts';
import type { ChangesView } from '../../protocol.ts';

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** Counts the added and removed lines of partly accepted files. */
export class ReviewCounts {
  readonly #counts = new Map<string, LineCounts>();

  /**
   * Returns the line counts of a partly accepted file. Returns undefined for any other file, whose recorded counts
   * apply.
   */
  get(file: TurnFile): LineCounts | undefined {
    const key = createCountsKey(file);
    return key === undefined ? undefined : this.#counts.get(key);
  }

  /** Counts the lines of partly accepted files that are not counted yet. Skips unreadable files. */
  async update(state: TurnState, blobs: Pick<BlobStore, 'read'>): Promise<void> {
    for (const file of state.files) {
      const key = createCountsKey(file);
      if (key === undefined || this.#counts.has(key)) continue;
      const counts = await readCounts(file, blobs);
      if (counts !== undefined) this.#counts.set(key, counts);
    }
  }
}

/**
 * Returns the key under which the line counts of a partly accepted file are cached; undefined for a pending or
 * completely accepted file, whose lines are not counted again.
 */
function createCountsKey({ before, after, review, reviewedBlob }: TurnFile): string | undefined {
  if (review !== 'accepted' || reviewedBlob === undefined) return undefined;
  if (reviewedBlob === after?.kept.blob) return undefined;
  return `${before?.kept.blob ?? ''}:${reviewedBlob}`;
}

async function readCounts(
  { before, after, reviewedBlob }: TurnFile,
  blobs: Pick<BlobStore, 'read'>,
): Promise<LineCounts | undefined> {
  const uri = before?.uri ?? after?.uri;
  if (uri === undefined || reviewedBlob === undefined) return undefined;
  const readLines = async ({ blob, encoding }: StoredContent): Promise<Lines | undefined> => {
    const bytes = await blobs.read(blob);
    return bytes && (await decodeText(vscode.Uri.parse(uri), bytes, encoding))?.lines;
  };
  const accepted = await readLines(createReviewedContent(reviewedBlob));
  if (accepted === undefined) return undefined;
  if (before === null) return { added: countLines(accepted), removed: 0 };
  const original = await readLines(before.kept);
  return original && countChangedLines(original, accepted);
}

/**
 * Creates the view of a turn's changes for the chat page; undefined if the turn changed nothing.
 * @param counts Line counts of partly accepted files.
 */
export function createChangesView(
  turnId: string,
  state: TurnState,
  counts: Pick<ReviewCounts, 'get'>,
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
  counts: Pick<ReviewCounts, 'get'>,
): ChangesView['files'][number] {
  const { added, removed } = getReviewedCounts(file, counts);
  return {
    label: formatFileLabel(file),
    change: getChangeKind(file),
    added,
    removed,
    review: file.review,
  };
}

/** Returns the line counts of the changes that the user has not rejected; zero for a rejected file. */
function getReviewedCounts(file: TurnFile, counts: Pick<ReviewCounts, 'get'>): LineCounts {
  if (file.review === 'rejected') return { added: 0, removed: 0 };
  if (getChangeKind(file) === 'deleted') return { added: 0, removed: file.before?.kept.lines ?? 0 };
  return counts.get(file) ?? file;
}

function formatUriLabel(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const uri = vscode.Uri.parse(name);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? formatDisplayPath(name)
    : vscode.workspace.asRelativePath(uri);
}
