import type { FileLines } from './file-lines.ts';
import { lineKey } from './file-lines.ts';
import { reindentOf } from './find-tolerant.ts';
import { editsOfLines, type Found, keepingLines } from './found.ts';
import type { Hunk } from './hunk.ts';
import { type HunkLines, hunkLines } from './hunk-lines.ts';
import { type Reindent, reindented } from './indentation.ts';
import { mergeWords } from './merge-words.ts';
import { type Effort, similarity } from './similarity.ts';

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
