import * as vscode from 'vscode';
import type { Lines } from '../three-way.ts';
import type { Kept } from '../turn-record.ts';
import type { TurnFile, TurnState } from '../turn-state.ts';
import { diffLines } from '../../../base/line-diff.ts';
import type { Blobs } from './blob-files.ts';
import { countLines, reviewedKept, textOf } from './file-text.ts';

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
