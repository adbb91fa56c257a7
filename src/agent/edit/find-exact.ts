import type { FileLines } from './file-lines.ts';
import { maxCountedMatches, type MatchKind, type TextEdit } from './hunk.ts';
import { diffLines } from '../../base/line-diff.ts';

/** Options that select among the matches of a search text. */
export interface MatchOptions {
  /** `none` selects only matches that do not overlap each other; `any` selects overlapping matches too. */
  readonly overlap: 'none' | 'any';
  /** Maximum number of matches to select. */
  readonly limit?: number;
  /**
   * Checks whether the match at an offset can be selected. If a match is not selected, the next selected match may
   * overlap it.
   */
  readonly accepts?: (start: number) => boolean;
}

/** Returns the offsets of the matches of `search` that `options` select, in order. Takes linear time for any input. */
export const findExactMatches = (text: string, search: string, options: MatchOptions): number[] =>
  selectMatches(findAllMatches(text, search), search.length, options);

/**
 * Selects matches of a search text from the offsets of all its matches.
 * @param offsets Offsets of all matches, in ascending order.
 * @param length Length of the search text.
 */
export function selectMatches(
  offsets: Iterable<number>,
  length: number,
  { overlap, limit = maxCountedMatches, accepts = () => true }: MatchOptions,
): number[] {
  const starts: number[] = [];
  let nextOffset = 0;
  for (const offset of offsets) {
    if (offset < nextOffset || !accepts(offset)) continue;
    starts.push(offset);
    if (starts.length === limit) break;
    if (overlap === 'none') nextOffset = offset + length;
  }
  return starts;
}

/** Yields all offsets of `search`, in order and in linear time. Matches can overlap. */
export function* findAllMatches(text: string, search: string): Generator<number> {
  const findNext = createSearch(text, search);
  for (let offset = findNext(0); offset >= 0; offset = findNext(offset + 1)) yield offset;
}

/**
 * Returns the offset of the next match at or after `minOffset`; -1 if none exists. Each call must pass the same or a
 * higher `minOffset`.
 */
type FindNextMatch = (minOffset: number) => number;

/**
 * Creates a search that takes linear time. First finds the beginning of a match with `indexOf` and compares the rest,
 * which is fast for most texts. In repetitive texts, this can take quadratic time. After too many comparisons, the
 * search thus continues with the Knuth-Morris-Pratt algorithm.
 */
function createSearch(text: string, search: string): FindNextMatch {
  const searchPrefix = search.slice(0, 64);
  let remainingEffort = 2 * (text.length + search.length);
  let findNextLinearly: FindNextMatch | undefined;
  return (minOffset) => {
    let offset = minOffset;
    while (findNextLinearly === undefined) {
      offset = text.indexOf(searchPrefix, offset);
      if (offset < 0 || text.startsWith(search, offset)) return offset;
      remainingEffort -= search.length;
      if (remainingEffort < 0) findNextLinearly = createLinearSearch(text, search);
      offset += 1;
    }
    return findNextLinearly(offset);
  };
}

/** Creates a search with the Knuth-Morris-Pratt algorithm. */
function createLinearSearch(text: string, search: string): FindNextMatch {
  const borders = computeBorders(search);
  let [nextPosition, nextMatchedLength] = [0, 0];
  return (minOffset) => {
    let offset = nextPosition;
    let matchedLength = nextMatchedLength;
    let matchOffset = -1;
    for (; matchOffset < 0 && offset < text.length; offset += 1) {
      const codeUnit = text.charCodeAt(offset);
      while (matchedLength > 0 && search.charCodeAt(matchedLength) !== codeUnit)
        matchedLength = borders[matchedLength - 1] ?? 0;
      if (search.charCodeAt(matchedLength) === codeUnit) matchedLength += 1;
      if (matchedLength < search.length) continue;
      matchedLength = borders[matchedLength - 1] ?? 0;
      if (offset + 1 - search.length >= minOffset) matchOffset = offset + 1 - search.length;
    }
    [nextPosition, nextMatchedLength] = [offset, matchedLength];
    return matchOffset;
  };
}

/**
 * Returns, for each prefix of `search`, the length of its longest border: a shorter text that both begins and ends the
 * prefix.
 */
function computeBorders(search: string): Int32Array {
  const borders = new Int32Array(search.length);
  let border = 0;
  for (let offset = 1; offset < search.length; offset += 1) {
    const codeUnit = search.charCodeAt(offset);
    while (border > 0 && search.charCodeAt(border) !== codeUnit) border = borders[border - 1] ?? 0;
    if (search.charCodeAt(border) === codeUnit) border += 1;
    borders[offset] = border;
  }
  return borders;
}

/** A text that can be read in parts. */
export interface TextParts {
  readonly length: number;
  slice(start: number, end: number): string;
}

// Letters of scripts that separate words by spaces. Word ends cannot be detected in other scripts.
// Their accents can be separate characters.
const endsInWordPattern =
  /[\u0300-\u036F\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]$/u;
const startsInWordPattern =
  /^[\u0300-\u036F\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]/u;

/** Checks whether the range begins or ends inside a word, such as `count = 1` in `count = 10`. */
export const splitsWord = (text: TextParts, start: number, end: number): boolean =>
  createWordCheck(text, text.slice(start, end))(start);

/** Returns a function that checks whether the match at an offset begins or ends inside a word. */
export function createWordCheck(text: TextParts, search: string): (start: number) => boolean {
  const { length } = search;
  const [startsWord, endsWord] = [
    startsInWordPattern.test(search),
    endsInWordPattern.test(search.slice(-2)),
  ];
  return (start) =>
    (startsWord && endsInWordPattern.test(text.slice(Math.max(0, start - 2), start))) ||
    (endsWord && startsInWordPattern.test(text.slice(start + length, start + length + 2)));
}

/** Returns minimal edits, line by line, that turn `search` into `replace`. */
export function computeMinimalEdits(search: string, replace: string): TextEdit[] {
  const [searchLines, replaceLines] = [
    splitKeepingLineFeeds(search),
    splitKeepingLineFeeds(replace),
  ];
  const edits: TextEdit[] = [];
  let [searchOffset, replaceOffset] = [0, 0];
  let [searchLine, replaceLine] = [0, 0];
  for (const { from, to } of diffLines(searchLines, replaceLines)) {
    searchOffset += sumLengths(searchLines, searchLine, from.start);
    replaceOffset += sumLengths(replaceLines, replaceLine, to.start);
    const searchEnd = searchOffset + sumLengths(searchLines, from.start, from.end);
    const replaceEnd = replaceOffset + sumLengths(replaceLines, to.start, to.end);
    edits.push(
      trimCommonEnds(search, {
        start: searchOffset,
        end: searchEnd,
        text: replace.slice(replaceOffset, replaceEnd),
      }),
    );
    [searchOffset, replaceOffset] = [searchEnd, replaceEnd];
    [searchLine, replaceLine] = [from.end, to.end];
  }
  return edits;
}

/** Splits a text into lines that include their line feed. The last line may lack one. */
const splitKeepingLineFeeds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/gu) ?? [];

function sumLengths(lines: readonly string[], start: number, end: number): number {
  let length = 0;
  for (let index = start; index < end; index += 1) length += lines[index]?.length ?? 0;
  return length;
}

export function trimCommonEnds(originalText: string, { start, end, text }: TextEdit): TextEdit {
  const maxTrimLength = Math.min(end - start, text.length);
  let headLength = 0;
  while (headLength < maxTrimLength && originalText[start + headLength] === text[headLength])
    headLength += 1;
  if (isHighSurrogate(text[headLength - 1])) headLength -= 1;
  let tailLength = 0;
  while (
    tailLength < maxTrimLength - headLength &&
    originalText[end - 1 - tailLength] === text[text.length - 1 - tailLength]
  )
    tailLength += 1;
  if (isLowSurrogate(text[text.length - tailLength])) tailLength -= 1;
  return {
    start: start + headLength,
    end: end - tailLength,
    text: text.slice(headLength, text.length - tailLength),
  };
}

// VS Code moves the ends of a range that are inside a surrogate pair.
const isHighSurrogate = (codeUnit: string | undefined): boolean =>
  codeUnit !== undefined && /[\uD800-\uDBFF]/.test(codeUnit);
const isLowSurrogate = (codeUnit: string | undefined): boolean =>
  codeUnit !== undefined && /[\uDC00-\uDFFF]/.test(codeUnit);

/** Position of a hunk's match in the text, and the edits that apply the hunk. */
export interface HunkMatch {
  readonly match: MatchKind;
  /** UTF-16 offsets of the matched range in the current text. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Edits that apply the hunk; undefined if the search text matches, but the new text cannot be determined. */
  readonly edits: readonly TextEdit[] | undefined;
  /**
   * Reason why {@link edits} is undefined: `indentation` if the indentation of the new text is ambiguous. Absent if the
   * reason is a difference between the matched text and the search text.
   */
  readonly code?: 'indentation';
}

export const shiftEditOffsets = (edits: readonly TextEdit[], offset: number): TextEdit[] =>
  edits.map(({ start, end, text }) => ({ start: start + offset, end: end + offset, text }));

/**
 * Returns edits that replace the lines from `firstLine` to `endLine` (exclusive) with `lines`. Adds no line feed at the
 * end.
 */
export function createLineEdits(
  text: TextParts,
  file: FileLines,
  [firstLine, endLine]: readonly [number, number],
  lines: readonly string[],
): TextEdit[] {
  const start = file.getLineStart(firstLine);
  if (lines.length > 0) {
    return shiftEditOffsets(
      computeMinimalEdits(text.slice(start, file.getLineEnd(endLine - 1)), lines.join('\n')),
      start,
    );
  }
  if (endLine < file.count) return [{ start, end: file.getLineStart(endLine), text: '' }];
  return [{ start: Math.max(0, start - 1), end: text.length, text: '' }];
}

/**
 * Applies the line changes between `before` and `after` to `currentLines`, the file's lines that correspond to
 * `before`.
 */
export function transferLineChanges(
  before: readonly string[],
  after: readonly string[],
  currentLines: readonly string[],
): string[] {
  const result: string[] = [];
  let offset = 0;
  for (const { from, to } of diffLines(before, after)) {
    result.push(...currentLines.slice(offset, from.start), ...after.slice(to.start, to.end));
    offset = from.end;
  }
  return [...result, ...currentLines.slice(offset)];
}

/** A text prepared for matching: without a byte order mark, with line feeds as the only line endings. */
export interface NormalizedText {
  readonly text: string;
  /** Converts edits of `text` to edits of the original text, with its line endings. */
  readonly toOriginalEdits: (edits: readonly TextEdit[]) => TextEdit[];
}

export function normalizeText(original: string): NormalizedText {
  const offset = original.startsWith('\uFEFF') ? 1 : 0;
  const textWithoutMark = offset === 1 ? original.slice(1) : original;
  if (!textWithoutMark.includes('\r\n')) {
    return {
      text: textWithoutMark,
      toOriginalEdits: (edits) => edits.map((edit) => shiftEdit(edit, offset)),
    };
  }
  const text = textWithoutMark.replaceAll('\r\n', '\n');
  return {
    text,
    toOriginalEdits: (edits) =>
      restoreLineEndings(textWithoutMark, edits).map((edit) => shiftEdit(edit, offset)),
  };
}

/** Returns the text after the edits, which must be in order and without overlaps. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let offset = 0;
  for (const { start, end, text: replacement } of edits) {
    parts.push(text.slice(offset, start), replacement);
    offset = end;
  }
  parts.push(text.slice(offset));
  return parts.join('');
}

const shiftEdit = (edit: TextEdit, offset: number): TextEdit => ({
  ...edit,
  start: edit.start + offset,
  end: edit.end + offset,
});

function restoreLineEndings(original: string, edits: readonly TextEdit[]): TextEdit[] {
  const cursor = new LineEndingCursor(original);
  return edits.map(({ start, end, text }) => {
    const originalStart = cursor.toOriginalOffset(start);
    const lineEnding = cursor.getCurrentLineEnding();
    return {
      start: originalStart,
      end: cursor.toOriginalOffset(end),
      text: lineEnding === '\r\n' ? text.replaceAll('\n', '\r\n') : text,
    };
  });
}

/**
 * Converts offsets in a text with normalized line endings (`\n`) to offsets in the original text. The offsets must be
 * in ascending order.
 */
class LineEndingCursor {
  readonly #text: string;
  /** Offset of the next CRLF line ending in the original text; Infinity after the last one. */
  #nextOffset: number;
  /** Number of CRLF line endings before the current offset. */
  #precedingCrlfCount = 0;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#nextOffset = this.#findCrlf(0);
  }

  /**
   * Returns the offset in the original text.
   * @param normalizedOffset Offset in the text with normalized line endings. Must not be lower than in the previous
   *   call.
   */
  toOriginalOffset(normalizedOffset: number): number {
    while (this.#nextOffset - this.#precedingCrlfCount < normalizedOffset) {
      this.#precedingCrlfCount += 1;
      this.#nextOffset = this.#findCrlf(this.#nextOffset + 2);
    }
    this.#offset = normalizedOffset + this.#precedingCrlfCount;
    return this.#offset;
  }

  /**
   * Returns the line ending after the last converted offset; on a last line without a line ending, the preceding one.
   */
  getCurrentLineEnding(): '\n' | '\r\n' {
    const nextLineFeed = this.#text.indexOf('\n', this.#offset);
    const lineFeedIndex = nextLineFeed >= 0 ? nextLineFeed : this.#text.lastIndexOf('\n');
    return this.#text[lineFeedIndex - 1] === '\r' ? '\r\n' : '\n';
  }

  #findCrlf(startOffset: number): number {
    const foundOffset = this.#text.indexOf('\r\n', startOffset);
    return foundOffset < 0 ? Number.POSITIVE_INFINITY : foundOffset;
  }
}
