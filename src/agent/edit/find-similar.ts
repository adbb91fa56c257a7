import { mergeLines, compareVersions } from '../changes/three-way.ts';
import { type FileLines, computeLineKey } from './file-lines.ts';
import {
  createLineEdits,
  type HunkMatch,
  type TextParts,
  transferLineChanges,
} from './find-exact.ts';
import { reindentHunk } from './find-tolerant.ts';
import { type Hunk, type HunkLines, toHunkLines } from './hunk.ts';

/** A change from text `base` to text `target`, and the similar text `current` to which the change is applied. */
export interface WordMerge {
  readonly base: string;
  readonly target: string;
  readonly current: string;
}

/**
 * Applies a change word by word to a similar text. Returns undefined if a changed word differs in `current`, because
 * text that the model has not seen must not be overwritten.
 */
export function mergeWords({ base, target, current }: WordMerge): string | undefined {
  const versions = {
    base: splitWords(base),
    mine: splitWords(current),
    theirs: splitWords(target),
  };
  const regions = compareVersions(versions);
  const hasAdjacentRegions = regions.some(
    (region, index) => index > 0 && regions[index - 1]?.base.end === region.base.start,
  );
  return hasAdjacentRegions ? undefined : mergeLines(versions, 'refuse')?.join('');
}

const splitWords = (text: string): string[] =>
  text.match(/\n|[^\S\n]+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** Limit that several comparisons share: the number of character pairs that they may still examine. */
export interface ComparisonBudget {
  remainingComparisonCount: number;
}

/** Returns the similarity of two lines by edit distance, from 0 to 1. Returns 0 if the budget is exhausted. */
export function computeSimilarity(a: string, b: string, budget: ComparisonBudget): number {
  if (a === b) return 1;
  const maxLength = Math.max(a.length, b.length);
  let commonPrefixLength = 0;
  while (commonPrefixLength < a.length && a[commonPrefixLength] === b[commonPrefixLength])
    commonPrefixLength += 1;
  let commonSuffixLength = 0;
  const maxSuffixLength = Math.min(a.length, b.length) - commonPrefixLength;
  while (
    commonSuffixLength < maxSuffixLength &&
    a[a.length - 1 - commonSuffixLength] === b[b.length - 1 - commonSuffixLength]
  )
    commonSuffixLength += 1;
  const [restA, restB] = [
    a.slice(commonPrefixLength, a.length - commonSuffixLength),
    b.slice(commonPrefixLength, b.length - commonSuffixLength),
  ];
  const comparisonCount = restA.length * restB.length;
  if (comparisonCount > budget.remainingComparisonCount) return 0;
  budget.remainingComparisonCount -= comparisonCount;
  return 1 - computeLevenshteinDistance(restA, restB) / maxLength;
}

function computeLevenshteinDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const nextRow = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const deletionOrInsertion = Math.min((row[j + 1] ?? 0) + 1, (nextRow[j] ?? 0) + 1);
      nextRow.push(Math.min(deletionOrInsertion, (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)));
    }
    row = nextRow;
  }
  return row[b.length] ?? 0;
}

/** Minimum number of lines of a hunk that may match similar lines. Shorter hunks could match by chance. */
const minLines = 3;
/** Minimum similarity of a match, from 0 to 1, over all of its characters. */
const minMatchScore = 0.9;
/** Minimum similarity of each line in a match, from 0 to 1. */
const minLineSimilarity = 0.6;
/** Minimum difference between the similarity of the best match and that of the second-best match. */
const minScoreLead = 0.1;

/** Maximum number of candidates to compare with a search text. */
const maxCandidates = 20;
/** Maximum number of occurrences of a line in the file. A more frequent line does not help to find candidates. */
const maxLineOccurrences = 50;
/** Maximum number of character pairs to compare for all candidates of a search text. */
const maxCharacterPairs = 4_000_000;
/** Maximum length in characters of the search and replacement texts of a hunk that may match similar lines. */
const maxHunkLength = 100_000;

/**
 * Finds the only range of lines that are similar to the hunk's search text, ignoring blank lines, and applies the
 * hunk's change to this range. At least half of the lines must be equal and all lines similar, and no other range may
 * be nearly as similar. Returns undefined if no such range is found within the limits.
 */
export function findSimilarMatch(
  text: TextParts,
  file: FileLines,
  hunk: Hunk,
): HunkMatch | undefined {
  if (hunk.search.length + hunk.replace.length > maxHunkLength) return undefined;
  const lines = toHunkLines(hunk);
  const keys = lines.search.map(computeLineKey).filter((key) => key !== '');
  if (keys.length < minLines) return undefined;
  const [bestCandidate, nextCandidate] = scoreCandidates(file, keys);
  if (bestCandidate === undefined || bestCandidate.score < minMatchScore) return undefined;
  if (nextCandidate !== undefined && nextCandidate.score > bestCandidate.score - minScoreLead)
    return undefined;
  const firstLine = file.getNonBlankLineIndex(bestCandidate.index) ?? 0;
  const endLine = (file.getNonBlankLineIndex(bestCandidate.index + keys.length - 1) ?? 0) + 1;
  return {
    match: 'similar',
    start: file.getLineStart(firstLine),
    end: file.getLineEnd(endLine - 1),
    edits: transferHunk(text, file, [firstLine, endLine], lines),
  };
}

interface ScoredCandidate {
  /** Position of the candidate's first line among all non-blank lines of the file. */
  readonly index: number;
  readonly score: number;
}

function scoreCandidates(file: FileLines, keys: readonly string[]): ScoredCandidate[] {
  const budget = { remainingComparisonCount: maxCharacterPairs };
  return findCandidatesByEqualLines(file, keys)
    .map((startIndex) => ({
      index: startIndex,
      score: scoreCandidate(file, keys, startIndex, budget),
    }))
    .sort((a, b) => b.score - a.score);
}

/**
 * Returns the start positions at which the most lines of the file equal the lines `keys`, best first. Positions are
 * indexes among the non-blank lines of the file.
 */
export function findCandidatesByEqualLines(file: FileLines, keys: readonly string[]): number[] {
  const equalLineCounts = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    if (file.countLinesWithKey(key) > maxLineOccurrences) continue;
    for (const line of file.findKeyIndexes(key)) {
      const startIndex = file.getNonBlankPosition(line) - index;
      if (startIndex >= 0 && startIndex + keys.length <= file.nonBlankCount)
        equalLineCounts.set(startIndex, (equalLineCounts.get(startIndex) ?? 0) + 1);
    }
  }
  const sortedCounts = [...equalLineCounts].sort(([a, i], [b, j]) => j - i || a - b);
  return sortedCounts.slice(0, maxCandidates).map(([startIndex]) => startIndex);
}

function scoreCandidate(
  file: FileLines,
  keys: readonly string[],
  index: number,
  budget: ComparisonBudget,
): number {
  let [equalCount, weightedScore, totalLength] = [0, 0, 0];
  for (const [keyIndex, key] of keys.entries()) {
    const line = file.getNormalizedLine(file.getNonBlankLineIndex(index + keyIndex) ?? 0) ?? '';
    const score = computeSimilarity(key, line, budget);
    if (score < minLineSimilarity) return 0;
    if (score === 1) equalCount += 1;
    const length = Math.max(key.length, line.length);
    weightedScore += score * length;
    totalLength += length;
  }
  return equalCount * 2 < keys.length ? 0 : weightedScore / totalLength;
}

function transferHunk(
  text: TextParts,
  file: FileLines,
  [firstLine, endLine]: readonly [number, number],
  lines: HunkLines,
): HunkMatch['edits'] {
  const fileLines = Array.from({ length: endLine - firstLine }, (_, index) =>
    file.getLine(firstLine + index),
  );
  const nonBlankLines = fileLines.filter((line) => line.trim() !== '');
  const searchLines = lines.search.filter((line) => line.trim() !== '');
  const reindentedHunk = reindentHunk(
    file,
    firstLine,
    { ...lines, search: searchLines },
    nonBlankLines,
  );
  if (reindentedHunk === undefined) return undefined;
  const baseLines = restoreBlankLines(lines.search, reindentedHunk.search);
  const currentLines = fileLines.map((line) => line.trimEnd());
  const mergedText = mergeWords({
    base: trimEnds(baseLines).join('\n'),
    target: trimEnds(reindentedHunk.replace).join('\n'),
    current: currentLines.join('\n'),
  });
  if (mergedText === undefined) return undefined;
  const mergedLines = restoreTrailingSpace(mergedText === '' ? [] : mergedText.split('\n'), {
    currentLines,
    replaceLines: reindentedHunk.replace,
    fileLines,
  });
  const result = transferLineChanges(currentLines, mergedLines, fileLines);
  return createLineEdits(text, file, [firstLine, endLine], result);
}

/** Replaces the non-blank lines of `lines` with the lines of `nonBlankLines`, in order. Retains the blank lines. */
function restoreBlankLines(lines: readonly string[], nonBlankLines: readonly string[]): string[] {
  let nextIndex = 0;
  return lines.map((line) => (line.trim() === '' ? '' : (nonBlankLines[nextIndex++] ?? line)));
}

/**
 * Restores the trailing white space of changed lines, such as a line break in Markdown, from the replacement of the
 * hunk. Restores only trailing white space that other lines of the file also have.
 */
function restoreTrailingSpace(
  lines: readonly string[],
  {
    currentLines,
    replaceLines,
    fileLines,
  }: {
    readonly currentLines: readonly string[];
    readonly replaceLines: readonly string[];
    readonly fileLines: readonly string[];
  },
): string[] {
  const usualTrailingSpaces = new Set(fileLines.map((line) => line.slice(line.trimEnd().length)));
  const linesWithTrailingSpace = new Map(
    replaceLines
      .filter((line) => usualTrailingSpaces.has(line.slice(line.trimEnd().length)))
      .map((line) => [line.trimEnd(), line] as const),
  );
  const unchangedLines = new Set(currentLines);
  return lines.map((line) =>
    unchangedLines.has(line) ? line : (linesWithTrailingSpace.get(line) ?? line),
  );
}

const trimEnds = (lines: readonly string[]): string[] => lines.map((line) => line.trimEnd());
