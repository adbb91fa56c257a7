import type { Draft } from './draft.ts';
import { type FileLines, computeLineKey, replaceLookAlikes } from './file-lines.ts';
import {
  splitsWord,
  createLineEdits,
  findExactMatches,
  type HunkMatch,
  type TextParts,
  transferLineChanges,
  shiftEditOffsets,
  computeMinimalEdits,
} from './find-exact.ts';
import { type Hunk, type HunkLines, toHunkLines, type TextEdit } from './hunk.ts';
import {
  adaptReplacement,
  inferIndentConversion,
  type ConvertIndent,
  reindentLine,
} from './indentation.ts';
import { findHiddenCharacters } from '../../base/hidden-characters.ts';

/** A text without hidden characters, with a mapping of its offsets to the original text. */
export class VisibleText {
  readonly text: string;
  /**
   * Offsets in the visible text at which hidden characters were removed, in ascending order. `#removedCounts` contains,
   * for each offset, the number of UTF-16 code units removed up to it.
   */
  readonly #removalOffsets: number[] = [];
  readonly #removedCounts: number[] = [];

  constructor(text: string) {
    const parts: string[] = [];
    let [position, removedCount] = [0, 0];
    for (const { character, index } of findHiddenCharacters(text)) {
      parts.push(text.slice(position, index));
      this.#removalOffsets.push(index - removedCount);
      position = index + character.length;
      removedCount += character.length;
      this.#removedCounts.push(removedCount);
    }
    this.text = removedCount === 0 ? text : parts.join('') + text.slice(position);
  }

  /** Converts an edit to offsets in the original text. Excludes hidden characters next to the edited range. */
  toOriginalEdit({ start, end, text }: TextEdit): TextEdit {
    const originalStart = this.toOriginalStart(start);
    return {
      start: originalStart,
      end: start === end ? originalStart : this.toOriginalEnd(end),
      text,
    };
  }

  /** Returns the original offset of the start of the character after `offset`. */
  toOriginalStart(offset: number): number {
    return offset + this.#countRemovedBefore(offset + 1);
  }

  /** Returns the original offset of the end of the character before `offset`. */
  toOriginalEnd(offset: number): number {
    return offset + this.#countRemovedBefore(offset);
  }

  /** Returns the number of UTF-16 code units that were removed before `offset`. */
  #countRemovedBefore(offset: number): number {
    let [low, high] = [0, this.#removalOffsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#removalOffsets[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return this.#removedCounts[low - 1] ?? 0;
  }
}

/** Maximum number of matches to return. Two matches already make a search text ambiguous. */
const maxMatches = 5;
/** Maximum number of lines to compare in one search. */
const maxComparedLines = 2_000_000;

/**
 * Finds matches that differ from the search text in look-alike or hidden characters, trailing white space or a uniform
 * indentation. Retains all text that the hunk does not change, and gives changed text the file's indentation. Returns
 * undefined if the search exceeds its limits.
 */
export function findTolerantMatches(draft: Draft, hunk: Hunk): HunkMatch[] | undefined {
  const lookAlikeMatches = findLookAlikeMatches(draft, hunk);
  const lineMatches = findLineMatches(draft, draft.lines, toHunkLines(hunk));
  if (lineMatches === undefined) return undefined;
  // Another match with the same lines can begin on a preceding blank line.
  const isNew = ({ start, end }: HunkMatch): boolean =>
    lookAlikeMatches.every((match) => match.end <= start || end <= match.start);
  return [...lookAlikeMatches, ...lineMatches.filter(isNew)];
}

/** Finds matches with look-alike or hidden characters, character by character. A match can be part of a line. */
function findLookAlikeMatches(draft: Draft, { search, replace }: Hunk): HunkMatch[] {
  const foldedSearch = replaceLookAlikes(search);
  if (draft.isPlainAscii && foldedSearch === search) return [];
  const options = { overlap: 'any', limit: maxMatches } as const;
  const visibleText = new VisibleText(draft.isPlainAscii ? '' : draft.text);
  const foldedText = replaceLookAlikes(visibleText.text);
  const offsets = draft.isPlainAscii
    ? draft.findExactMatches(foldedSearch, options)
    : findExactMatches(foldedText, foldedSearch, options);
  const text = draft.isPlainAscii ? draft : visibleText.text;
  return offsets.map((offset) => {
    const end = offset + search.length;
    const edits = shiftEditOffsets(computeMinimalEdits(search, replace), offset).map((edit) =>
      visibleText.toOriginalEdit(edit),
    );
    return {
      match: 'tolerant',
      start: visibleText.toOriginalStart(offset),
      end: visibleText.toOriginalEnd(end),
      edits: splitsWord(text, offset, end) ? undefined : edits,
    };
  });
}

function findLineMatches(
  text: TextParts,
  file: FileLines,
  lines: HunkLines,
): HunkMatch[] | undefined {
  const keys = lines.search.map(computeLineKey);
  const firstIndexes = findSequenceStarts(file, keys);
  return firstIndexes?.map((firstIndex) => {
    const end = firstIndex + keys.length;
    return {
      match: 'tolerant',
      start: file.getLineStart(firstIndex),
      end: file.getLineEnd(end - 1),
      edits: createEditsOfLines(text, file, [firstIndex, end], lines),
      code: 'indentation',
    };
  });
}

/**
 * Returns the index of the first line of each sequence of lines with these normalized texts. Returns undefined if the
 * search exceeds its limits.
 */
function findSequenceStarts(file: FileLines, keys: readonly string[]): number[] | undefined {
  const rarestKeyIndex = findRarestKeyIndex(file, keys);
  if (rarestKeyIndex < 0) return [];
  const firstLines: number[] = [];
  let comparedCount = 0;
  for (const line of file.findKeyIndexes(keys[rarestKeyIndex] ?? '')) {
    const firstLine = line - rarestKeyIndex;
    if (firstLine < 0 || firstLine + keys.length > file.count) continue;
    let matchedCount = 0;
    while (
      matchedCount < keys.length &&
      keys[matchedCount] === file.getNormalizedLine(firstLine + matchedCount)
    )
      matchedCount += 1;
    if (matchedCount === keys.length) firstLines.push(firstLine);
    if (firstLines.length === maxMatches) break;
    comparedCount += 1 + matchedCount;
    if (comparedCount > maxComparedLines) return undefined;
  }
  return firstLines;
}

/**
 * Returns the index in `keys` of the normalized text that occurs on the fewest lines of the file; -1 if every text is
 * blank.
 */
function findRarestKeyIndex(file: FileLines, keys: readonly string[]): number {
  let [rarestIndex, minCount] = [-1, Infinity];
  for (const [index, key] of keys.entries()) {
    if (key === '') continue;
    const count = file.countLinesWithKey(key);
    if (count < minCount) [rarestIndex, minCount] = [index, count];
  }
  return rarestIndex;
}

function createEditsOfLines(
  text: TextParts,
  file: FileLines,
  [firstLine, endLine]: readonly [number, number],
  lines: HunkLines,
): HunkMatch['edits'] {
  const fileLines = Array.from({ length: endLine - firstLine }, (_, index) =>
    file.getLine(firstLine + index),
  );
  const reindentedHunk = reindentHunk(file, firstLine, lines, fileLines);
  if (reindentedHunk === undefined) return undefined;
  const result = transferLineChanges(reindentedHunk.search, reindentedHunk.replace, fileLines);
  return createLineEdits(text, file, [firstLine, endLine], result);
}

/**
 * Returns the hunk with the file's indentation; undefined if that cannot be determined.
 * @param firstLine Index of the first matching line in the file.
 * @param fileLines Lines of the file that match the lines of the search text.
 */
export function reindentHunk(
  file: FileLines,
  firstLine: number,
  hunk: HunkLines,
  fileLines: readonly string[],
): HunkLines | undefined {
  const reindent = createIndentConversion(file, firstLine, hunk, fileLines);
  if (reindent === undefined) return undefined;
  const replace = adaptReplacement({ ...hunk, fileLines }, reindent);
  const search = hunk.search.map((line) => reindentLine(line, reindent) ?? line);
  return replace && { search, replace };
}

/**
 * Derives a rule that converts the hunk's indentation to the file's, by comparing lines of the hunk with the matching
 * lines of the file. Returns undefined if these lines are contradictory.
 */
function createIndentConversion(
  file: FileLines,
  firstLine: number,
  { search, replace }: HunkLines,
  fileLines: readonly string[],
): ConvertIndent | undefined {
  const sampleStart = Math.max(0, firstLine - 200);
  const count = Math.min(file.count - sampleStart, 400 + fileLines.length);
  return inferIndentConversion({
    pairs: search
      .map((line, index) => [line, fileLines[index] ?? ''] as const)
      .filter(([line]) => line.trim() !== ''),
    hunkLines: [...search, ...replace],
    fileLines: Array.from({ length: count }, (_, index) => file.getLine(sampleStart + index)),
  });
}
