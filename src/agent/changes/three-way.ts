import { diffLines, type LineRange } from '../../base/line-diff.ts';

export type Lines = readonly string[];

/** A range of lines, and the lines that replace this range. */
export interface LineReplacement {
  readonly range: LineRange;
  readonly lines: Lines;
}

/**
 * Splits a text into lines without line endings, so that only the lines themselves are compared. A line ending at the
 * end of the text results in an empty last line.
 */
export function splitLines(text: string): Lines {
  return text.replace(/^\uFEFF/u, '').split(/\r\n|\r|\n/u);
}

/**
 * Returns a copy of the lines in which each range is replaced. The ranges must be in order and must not overlap. The
 * copy has at least one line.
 */
export function replaceLines(lines: Lines, replacements: readonly LineReplacement[]): Lines {
  const segments: Lines[] = [];
  let position = 0;
  for (const { range, lines: replacement } of replacements) {
    segments.push(lines.slice(position, range.start), replacement);
    position = range.end;
  }
  segments.push(lines.slice(position));
  const replacedLines = segments.flat();
  return replacedLines.length === 0 ? [''] : replacedLines;
}

export const sliceLines = (lines: Lines, { start, end }: LineRange): Lines =>
  lines.slice(start, end);

export const areLinesEqual = (a: Lines, b: Lines): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

/** Two changed versions of a text, and the original text as their base. */
export interface MergeVersions {
  readonly base: Lines;
  /** Current text, including the user's edits. */
  readonly mine: Lines;
  /** Text whose changes are merged into `mine`. */
  readonly theirs: Lines;
}

/** A range in which at least one of two texts differs from the base. Regions are in order and never overlap. */
export interface MergeRegion {
  readonly base: LineRange;
  readonly mine: LineRange;
  readonly theirs: LineRange;
  /**
   * Texts that differ from the base in the region. `same`: both contain the same change; `conflict`: they contain
   * different changes.
   */
  readonly changedBy: 'mine' | 'theirs' | 'same' | 'conflict';
}

/**
 * Compares both versions with their base. Adjacent changes of the two versions are separate regions, unless both
 * versions make the same change. The same change can be at slightly different lines of the two diffs.
 */
export function compareVersions(versions: MergeVersions): readonly MergeRegion[] {
  const changes = [
    ...listVersionChanges('mine', versions.base, versions.mine),
    ...listVersionChanges('theirs', versions.base, versions.theirs),
  ].toSorted((a, b) => a.baseRange.start - b.baseRange.start || a.baseRange.end - b.baseRange.end);
  const shifts = { mine: 0, theirs: 0 };
  const regions: MergeRegion[] = [];
  for (const group of groupChanges(changes, areRangesTouching)) {
    const shiftsBefore = { ...shifts };
    const region = toMergeRegion(group, versions, shifts);
    const subgroups = groupChanges(group, areRangesOverlapping);
    if (region.changedBy !== 'conflict' || subgroups.length === 1) regions.push(region);
    else
      regions.push(...subgroups.map((subgroup) => toMergeRegion(subgroup, versions, shiftsBefore)));
  }
  return regions;
}

/**
 * Merges the changes of `theirs` into `mine`.
 * @param onConflict Handling of lines that both texts changed differently: `refuse` returns undefined for the whole
 *   merge; `mine` uses the lines of `mine`.
 */
export function mergeLines(
  versions: MergeVersions,
  onConflict: 'refuse' | 'mine',
): Lines | undefined {
  const regions = compareVersions(versions);
  if (onConflict === 'refuse' && regions.some(({ changedBy }) => changedBy === 'conflict')) {
    return undefined;
  }
  const theirRegions = regions.filter(({ changedBy }) => changedBy === 'theirs');
  return replaceLines(
    versions.mine,
    theirRegions.map(({ mine, theirs }) => ({
      range: mine,
      lines: sliceLines(versions.theirs, theirs),
    })),
  );
}

interface VersionChange {
  readonly side: 'mine' | 'theirs';
  readonly baseRange: LineRange;
  /** Range in the changed version. */
  readonly range: LineRange;
}

const listVersionChanges = (
  side: VersionChange['side'],
  base: Lines,
  otherLines: Lines,
): VersionChange[] =>
  diffLines(base, otherLines).map(({ from, to }) => ({ side, baseRange: from, range: to }));

/**
 * Groups sorted changes. Adds a change to the last group if `canJoin` returns true for the range of that group and the
 * range of the change. Otherwise, starts a new group.
 */
function groupChanges(
  changes: readonly VersionChange[],
  canJoin: (groupRange: LineRange, nextRange: LineRange) => boolean,
): VersionChange[][] {
  const groups: VersionChange[][] = [];
  let groupRange: LineRange | undefined;
  for (const change of changes) {
    const lastGroup = groups.at(-1);
    const { start, end } = change.baseRange;
    if (
      lastGroup !== undefined &&
      groupRange !== undefined &&
      canJoin(groupRange, change.baseRange)
    ) {
      lastGroup.push(change);
      groupRange = { start: groupRange.start, end: Math.max(groupRange.end, end) };
    } else {
      groups.push([change]);
      groupRange = { start, end };
    }
  }
  return groups;
}

const areRangesTouching = (groupRange: LineRange, nextRange: LineRange): boolean =>
  nextRange.start <= groupRange.end;

/** Checks whether two ranges overlap. Insertions at the same position overlap, because their order is undefined. */
const areRangesOverlapping = (groupRange: LineRange, nextRange: LineRange): boolean =>
  nextRange.start < groupRange.end ||
  (nextRange.start === groupRange.start && nextRange.end === nextRange.start);

/**
 * Converts a group of changes to a region with the ranges in all three texts.
 * @param shifts Numbers of lines by which each changed text is longer than the base, up to the start of the group. The
 *   function adds the changes of the group to these numbers.
 */
function toMergeRegion(
  group: readonly VersionChange[],
  versions: MergeVersions,
  shifts: { mine: number; theirs: number },
): MergeRegion {
  const base = {
    start: group[0]?.baseRange.start ?? 0,
    end: Math.max(...group.map(({ baseRange }) => baseRange.end)),
  };
  const findRange = (side: VersionChange['side']): LineRange => {
    const start = base.start + shifts[side];
    for (const { baseRange, range } of group.filter((change) => change.side === side)) {
      shifts[side] += range.end - range.start - (baseRange.end - baseRange.start);
    }
    return { start, end: base.end + shifts[side] };
  };
  const mine = findRange('mine');
  const theirs = findRange('theirs');
  const sides = new Set(group.map(({ side }) => side));
  if (sides.size === 1) return { base, mine, theirs, changedBy: [...sides][0] ?? 'mine' };
  const areSame = areLinesEqual(
    sliceLines(versions.mine, mine),
    sliceLines(versions.theirs, theirs),
  );
  return { base, mine, theirs, changedBy: areSame ? 'same' : 'conflict' };
}

/** The three texts of a file that the user reviews. */
export interface ReviewTexts {
  /** Text before the turn, with the changes that the user has accepted. */
  readonly before: Lines;
  /** Text after the turn's last change. */
  readonly after: Lines;
  /** Current text, including later edits by the user. */
  readonly now: Lines;
}

/**
 * A change of the turn that the user has neither accepted nor rejected. Changes made only by the user are not included.
 */
export interface ReviewHunk {
  readonly before: LineRange;
  readonly after: LineRange;
  readonly now: LineRange;
  /** True if the user also changed these lines, so restoring the old lines would lose the user's edit. */
  readonly hasUserEdits: boolean;
}

export function listReviewHunks({ before, after, now }: ReviewTexts): readonly ReviewHunk[] {
  if (areLinesEqual(before, after)) return [];
  return compareVersions({ base: after, mine: now, theirs: before })
    .filter(({ changedBy }) => changedBy === 'theirs' || changedBy === 'conflict')
    .map(({ base, mine, theirs, changedBy }) => ({
      before: theirs,
      after: base,
      now: mine,
      hasUserEdits: changedBy === 'conflict',
    }));
}

/** Returns the text before the turn, with these hunks applied to it. Does not change the file. */
export function acceptHunks(
  { before, after }: Pick<ReviewTexts, 'before' | 'after'>,
  hunks: readonly ReviewHunk[],
): Lines {
  return replaceLines(
    before,
    hunks.map((hunk) => ({ range: hunk.before, lines: sliceLines(after, hunk.after) })),
  );
}

/** Returns the line replacements that reject these hunks in the current text. */
export function computeRejectionEdits(
  before: Lines,
  hunks: readonly ReviewHunk[],
): readonly LineReplacement[] {
  return hunks.map((hunk) => ({ range: hunk.now, lines: sliceLines(before, hunk.before) }));
}
