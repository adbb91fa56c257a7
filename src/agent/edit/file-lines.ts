import { stripHiddenCharacters } from '../../base/hidden-characters.ts';

const lookAlikeGroups: readonly (readonly [plain: string, lookAlikes: RegExp])[] = [
  ["'", /[\u2018\u2019\u201A\u201B\u2032\u02BC\uFF07]/g],
  ['"', /[\u201C\u201D\u201E\u201F\u2033\uFF02]/g],
  ['-', /[\u2010-\u2015\u2212\uFE63\uFF0D]/g],
  [' ', /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g],
];

/**
 * Replaces typographic quotes, dashes and spaces with ASCII characters. The length stays the same,
 * so that offsets remain valid.
 */
export function replaceLookAlikes(text: string): string {
  if (isPlainAscii(text)) return text;
  return lookAlikeGroups.reduce((plain, [to, from]) => plain.replace(from, to), text);
}

/**
 * Checks whether a text contains only printable ASCII characters, tabs and line endings. Uses a
 * loop, because the first run of a regular expression over a large text is slow.
 */
export function isPlainAscii(text: string): boolean {
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code > 126 || (code < 32 && code !== 9 && code !== 10 && code !== 13)) return false;
  }
  return true;
}

/** Lines of a text, with an index of normalized lines. */
export class FileLines {
  readonly text: string;
  readonly #starts: readonly number[];
  #keys: readonly string[] | undefined;
  #keyIndex: KeyIndex | undefined;
  #nonBlankLines: Int32Array | undefined;

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (
      let position = text.indexOf('\n');
      position >= 0;
      position = text.indexOf('\n', position + 1)
    )
      starts.push(position + 1);
    this.#starts = starts;
  }

  /** Number of lines, at least 1. A final line feed starts an empty line. */
  get count(): number {
    return this.#starts.length;
  }

  line(index: number): string {
    return this.text.slice(this.start(index), this.end(index));
  }

  /**
   * Returns the offset of a line's first character. Returns the text's length plus 1 for the index
   * after the last line.
   */
  start(index: number): number {
    return this.#starts[index] ?? this.text.length + 1;
  }

  /** Returns the offset after a line's last character, before its line feed. */
  end(index: number): number {
    return this.start(index + 1) - 1;
  }

  /** Returns the index of the line that contains an offset. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.count];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.start(middle) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Normalized text of each line, for tolerant matching. */
  get keys(): readonly string[] {
    this.#keys ??= lineKeys(this.text);
    return this.#keys;
  }

  /** Returns the indexes of the lines with this normalized text. */
  linesWithKey(key: string): Int32Array {
    this.#keyIndex ??= new KeyIndex(this.keys);
    return this.#keyIndex.get(key);
  }

  /** Indexes of the lines that are not blank. */
  get nonBlankLines(): Int32Array {
    this.#nonBlankLines ??= findNonBlankLines(this.keys);
    return this.#nonBlankLines;
  }

  /** Returns the position of a non-blank line in {@link nonBlankLines}. */
  nonBlankIndex(line: number): number {
    let [low, high] = [0, this.nonBlankLines.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.nonBlankLines[middle] ?? 0) <= line) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Normalizes a line for tolerant matching. */
export function lineKey(line: string): string {
  const words = line.trim();
  if (isPlainAscii(words)) return words;
  return replaceLookAlikes(stripHiddenCharacters(words).text).normalize('NFC').trim();
}

function lineKeys(text: string): string[] {
  const lines = text.split('\n');
  return isPlainAscii(text) ? lines.map((line) => line.trim()) : lines.map(lineKey);
}

const noLines = new Int32Array();

function findNonBlankLines(keys: readonly string[]): Int32Array {
  const nonBlank = new Int32Array(keys.length);
  let count = 0;
  for (const [index, key] of keys.entries()) {
    if (key === '') continue;
    nonBlank[count] = index;
    count += 1;
  }
  return nonBlank.subarray(0, count);
}

/**
/**
 * Maps each normalized text to the 0-based numbers of its lines. All numbers are in one array, because
 * separate arrays need too much memory for a large file.
 */
class KeyIndex {
  readonly #ids = new Map<string, number>();
  readonly #lines: Int32Array;
  /**
   * Position in `#lines` of the first line of each key. The lines of a key end at the next value.
   */
  readonly #starts: Int32Array;

  constructor(keys: readonly string[]) {
    const ids = Int32Array.from(keys, (key) => this.#idOf(key));
    const starts = new Int32Array(this.#ids.size + 2);
    for (const id of ids) starts[id + 2] = (starts[id + 2] ?? 0) + 1;
    for (let id = 2; id < starts.length; id += 1) {
      starts[id] = (starts[id] ?? 0) + (starts[id - 1] ?? 0);
    }
    this.#lines = new Int32Array(keys.length);
    for (const [index, id] of ids.entries()) {
      const position = starts[id + 1] ?? 0;
      this.#lines[position] = index;
      starts[id + 1] = position + 1;
    }
    this.#starts = starts;
  }

  get(key: string): Int32Array {
    const id = this.#ids.get(key);
    return id === undefined
      ? noLines
      : this.#lines.subarray(this.#starts[id], this.#starts[id + 1]);
  }

  #idOf(key: string): number {
    const existing = this.#ids.get(key);
    if (existing !== undefined) return existing;
    this.#ids.set(key, this.#ids.size);
    return this.#ids.size - 1;
  }
}
