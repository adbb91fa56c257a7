/** Parts of a text that an index contains. */
interface GramSize {
  /** Length of a part in UTF-16 units. */
  readonly length: number;
  /** Distance between the offsets of two parts. */
  readonly step: number;
  /** Returns a hash of 32 bits of the part at the offset. */
  readonly hash: (text: string, offset: number) => number;
}

/** Parts that are rare, for searches of at least 13 units. */
const longGrams: GramSize = { length: 6, step: 8, hash: hashSixUnits };
/** Parts for shorter searches. Their index needs four times the memory. */
const shortGrams: GramSize = { length: 3, step: 2, hash: hashThreeUnits };

/** Minimum length of a search. A shorter match can contain no whole indexed part. */
const minLength = ({ length, step }: GramSize): number => length + step - 1;

/** Maximum number of units of a search that are compared with the index. */
const maxReadLength = 2_000;

/** Finds the matches of searches without a scan of the whole text. Creates each index on its first use. */
export class TextIndex {
  readonly #text: string;
  #long: GramIndex | undefined;
  #short: GramIndex | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Returns all offsets of the search, in order. Returns undefined if the search is too short or its
   * parts are too frequent.
   */
  find(search: string): readonly number[] | undefined {
    if (search.length < minLength(shortGrams)) return undefined;
    if (search.length >= minLength(longGrams)) {
      this.#long ??= new GramIndex(this.#text, longGrams);
      return this.#long.find(search);
    }
    this.#short ??= new GramIndex(this.#text, shortGrams);
    return this.#short.find(search);
  }
}

/** Offsets of the parts of one size, by hash. */
class GramIndex {
  readonly #text: string;
  readonly #size: GramSize;
  /** Number of bits to remove from a hash. */
  readonly #shift: number;
  readonly #maxCandidates: number;
  readonly #offsets: Int32Array;
  /** Position in `#offsets` of the first offset of each hash. The offsets of a hash end at the next value. */
  readonly #starts: Int32Array;

  constructor(text: string, size: GramSize) {
    this.#text = text;
    this.#size = size;
    const { length, step, hash: hashPart } = size;
    const count = Math.max(0, Math.ceil((text.length - length + 1) / step));
    const bits = Math.min(16, Math.max(8, Math.ceil(Math.log2(count + 1))));
    const shift = 32 - bits;
    this.#shift = shift;
    this.#maxCandidates = 100 + text.length / 400;
    const hashes = new Uint16Array(count);
    const starts = new Int32Array(2 ** bits + 2);
    for (let index = 0; index < count; index += 1) {
      const hash = hashPart(text, index * step) >>> shift;
      hashes[index] = hash;
      starts[hash + 2] = (starts[hash + 2] ?? 0) + 1;
    }
    for (let hash = 2; hash < starts.length; hash += 1)
      starts[hash] = (starts[hash] ?? 0) + (starts[hash - 1] ?? 0);
    const offsets = new Int32Array(count);
    for (let index = 0; index < count; index += 1) {
      const slot = (hashes[index] ?? 0) + 1;
      const position = starts[slot] ?? 0;
      offsets[position] = index * step;
      starts[slot] = position + 1;
    }
    this.#offsets = offsets;
    this.#starts = starts;
  }

  /** Returns all offsets of the search, in order. Returns undefined if its parts are too frequent. */
  find(search: string): readonly number[] | undefined {
    const text = this.#text;
    const { step } = this.#size;
    const lastUnit = search.charCodeAt(search.length - 1);
    const found: number[] = [];
    let comparedCount = 0;
    // A match can begin at each distance from an indexed offset.
    for (let first = 0; first < step; first += 1) {
      const { start, end, offset } = this.#rarestPart(search, first);
      comparedCount += end - start;
      if (comparedCount > this.#maxCandidates) return undefined;
      for (let position = start; position < end; position += 1) {
        const candidate = (this.#offsets[position] ?? 0) - offset;
        const isLikely = text.charCodeAt(candidate + search.length - 1) === lastUnit;
        if (isLikely && candidate >= 0 && text.startsWith(search, candidate)) found.push(candidate);
      }
    }
    return found.sort((a, b) => a - b);
  }

  #rarestPart(search: string, first: number): { start: number; end: number; offset: number } {
    const { length, step, hash: hashPart } = this.#size;
    const lastOffset = Math.min(search.length, maxReadLength) - length;
    let rarest = { start: 0, end: Infinity, offset: first };
    for (let offset = first; offset <= lastOffset; offset += step) {
      const hash = hashPart(search, offset) >>> this.#shift;
      const [start = 0, end = 0] = [this.#starts[hash], this.#starts[hash + 1]];
      if (end - start < rarest.end - rarest.start) rarest = { start, end, offset };
    }
    return rarest;
  }
}

function hashSixUnits(text: string, offset: number): number {
  const first =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14) ^
    (text.charCodeAt(offset + 3) << 21);
  const last = text.charCodeAt(offset + 4) ^ (text.charCodeAt(offset + 5) << 7);
  return Math.imul(first, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b);
}

function hashThreeUnits(text: string, offset: number): number {
  const part =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14);
  return Math.imul(part, 0x9e3779b1);
}
