import { diffLines, type LineRange } from '../../base/line-diff.ts';

export type Lines = readonly string[];

/** Lines that take the place of a range. */
export interface LineReplacement {
  readonly range: LineRange;
  readonly lines: Lines;
}

/**
 * A text as lines without their ends, so that texts of different line endings compare. There is always one: a final
 * newline shows as an empty last line.
 */
export function splitLines(text: string): Lines {
  return text.replace(/^\uFEFF/u, '').split(/\r\n|\r|\n/u);
}

/** A copy with each range replaced. Ranges are in order and do not overlap. There is always one line left. */
export function replaceLines(lines: Lines, replacements: readonly LineReplacement[]): Lines {
  const replaced: Lines[] = [];
  let position = 0;
  for (const { range, lines: replacement } of replacements) {
    replaced.push(lines.slice(position, range.start), replacement);
    position = range.end;
  }
  replaced.push(lines.slice(position));
  const all = replaced.flat();
  return all.length === 0 ? [''] : all;
}

export const sliceLines = (lines: Lines, { start, end }: LineRange): Lines =>
  lines.slice(start, end);

export const areLinesEqual = (a: Lines, b: Lines): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

/** Two texts and the one that both come from. */
export interface MergeVersions {
  readonly base: Lines;
  /** What the person has now. */
  readonly mine: Lines;
  /** What is to be brought in. */
  readonly theirs: Lines;
}

/** A place where at least one of the two departs from their base. Regions are in order and never overlap. */
export interface MergeRegion {
  readonly base: LineRange;
  readonly mine: LineRange;
  readonly theirs: LineRange;
  /** Who departs: one of them, both in the same way, or both differently. */
  readonly changed: 'mine' | 'theirs' | 'same' | 'conflict';
}

/**
 * Compares both texts with their base. Changes that only touch are told apart unless both made the same one: a diff
 * may place the same change a line higher or lower.
 */
export function compareVersions(versions: MergeVersions): readonly MergeRegion[] {
  const changes = [
    ...changesOnSide('mine', versions.base, versions.mine),
    ...changesOnSide('theirs', versions.base, versions.theirs),
  ].toSorted((a, b) => a.from.start - b.from.start || a.from.end - b.from.end);
  const shift = { mine: 0, theirs: 0 };
  const regions: MergeRegion[] = [];
  for (const group of groupChanges(changes, isTouching)) {
    const before = { ...shift };
    const whole = toRegion(group, versions, shift);
    const parts = groupChanges(group, isOverlapping);
    if (whole.changed !== 'conflict' || parts.length === 1) regions.push(whole);
    else regions.push(...parts.map((part) => toRegion(part, versions, before)));
  }
  return regions;
}

/**
 * Brings what `theirs` changed into `mine`.
 * @param onConflict `refuse` gives up where both changed the same lines differently; `mine` keeps the person's.
 * @returns undefined when it gave up.
 */
export function mergeLines(
  versions: MergeVersions,
  onConflict: 'refuse' | 'mine',
): Lines | undefined {
  const regions = compareVersions(versions);
  if (onConflict === 'refuse' && regions.some(({ changed }) => changed === 'conflict')) {
    return undefined;
  }
  const taken = regions.filter(({ changed }) => changed === 'theirs');
  return replaceLines(
    versions.mine,
    taken.map(({ mine, theirs }) => ({ range: mine, lines: sliceLines(versions.theirs, theirs) })),
  );
}

interface Change {
  readonly side: 'mine' | 'theirs';
  readonly from: LineRange;
  readonly to: LineRange;
}

const changesOnSide = (side: Change['side'], base: Lines, other: Lines): Change[] =>
  diffLines(base, other).map(({ from, to }) => ({ side, from, to }));

/** Splits changes in order into runs in which each `joins` what came before it. */
function groupChanges(
  changes: readonly Change[],
  canJoin: (reach: LineRange, next: LineRange) => boolean,
): Change[][] {
  const groups: Change[][] = [];
  let reach: LineRange | undefined;
  for (const change of changes) {
    const last = groups.at(-1);
    const { start, end } = change.from;
    if (last !== undefined && reach !== undefined && canJoin(reach, change.from)) {
      last.push(change);
      reach = { start: reach.start, end: Math.max(reach.end, end) };
    } else {
      groups.push([change]);
      reach = { start, end };
    }
  }
  return groups;
}

const isTouching = (reach: LineRange, next: LineRange): boolean => next.start <= reach.end;

/** Two insertions at the same place have no order of their own: they overlap as well. */
const isOverlapping = (reach: LineRange, next: LineRange): boolean =>
  next.start < reach.end || (next.start === reach.start && next.end === next.start);

/** @param shift How far each text lies behind its base so far; moved on by the group. */
function toRegion(
  group: readonly Change[],
  versions: MergeVersions,
  shift: { mine: number; theirs: number },
): MergeRegion {
  const base = {
    start: group[0]?.from.start ?? 0,
    end: Math.max(...group.map(({ from }) => from.end)),
  };
  const rangeOn = (side: Change['side']): LineRange => {
    const start = base.start + shift[side];
    for (const { from, to } of group.filter((change) => change.side === side)) {
      shift[side] += to.end - to.start - (from.end - from.start);
    }
    return { start, end: base.end + shift[side] };
  };
  const mine = rangeOn('mine');
  const theirs = rangeOn('theirs');
  const sides = new Set(group.map(({ side }) => side));
  if (sides.size === 1) return { base, mine, theirs, changed: [...sides][0] ?? 'mine' };
  const same = areLinesEqual(sliceLines(versions.mine, mine), sliceLines(versions.theirs, theirs));
  return { base, mine, theirs, changed: same ? 'same' : 'conflict' };
}

/** The three texts of a file under review. */
export interface ReviewTexts {
  /** Before the turn, and whatever of the turn was accepted since. */
  readonly before: Lines;
  /** As the turn left it. */
  readonly after: Lines;
  /** As it is now, with what the person typed since. */
  readonly now: Lines;
}

/** A change of the turn that is not decided yet. What only the person changed is none. */
export interface ReviewHunk {
  readonly before: LineRange;
  readonly after: LineRange;
  readonly now: LineRange;
  /** The person changed these lines too: putting the old ones back would cost what they typed there. */
  readonly mixed: boolean;
}

export function reviewHunks({ before, after, now }: ReviewTexts): readonly ReviewHunk[] {
  if (areLinesEqual(before, after)) return [];
  return compareVersions({ base: after, mine: now, theirs: before })
    .filter(({ changed }) => changed === 'theirs' || changed === 'conflict')
    .map(({ base, mine, theirs, changed }) => ({
      before: theirs,
      after: base,
      now: mine,
      mixed: changed === 'conflict',
    }));
}

/** The new `before` once these hunks are accepted; the file itself stays as it is. */
export function acceptHunks(
  { before, after }: Pick<ReviewTexts, 'before' | 'after'>,
  hunks: readonly ReviewHunk[],
): Lines {
  return replaceLines(
    before,
    hunks.map((hunk) => ({ range: hunk.before, lines: sliceLines(after, hunk.after) })),
  );
}

/** What rejecting these hunks puts in place of lines of the file; `before` stays as it is. */
export function rejectionEdits(
  before: Lines,
  hunks: readonly ReviewHunk[],
): readonly LineReplacement[] {
  return hunks.map((hunk) => ({ range: hunk.now, lines: sliceLines(before, hunk.before) }));
}
