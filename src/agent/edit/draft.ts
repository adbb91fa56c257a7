import { FileLines, isPlainAscii, LineIndex, type ReplacedLines } from './file-lines.ts';
import {
  applyEdits,
  findAll,
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
  readonly #original: string;
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

  constructor(original: string) {
    this.#original = original;
    this.#text = original;
  }

  /** The complete text with all previous hunks applied. The first read after a change takes linear time. */
  get text(): string {
    this.#text ??= applyEdits(this.#original, this.#changes);
    return this.#text;
  }

  get length(): number {
    return this.#original.length + countAddedCharactersUntil(this.#changes.at(-1));
  }

  /** Lines of the current text. */
  get lines(): FileLines {
    this.#originalLines ??= new LineIndex(this.#original);
    this.#lines ??= new FileLines(
      this.#originalLines,
      this.#listReplacedLines(this.#originalLines),
      () => this.text,
    );
    return this.#lines;
  }

  get isPlainAscii(): boolean {
    this.#isOriginalPlainAscii ??= isPlainAscii(this.#original);
    return this.#isOriginalPlainAscii && this.#changes.every(({ text }) => isPlainAscii(text));
  }

  /** Returns a part of the current text. */
  slice(start: number, end: number): string {
    const from = Math.max(0, start);
    return this.#sliceAt(this.#findFirstChangeAfter(from), from, Math.min(end, this.length));
  }

  /**
   * Returns a part of the current text.
   * @param first Index of the first change that ends after the start of the part.
   */
  #sliceAt(first: number, start: number, end: number): string {
    let [part, offset] = ['', start];
    for (let index = first; ; index += 1) {
      const growth = countAddedCharactersUntil(this.#changes[index - 1]);
      const change = this.#changes[index];
      const next = Math.min(end, change?.currentStart ?? end);
      if (offset < next) part += this.#original.slice(offset - growth, next - growth);
      if (change === undefined || change.currentStart >= end) return part;
      part += change.text.slice(
        Math.max(0, start - change.currentStart),
        end - change.currentStart,
      );
      offset = change.currentEnd;
    }
  }

  /** Returns the offsets of the matches of `search` that `options` select, in order. */
  findExact(search: string, options: MatchOptions): number[] {
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
   * @param searched Range of the hunk's search. If the range contains the earlier insertion, the hunk requests a second
   *   one, and the result is false.
   */
  hasInsertion({ start, end, text }: TextEdit, searched: TextRange): boolean {
    if (start !== end || text.trim() === '') return false;
    const nearInsertions = this.#listInsertionsNear(start, text.length);
    if (nearInsertions.length === 0) return false;
    const newInsertion = this.#moveInsertionLeft(start, text);
    const sameInsertion = nearInsertions.findLast((other) => {
      const moved = this.#moveInsertionLeft(other.currentStart, other.text);
      return moved.start === newInsertion.start && moved.text === newInsertion.text;
    });
    if (sameInsertion === undefined) return false;
    const first = Math.max(newInsertion.start, searched.start);
    return first > sameInsertion.currentStart || first + text.length > searched.end;
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
  replace(edits: readonly TextEdit[]): void {
    if (edits.length === 0) return;
    this.#changes = this.#mergeChanges(edits);
    this.#unchangedInsertions = mergeInsertions(this.#unchangedInsertions, edits);
    this.#text = undefined;
    this.#lines = undefined;
  }

  /** Returns the changes as edits with offsets in the original text. */
  listEdits(): TextEdit[] {
    return this.#changes
      .filter(({ start, end, text }) => text !== this.#original.slice(start, end))
      .map(({ start, end, text }) => ({ start, end, text }));
  }

  /** Returns the index of the first change that ends after an offset of the current text. */
  #findFirstChangeAfter(offset: number): number {
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
    const matchesNearChanges = this.#findMatchesNearChanges(search);
    let [next, index] = [0, 0];
    for (const start of this.#findOriginalMatches(search)) {
      while ((this.#changes[index]?.end ?? Infinity) <= start) index += 1;
      // Matches that a change touches are found near the changes.
      if ((this.#changes[index]?.start ?? Infinity) < start + search.length) continue;
      const offset = start + countAddedCharactersUntil(this.#changes[index - 1]);
      for (let near = matchesNearChanges[next]; near !== undefined && near <= offset;) {
        if (near < offset) yield near;
        next += 1;
        near = matchesNearChanges[next];
      }
      yield offset;
    }
    yield* matchesNearChanges.slice(next);
  }

  #findOriginalMatches(search: string): Iterable<number> {
    if (this.#scanCount >= maxTextScans) this.#index ??= new TextIndex(this.#original);
    const indexedOffsets = this.#index?.find(search);
    if (indexedOffsets === undefined) this.#scanCount += 1;
    return indexedOffsets ?? findAll(this.#original, search);
  }

  /** Finds all matches that touch a change, and possibly other matches near a change. */
  #findMatchesNearChanges(search: string): number[] {
    const [reach, end] = [search.length - 1, this.length];
    const found: number[] = [];
    for (let index = 0; index < this.#changes.length;) {
      const first = index;
      const from = Math.max(0, (this.#changes[first]?.currentStart ?? 0) - reach);
      let to = from;
      // Changes near each other are searched together.
      for (let change = this.#changes[first]; change !== undefined;) {
        to = Math.min(end, change.currentEnd + reach);
        index += 1;
        change = this.#changes[index];
        if (change !== undefined && change.currentStart - reach >= to) break;
      }
      const part = this.#sliceAt(first, from, to);
      if (!part.includes(search)) continue;
      for (const offset of findAll(part, search)) found.push(from + offset);
    }
    return found;
  }

  /**
   * Moves an insertion to the lowest offset at which it has the same result, but by at most {@link maxInsertionMove}
   * code units. Returns this offset and the text to insert there.
   */
  #moveInsertionLeft(start: number, text: string): { start: number; text: string } {
    const { length } = text;
    let moved = 0;
    let before = '';
    while (moved < maxInsertionMove) {
      if (moved === before.length) {
        before = this.slice(start - 2 * moved - length, start);
        if (moved === before.length) break;
      }
      if (before[before.length - 1 - moved] !== text[length - 1 - (moved % length)]) break;
      moved += 1;
    }
    const offset = length - (moved % length);
    return { start: start - moved, text: text.slice(offset) + text.slice(0, offset) };
  }

  /** Combines the existing changes with edits of the current text. Merges adjacent changes. */
  #mergeChanges(edits: readonly TextEdit[]): DraftChange[] {
    const changes = this.#changes;
    const result: DraftChange[] = [];
    // Number of characters added before this offset by the earlier changes, and by the new edits.
    let [before, addedLength] = [0, 0];
    let [c, e] = [0, 0];
    for (;;) {
      const [change, edit] = [changes[c], edits[e]];
      if (change === undefined && edit === undefined) return result;
      if (change !== undefined && change.currentEnd < (edit?.start ?? Infinity)) {
        result.push(addedLength === 0 ? change : moveChange(change, addedLength));
        before += change.currentEnd - change.currentStart - (change.end - change.start);
        c += 1;
        continue;
      }
      const from = Math.min(change?.currentStart ?? Infinity, edit?.start ?? Infinity);
      const group = { from, to: from, start: from - before, earlierGrowth: addedLength, edit: e };
      for (;;) {
        const [nextChange, nextEdit] = [changes[c], edits[e]];
        if (nextChange !== undefined && nextChange.currentStart <= group.to) {
          group.to = Math.max(group.to, nextChange.currentEnd);
          before +=
            nextChange.currentEnd - nextChange.currentStart - (nextChange.end - nextChange.start);
          c += 1;
        } else if (nextEdit !== undefined && nextEdit.start <= group.to) {
          group.to = Math.max(group.to, nextEdit.end);
          addedLength += nextEdit.text.length - (nextEdit.end - nextEdit.start);
          e += 1;
        } else break;
      }
      const groupEdits = shiftEditOffsets(edits.slice(group.edit, e), -group.from);
      result.push({
        start: group.start,
        end: group.to - before,
        currentStart: group.from + group.earlierGrowth,
        currentEnd: group.to + addedLength,
        text: applyEdits(this.slice(group.from, group.to), groupEdits),
      });
    }
  }

  /** Returns all lines that the changes touch, with their new text. */
  #listReplacedLines(original: LineIndex): ReplacedLines[] {
    const ranges: { first: number; end: number; from: number; to: number }[] = [];
    for (const [index, change] of this.#changes.entries()) {
      const [first, last] = [original.findLine(change.start), original.findLine(change.end)];
      const from =
        original.getLineStart(first) + countAddedCharactersUntil(this.#changes[index - 1]);
      const to = original.getLineEnd(last) + countAddedCharactersUntil(change);
      const previous = ranges.at(-1);
      if (previous !== undefined && first < previous.end)
        Object.assign(previous, { end: last + 1, to });
      else ranges.push({ first, end: last + 1, from, to });
    }
    return ranges.map(({ first, end, from, to }) => ({
      start: first,
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
  let [growth, next] = [0, 0];
  const addEditsUntil = (offset: number): void => {
    for (let edit = edits[next]; edit !== undefined && edit.end <= offset; edit = edits[next]) {
      const { start, end, text } = edit;
      if (start === end) result.push({ currentStart: start + growth, text });
      growth += text.length - (end - start);
      next += 1;
    }
  };
  for (const { currentStart, text } of insertions) {
    addEditsUntil(currentStart);
    const isChanged = (edits[next]?.start ?? Infinity) < currentStart + text.length;
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
