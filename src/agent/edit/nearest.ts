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
/** Words of the search that are looked for, and places of each; a word with more says nothing. */
const wordLimit = 40;
const frequent = 500;
/** Of the weight of all words, that a place must have. */
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

/** Where rare words of the search stand close together. */
function byWords(file: FileLines, keys: readonly string[]): number[] {
  const weights = new Map<number, number>();
  const text = file.text.slice(0, readLimit);
  let all = 0;
  for (const each of longestWords(keys)) {
    const lines = linesWith(file, text, each);
    if (lines.size === frequent) continue;
    // A word that the file does not have counts against every place.
    const weight = 1 / (1 + Math.log2(1 + lines.size));
    all += weight;
    for (const line of lines) weights.set(line, (weights.get(line) ?? 0) + weight);
  }
  return windows(weights, keys.length)
    .filter(({ weight }) => weight > all * leastShare)
    .sort((a, b) => b.weight - a.weight || a.first - b.first)
    .map(({ first }) => first);
}

const word = /[\w\u00AA-\uFFFF]{2,40}/g;

function longestWords(keys: readonly string[]): string[] {
  const words = new Set(keys.join('\n').slice(0, 20_000).match(word));
  return Array.from(words)
    .sort((a, b) => b.length - a.length)
    .slice(0, wordLimit);
}

function linesWith(file: FileLines, text: string, each: string): Set<number> {
  const lines = new Set<number>();
  let at = text.indexOf(each);
  for (let found = 0; at >= 0 && found < frequent; found += 1) {
    const line = file.at(at);
    lines.add(line);
    // One place in a line is enough.
    at = text.indexOf(each, file.end(line));
  }
  return lines;
}

interface Weighted {
  readonly first: number;
  readonly weight: number;
}

/** What the lines from each one on weigh together, as many as the search has. */
function windows(weights: ReadonlyMap<number, number>, count: number): Weighted[] {
  const lines = Array.from(weights).sort(([a], [b]) => a - b);
  const result: Weighted[] = [];
  let [next, sum] = [0, 0];
  for (const [first, weight] of lines) {
    for (; next < lines.length && (lines[next]?.[0] ?? 0) < first + count; next += 1) {
      sum += lines[next]?.[1] ?? 0;
    }
    result.push({ first, weight: sum });
    sum -= weight;
  }
  return result;
}
