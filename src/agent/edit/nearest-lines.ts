import { type FileLines, computeLineKey } from './file-lines.ts';
import { findCandidatesByEqualLines } from './find-similar.ts';
import { type MatchCandidate, type LineDifference, toHunkLines } from './hunk.ts';

/** Maximum number of candidates in an error. */
const maxCandidates = 3;
/** Maximum number of lines in a candidate. */
const maxCandidateLines = 30;
/** Maximum length in characters of a line in a candidate. */
const maxLineLength = 300;
/** Maximum number of characters at the start of a file that are searched for candidates. */
const maxReadLength = 2_000_000;
/** Maximum number of words to search for. */
const maxWords = 40;
/** Maximum number of occurrences of a word in the file. A more frequent word is not significant. */
const maxOccurrences = 500;
/** Fraction of the words of the search text, weighted by their rarity, that a candidate must exceed. */
const minWeightRatio = 0.3;

/**
 * Finds the parts of the file that are most similar to the search text, and the first difference between the search
 * text and the best part. Returns no candidates if no part is similar.
 */
export function describeNearestLines(file: FileLines, search: string): NearestLines {
  const searchLines = toHunkLines({ search, replace: '' }).search;
  const keys = searchLines.map(computeLineKey).filter((key) => key !== '');
  const candidateIndexes = keys.length > 1 ? findCandidatesByEqualLines(file, keys) : [];
  const startsOfEqualLines = candidateIndexes.map((index) => file.getNonBlankLineIndex(index) ?? 0);
  const foundStarts = [...new Set([...startsOfEqualLines, ...rankByCharacters(file, keys)])];
  const rankedStarts =
    foundStarts.length > 0 ? rankByLines(file, keys, foundStarts) : rankByWords(file, keys);
  const [bestStart, ...otherStarts] = removeOverlaps(rankedStarts, searchLines.length);
  if (bestStart === undefined) return { candidates: [] };
  const difference = findDifference(file, bestStart, search);
  const nearestCandidate = createCandidate(
    file,
    bestStart,
    searchLines.length,
    difference && difference.fileLine - 1,
  );
  return {
    ...(difference && { difference }),
    candidates: [
      nearestCandidate,
      ...otherStarts.map((otherStart) => createCandidate(file, otherStart, searchLines.length)),
    ],
  };
}

/** Lines of the file that are most similar to a search text. */
export interface NearestLines {
  readonly difference?: LineDifference;
  /** Best first. Empty if no part of the file is similar. */
  readonly candidates: readonly MatchCandidate[];
}

/**
 * Finds the first difference between a search text and the file from line index `firstLine`. First ignores white space
 * and blank lines; compares these only if there is no other difference. Returns undefined if nothing differs.
 */
export function findDifference(
  file: FileLines,
  firstLine: number,
  search: string,
): LineDifference | undefined {
  const lines = search.split('\n');
  const firstIndex = lines.findIndex((line) => computeLineKey(line) !== '');
  let [start, fileLine] = [firstLine, firstLine];
  for (const [index, line] of lines.entries()) {
    const key = computeLineKey(line);
    if (key === '') continue;
    while (fileLine < file.count && file.getNormalizedLine(fileLine) === '') fileLine += 1;
    if (index === firstIndex) start = fileLine;
    if (fileLine >= file.count || file.getNormalizedLine(fileLine) !== key)
      return { searchLine: index + 1, fileLine: fileLine + 1 };
    fileLine += 1;
  }
  if (firstIndex < 0) return undefined;
  for (let index = firstIndex; index < lines.length; index += 1) {
    const [line = '', currentIndex] = [lines[index], start + index - firstIndex];
    if (
      !matchesLine(file, currentIndex, line, {
        isFirst: index === 0,
        isLast: index === lines.length - 1,
      })
    )
      return { searchLine: index + 1, fileLine: currentIndex + 1, hasSameText: true };
  }
  return undefined;
}

/**
 * Checks whether a line of the file equals a line of the search text. The file's line need only end with the first line
 * of the search text, and only start with its last line.
 */
function matchesLine(
  file: FileLines,
  index: number,
  line: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): boolean {
  const fileLine = index < file.count ? file.getLine(index) : '';
  if (isFirst && isLast) return fileLine.includes(line);
  if (isFirst) return fileLine.endsWith(line);
  return isLast ? fileLine.startsWith(line) : fileLine === line;
}

/** Maximum number of lines to compare at each candidate position. */
const maxRankedLines = 100;

/** Sorts candidate positions by the similarity of their lines to the search text, most similar first. */
function rankByLines(
  file: FileLines,
  keys: readonly string[],
  firstLineIndexes: readonly number[],
): number[] {
  const comparedKeys = keys.slice(0, maxRankedLines).map((key) => key.slice(0, 300));
  const keyTriples = comparedKeys.map(collectCharacterTriples);
  const computeScore = (firstLine: number): number => {
    const start = file.getNonBlankPosition(firstLine);
    return comparedKeys.reduce((sum, key, index) => {
      const line =
        file
          .getNormalizedLine(file.getNonBlankLineIndex(start + index) ?? file.count)
          ?.slice(0, 300) ?? '';
      const ratio =
        line === key ? 1 : computeTripleSimilarity(keyTriples[index] ?? new Set(), line);
      return sum + ratio * key.length;
    }, 0);
  };
  return firstLineIndexes
    .map((firstLine) => ({ firstLine, score: computeScore(firstLine) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ firstLine }) => firstLine);
}

/** Minimum similarity of a line to the longest line of the search text, by character triples. */
const minTripleSimilarity = 0.5;
const maxComparedLines = 20;

/**
 * Returns positions of lines that share many characters with the longest line of the search text, most similar first.
 */
function rankByCharacters(file: FileLines, keys: readonly string[]): number[] {
  const longestKey = keys.reduce((a, b) => (a.length >= b.length ? a : b), '').slice(0, 300);
  if (longestKey.length < 4 || file.text.length > maxReadLength) return [];
  const offset = keys.findIndex((key) => key.startsWith(longestKey));
  const searchTriples = collectCharacterTriples(longestKey);
  const similarLines: { line: number; score: number }[] = [];
  for (let line = 0; line < file.count; line += 1) {
    const key = file.getNormalizedLine(line) ?? '';
    // The ratio cannot reach the minimum if the lengths differ more.
    if (key.length < longestKey.length / 3 || key.length > longestKey.length * 3) continue;
    const score = computeTripleSimilarity(searchTriples, key);
    if (score >= minTripleSimilarity) similarLines.push({ line, score });
  }
  const sortedLines = similarLines.toSorted((a, b) => b.score - a.score || a.line - b.line);
  return sortedLines.slice(0, maxComparedLines).map(({ line }) => {
    const index = file.getNonBlankPosition(line) - offset;
    return file.getNonBlankLineIndex(Math.max(0, index)) ?? 0;
  });
}

const encodeTriple = (text: string, index: number): number =>
  (text.charCodeAt(index) * 1_021 + text.charCodeAt(index + 1)) * 1_021 +
  text.charCodeAt(index + 2);

function collectCharacterTriples(text: string): Set<number> {
  const triples = new Set<number>();
  for (let index = 0; index + 2 < text.length; index += 1) triples.add(encodeTriple(text, index));
  return triples;
}

/**
 * Returns the similarity of a line to a search line by their character triples; 0 if no triple is equal. Resembles the
 * Dice coefficient, but counts repeated triples of the line, so that the result can exceed 1.
 */
function computeTripleSimilarity(searchTriples: ReadonlySet<number>, key: string): number {
  let commonCount = 0;
  for (let index = 0; index + 2 < key.length; index += 1)
    if (searchTriples.has(encodeTriple(key, index))) commonCount += 1;
  return (2 * commonCount) / (searchTriples.size + Math.max(1, key.length - 2));
}

/**
 * Creates a candidate of `count` lines from index `firstLine`, with one line of context on each side. Cuts a candidate
 * with too many lines to the lines around index `centerLine`.
 */
export function createCandidate(
  file: FileLines,
  firstLine: number,
  count: number,
  centerLine = firstLine,
): MatchCandidate {
  const isCut = centerLine - firstLine > maxCandidateLines - 5;
  const start = Math.max(0, isCut ? centerLine - maxCandidateLines / 2 : firstLine - 1);
  const end = Math.min(file.count, start + maxCandidateLines, firstLine + count + 1);
  const lines = Array.from({ length: end - start }, (_, index) => file.getLine(start + index));
  return { line: start + 1, lines: lines.map(truncateLine) };
}

function truncateLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  return `${line.slice(0, maxLineLength).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Returns the best candidate positions. Omits a position whose lines overlap those of a better position. */
function removeOverlaps(firstLineIndexes: readonly number[], count: number): number[] {
  const selectedIndexes: number[] = [];
  for (const firstLine of firstLineIndexes) {
    if (selectedIndexes.length === maxCandidates) break;
    if (selectedIndexes.every((selectedIndex) => Math.abs(selectedIndex - firstLine) >= count))
      selectedIndexes.push(firstLine);
  }
  return selectedIndexes;
}

/** Returns positions of lines with rare words of the search text, sorted by descending total weight of the words. */
function rankByWords(file: FileLines, keys: readonly string[]): number[] {
  const weightsByLine = new Map<number, number>();
  const text = file.text.slice(0, maxReadLength);
  let totalWeight = 0;
  for (const word of findLongestWords(keys)) {
    const lines = findLinesContaining(file, text, word);
    if (lines.size === maxOccurrences) continue;
    // A word that the file does not contain also adds to the total weight.
    const weight = 1 / (1 + Math.log2(1 + lines.size));
    totalWeight += weight;
    for (const line of lines) weightsByLine.set(line, (weightsByLine.get(line) ?? 0) + weight);
  }
  return sumWindowWeights(weightsByLine, keys.length)
    .filter(({ weight }) => weight > totalWeight * minWeightRatio)
    .sort((a, b) => b.weight - a.weight || a.firstIndex - b.firstIndex)
    .map(({ firstIndex }) => firstIndex);
}

const wordPattern = /[\w\u00AA-\uFFFF]{2,40}/g;

function findLongestWords(keys: readonly string[]): string[] {
  const words = new Set(keys.join('\n').slice(0, 20_000).match(wordPattern));
  return Array.from(words)
    .sort((a, b) => b.length - a.length)
    .slice(0, maxWords);
}

function findLinesContaining(file: FileLines, text: string, word: string): Set<number> {
  const lines = new Set<number>();
  let index = text.indexOf(word);
  for (let foundCount = 0; index >= 0 && foundCount < maxOccurrences; foundCount += 1) {
    const line = file.findLineIndex(index);
    lines.add(line);
    // Counts only one occurrence per line.
    index = text.indexOf(word, file.getLineEnd(line));
  }
  return lines;
}

interface WeightedLine {
  readonly firstIndex: number;
  readonly weight: number;
}

/** Returns, for each line in `weights`, the total weight of `count` lines from that line on. */
function sumWindowWeights(weights: ReadonlyMap<number, number>, count: number): WeightedLine[] {
  const weightedLines = Array.from(weights).sort(([a], [b]) => a - b);
  const result: WeightedLine[] = [];
  let [nextIndex, sum] = [0, 0];
  for (const [firstLine, weight] of weightedLines) {
    for (
      ;
      nextIndex < weightedLines.length && (weightedLines[nextIndex]?.[0] ?? 0) < firstLine + count;
      nextIndex += 1
    ) {
      sum += weightedLines[nextIndex]?.[1] ?? 0;
    }
    result.push({ firstIndex: firstLine, weight: sum });
    sum -= weight;
  }
  return result;
}
