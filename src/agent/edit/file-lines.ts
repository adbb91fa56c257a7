import { stripHiddenCharacters } from '../../base/hidden-characters.ts';

const lookAlikeGroups: readonly (readonly [plain: string, lookAlikes: RegExp])[] = [
  ["'", /[\u2018\u2019\u201A\u201B\u2032\u02BC\uFF07]/g],
  ['"', /[\u201C\u201D\u201E\u201F\u2033\uFF02]/g],
  ['-', /[\u2010-\u2015\u2212\uFE63\uFF0D]/g],
  [' ', /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g],
];

/**
 * Replaces typographic quotes, dashes and spaces with ASCII characters. The length stays the same, so that offsets
 * remain valid.
 */
export function replaceLookAlikes(text: string): string {
  if (isPlainAscii(text)) return text;
  return lookAlikeGroups.reduce(
    (replacedText, [plainCharacter, lookAlikes]) =>
      replacedText.replace(lookAlikes, plainCharacter),
    text,
  );
}

/**
 * Checks whether a text contains only printable ASCII characters, tabs and line endings. Uses a
 * loop, because the first run of a regular expression over a large text is slow.
 */
export function isPlainAscii(text: string): boolean {
  for (let position = 0; position < text.length; position += 1) {
    const charCode = text.charCodeAt(position);
    if (charCode > 126 || (charCode < 32 && charCode !== 9 && charCode !== 10 && charCode !== 13))
      return false;
  }
  return true;
}

/** Lines of a text that does not change, with an index of their normalized text. */
export class LineIndex {
  readonly text: string;
  readonly #lineStarts: readonly number[];
  #normalizedLines: readonly string[] | undefined;
  #lineNumbersByKey: KeyIndex | undefined;
  #nonBlankIndexes: Int32Array | undefined;

  constructor(text: string) {
    this.text = text;
    const lineStarts = [0];
    for (
      let position = text.indexOf('\n');
      position >= 0;
      position = text.indexOf('\n', position + 1)
    )
      lineStarts.push(position + 1);
    this.#lineStarts = lineStarts;
  }

  /** Number of lines, at least 1. A line feed at the end of the text starts an empty line. */
  get count(): number {
    return this.#lineStarts.length;
  }

  /**
   * Returns the offset of a line's first character. For the index after the last line, returns the text's length plus
   * 1.
   */
  getLineStart(index: number): number {
    return this.#lineStarts[index] ?? this.text.length + 1;
  }

  /** Returns the offset after a line's last character, before its line feed. */
  getLineEnd(index: number): number {
    return this.getLineStart(index + 1) - 1;
  }

  /** Returns the index of the line that contains an offset. */
  findLineIndex(offset: number): number {
    return findLastIndex(this.count, (index) => this.getLineStart(index) <= offset);
  }

  /** Normalized text of each line, for tolerant matching. */
  get normalizedLines(): readonly string[] {
    this.#normalizedLines ??= computeLineKeys(this.text);
    return this.#normalizedLines;
  }

  /** Returns the indexes of the lines with this normalized text, in order. */
  findKeyIndexes(normalizedText: string): Int32Array {
    this.#lineNumbersByKey ??= new KeyIndex(this.normalizedLines);
    return this.#lineNumbersByKey.get(normalizedText);
  }

  /** Indexes of all lines that are not blank. */
  get nonBlankIndexes(): Int32Array {
    this.#nonBlankIndexes ??= findNonBlankIndexes(this.normalizedLines);
    return this.#nonBlankIndexes;
  }

  countNonBlankBefore(lineIndex: number): number {
    const indexes = this.nonBlankIndexes;
    return findLastIndex(
      indexes.length + 1,
      (index) => index === 0 || (indexes[index - 1] ?? 0) < lineIndex,
    );
  }
}

/**
 * Returns the last index below `count` for which `matches` returns true, by binary search. Returns
 * 0 if none exists.
 */
function findLastIndex(count: number, matches: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (matches(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Lines from `start` to `end` (exclusive) of the original text, and the text that replaces them. */
export interface ReplacedLines {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Consecutive lines of the file that come from one source text, which is the original text or a replacement. */
interface LineSegment {
  readonly source: LineIndex;
  /** Index of the segment's first line, in the source text. */
  readonly sourceStart: number;
  /** Index after the segment's last line, in the source text. */
  readonly sourceEnd: number;
  /** Index of the segment's first line, in the file. */
  readonly fileLine: number;
  /** Offset of a character in the file minus its offset in the source text. */
  readonly offsetShift: number;
}

/**
 * Lines of the current text, which consists of original and replaced lines. Uses the index of the original text, so
 * that the work for a change depends only on the replaced lines.
 */
export class FileLines {
  /** Number of lines, at least 1. A line feed at the end of the text starts an empty line. */
  readonly count: number;
  readonly #unchangedLines: LineIndex;
  readonly #replacedLines: readonly ReplacedLines[];
  readonly #segments: readonly LineSegment[];
  readonly #readText: () => string;
  #nonBlankStarts: readonly number[] | undefined;
  #changedKeys: ReadonlyMap<string, ChangedKey> | undefined;

  constructor(
    unchangedLines: LineIndex,
    replacedLines: readonly ReplacedLines[] = [],
    readText: () => string = () => unchangedLines.text,
  ) {
    this.#unchangedLines = unchangedLines;
    this.#replacedLines = replacedLines;
    this.#segments = createSegments(unchangedLines, replacedLines);
    this.#readText = readText;
    const lastSegment = this.#findSegment(this.#segments.length - 1);
    this.count = lastSegment.fileLine + lastSegment.sourceEnd - lastSegment.sourceStart;
  }

  /** The complete text. The first read after a change takes linear time. */
  get text(): string {
    return this.#readText();
  }

  getLine(index: number): string {
    const { source, fileLine, sourceStart } = this.#findSegmentOfLine(index);
    const sourceLine = index - fileLine + sourceStart;
    return source.text.slice(source.getLineStart(sourceLine), source.getLineEnd(sourceLine));
  }

  /**
   * Returns the offset of a line's first character. For the index after the last line, returns the text's length plus
   * 1.
   */
  getLineStart(index: number): number {
    const { source, fileLine, sourceStart, offsetShift } = this.#findSegmentOfLine(index);
    return source.getLineStart(index - fileLine + sourceStart) + offsetShift;
  }

  /** Returns the offset after a line's last character, before its line feed. */
  getLineEnd(index: number): number {
    return this.getLineStart(index + 1) - 1;
  }

  /** Returns the index of the line that contains an offset. */
  findLineIndex(offset: number): number {
    const segments = this.#segments;
    const { source, fileLine, sourceStart, sourceEnd, offsetShift } = this.#findSegment(
      findLastIndex(segments.length, (index) => {
        const segment = this.#findSegment(index);
        return segment.source.getLineStart(segment.sourceStart) + segment.offsetShift <= offset;
      }),
    );
    return (
      fileLine -
      sourceStart +
      Math.min(sourceEnd - 1, Math.max(sourceStart, source.findLineIndex(offset - offsetShift)))
    );
  }

  /** Returns the normalized text of a line; undefined for a line that does not exist. */
  getNormalizedLine(index: number): string | undefined {
    const { source, fileLine, sourceStart } = this.#findSegmentOfLine(index);
    return index < this.count ? source.normalizedLines[index - fileLine + sourceStart] : undefined;
  }

  /** Returns the indexes of the lines with this normalized text, in order. */
  findKeyIndexes(normalizedText: string): ArrayLike<number> & Iterable<number> {
    const lineIndexes = this.#unchangedLines.findKeyIndexes(normalizedText);
    if (this.#replacedLines.length === 0) return lineIndexes;
    const newIndexes = this.#changes.get(normalizedText)?.newIndexes ?? [];
    return [...this.#mapUnchangedLines(lineIndexes), ...newIndexes].sort((a, b) => a - b);
  }

  /** Returns the number of lines with this normalized text. */
  countLinesWithKey(normalizedText: string): number {
    const changedKey = this.#changes.get(normalizedText);
    const { length } = this.#unchangedLines.findKeyIndexes(normalizedText);
    return changedKey === undefined
      ? length
      : length + changedKey.newIndexes.length - changedKey.removedCount;
  }

  get nonBlankCount(): number {
    return this.#countNonBlankLinesBefore(this.#segments.length);
  }

  /** Returns the index of the non-blank line at a position among all non-blank lines; undefined if none exists. */
  getNonBlankLineIndex(position: number): number | undefined {
    if (position < 0 || position >= this.nonBlankCount) return undefined;
    const index = findLastIndex(
      this.#segments.length,
      (segmentIndex) => this.#countNonBlankLinesBefore(segmentIndex) <= position,
    );
    const { source, sourceStart, fileLine } = this.#findSegment(index);
    const nonBlankCountBefore = source.countNonBlankBefore(sourceStart);
    const sourceLine =
      source.nonBlankIndexes[
        nonBlankCountBefore + position - this.#countNonBlankLinesBefore(index)
      ];
    return sourceLine === undefined ? undefined : sourceLine - sourceStart + fileLine;
  }

  /** Returns the position of a line among all non-blank lines. */
  getNonBlankPosition(index: number): number {
    const segmentIndex = this.#findSegmentIndexOfLine(index);
    const { source, sourceStart, fileLine } = this.#findSegment(segmentIndex);
    const nonBlankCountBefore = source.countNonBlankBefore(index - fileLine + sourceStart + 1);
    const position =
      this.#countNonBlankLinesBefore(segmentIndex) +
      nonBlankCountBefore -
      source.countNonBlankBefore(sourceStart) -
      1;
    return Math.max(0, position);
  }

  #findSegment(index: number): LineSegment {
    return (
      this.#segments[index] ?? {
        source: this.#unchangedLines,
        sourceStart: 0,
        sourceEnd: 0,
        fileLine: 0,
        offsetShift: 0,
      }
    );
  }

  #findSegmentIndexOfLine(lineIndex: number): number {
    return findLastIndex(
      this.#segments.length,
      (index) => this.#findSegment(index).fileLine <= lineIndex,
    );
  }

  #findSegmentOfLine(lineIndex: number): LineSegment {
    return this.#findSegment(this.#findSegmentIndexOfLine(lineIndex));
  }

  /** Returns the number of non-blank lines before a segment. */
  #countNonBlankLinesBefore(segmentIndex: number): number {
    if (this.#nonBlankStarts === undefined) {
      let sum = 0;
      const cumulativeCounts = this.#segments.map(({ source, sourceStart, sourceEnd }) => {
        sum += source.countNonBlankBefore(sourceEnd) - source.countNonBlankBefore(sourceStart);
        return sum;
      });
      this.#nonBlankStarts = [0, ...cumulativeCounts];
    }
    return this.#nonBlankStarts[segmentIndex] ?? 0;
  }

  /** Converts line indexes of the original text to indexes of the current text. Omits replaced lines. */
  *#mapUnchangedLines(lineIndexes: Iterable<number>): Generator<number> {
    const segments = this.#segments.filter(({ source }) => source === this.#unchangedLines);
    let index = 0;
    for (const lineIndex of lineIndexes) {
      while ((segments[index]?.sourceEnd ?? Infinity) <= lineIndex) index += 1;
      const segment = segments[index];
      if (segment === undefined) return;
      if (segment.sourceStart <= lineIndex)
        yield lineIndex - segment.sourceStart + segment.fileLine;
    }
  }

  /**
   * Number of removed lines and indexes of added lines, by the normalized text of these lines. Omits normalized texts
   * without removed or added lines.
   */
  get #changes(): ReadonlyMap<string, ChangedKey> {
    if (this.#changedKeys !== undefined) return this.#changedKeys;
    const changedKeys = new Map<string, ChangedKey>();
    const getChangedKey = (key: string): ChangedKey => {
      const changedKey = changedKeys.get(key) ?? { removedCount: 0, newIndexes: [] };
      changedKeys.set(key, changedKey);
      return changedKey;
    };
    for (const { start, end } of this.#replacedLines) {
      for (const key of this.#unchangedLines.normalizedLines.slice(start, end))
        getChangedKey(key).removedCount += 1;
    }
    for (const { source, fileLine } of this.#segments) {
      if (source === this.#unchangedLines) continue;
      for (const [index, key] of source.normalizedLines.entries())
        getChangedKey(key).newIndexes.push(fileLine + index);
    }
    this.#changedKeys = changedKeys;
    return changedKeys;
  }
}

interface ChangedKey {
  removedCount: number;
  /** Indexes, in the current text, of the added lines with this normalized text. */
  readonly newIndexes: number[];
}

function createSegments(
  unchangedLines: LineIndex,
  replacedLines: readonly ReplacedLines[],
): LineSegment[] {
  const segments: LineSegment[] = [];
  let [lineIndex, offset, position] = [0, 0, 0];
  const addSegment = (source: LineIndex, sourceStart: number, sourceEnd: number): void => {
    if (sourceStart >= sourceEnd) return;
    segments.push({
      source,
      sourceStart,
      sourceEnd,
      fileLine: lineIndex,
      offsetShift: offset - source.getLineStart(sourceStart),
    });
    lineIndex += sourceEnd - sourceStart;
    offset += source.getLineStart(sourceEnd) - source.getLineStart(sourceStart);
  };
  for (const { start, end, text } of replacedLines) {
    addSegment(unchangedLines, position, start);
    const source = new LineIndex(text);
    addSegment(source, 0, source.count);
    position = end;
  }
  addSegment(unchangedLines, position, unchangedLines.count);
  return segments;
}

/**
 * Returns the text of a line that tolerant matching compares: without outer white space and hidden characters, and with
 * ASCII characters instead of look-alike characters.
 */
export function computeLineKey(line: string): string {
  const trimmedLine = line.trim();
  if (isPlainAscii(trimmedLine)) return trimmedLine;
  return replaceLookAlikes(stripHiddenCharacters(trimmedLine).text).normalize('NFC').trim();
}

function computeLineKeys(text: string): string[] {
  const lines = text.split('\n');
  return isPlainAscii(text) ? lines.map((line) => line.trim()) : lines.map(computeLineKey);
}

const noIndexes = new Int32Array();

function findNonBlankIndexes(normalizedLines: readonly string[]): Int32Array {
  const nonBlankIndexes = new Int32Array(normalizedLines.length);
  let count = 0;
  for (const [index, key] of normalizedLines.entries()) {
    if (key === '') continue;
    nonBlankIndexes[count] = index;
    count += 1;
  }
  return nonBlankIndexes.subarray(0, count);
}

/**
 * Maps each normalized text to the indexes of its lines. Stores all indexes in one array, because separate arrays need
 * too much memory for a large file.
 */
class KeyIndex {
  readonly #ids = new Map<string, number>();
  readonly #lineIndexes: Int32Array;
  /**
   * Positions in `#lineIndexes` at which the line indexes of each normalized text start, by the number of the
   * normalized text. They end where the line indexes of the next normalized text start.
   */
  readonly #starts: Int32Array;

  constructor(normalizedLines: readonly string[]) {
    const ids = Int32Array.from(normalizedLines, (key) => this.#getId(key));
    const starts = new Int32Array(this.#ids.size + 2);
    for (const id of ids) starts[id + 2] = (starts[id + 2] ?? 0) + 1;
    for (let id = 2; id < starts.length; id += 1) {
      starts[id] = (starts[id] ?? 0) + (starts[id - 1] ?? 0);
    }
    this.#lineIndexes = new Int32Array(normalizedLines.length);
    for (const [index, id] of ids.entries()) {
      const position = starts[id + 1] ?? 0;
      this.#lineIndexes[position] = index;
      starts[id + 1] = position + 1;
    }
    this.#starts = starts;
  }

  get(key: string): Int32Array {
    const id = this.#ids.get(key);
    return id === undefined
      ? noIndexes
      : this.#lineIndexes.subarray(this.#starts[id], this.#starts[id + 1]);
  }

  #getId(key: string): number {
    const existingId = this.#ids.get(key);
    if (existingId !== undefined) return existingId;
    this.#ids.set(key, this.#ids.size);
    return this.#ids.size - 1;
  }
}
