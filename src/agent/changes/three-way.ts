import { diffLines, type LineRange } from '../../base/line-diff.ts';
import { type Lines, replaceLines, sameLines, slice } from './lines.ts';

/** Two texts and the one that both come from. */
export interface Versions {
  readonly base: Lines;
  /** What the person has now. */
  readonly mine: Lines;
  /** What is to be brought in. */
  readonly theirs: Lines;
}

/** A place where at least one of the two departs from their base. Regions are in order and never overlap. */
export interface Region {
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
export function regionsOf(versions: Versions): readonly Region[] {
  const changes = [
    ...changesOf('mine', versions.base, versions.mine),
    ...changesOf('theirs', versions.base, versions.theirs),
  ].toSorted((a, b) => a.from.start - b.from.start || a.from.end - b.from.end);
  const shift = { mine: 0, theirs: 0 };
  const regions: Region[] = [];
  for (const group of grouped(changes, touches)) {
    const before = { ...shift };
    const whole = regionOf(group, versions, shift);
    const parts = grouped(group, overlaps);
    if (whole.changed !== 'conflict' || parts.length === 1) regions.push(whole);
    else regions.push(...parts.map((part) => regionOf(part, versions, before)));
  }
  return regions;
}

/**
 * Brings what `theirs` changed into `mine`.
 * @param onConflict `refuse` gives up where both changed the same lines differently; `mine` keeps the person's.
 * @returns undefined when it gave up.
 */
export function mergeLines(versions: Versions, onConflict: 'refuse' | 'mine'): Lines | undefined {
  const regions = regionsOf(versions);
  if (onConflict === 'refuse' && regions.some(({ changed }) => changed === 'conflict')) {
    return undefined;
  }
  const taken = regions.filter(({ changed }) => changed === 'theirs');
  return replaceLines(
    versions.mine,
    taken.map(({ mine, theirs }) => ({ range: mine, by: slice(versions.theirs, theirs) })),
  );
}

interface Change {
  readonly side: 'mine' | 'theirs';
  readonly from: LineRange;
  readonly to: LineRange;
}

const changesOf = (side: Change['side'], base: Lines, other: Lines): Change[] =>
  diffLines(base, other).map(({ from, to }) => ({ side, from, to }));

/** Splits changes in order into runs in which each `joins` what came before it. */
function grouped(
  changes: readonly Change[],
  joins: (reach: LineRange, next: LineRange) => boolean,
): Change[][] {
  const groups: Change[][] = [];
  let reach: LineRange | undefined;
  for (const change of changes) {
    const last = groups.at(-1);
    const { start, end } = change.from;
    if (last !== undefined && reach !== undefined && joins(reach, change.from)) {
      last.push(change);
      reach = { start: reach.start, end: Math.max(reach.end, end) };
    } else {
      groups.push([change]);
      reach = { start, end };
    }
  }
  return groups;
}

const touches = (reach: LineRange, next: LineRange): boolean => next.start <= reach.end;

/** Two insertions at the same place have no order of their own: they overlap as well. */
const overlaps = (reach: LineRange, next: LineRange): boolean =>
  next.start < reach.end || (next.start === reach.start && next.end === next.start);

/** @param shift How far each text lies behind its base so far; moved on by the group. */
function regionOf(
  group: readonly Change[],
  versions: Versions,
  shift: { mine: number; theirs: number },
): Region {
  const base = {
    start: group[0]?.from.start ?? 0,
    end: Math.max(...group.map(({ from }) => from.end)),
  };
  const place = (side: Change['side']): LineRange => {
    const start = base.start + shift[side];
    for (const { from, to } of group.filter((change) => change.side === side)) {
      shift[side] += to.end - to.start - (from.end - from.start);
    }
    return { start, end: base.end + shift[side] };
  };
  const mine = place('mine');
  const theirs = place('theirs');
  const sides = new Set(group.map(({ side }) => side));
  if (sides.size === 1) return { base, mine, theirs, changed: [...sides][0] ?? 'mine' };
  const same = sameLines(slice(versions.mine, mine), slice(versions.theirs, theirs));
  return { base, mine, theirs, changed: same ? 'same' : 'conflict' };
}
