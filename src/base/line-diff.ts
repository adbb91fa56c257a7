/** Range of lines from `start` to `end` (exclusive), numbered from 0. The range is empty if `start` equals `end`. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Change between two texts: the lines `to` of the new text replace the lines `from` of the old text. At most one of
 * these ranges is empty: `from` if lines are only added, `to` if lines are only removed.
 */
export interface LineChange {
  readonly from: LineRange;
  readonly to: LineRange;
}

/**
 * Returns the changes that turn `a` into `b`, in the order of the lines. Two changes are never adjacent. The list is
 * minimal if a minimal diff is found within a fixed number of search steps. The strings can also be words instead of
 * lines.
 */
export function diffLines(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  const sequences = toLineIds(a, b);
  const fullRange = { from: createLineRange(0, a.length), to: createLineRange(0, b.length) };
  return mergeAdjacentChanges(
    findChanges(sequences, fullRange, createSearchBudget(fullRange)) ??
      findChangesBetweenAnchors(sequences, fullRange),
  );
}

/** Remaining number of search steps in one diff. Limits the running time of the diff. */
interface SearchBudget {
  remainingStepCount: number;
}

const createSearchBudget = ({ from, to }: LineChange): SearchBudget => ({
  remainingStepCount: 500_000 + 2 * (from.end - from.start + to.end - to.start),
});

interface LineIdSequences {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** Replaces each line with a number that identifies its text. Numbers are faster to compare. */
function toLineIds(a: readonly string[], b: readonly string[]): LineIdSequences {
  const ids = new Map<string, number>();
  const getOrCreateId = (line: string): number => {
    const existingId = ids.get(line);
    if (existingId !== undefined) return existingId;
    ids.set(line, ids.size);
    return ids.size - 1;
  };
  return { a: Int32Array.from(a, getOrCreateId), b: Int32Array.from(b, getOrCreateId) };
}

const createLineRange = (start: number, end: number): LineRange => ({ start, end });

/**
 * Returns the changes between two ranges of lines. Returns `undefined` if the search for a minimal
 * diff would exceed the budget.
 */
function findChanges(
  sequences: LineIdSequences,
  fullRange: LineChange,
  budget: SearchBudget,
): LineChange[] | undefined {
  const trimmedChange = trimEqualEnds(sequences, fullRange);
  const { from, to } = trimmedChange;
  if (from.start === from.end && to.start === to.end) return [];
  if (from.start === from.end || to.start === to.end) return [trimmedChange];
  return findMinimalDiff(sequences, trimmedChange, budget);
}

function trimEqualEnds({ a, b }: LineIdSequences, { from, to }: LineChange): LineChange {
  let [left, right] = [from.start, to.start];
  while (left < from.end && right < to.end && a[left] === b[right])
    [left, right] = [left + 1, right + 1];
  let [leftEnd, rightEnd] = [from.end, to.end];
  while (leftEnd > left && rightEnd > right && a[leftEnd - 1] === b[rightEnd - 1])
    [leftEnd, rightEnd] = [leftEnd - 1, rightEnd - 1];
  return { from: createLineRange(left, leftEnd), to: createLineRange(right, rightEnd) };
}

/**
 * Finds a minimal diff with the greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986).
 */
function findMinimalDiff(
  { a, b }: LineIdSequences,
  { from, to }: LineChange,
  budget: SearchBudget,
): LineChange[] | undefined {
  const [n, m] = [from.end - from.start, to.end - to.start];
  const reachByDepth: Int32Array[] = [];
  for (let d = 0; d <= n + m; d += 1) {
    const previousReach = reachByDepth[d - 1];
    const currentReach = new Int32Array(2 * d + 1);
    reachByDepth.push(currentReach);
    for (let k = -d; k <= d; k += 2) {
      const start = previousReach === undefined ? 0 : findDiagonalEntry(previousReach, d, k);
      let x = start;
      while (x < n && x - k < m && a[from.start + x] === b[to.start + x - k]) x += 1;
      currentReach[k + d] = x;
      if (x >= n && x - k >= m) return traceChanges(reachByDepth, { from, to });
      budget.remainingStepCount -= 1 + x - start;
    }
    if (budget.remainingStepCount < 0) return undefined;
  }
  return undefined;
}

/**
 * Returns the position in `a` at which the Myers algorithm enters diagonal `k` at depth `d`. `previousReach` contains
 * the positions that the algorithm reached at the previous depth.
 */
function findDiagonalEntry(previousReach: Int32Array, d: number, k: number): number {
  const isDownStep = isInsertionStep(previousReach, d, k);
  return isDownStep ? (previousReach[k + 1 + d - 1] ?? 0) : (previousReach[k - 1 + d - 1] ?? 0) + 1;
}

/**
 * Checks whether the step to diagonal `k` at depth `d` adds a line of `b`. Otherwise, the step removes a line of `a`.
 */
function isInsertionStep(previousReach: Int32Array, d: number, k: number): boolean {
  if (k === -d) return true;
  return k !== d && (previousReach[k - 1 + d - 1] ?? 0) < (previousReach[k + 1 + d - 1] ?? 0);
}

function traceChanges(reachByDepth: readonly Int32Array[], { from, to }: LineChange): LineChange[] {
  const changes: LineChange[] = [];
  let k = from.end - from.start - (to.end - to.start);
  for (let d = reachByDepth.length - 1; d > 0; d -= 1) {
    const previousReach = reachByDepth[d - 1] ?? new Int32Array();
    const isDownStep = isInsertionStep(previousReach, d, k);
    const end = findDiagonalEntry(previousReach, d, k);
    const left = from.start + (isDownStep ? end : end - 1);
    const right = to.start + (isDownStep ? end - k - 1 : end - k);
    changes.push(
      isDownStep
        ? { from: createLineRange(left, left), to: createLineRange(right, right + 1) }
        : { from: createLineRange(left, left + 1), to: createLineRange(right, right) },
    );
    k += isDownStep ? 1 : -1;
  }
  return changes.reverse();
}

/**
 * Finds changes with a patience diff: lines that occur exactly once in each text, in the same
 * order, are anchors. Compares the lines between two anchors separately.
 */
function findChangesBetweenAnchors(
  sequences: LineIdSequences,
  fullRange: LineChange,
): LineChange[] {
  const { from, to } = trimEqualEnds(sequences, fullRange);
  const budget = createSearchBudget(fullRange);
  const changes: LineChange[] = [];
  let [left, right] = [from.start, to.start];
  const addChangesUntil = (leftEnd: number, rightEnd: number): void => {
    const gap = { from: createLineRange(left, leftEnd), to: createLineRange(right, rightEnd) };
    for (const change of findChanges(sequences, gap, budget) ?? [gap]) changes.push(change);
  };
  for (const [leftAnchor, rightAnchor] of findAnchorLines(sequences, { from, to })) {
    addChangesUntil(leftAnchor, rightAnchor);
    [left, right] = [leftAnchor + 1, rightAnchor + 1];
  }
  addChangesUntil(from.end, to.end);
  return changes;
}

function findAnchorLines(
  { a, b }: LineIdSequences,
  { from, to }: LineChange,
): (readonly [number, number])[] {
  const rightPositions = findUniqueLinePositions(b, to);
  const pairs: (readonly [number, number])[] = [];
  for (const [id, left] of findUniqueLinePositions(a, from)) {
    const right = rightPositions.get(id) ?? -1;
    if (left >= 0 && right >= 0) pairs.push([left, right]);
  }
  return findLongestIncreasingSubsequence(pairs.sort(([left], [otherLeft]) => left - otherLeft));
}

/** Maps each line id in the range to its position, or to -1 if the line occurs more than once. */
function findUniqueLinePositions(
  lines: Int32Array,
  { start, end }: LineRange,
): Map<number, number> {
  const positions = new Map<number, number>();
  for (let index = start; index < end; index += 1) {
    const id = lines[index] ?? 0;
    positions.set(id, positions.has(id) ? -1 : index);
  }
  return positions;
}

/**
 * Returns the longest subsequence of line pairs whose positions in the new text increase. The input
 * is sorted by the positions in the old text.
 */
function findLongestIncreasingSubsequence(
  pairs: readonly (readonly [number, number])[],
): (readonly [number, number])[] {
  const tailIndexes: number[] = [];
  const previousIndexes = new Int32Array(pairs.length).fill(-1);
  for (const [index, [, right]] of pairs.entries()) {
    let [low, high] = [0, tailIndexes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tailIndexes[middle] ?? 0]?.[1] ?? 0) < right) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previousIndexes[index] = tailIndexes[low - 1] ?? -1;
    tailIndexes[low] = index;
  }
  const longestSequence: (readonly [number, number])[] = [];
  for (let index = tailIndexes.at(-1) ?? -1; index >= 0; index = previousIndexes[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) longestSequence.push(pair);
  }
  return longestSequence.reverse();
}

/** Counts the lines that an edit from `before` to `after` adds and removes. */
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

function mergeAdjacentChanges(changes: readonly LineChange[]): LineChange[] {
  const result: LineChange[] = [];
  for (const change of changes) {
    const lastChange = result.at(-1);
    if (lastChange?.from.end === change.from.start && lastChange.to.end === change.to.start) {
      result[result.length - 1] = {
        from: createLineRange(lastChange.from.start, change.from.end),
        to: createLineRange(lastChange.to.start, change.to.end),
      };
    } else result.push(change);
  }
  return result;
}
