import { FileLines, isPlainAscii, LineIndex, type ReplacedLines } from './file-lines.ts';
import {
  applyEdits,
  findAllMatches,
  type MatchOptions,
  selectMatches,
  shiftEditOffsets,
} from './find-exact.ts';
import { TextIndex } from './gram-index.ts';
import type { TextEdit } from './hunk.ts';

/**
 * A change of the original text. The range from `start` to `end` of the original text is replaced by `text`, which has
 * the range from `currentStart` to `currentEnd` in the current text.
 */
interface DraftChange {
  readonly start: number;
  readonly end: number;
  readonly currentStart: number;
  readonly currentEnd: number;
  readonly text: string;
}

/** Maximum distance, in UTF-16 code units, by which an insertion is moved to an earlier offset with the same result. */
const maxInsertionMove = 1_000;

/** Range of text from `start` to `end` (exclusive), as UTF-16 offsets in the current text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Text that a hunk inserted, at its offset in the current text. */
interface Insertion {
  readonly currentStart: number;
  readonly text: string;
}

/** Maximum number of searches that scan the complete original text. Later searches use an index. */
const maxTextScans = 3;

/**
 * Text to which hunks are applied. Stores the original text and the changes, so that the work for a hunk does not
 * depend on the length of the text.
 */
export class Draft {
  readonly #originalText: string;
  #changes: readonly DraftChange[] = [];
  #text: string | undefined;
  #scanCount = 0;
  #index: TextIndex | undefined;
  #originalLines: LineIndex | undefined;
  #isOriginalPlainAscii: boolean | undefined;
  #lines: FileLines | undefined;
  /**
   * Insertions by earlier hunks that no later edit changed, in order. One item of `#changes` can combine several
   * insertions.
   */
  #unchangedInsertions: readonly Insertion[] = [];

  constructor(originalText: string) {
    this.#originalText = originalText;
    this.#text = originalText;
  }

  /** The complete text with all previous hunks applied. The first read after a change takes linear time. */
  get text(): string {
    this.#text ??= applyEdits(this.#originalText, this.#changes);
    return this.#text;
  }

  get length(): number {
    return this.#originalText.length + countAddedCharactersUntil(this.#changes.at(-1));
  }

  /** Lines of the current text. */
  get lines(): FileLines {
    this.#originalLines ??= new LineIndex(this.#originalText);
    this.#lines ??= new FileLines(
      this.#originalLines,
      this.#listReplacedLines(this.#originalLines),
      () => this.text,
    );
    return this.#lines;
  }

  get isPlainAscii(): boolean {
    this.#isOriginalPlainAscii ??= isPlainAscii(this.#originalText);
    return this.#isOriginalPlainAscii && this.#changes.every(({ text }) => isPlainAscii(text));
  }

  /** Returns a part of the current text. */
  slice(start: number, end: number): string {
    const sliceStart = Math.max(0, start);
    return this.#sliceAt(
      this.#findChangeIndexAfter(sliceStart),
      sliceStart,
      Math.min(end, this.length),
    );
  }

  /**
   * Returns a part of the current text.
   * @param firstIndex Index of the first change that ends after the start of the part.
   */
  #sliceAt(firstIndex: number, start: number, end: number): string {
    let [sliceText, offset] = ['', start];
    for (let index = firstIndex; ; index += 1) {
      const addedCharacterCount = countAddedCharactersUntil(this.#changes[index - 1]);
      const change = this.#changes[index];
      const nextOffset = Math.min(end, change?.currentStart ?? end);
      if (offset < nextOffset)
        sliceText += this.#originalText.slice(
          offset - addedCharacterCount,
          nextOffset - addedCharacterCount,
        );
      if (change === undefined || change.currentStart >= end) return sliceText;
      sliceText += change.text.slice(
        Math.max(0, start - change.currentStart),
        end - change.currentStart,
      );
      offset = change.currentEnd;
    }
  }

  /** Returns the offsets of the matches of `search` that `options` select, in order. */
  findExactMatches(search: string, options: MatchOptions): number[] {
    return selectMatches(this.#findMatches(search), search.length, options);
  }

  /** Checks whether an earlier hunk wrote or removed text inside the range. */
  hasChangesIn(start: number, end: number): boolean {
    return this.#changes.some(({ currentStart, currentEnd }) =>
      currentStart === currentEnd
        ? start < currentStart && currentStart < end
        : currentStart < end && start < currentEnd,
    );
  }

  /**
   * Checks whether an earlier hunk inserted the same text at the same position. Two offsets count as the same position
   * if an insertion at either of them has the same result.
   * @param searchedRange Range that matches the hunk's search text. If the range contains the earlier insertion, the
   *   hunk requests a second one, and the result is false.
   */
  hasInsertion({ start, end, text }: TextEdit, searchedRange: TextRange): boolean {
    if (start !== end || text.trim() === '') return false;
    const nearInsertions = this.#listInsertionsNear(start, text.length);
    if (nearInsertions.length === 0) return false;
    const newInsertion = this.#moveInsertionLeft(start, text);
    const sameInsertion = nearInsertions.findLast((insertion) => {
      const movedInsertion = this.#moveInsertionLeft(insertion.currentStart, insertion.text);
      return (
        movedInsertion.start === newInsertion.start && movedInsertion.text === newInsertion.text
      );
    });
    if (sameInsertion === undefined) return false;
    const firstOffset = Math.max(newInsertion.start, searchedRange.start);
    return (
      firstOffset > sameInsertion.currentStart || firstOffset + text.length > searchedRange.end
    );
  }

  /**
   * Lists the earlier insertions of `length` characters that are close enough to have the same result as an insertion
   * at `start`.
   */
  #listInsertionsNear(start: number, length: number): readonly Insertion[] {
    const isNear = ({ currentStart, text }: Insertion): boolean =>
      text.length === length && Math.abs(currentStart - start) <= maxInsertionMove;
    const wholeInsertions = this.#changes.filter(
      (change) => change.start === change.end && isNear(change),
    );
    const partialInsertions = this.#unchangedInsertions.filter(
      (insertion) =>
        isNear(insertion) &&
        !wholeInsertions.some(({ currentStart }) => currentStart === insertion.currentStart),
    );
    return [...partialInsertions, ...wholeInsertions];
  }

  /** Applies edits of the current text, which must be in order and without overlaps. */
  applyEdits(edits: readonly TextEdit[]): void {
    if (edits.length === 0) return;
    this.#changes = this.#mergeChanges(edits);
    this.#unchangedInsertions = mergeInsertions(this.#unchangedInsertions, edits);
    this.#text = undefined;
    this.#lines = undefined;
  }

  /** Returns the changes as edits with offsets in the original text. */
  listEdits(): TextEdit[] {
    return this.#changes
      .filter(({ start, end, text }) => text !== this.#originalText.slice(start, end))
      .map(({ start, end, text }) => ({ start, end, text }));
  }

  /** Returns the index of the first change that ends after an offset of the current text. */
  #findChangeIndexAfter(offset: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.currentEnd ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Yields all offsets of `search`, in order. Matches can overlap. */
  *#findMatches(search: string): Generator<number> {
    const startsNearChanges = this.#findMatchesNearChanges(search);
    let [nextIndex, index] = [0, 0];
    for (const start of this.#findOriginalMatches(search)) {
      while ((this.#changes[index]?.end ?? Infinity) <= start) index += 1;
      // Matches that a change touches are found near the changes.
      if ((this.#changes[index]?.start ?? Infinity) < start + search.length) continue;
      const offset = start + countAddedCharactersUntil(this.#changes[index - 1]);
      for (
        let nearOffset = startsNearChanges[nextIndex];
        nearOffset !== undefined && nearOffset <= offset;
      ) {
        if (nearOffset < offset) yield nearOffset;
        nextIndex += 1;
        nearOffset = startsNearChanges[nextIndex];
      }
      yield offset;
    }
    yield* startsNearChanges.slice(nextIndex);
  }

  #findOriginalMatches(search: string): Iterable<number> {
    if (this.#scanCount >= maxTextScans) this.#index ??= new TextIndex(this.#originalText);
    const indexedOffsets = this.#index?.find(search);
    if (indexedOffsets === undefined) this.#scanCount += 1;
    return indexedOffsets ?? findAllMatches(this.#originalText, search);
  }

  /** Finds all matches that touch a change, and possibly other matches near a change. */
  #findMatchesNearChanges(search: string): number[] {
    const [overlapLength, end] = [search.length - 1, this.length];
    const foundOffsets: number[] = [];
    for (let index = 0; index < this.#changes.length;) {
      const firstIndex = index;
      const partStart = Math.max(0, (this.#changes[firstIndex]?.currentStart ?? 0) - overlapLength);
      let partEnd = partStart;
      // Changes near each other are searched together.
      for (let change = this.#changes[firstIndex]; change !== undefined;) {
        partEnd = Math.min(end, change.currentEnd + overlapLength);
        index += 1;
        change = this.#changes[index];
        if (change !== undefined && change.currentStart - overlapLength >= partEnd) break;
      }
      const partText = this.#sliceAt(firstIndex, partStart, partEnd);
      if (!partText.includes(search)) continue;
      for (const offset of findAllMatches(partText, search)) foundOffsets.push(partStart + offset);
    }
    return foundOffsets;
  }

  /**
   * Moves an insertion to the lowest offset at which it has the same result, but by at most {@link maxInsertionMove}
   * code units. Returns this offset and the text to insert there.
   */
  #moveInsertionLeft(start: number, text: string): { start: number; text: string } {
    const { length } = text;
    let moveDistance = 0;
    let textBefore = '';
    while (moveDistance < maxInsertionMove) {
      if (moveDistance === textBefore.length) {
        textBefore = this.slice(start - 2 * moveDistance - length, start);
        if (moveDistance === textBefore.length) break;
      }
      if (
        textBefore[textBefore.length - 1 - moveDistance] !==
        text[length - 1 - (moveDistance % length)]
      )
        break;
      moveDistance += 1;
    }
    const offset = length - (moveDistance % length);
    return { start: start - moveDistance, text: text.slice(offset) + text.slice(0, offset) };
  }

  /** Combines the existing changes with edits of the current text. Merges adjacent changes. */
  #mergeChanges(edits: readonly TextEdit[]): DraftChange[] {
    const changes = this.#changes;
    const result: DraftChange[] = [];
    // Number of characters added before this offset by the earlier changes, and by the new edits.
    let [earlierAddedLength, addedLength] = [0, 0];
    let [changeIndex, editIndex] = [0, 0];
    for (;;) {
      const [change, edit] = [changes[changeIndex], edits[editIndex]];
      if (change === undefined && edit === undefined) return result;
      if (change !== undefined && change.currentEnd < (edit?.start ?? Infinity)) {
        result.push(addedLength === 0 ? change : moveChange(change, addedLength));
        earlierAddedLength += change.currentEnd - change.currentStart - (change.end - change.start);
        changeIndex += 1;
        continue;
      }
      const groupStart = Math.min(change?.currentStart ?? Infinity, edit?.start ?? Infinity);
      const group = {
        from: groupStart,
        to: groupStart,
        start: groupStart - earlierAddedLength,
        earlierGrowth: addedLength,
        firstEditIndex: editIndex,
      };
      for (;;) {
        const [nextChange, nextEdit] = [changes[changeIndex], edits[editIndex]];
        if (nextChange !== undefined && nextChange.currentStart <= group.to) {
          group.to = Math.max(group.to, nextChange.currentEnd);
          earlierAddedLength +=
            nextChange.currentEnd - nextChange.currentStart - (nextChange.end - nextChange.start);
          changeIndex += 1;
        } else if (nextEdit !== undefined && nextEdit.start <= group.to) {
          group.to = Math.max(group.to, nextEdit.end);
          addedLength += nextEdit.text.length - (nextEdit.end - nextEdit.start);
          editIndex += 1;
        } else break;
      }
      const groupEdits = shiftEditOffsets(
        edits.slice(group.firstEditIndex, editIndex),
        -group.from,
      );
      result.push({
        start: group.start,
        end: group.to - earlierAddedLength,
        currentStart: group.from + group.earlierGrowth,
        currentEnd: group.to + addedLength,
        text: applyEdits(this.slice(group.from, group.to), groupEdits),
      });
    }
  }

  /** Returns all lines that the changes touch, with their new text. */
  #listReplacedLines(original: LineIndex): ReplacedLines[] {
    const ranges: { firstLine: number; end: number; from: number; to: number }[] = [];
    for (const [index, change] of this.#changes.entries()) {
      const [firstLine, lastLine] = [
        original.findLineIndex(change.start),
        original.findLineIndex(change.end),
      ];
      const from =
        original.getLineStart(firstLine) + countAddedCharactersUntil(this.#changes[index - 1]);
      const to = original.getLineEnd(lastLine) + countAddedCharactersUntil(change);
      const previousRange = ranges.at(-1);
      if (previousRange !== undefined && firstLine < previousRange.end)
        Object.assign(previousRange, { end: lastLine + 1, to });
      else ranges.push({ firstLine, end: lastLine + 1, from, to });
    }
    return ranges.map(({ firstLine, end, from, to }) => ({
      start: firstLine,
      end,
      text: this.slice(from, to),
    }));
  }
}

/**
 * Updates the insertions after edits: shifts offsets, removes insertions that an edit changes, and adds those that the
 * edits make.
 */
function mergeInsertions(
  insertions: readonly Insertion[],
  edits: readonly TextEdit[],
): readonly Insertion[] {
  const result: Insertion[] = [];
  let [growth, nextIndex] = [0, 0];
  const addEditsUntil = (offset: number): void => {
    for (
      let edit = edits[nextIndex];
      edit !== undefined && edit.end <= offset;
      edit = edits[nextIndex]
    ) {
      const { start, end, text } = edit;
      if (start === end) result.push({ currentStart: start + growth, text });
      growth += text.length - (end - start);
      nextIndex += 1;
    }
  };
  for (const { currentStart, text } of insertions) {
    addEditsUntil(currentStart);
    const isChanged = (edits[nextIndex]?.start ?? Infinity) < currentStart + text.length;
    if (!isChanged) result.push({ currentStart: currentStart + growth, text });
  }
  addEditsUntil(Infinity);
  return result;
}

/** Returns the number of characters by which the changes up to and including `change` lengthen the text. */
const countAddedCharactersUntil = (change: DraftChange | undefined): number =>
  change === undefined ? 0 : change.currentEnd - change.end;

const moveChange = (change: DraftChange, distance: number): DraftChange => ({
  ...change,
  currentStart: change.currentStart + distance,
  currentEnd: change.currentEnd + distance,
});
