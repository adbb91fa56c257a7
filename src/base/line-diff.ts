/**
 * Lines from `start` to `end` (exclusive), numbered from 0. Empty on one side of a change that only
 * adds or only removes lines.
 */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces the lines `from` on the left side with the lines `to` on the right side. At most one of
 * the ranges is empty.
 */
export interface LineChange {
  readonly from: LineRange;
  readonly to: LineRange;
}

/**
 * Returns the changes that turn `a` into `b`, in order and never adjacent. The list is minimal for
 * similar texts. For other texts, the search takes linear time and memory, and the list may be
 * longer. The strings can be lines or words.
 */
export function diffLines(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  const sequences = toLineIds(a, b);
  const fullRange = { from: range(0, a.length), to: range(0, b.length) };
  return mergeAdjacent(
    findChanges(sequences, fullRange, createBudget(fullRange)) ??
      findChangesBetweenAnchors(sequences, fullRange),
  );
}

/** Remaining number of steps for all searches of one diff. */
interface Budget {
  steps: number;
}

const createBudget = ({ from, to }: LineChange): Budget => ({
  steps: 500_000 + 2 * (from.end - from.start + to.end - to.start),
});

interface LineIdSequences {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** Replaces each distinct string with a number, because numbers are faster to compare. */
function toLineIds(a: readonly string[], b: readonly string[]): LineIdSequences {
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const existingId = ids.get(line);
    if (existingId !== undefined) return existingId;
    ids.set(line, ids.size);
    return ids.size - 1;
  };
  return { a: Int32Array.from(a, idOf), b: Int32Array.from(b, idOf) };
}

const range = (start: number, end: number): LineRange => ({ start, end });

/**
 * Returns the changes between two ranges; `undefined` if a minimal diff would exceed the budget.
 */
function findChanges(
  sequences: LineIdSequences,
  fullRange: LineChange,
  budget: Budget,
): LineChange[] | undefined {
  const trimmed = trimEqualEnds(sequences, fullRange);
  const { from, to } = trimmed;
  if (from.start === from.end && to.start === to.end) return [];
  if (from.start === from.end || to.start === to.end) return [trimmed];
  return findMinimalDiff(sequences, trimmed, budget);
}

function trimEqualEnds({ a, b }: LineIdSequences, { from, to }: LineChange): LineChange {
  let [left, right] = [from.start, to.start];
  while (left < from.end && right < to.end && a[left] === b[right])
    [left, right] = [left + 1, right + 1];
  let [leftEnd, rightEnd] = [from.end, to.end];
  while (leftEnd > left && rightEnd > right && a[leftEnd - 1] === b[rightEnd - 1])
    [leftEnd, rightEnd] = [leftEnd - 1, rightEnd - 1];
  return { from: range(left, leftEnd), to: range(right, rightEnd) };
}

/**
 * Finds a minimal diff with the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986).
 */
function findMinimalDiff(
  { a, b }: LineIdSequences,
  { from, to }: LineChange,
  budget: Budget,
): LineChange[] | undefined {
  const [n, m] = [from.end - from.start, to.end - to.start];
  const reachByDepth: Int32Array[] = [];
  for (let d = 0; d <= n + m; d += 1) {
    const before = reachByDepth[d - 1];
    const now = new Int32Array(2 * d + 1);
    reachByDepth.push(now);
    for (let k = -d; k <= d; k += 2) {
      const start = before === undefined ? 0 : findEntry(before, d, k);
      let x = start;
      while (x < n && x - k < m && a[from.start + x] === b[to.start + x - k]) x += 1;
      now[k + d] = x;
      if (x >= n && x - k >= m) return traceChanges(reachByDepth, { from, to });
      budget.steps -= 1 + x - start;
    }
    if (budget.steps < 0) return undefined;
  }
  return undefined;
}

/**
 * Returns the position at which diagonal `k` is entered at depth `d`. `before` contains the
 * positions reached at the previous depth.
 */
function findEntry(before: Int32Array, d: number, k: number): number {
  const isDownStep = isInsertion(before, d, k);
  return isDownStep ? (before[k + 1 + d - 1] ?? 0) : (before[k - 1 + d - 1] ?? 0) + 1;
}

/** Checks whether the step adds a line of `b` instead of removing a line of `a`. */
function isInsertion(before: Int32Array, d: number, k: number): boolean {
  if (k === -d) return true;
  return k !== d && (before[k - 1 + d - 1] ?? 0) < (before[k + 1 + d - 1] ?? 0);
}

function traceChanges(reachByDepth: readonly Int32Array[], { from, to }: LineChange): LineChange[] {
  const changes: LineChange[] = [];
  let k = from.end - from.start - (to.end - to.start);
  for (let d = reachByDepth.length - 1; d > 0; d -= 1) {
    const before = reachByDepth[d - 1] ?? new Int32Array();
    const isDownStep = isInsertion(before, d, k);
    const end = findEntry(before, d, k);
    const left = from.start + (isDownStep ? end : end - 1);
    const right = to.start + (isDownStep ? end - k - 1 : end - k);
    changes.push(
      isDownStep
        ? { from: range(left, left), to: range(right, right + 1) }
        : { from: range(left, left + 1), to: range(right, right) },
    );
    k += isDownStep ? 1 : -1;
  }
  return changes.reverse();
}

/**
 * Finds changes with a patience diff. Lines that occur once on each side, in the same order, are
 * anchors; the lines between anchors are compared separately.
 */
function findChangesBetweenAnchors(
  sequences: LineIdSequences,
  fullRange: LineChange,
): LineChange[] {
  const { from, to } = trimEqualEnds(sequences, fullRange);
  const budget = createBudget(fullRange);
  const changes: LineChange[] = [];
  let [left, right] = [from.start, to.start];
  const addChangesUntil = (leftEnd: number, rightEnd: number): void => {
    const gap = { from: range(left, leftEnd), to: range(right, rightEnd) };
    for (const change of findChanges(sequences, gap, budget) ?? [gap]) changes.push(change);
  };
  for (const [leftAnchor, rightAnchor] of findAnchors(sequences, { from, to })) {
    addChangesUntil(leftAnchor, rightAnchor);
    [left, right] = [leftAnchor + 1, rightAnchor + 1];
  }
  addChangesUntil(from.end, to.end);
  return changes;
}

function findAnchors(
  { a, b }: LineIdSequences,
  { from, to }: LineChange,
): (readonly [number, number])[] {
  const rightPositions = findUniquePositions(b, to);
  const pairs: (readonly [number, number])[] = [];
  for (const [id, left] of findUniquePositions(a, from)) {
    const right = rightPositions.get(id) ?? -1;
    if (left >= 0 && right >= 0) pairs.push([left, right]);
  }
  return findLongestIncreasing(pairs.sort(([left], [otherLeft]) => left - otherLeft));
}

/** Returns the position of each line by its number; -1 for lines that occur more than once. */
function findUniquePositions(lines: Int32Array, { start, end }: LineRange): Map<number, number> {
  const positions = new Map<number, number>();
  for (let index = start; index < end; index += 1) {
    const id = lines[index] ?? 0;
    positions.set(id, positions.has(id) ? -1 : index);
  }
  return positions;
}

/**
 * Returns the longest subsequence with increasing right positions. The input is sorted by its left
 * positions.
 */
function findLongestIncreasing(
  pairs: readonly (readonly [number, number])[],
): (readonly [number, number])[] {
  const tails: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [index, [, right]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < right) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const longestSequence: (readonly [number, number])[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) longestSequence.push(pair);
  }
  return longestSequence.reverse();
}

/**
 * Returns the number of lines that only `after` has and the number of lines that only `before` has.
 */
export function countChangedLines(
  before: readonly string[],
  after: readonly string[],
): { added: number; removed: number } {
  const counts = { added: 0, removed: 0 };
  for (const { from, to } of diffLines(before, after)) {
    counts.added += to.end - to.start;
    counts.removed += from.end - from.start;
  }
  return counts;
}

function mergeAdjacent(changes: readonly LineChange[]): LineChange[] {
  const result: LineChange[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    if (last?.from.end === change.from.start && last.to.end === change.to.start) {
      result[result.length - 1] = {
        from: range(last.from.start, change.from.end),
        to: range(last.to.start, change.to.end),
      };
    } else result.push(change);
  }
  return result;
}
