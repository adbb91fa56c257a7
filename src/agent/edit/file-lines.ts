import { withoutLookAlikes } from './look-alikes.ts';

/** A text by lines, and where each line's words are found again. */
export class FileLines {
  readonly #text: string;
  readonly #starts: readonly number[];
  #keys: readonly string[] | undefined;
  #places: ReadonlyMap<string, readonly number[]> | undefined;
  #filled: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** At least one; a final line feed is followed by an empty line. */
  get count(): number {
    return this.#starts.length;
  }

  line(index: number): string {
    return this.#text.slice(this.start(index), this.end(index));
  }

  /** Offset of a line's first character; for the line behind the last, one more than the text's length. */
  start(index: number): number {
    return this.#starts[index] ?? this.#text.length + 1;
  }

  /** Offset behind a line's last character, before its line feed. */
  end(index: number): number {
    return this.start(index + 1) - 1;
  }

  /** The line that holds an offset. */
  at(offset: number): number {
    let [low, high] = [0, this.count];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.start(middle) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** What of each line must agree. */
  get keys(): readonly string[] {
    this.#keys ??= this.#text.split('\n').map(lineKey);
    return this.#keys;
  }

  /** Numbers of the lines that have this key. */
  withKey(key: string): readonly number[] {
    this.#places ??= placesOf(this.keys);
    return this.#places.get(key) ?? [];
  }

  /** Numbers of the lines that are not blank. */
  get filled(): readonly number[] {
    this.#filled ??= Array.from(this.keys.keys()).filter((index) => this.keys[index] !== '');
    return this.#filled;
  }

  /** Where a line that is not blank stands in {@link filled}. */
  filledIndex(line: number): number {
    let [low, high] = [0, this.filled.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.filled[middle] ?? 0) <= line) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** A line without what tolerant matching does not look at. */
export function lineKey(line: string): string {
  const words = line.trim();
  // oxlint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/u.test(words)
    ? words
    : withoutLookAlikes(words).normalize('NFC').trim();
}

function placesOf(keys: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  return places;
}
