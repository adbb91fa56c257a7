/** Lines `start` up to, not including, `end`, counted from 0. Empty where lines were only added or removed. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** `from` on the left side became `to` on the right side. Never empty on both. */
export interface LineChange {
  readonly from: LineRange;
  readonly to: LineRange;
}

/**
 * What turns `a` into `b`: in order, never touching one another. The smallest such list for texts that are close; for
 * others one that is right and found in time and memory linear in their size. Compares whole strings, so it does for
 * words as well as for lines.
 */
export function diffLines(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  const sides = numbered(a, b);
  const whole = { from: range(0, a.length), to: range(0, b.length) };
  return joined(changesIn(sides, whole, newBudget(whole)) ?? changesBetweenAnchors(sides, whole));
}

/** The most steps that searches for a smallest diff may take together. */
interface Budget {
  steps: number;
}

const newBudget = ({ from, to }: LineChange): Budget => ({
  steps: 500_000 + 2 * (from.end - from.start + to.end - to.start),
});

interface Sides {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** Strings as numbers: equal ones have the same. */
function numbered(a: readonly string[], b: readonly string[]): Sides {
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const known = ids.get(line);
    if (known !== undefined) return known;
    ids.set(line, ids.size);
    return ids.size - 1;
  };
  return { a: Int32Array.from(a, idOf), b: Int32Array.from(b, idOf) };
}

const range = (start: number, end: number): LineRange => ({ start, end });

/** `undefined` when the two are too different for the budget. */
function changesIn(sides: Sides, whole: LineChange, budget: Budget): LineChange[] | undefined {
  const area = withoutEqualEnds(sides, whole);
  const { from, to } = area;
  if (from.start === from.end && to.start === to.end) return [];
  if (from.start === from.end || to.start === to.end) return [area];
  return smallestDiff(sides, area, budget);
}

function withoutEqualEnds({ a, b }: Sides, { from, to }: LineChange): LineChange {
  let [left, right] = [from.start, to.start];
  while (left < from.end && right < to.end && a[left] === b[right])
    [left, right] = [left + 1, right + 1];
  let [leftEnd, rightEnd] = [from.end, to.end];
  while (leftEnd > left && rightEnd > right && a[leftEnd - 1] === b[rightEnd - 1])
    [leftEnd, rightEnd] = [leftEnd - 1, rightEnd - 1];
  return { from: range(left, leftEnd), to: range(right, rightEnd) };
}

/** Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy form. */
function smallestDiff(
  { a, b }: Sides,
  { from, to }: LineChange,
  budget: Budget,
): LineChange[] | undefined {
  const [n, m] = [from.end - from.start, to.end - to.start];
  const reach: Int32Array[] = [];
  for (let d = 0; d <= n + m; d += 1) {
    const before = reach[d - 1];
    const now = new Int32Array(2 * d + 1);
    reach.push(now);
    for (let k = -d; k <= d; k += 2) {
      const start = before === undefined ? 0 : entry(before, d, k);
      let x = start;
      while (x < n && x - k < m && a[from.start + x] === b[to.start + x - k]) x += 1;
      now[k + d] = x;
      if (x >= n && x - k >= m) return traced(reach, { from, to });
      budget.steps -= 1 + x - start;
    }
    if (budget.steps < 0) return undefined;
  }
  return undefined;
}

/** Where diagonal `k` is entered at depth `d`, from the reach of the depth before. */
function entry(before: Int32Array, d: number, k: number): number {
  const down = isDown(before, d, k);
  return down ? (before[k + 1 + d - 1] ?? 0) : (before[k - 1 + d - 1] ?? 0) + 1;
}

/** A line of `b` is added, rather than one of `a` removed. */
function isDown(before: Int32Array, d: number, k: number): boolean {
  if (k === -d) return true;
  return k !== d && (before[k - 1 + d - 1] ?? 0) < (before[k + 1 + d - 1] ?? 0);
}

function traced(reach: readonly Int32Array[], { from, to }: LineChange): LineChange[] {
  const changes: LineChange[] = [];
  let k = from.end - from.start - (to.end - to.start);
  for (let d = reach.length - 1; d > 0; d -= 1) {
    const before = reach[d - 1] ?? new Int32Array();
    const down = isDown(before, d, k);
    const end = entry(before, d, k);
    const left = from.start + (down ? end : end - 1);
    const right = to.start + (down ? end - k - 1 : end - k);
    changes.push(
      down
        ? { from: range(left, left), to: range(right, right + 1) }
        : { from: range(left, left + 1), to: range(right, right) },
    );
    k += down ? 1 : -1;
  }
  return changes.reverse();
}

/** Patience: lines that both sides have once, in the same order, hold; what lies between is compared by itself. */
function changesBetweenAnchors(sides: Sides, whole: LineChange): LineChange[] {
  const { from, to } = withoutEqualEnds(sides, whole);
  const budget = newBudget(whole);
  const changes: LineChange[] = [];
  let [left, right] = [from.start, to.start];
  const until = (leftEnd: number, rightEnd: number): void => {
    const gap = { from: range(left, leftEnd), to: range(right, rightEnd) };
    for (const change of changesIn(sides, gap, budget) ?? [gap]) changes.push(change);
  };
  for (const [inA, inB] of anchors(sides, { from, to })) {
    until(inA, inB);
    [left, right] = [inA + 1, inB + 1];
  }
  until(from.end, to.end);
  return changes;
}

function anchors({ a, b }: Sides, { from, to }: LineChange): (readonly [number, number])[] {
  const inB = onlyPlaces(b, to);
  const pairs: (readonly [number, number])[] = [];
  for (const [id, left] of onlyPlaces(a, from)) {
    const right = inB.get(id) ?? -1;
    if (left >= 0 && right >= 0) pairs.push([left, right]);
  }
  return longestRising(pairs.sort(([left], [other]) => left - other));
}

/** Where each line stands; -1 for one that stands in several places. */
function onlyPlaces(lines: Int32Array, { start, end }: LineRange): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = start; at < end; at += 1) {
    const id = lines[at] ?? 0;
    places.set(id, places.has(id) ? -1 : at);
  }
  return places;
}

/** The longest part of the pairs, which rise on the left, that rises on the right too. */
function longestRising(
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
  const rising: (readonly [number, number])[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.reverse();
}

/** Changes that touch are one. */
function joined(changes: readonly LineChange[]): LineChange[] {
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
