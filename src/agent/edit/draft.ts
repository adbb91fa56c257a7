import { FileLines, isPlainAscii, LineIndex, type ReplacedLines } from './file-lines.ts';
import {
  applyEdits,
  findAll,
  type MatchOptions,
  selectMatches,
  shiftEditOffsets,
} from './find-exact.ts';
import type { TextEdit } from './hunk.ts';

/**
 * A change of the original text: the new text replaces the range `start` to `end`, and has the range `currentStart` to `currentEnd` in
 * the current text.
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

/** Range of UTF-16 offsets in the current text. */
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
  #isOriginalPlain: boolean | undefined;
  #lines: FileLines | undefined;
  /** Insertions that no later edit changed, in order. One item of `#changes` can combine several insertions. */
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
    this.#isOriginalPlain ??= isPlainAscii(this.#original);
    return this.#isOriginalPlain && this.#changes.every(({ text }) => isPlainAscii(text));
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
    const near = this.#listInsertionsNear(start, text.length);
    if (near.length === 0) return false;
    const inserted = this.#moveInsertionLeft(start, text);
    const same = near.findLast((other) => {
      const moved = this.#moveInsertionLeft(other.currentStart, other.text);
      return moved.start === inserted.start && moved.text === inserted.text;
    });
    if (same === undefined) return false;
    const first = Math.max(inserted.start, searched.start);
    return first > same.currentStart || first + text.length > searched.end;
  }

  /** Lists the earlier insertions with a length that can have the same result as an insertion at an offset. */
  #listInsertionsNear(start: number, length: number): readonly Insertion[] {
    const isNear = ({ currentStart, text }: Insertion): boolean =>
      text.length === length && Math.abs(currentStart - start) <= maxInsertionMove;
    const whole = this.#changes.filter((change) => change.start === change.end && isNear(change));
    const parts = this.#unchangedInsertions.filter(
      (insertion) =>
        isNear(insertion) &&
        !whole.some(({ currentStart }) => currentStart === insertion.currentStart),
    );
    return [...parts, ...whole];
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
    const inChanges = this.#findMatchesNearChanges(search);
    let [next, index] = [0, 0];
    for (const start of this.#findOriginalMatches(search)) {
      while ((this.#changes[index]?.end ?? Infinity) <= start) index += 1;
      // Matches that a change touches are found near the changes.
      if ((this.#changes[index]?.start ?? Infinity) < start + search.length) continue;
      const offset = start + countAddedCharactersUntil(this.#changes[index - 1]);
      for (let near = inChanges[next]; near !== undefined && near <= offset;) {
        if (near < offset) yield near;
        next += 1;
        near = inChanges[next];
      }
      yield offset;
    }
    yield* inChanges.slice(next);
  }

  #findOriginalMatches(search: string): Iterable<number> {
    if (this.#scanCount >= maxTextScans) this.#index ??= new TextIndex(this.#original);
    const indexed = this.#index?.find(search);
    if (indexed === undefined) this.#scanCount += 1;
    return indexed ?? findAll(this.#original, search);
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
   * units. Returns this offset and the text to insert there.
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

/** Size and spacing of the substrings of a text (n-grams) that an index contains. */
interface GramSize {
  /** Length of an n-gram in UTF-16 code units. */
  readonly length: number;
  /** Distance between the offsets of consecutive indexed n-grams, in UTF-16 code units. */
  readonly step: number;
  /** Returns a 32-bit hash of the n-gram at the offset. */
  readonly hash: (text: string, offset: number) => number;
}

/**
 * N-grams for searches of at least 13 UTF-16 code units. Long n-grams are rare, so their index has the fewest
 * candidates.
 */
const longGrams: GramSize = { length: 6, step: 8, hash: hashSixUnits };
/**
 * N-grams for searches of 7 to 12 UTF-16 code units. Their index needs twice the memory of the index of {@link
 * longGrams}.
 */
const mediumGrams: GramSize = { length: 4, step: 4, hash: hashFourUnits };
/**
 * N-grams for searches of 4 to 6 UTF-16 code units. Their index needs four times the memory of the index of {@link
 * longGrams}.
 */
const shortGrams: GramSize = { length: 3, step: 2, hash: hashThreeUnits };

/** Returns the minimum length of a search. A shorter match may contain no complete indexed n-gram. */
const getMinSearchLength = ({ length, step }: GramSize): number => length + step - 1;

/**
 * Number of UTF-16 code units at the start of a search from which n-grams are looked up. The n-grams of the rest are
 * ignored.
 */
const maxReadLength = 2_000;

/** Finds the matches of searches without a scan of the whole text. Creates each index on its first use. */
export class TextIndex {
  readonly #text: string;
  #longGrams: GramIndex | undefined;
  #mediumGrams: GramIndex | undefined;
  #shortGrams: GramIndex | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns the offsets of all matches, in order. Returns undefined if the search is too short or its n-grams are too
   * frequent.
   */
  find(search: string): readonly number[] | undefined {
    if (search.length < getMinSearchLength(shortGrams)) return undefined;
    if (search.length >= getMinSearchLength(longGrams)) {
      this.#longGrams ??= new GramIndex(this.#text, longGrams);
      return this.#longGrams.find(search);
    }
    if (search.length >= getMinSearchLength(mediumGrams)) {
      this.#mediumGrams ??= new GramIndex(this.#text, mediumGrams);
      return this.#mediumGrams.find(search);
    }
    this.#shortGrams ??= new GramIndex(this.#text, shortGrams);
    return this.#shortGrams.find(search);
  }
}

/**
 * Index of the n-grams of one size. N-grams with the same hash form a linked list, which starts with the last of them
 * in the text.
 */
class GramIndex {
  readonly #text: string;
  readonly #size: GramSize;
  /** Number of bits by which a hash is shifted to get its slot. */
  readonly #shift: number;
  readonly #maxCandidates: number;
  /** Ordinal number of the last n-gram with each hash, starting at 1; 0 for a hash without n-grams. */
  readonly #lastGrams: Int32Array;
  /** Number of n-grams with each hash. */
  readonly #gramCounts: Int32Array;
  /** Ordinal number of the previous n-gram with the same hash, for each n-gram; 0 if none exists. */
  readonly #previousGrams: Int32Array;

  constructor(text: string, size: GramSize) {
    this.#text = text;
    this.#size = size;
    const { length, step, hash: hashPart } = size;
    const count = Math.max(0, Math.ceil((text.length - length + 1) / step));
    const bits = Math.min(16, Math.max(8, Math.ceil(Math.log2(count + 1))));
    const shift = 32 - bits;
    this.#shift = shift;
    this.#maxCandidates = 100 + text.length / 400;
    const lastGrams = new Int32Array(2 ** bits);
    const gramCounts = new Int32Array(2 ** bits);
    const previousGrams = new Int32Array(count + 1);
    for (let part = 1; part <= count; part += 1) {
      const hash = hashPart(text, (part - 1) * step) >>> shift;
      previousGrams[part] = lastGrams[hash] ?? 0;
      lastGrams[hash] = part;
      gramCounts[hash] = (gramCounts[hash] ?? 0) + 1;
    }
    this.#lastGrams = lastGrams;
    this.#gramCounts = gramCounts;
    this.#previousGrams = previousGrams;
  }

  /** Returns the offsets of all matches, in order. Returns undefined if the n-grams of the search are too frequent. */
  find(search: string): readonly number[] | undefined {
    const text = this.#text;
    const { step } = this.#size;
    const lastUnit = search.charCodeAt(search.length - 1);
    const found: number[] = [];
    let comparedCount = 0;
    // A match can begin at each distance from an indexed offset.
    for (let first = 0; first < step; first += 1) {
      const { hash, count, offset } = this.#findRarestPart(search, first);
      comparedCount += count;
      if (comparedCount > this.#maxCandidates) return undefined;
      let part = this.#lastGrams[hash] ?? 0;
      for (; part > 0; part = this.#previousGrams[part] ?? 0) {
        const candidate = (part - 1) * step - offset;
        const isLikely = text.charCodeAt(candidate + search.length - 1) === lastUnit;
        if (isLikely && candidate >= 0 && text.startsWith(search, candidate)) found.push(candidate);
      }
    }
    return found.sort((a, b) => a - b);
  }

  #findRarestPart(search: string, first: number): { hash: number; count: number; offset: number } {
    const { length, step, hash: hashPart } = this.#size;
    const lastOffset = Math.min(search.length, maxReadLength) - length;
    let rarest = { hash: 0, count: Infinity, offset: first };
    for (let offset = first; offset <= lastOffset; offset += step) {
      const hash = hashPart(search, offset) >>> this.#shift;
      const count = this.#gramCounts[hash] ?? 0;
      if (count < rarest.count) rarest = { hash, count, offset };
    }
    return rarest;
  }
}

function hashSixUnits(text: string, offset: number): number {
  const last = text.charCodeAt(offset + 4) ^ (text.charCodeAt(offset + 5) << 7);
  return hashFourUnits(text, offset) ^ Math.imul(last, 0x85ebca6b);
}

function hashFourUnits(text: string, offset: number): number {
  const part =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14) ^
    (text.charCodeAt(offset + 3) << 21);
  return Math.imul(part, 0x9e3779b1);
}

function hashThreeUnits(text: string, offset: number): number {
  const part =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14);
  return Math.imul(part, 0x9e3779b1);
}
