import * as vscode from 'vscode';
import type { Lines } from '../three-way.ts';
import type { Kept } from '../turn-record.ts';
import { changeOf, type TurnFile, type TurnState } from '../turn-state.ts';
import type { Blobs } from './checkpoint-files.ts';
import { fullPath } from './restore-check.ts';
import { countLines, reviewedKept, textOf } from './snapshot.ts';
import { diffLines } from '../../../base/line-diff.ts';
import type { ChangesView } from '../../protocol.ts';

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** How many lines of decided files were kept, for those of which only a part was accepted. */
export class ReviewCounts {
  readonly #known = new Map<string, LineCounts>();

  /** Undefined where the counts of the whole change hold. */
  of(file: TurnFile): LineCounts | undefined {
    const key = keyOf(file);
    return key === undefined ? undefined : this.#known.get(key);
  }

  /** Counts what is not counted yet; what cannot be read has no counts. */
  async read(state: TurnState, blobs: Pick<Blobs, 'read'>): Promise<void> {
    for (const file of state.files) {
      const key = keyOf(file);
      if (key === undefined || this.#known.has(key)) continue;
      const counts = await countsOf(file, blobs);
      if (counts !== undefined) this.#known.set(key, counts);
    }
  }
}

/** Of the two texts; undefined while the file waits, and when all of it was accepted. */
function keyOf({ before, after, review, reviewed }: TurnFile): string | undefined {
  if (review !== 'accepted' || reviewed === undefined) return undefined;
  if (reviewed === after?.kept.blob) return undefined;
  return `${before?.kept.blob ?? ''}:${reviewed}`;
}

async function countsOf(
  { before, after, reviewed }: TurnFile,
  blobs: Pick<Blobs, 'read'>,
): Promise<LineCounts | undefined> {
  const place = before?.uri ?? after?.uri;
  if (place === undefined || reviewed === undefined) return undefined;
  const linesOfKept = async ({ blob, encoding }: Kept): Promise<Lines | undefined> => {
    const bytes = await blobs.read(blob);
    return bytes && (await textOf(vscode.Uri.parse(place), bytes, encoding))?.lines;
  };
  const kept = await linesOfKept(reviewedKept(reviewed));
  if (kept === undefined) return undefined;
  if (before === null) return { added: countLines(kept), removed: 0 };
  const old = await linesOfKept(before.kept);
  return old && countsBetween(old, kept);
}

function countsBetween(old: Lines, kept: Lines): LineCounts {
  const counts = { added: 0, removed: 0 };
  for (const { from, to } of diffLines(old, kept)) {
    counts.added += to.end - to.start;
    counts.removed += from.end - from.start;
  }
  return counts;
}

/**
 * What the chat's page shows of a turn's changes; undefined when there are none.
 * @param kept How many lines were kept of decided files.
 */
export function changesView(
  turnId: string,
  state: TurnState,
  kept: Pick<ReviewCounts, 'of'>,
): ChangesView | undefined {
  const files = state.changed.flatMap((index) => state.files[index] ?? []);
  if (files.length === 0) return undefined;
  return { turnId, undone: state.undone, files: files.map((file) => fileView(file, kept)) };
}

/** Relative to its folder in the workspace, the whole path for a file elsewhere; both places of a renamed one. */
export function fileLabel(file: TurnFile | undefined): string {
  const [before, after] = [labelOf(file?.before?.uri), labelOf(file?.after?.uri)];
  if (before !== undefined && after !== undefined && before !== after)
    return `${before} → ${after}`;
  return after ?? before ?? '';
}

function fileView(file: TurnFile, kept: Pick<ReviewCounts, 'of'>): ChangesView['files'][number] {
  const { added, removed } = changedLines(file, kept);
  return { label: fileLabel(file), change: changeOf(file), added, removed, review: file.review };
}

/** What is really changed: of a rejected file nothing is. */
function changedLines(file: TurnFile, kept: Pick<ReviewCounts, 'of'>): LineCounts {
  if (file.review === 'rejected') return { added: 0, removed: 0 };
  if (changeOf(file) === 'deleted') return { added: 0, removed: file.before?.kept.lines ?? 0 };
  return kept.of(file) ?? file;
}

function labelOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const uri = vscode.Uri.parse(name);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? fullPath(name)
    : vscode.workspace.asRelativePath(uri);
}
