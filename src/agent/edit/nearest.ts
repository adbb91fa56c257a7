import type { FileLines } from './file-lines.ts';
import { lineKey } from './file-lines.ts';
import { placesByEqualLines } from './find-similar.ts';
import type { Candidate } from './hunk.ts';
import { hunkLines } from './hunk-lines.ts';

/** Candidates that are shown, and how much of each. */
const shown = 3;
const shownLines = 30;
const shownLength = 300;
/** What is read of the file, in characters, to find them. */
const readLimit = 2_000_000;
const lineReadLimit = 400;
/** Of the words of the search, by weight, that a place must have. */
const leastShare = 0.3;

/** The parts of the file that are most like the search, nearest first; none when nothing is like it. */
export function nearest(file: FileLines, search: string): Candidate[] {
  const lines = hunkLines({ search, replace: '' }).search;
  const keys = lines.map(lineKey).filter((key) => key !== '');
  const equal = keys.length > 1 ? placesByEqualLines(file, keys) : [];
  const firsts = equal.length > 0 ? equal.map((at) => file.filled[at] ?? 0) : byWords(file, keys);
  return apart(firsts, lines.length).map((first) => candidateAt(file, first, lines.length));
}

/** A part of the file with a line before and after it. */
export function candidateAt(file: FileLines, first: number, count: number): Candidate {
  const start = Math.max(0, first - 1);
  const end = Math.min(file.count, start + shownLines, first + count + 1);
  const lines = Array.from({ length: end - start }, (_, index) => file.line(start + index));
  return { line: start + 1, lines: lines.map(shortened) };
}

function shortened(line: string): string {
  if (line.length <= shownLength) return line;
  return `${line.slice(0, shownLength).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** The first of places that do not overlap a better one. */
function apart(firsts: readonly number[], count: number): number[] {
  const chosen: number[] = [];
  for (const first of firsts) {
    if (chosen.length === shown) break;
    if (chosen.every((each) => Math.abs(each - first) >= count)) chosen.push(first);
  }
  return chosen;
}

/** Where the rare words of the search stand close together. */
function byWords(file: FileLines, keys: readonly string[]): number[] {
  const wanted = new Set(keys.join('\n').slice(0, 20_000).match(word));
  const found = linesWithWords(file, wanted);
  const weights = new Map(
    Array.from(wanted, (each) => [each, 1 / (1 + (found.frequency.get(each) ?? 0))]),
  );
  const weightOf = (words: Iterable<string>): number =>
    Array.from(words).reduce((sum, each) => sum + (weights.get(each) ?? 0), 0);
  const present = Array.from(wanted).filter((each) => found.frequency.has(each));
  const least = weightOf(present) * leastShare;
  if (present.length * 3 < wanted.size) return [];
  return found.lines
    .map((line, index) => {
      const words = new Set(line.words);
      for (let next = index + 1; next < found.lines.length; next += 1) {
        const other = found.lines[next];
        if (other === undefined || other.number >= line.number + keys.length || next > index + 20)
          break;
        for (const each of other.words) words.add(each);
      }
      return { first: line.number, weight: weightOf(words) };
    })
    .filter(({ weight }) => weight > least)
    .sort((a, b) => b.weight - a.weight || a.first - b.first)
    .map(({ first }) => first);
}

const word = /[\w\u00AA-\uFFFF]{2,}/gu;

interface WordLines {
  readonly lines: readonly { readonly number: number; readonly words: readonly string[] }[];
  readonly frequency: ReadonlyMap<string, number>;
}

function linesWithWords(file: FileLines, wanted: ReadonlySet<string>): WordLines {
  const lines: { number: number; words: readonly string[] }[] = [];
  const frequency = new Map<string, number>();
  let read = 0;
  for (const [number, key] of file.keys.entries()) {
    read += Math.min(key.length, lineReadLimit);
    if (read > readLimit) break;
    const words = (key.slice(0, lineReadLimit).match(word) ?? []).filter((each) =>
      wanted.has(each),
    );
    if (words.length === 0) continue;
    for (const each of words) frequency.set(each, (frequency.get(each) ?? 0) + 1);
    lines.push({ number, words });
  }
  return { lines, frequency };
}
