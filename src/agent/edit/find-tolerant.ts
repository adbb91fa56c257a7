import { type FileLines, lineKey, withoutLookAlikes } from './file-lines.ts';
import {
  cutsWord,
  editsOfLines,
  exactPlaces,
  type Found,
  keepingLines,
  movedBy,
  narrowed,
} from './find-exact.ts';
import { type Hunk, type HunkLines, hunkLines, type Place } from './hunk.ts';
import { type Reindent, reindented, reindentFrom } from './indentation.ts';
import { hiddenCharacters } from '../../base/hidden-characters.ts';

/** A text as a model is shown it, without hidden characters, and where its parts stand in the whole one. */
export class ShownText {
  readonly text: string;
  /** Offsets in the shown text at which something is left out, in order, and what is left out up to there. */
  readonly #gaps: number[] = [];
  readonly #removed: number[] = [];

  constructor(text: string) {
    const kept: string[] = [];
    let [done, removed] = [0, 0];
    for (const { character, index } of hiddenCharacters(text)) {
      kept.push(text.slice(done, index));
      this.#gaps.push(index - removed);
      done = index + character.length;
      removed += character.length;
      this.#removed.push(removed);
    }
    this.text = removed === 0 ? text : kept.join('') + text.slice(done);
  }

  /** The same place in the whole text. Hidden characters at its ends are outside of it. */
  toWhole({ start, end, text }: Place): Place {
    const from = this.startOf(start);
    return { start: from, end: start === end ? from : this.endOf(end), text };
  }

  /** Where the character behind `offset` stands. */
  startOf(offset: number): number {
    return offset + this.#removedUpTo(offset + 1);
  }

  /** Where the character before `offset` ends. */
  endOf(offset: number): number {
    return offset + this.#removedUpTo(offset);
  }

  /** UTF-16 units that are left out at gaps before `offset`. */
  #removedUpTo(offset: number): number {
    let [low, high] = [0, this.#gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#gaps[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return this.#removed[low - 1] ?? 0;
  }
}

/** More than one is ambiguous; so many are shown. */
const placeLimit = 5;
/** Lines that are compared before it is given up. */
const workLimit = 2_000_000;

/**
 * Places where the hunk stands but for look-alike and hidden characters, trailing white space and a uniform difference
 * of indentation. What the hunk does not change keeps every character of the file; what it changes gets the file's
 * indentation. `undefined` when there is too much to compare to be sure that one is the only one.
 */
export function tolerantPlaces(text: string, file: FileLines, hunk: Hunk): Found[] | undefined {
  const plain = lookAlikePlaces(text, hunk);
  const lines = linePlaces(text, file, hunkLines(hunk));
  if (lines === undefined) return undefined;
  const starts = new Set(plain.map(({ start }) => file.at(start)));
  return [...plain, ...lines.filter(({ start }) => !starts.has(file.at(start)))];
}

/** Character by character, which finds parts of lines too. */
function lookAlikePlaces(text: string, { search, replace }: Hunk): Found[] {
  const shown = new ShownText(text);
  const [plainText, plainSearch] = [withoutLookAlikes(shown.text), withoutLookAlikes(search)];
  if (plainText === text && plainSearch === search) return [];
  return exactPlaces(plainText, plainSearch, 'any', placeLimit).map((at) => {
    const end = at + search.length;
    const edits = movedBy(narrowed(search, replace), at).map((place) => shown.toWhole(place));
    return {
      match: 'tolerant',
      start: shown.startOf(at),
      end: shown.endOf(end),
      edits: cutsWord(shown.text, at, end) ? undefined : edits,
    };
  });
}

function linePlaces(text: string, file: FileLines, lines: HunkLines): Found[] | undefined {
  const keys = lines.search.map(lineKey);
  const firsts = firstLines(file, keys);
  return firsts?.map((first) => {
    const end = first + keys.length;
    return {
      match: 'tolerant',
      start: file.start(first),
      end: file.end(end - 1),
      edits: lineEdits(text, file, [first, end], lines),
    };
  });
}

/** Where all the keys follow one another. */
function firstLines(file: FileLines, keys: readonly string[]): number[] | undefined {
  const rarest = rarestKey(file, keys);
  if (rarest < 0) return [];
  const found: number[] = [];
  let work = 0;
  for (const line of file.withKey(keys[rarest] ?? '')) {
    const first = line - rarest;
    if (first < 0 || first + keys.length > file.count) continue;
    let same = 0;
    while (same < keys.length && keys[same] === file.keys[first + same]) same += 1;
    if (same === keys.length) found.push(first);
    if (found.length === placeLimit) break;
    work += 1 + same;
    if (work > workLimit) return undefined;
  }
  return found;
}

/** -1 when every line is blank. */
function rarestKey(file: FileLines, keys: readonly string[]): number {
  let [rarest, fewest] = [-1, Infinity];
  for (const [index, key] of keys.entries()) {
    if (key === '') continue;
    const count = file.withKey(key).length;
    if (count < fewest) [rarest, fewest] = [index, count];
  }
  return rarest;
}

function lineEdits(
  text: string,
  file: FileLines,
  [first, end]: readonly [number, number],
  { search, replace }: HunkLines,
): Found['edits'] {
  const kept = Array.from({ length: end - first }, (_, index) => file.line(first + index));
  const reindent = reindentOf(file, first, { search, replace }, kept);
  if (reindent === undefined) return undefined;
  const lines = keepingLines(search, replace, kept, (line) => reindented(line, reindent));
  return lines && editsOfLines(text, file, [first, end], lines);
}

/** Learnt from the lines of the hunk and the lines of the file that they stand for. */
export function reindentOf(
  file: FileLines,
  first: number,
  { search, replace }: HunkLines,
  kept: readonly string[],
): Reindent | undefined {
  const from = Math.max(0, first - 200);
  const count = Math.min(file.count - from, 400 + kept.length);
  return reindentFrom({
    pairs: search
      .map((line, index) => [line, kept[index] ?? ''] as const)
      .filter(([line]) => line.trim() !== ''),
    hunk: [...search, ...replace],
    file: Array.from({ length: count }, (_, index) => file.line(from + index)),
  });
}
