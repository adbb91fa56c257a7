import type { LineRange } from '../../base/line-diff.ts';
import { type Lines, type Replacement, replaceLines, sameLines, slice } from './lines.ts';
import { regionsOf } from './three-way.ts';

/** The three texts of a file under review. */
export interface ReviewTexts {
  /** Before the turn, and whatever of the turn was accepted since. */
  readonly before: Lines;
  /** As the turn left it. */
  readonly left: Lines;
  /** As it is now, with what the person typed since. */
  readonly now: Lines;
}

/** A change of the turn that is not decided yet. What only the person changed is none. */
export interface ReviewHunk {
  readonly before: LineRange;
  readonly left: LineRange;
  readonly now: LineRange;
  /** The person changed these lines too: putting the old ones back would cost what they typed there. */
  readonly mixed: boolean;
}

export function reviewHunks({ before, left, now }: ReviewTexts): readonly ReviewHunk[] {
  if (sameLines(before, left)) return [];
  return regionsOf({ base: left, mine: now, theirs: before })
    .filter(({ changed }) => changed === 'theirs' || changed === 'conflict')
    .map(({ base, mine, theirs, changed }) => ({
      before: theirs,
      left: base,
      now: mine,
      mixed: changed === 'conflict',
    }));
}

/** The new `before` once these hunks are accepted; the file itself stays as it is. */
export function acceptHunks(
  { before, left }: Pick<ReviewTexts, 'before' | 'left'>,
  hunks: readonly ReviewHunk[],
): Lines {
  return replaceLines(
    before,
    hunks.map((hunk) => ({ range: hunk.before, by: slice(left, hunk.left) })),
  );
}

/** What rejecting these hunks puts in place of lines of the file; `before` stays as it is. */
export function rejections(before: Lines, hunks: readonly ReviewHunk[]): readonly Replacement[] {
  return hunks.map((hunk) => ({ range: hunk.now, by: slice(before, hunk.before) }));
}
