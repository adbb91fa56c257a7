import { mergeLines, regionsOf } from '../changes/three-way.ts';
import { type FileLines, lineKey } from './file-lines.ts';
import { editsOfLines, type Found, keepingLines } from './find-exact.ts';
import { reindentOf } from './find-tolerant.ts';
import { type Hunk, type HunkLines, hunkLines } from './hunk.ts';
import { type Reindent, reindented } from './indentation.ts';

/** The texts that a change meets: the one it was made for, what it makes of that, and the one that is there. */
export interface MetTexts {
  readonly base: string;
  readonly changed: string;
  readonly there: string;
}

/**
 * Carries a change over to a text that is a little different from the one it was made for, word by word. `undefined`
 * when the difference lies where the change is: what the model has not seen is not overwritten.
 */
export function mergeWords({ base, changed, there }: MetTexts): string | undefined {
  const versions = { base: words(base), mine: words(there), theirs: words(changed) };
  const regions = regionsOf(versions);
  const touching = regions.some(
    (region, index) => index > 0 && regions[index - 1]?.base.end === region.base.start,
  );
  return touching ? undefined : mergeLines(versions, 'refuse')?.join('');
}

const words = (text: string): string[] =>
  text.match(/\n|[^\S\n]+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** What comparing may cost, in pairs of characters. */
export interface Effort {
  left: number;
}

/** How much of two lines agrees, from 0 to 1, by the characters that would have to change. 0 when there is no effort left. */
export function similarity(a: string, b: string, effort: Effort): number {
  if (a === b) return 1;
  const longest = Math.max(a.length, b.length);
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const cost = left.length * right.length;
  if (cost > effort.left) return 0;
  effort.left -= cost;
  return 1 - distance(left, right) / longest;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const other = Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next.push(Math.min(other, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Fewer lines are too little to know a place by. */
const fewestLines = 3;
/** Of all characters; and of each single line. */
const enough = 0.9;
const enoughOfLine = 0.6;
/** By which the best place must be better than the next. */
const margin = 0.1;

/** Places that are looked at closely, and how closely. */
const placeLimit = 20;
const frequentLine = 50;
const pairLimit = 4_000_000;
/** Longer hunks are compared line by line only. */
const characterLimit = 100_000;

/**
 * The one place whose lines are nearly those of the hunk (blank lines aside): half of them the same, all of them
 * similar, and no other place nearly as good. The hunk's change is carried over to what the file has there; where the
 * file differs in the very words that the hunk changes, nothing is. The work is bounded whatever the file.
 */
export function similarPlace(text: string, file: FileLines, hunk: Hunk): Found | undefined {
  if (hunk.search.length + hunk.replace.length > characterLimit) return undefined;
  const lines = hunkLines(hunk);
  const keys = lines.search.map(lineKey).filter((key) => key !== '');
  if (keys.length < fewestLines) return undefined;
  const [best, next] = scored(file, keys);
  if (best === undefined || best.score < enough) return undefined;
  if (next !== undefined && next.score > best.score - margin) return undefined;
  const first = file.filled[best.at] ?? 0;
  const end = (file.filled[best.at + keys.length - 1] ?? 0) + 1;
  return {
    match: 'similar',
    start: file.start(first),
    end: file.end(end - 1),
    edits: carriedOver(text, file, [first, end], lines),
  };
}

interface Scored {
  /** Index into the file's filled lines. */
  readonly at: number;
  readonly score: number;
}

function scored(file: FileLines, keys: readonly string[]): Scored[] {
  const effort = { left: pairLimit };
  return placesByEqualLines(file, keys)
    .map((at) => ({ at, score: scoreAt(file, keys, at, effort) }))
    .sort((a, b) => b.score - a.score);
}

/** Where most lines are the same, best first. */
export function placesByEqualLines(file: FileLines, keys: readonly string[]): number[] {
  const votes = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    const places = file.withKey(key);
    if (places.length > frequentLine) continue;
    for (const line of places) {
      const at = file.filledIndex(line) - index;
      if (at >= 0 && at + keys.length <= file.filled.length)
        votes.set(at, (votes.get(at) ?? 0) + 1);
    }
  }
  const best = [...votes].sort(([a, i], [b, j]) => j - i || a - b);
  return best.slice(0, placeLimit).map(([at]) => at);
}

function scoreAt(file: FileLines, keys: readonly string[], at: number, effort: Effort): number {
  let [equal, good, all] = [0, 0, 0];
  for (const [index, key] of keys.entries()) {
    const line = file.keys[file.filled[at + index] ?? 0] ?? '';
    const similar = similarity(key, line, effort);
    if (similar < enoughOfLine) return 0;
    if (similar === 1) equal += 1;
    const length = Math.max(key.length, line.length);
    good += similar * length;
    all += length;
  }
  return equal * 2 < keys.length ? 0 : good / all;
}

function carriedOver(
  text: string,
  file: FileLines,
  [first, end]: readonly [number, number],
  lines: HunkLines,
): Found['edits'] {
  const kept = Array.from({ length: end - first }, (_, index) => file.line(first + index));
  const filled = kept.filter((line) => line.trim() !== '');
  const search = lines.search.filter((line) => line.trim() !== '');
  const reindent = reindentOf(file, first, { ...lines, search }, filled);
  const base = reindent && written(lines.search, reindent);
  const changed = reindent && written(lines.replace, reindent);
  if (base === undefined || changed === undefined) return undefined;
  const there = kept.map((line) => line.trimEnd());
  const merged = mergeWords({
    base: base.join('\n'),
    changed: changed.join('\n'),
    there: there.join('\n'),
  });
  if (merged === undefined) return undefined;
  const after = merged === '' ? [] : merged.split('\n');
  const result = keepingLines(there, after, kept);
  return result && editsOfLines(text, file, [first, end], result);
}

/** Trailing white space is the file's own. */
function written(lines: readonly string[], reindent: Reindent): string[] | undefined {
  const result: string[] = [];
  for (const line of lines) {
    const to = reindented(line, reindent);
    if (to === undefined) return undefined;
    result.push(to.trimEnd());
  }
  return result;
}
