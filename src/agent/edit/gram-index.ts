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

/** Returns the minimum length of a search text. A shorter match may contain no complete indexed n-gram. */
const getMinSearchLength = ({ length, step }: GramSize): number => length + step - 1;

/**
 * Maximum number of UTF-16 code units at the start of a search text from which n-grams are looked up. Later n-grams are
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
   * Returns the offsets of all matches, in order. Returns undefined if the search text is too short or its n-grams are
   * too frequent.
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
  /** Number of bits by which a hash is shifted right to get an index in `#lastGramByHash` and `#gramCountByHash`. */
  readonly #shift: number;
  readonly #maxCandidates: number;
  /** Ordinal number of the last n-gram with each hash, starting at 1; 0 for a hash without n-grams. */
  readonly #lastGramByHash: Int32Array;
  /** Number of n-grams with each hash. */
  readonly #gramCountByHash: Int32Array;
  /** Ordinal number of the previous n-gram with the same hash, for each n-gram; 0 if none exists. */
  readonly #previousGramWithSameHash: Int32Array;

  constructor(text: string, size: GramSize) {
    this.#text = text;
    this.#size = size;
    const { length, step, hash: hashGram } = size;
    const count = Math.max(0, Math.ceil((text.length - length + 1) / step));
    const hashBitCount = Math.min(16, Math.max(8, Math.ceil(Math.log2(count + 1))));
    const shift = 32 - hashBitCount;
    this.#shift = shift;
    this.#maxCandidates = 100 + text.length / 400;
    const lastGramByHash = new Int32Array(2 ** hashBitCount);
    const gramCountByHash = new Int32Array(2 ** hashBitCount);
    const previousGramWithSameHash = new Int32Array(count + 1);
    for (let gramNumber = 1; gramNumber <= count; gramNumber += 1) {
      const hash = hashGram(text, (gramNumber - 1) * step) >>> shift;
      previousGramWithSameHash[gramNumber] = lastGramByHash[hash] ?? 0;
      lastGramByHash[hash] = gramNumber;
      gramCountByHash[hash] = (gramCountByHash[hash] ?? 0) + 1;
    }
    this.#lastGramByHash = lastGramByHash;
    this.#gramCountByHash = gramCountByHash;
    this.#previousGramWithSameHash = previousGramWithSameHash;
  }

  /**
   * Returns the offsets of all matches, in order. Returns undefined if the n-grams of the search text are too frequent.
   */
  find(search: string): readonly number[] | undefined {
    const text = this.#text;
    const { step } = this.#size;
    const lastCodeUnit = search.charCodeAt(search.length - 1);
    const foundOffsets: number[] = [];
    let comparedCount = 0;
    // A match can begin at each distance from an indexed offset.
    for (let firstOffset = 0; firstOffset < step; firstOffset += 1) {
      const { hash, count, offset } = this.#findRarestGram(search, firstOffset);
      comparedCount += count;
      if (comparedCount > this.#maxCandidates) return undefined;
      let gramNumber = this.#lastGramByHash[hash] ?? 0;
      for (; gramNumber > 0; gramNumber = this.#previousGramWithSameHash[gramNumber] ?? 0) {
        const candidateOffset = (gramNumber - 1) * step - offset;
        const isLikely = text.charCodeAt(candidateOffset + search.length - 1) === lastCodeUnit;
        if (isLikely && candidateOffset >= 0 && text.startsWith(search, candidateOffset))
          foundOffsets.push(candidateOffset);
      }
    }
    return foundOffsets.sort((a, b) => a - b);
  }

  #findRarestGram(
    search: string,
    firstOffset: number,
  ): { hash: number; count: number; offset: number } {
    const { length, step, hash: hashGram } = this.#size;
    const lastOffset = Math.min(search.length, maxReadLength) - length;
    let rarestGram = { hash: 0, count: Infinity, offset: firstOffset };
    for (let offset = firstOffset; offset <= lastOffset; offset += step) {
      const hash = hashGram(search, offset) >>> this.#shift;
      const count = this.#gramCountByHash[hash] ?? 0;
      if (count < rarestGram.count) rarestGram = { hash, count, offset };
    }
    return rarestGram;
  }
}

function hashSixUnits(text: string, offset: number): number {
  const lastUnitsHash = text.charCodeAt(offset + 4) ^ (text.charCodeAt(offset + 5) << 7);
  return hashFourUnits(text, offset) ^ Math.imul(lastUnitsHash, 0x85ebca6b);
}

function hashFourUnits(text: string, offset: number): number {
  const combinedUnits =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14) ^
    (text.charCodeAt(offset + 3) << 21);
  return Math.imul(combinedUnits, 0x9e3779b1);
}

function hashThreeUnits(text: string, offset: number): number {
  const combinedUnits =
    text.charCodeAt(offset) ^
    (text.charCodeAt(offset + 1) << 7) ^
    (text.charCodeAt(offset + 2) << 14);
  return Math.imul(combinedUnits, 0x9e3779b1);
}
