import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

/** Range of lines and the identifiers in these lines. */
export interface SnippetWindow {
  /** First line of the window, 0-based. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly words: ReadonlySet<string>;
}

/** Distance in lines between the starts of consecutive windows: half the size of a window. */
const windowStep = 10;
/** Maximum number of indexed characters per line. Longer lines are truncated. */
const maxLineLength = 200;

/**
 * Returns at most `maxLines` lines, starting with the 0-based line `firstLine`, truncated to {@link
 * maxLineLength}. Takes linear time.
 */
export function sliceLines(text: string, firstLine: number, maxLines: number): string[] {
  const lines: string[] = [];
  let index = 0;
  for (let line = 0; index >= 0 && lines.length < maxLines; line += 1) {
    const end = text.indexOf('\n', index);
    if (line >= firstLine) {
      const sliceEnd = Math.min(end < 0 ? text.length : end, index + maxLineLength);
      lines.push(text.slice(index, sliceEnd));
    }
    index = end < 0 ? -1 : end + 1;
  }
  return lines;
}

/**
 * Splits lines into windows. Each window shares half of its lines with the next window.
 * @param firstLine 0-based number of the first line in the document.
 */
export function createWindows(lines: readonly string[], firstLine: number): SnippetWindow[] {
  const wordsByHalf: Set<string>[] = [];
  for (let start = 0; start < lines.length; start += windowStep) {
    wordsByHalf.push(findWords(lines.slice(start, start + windowStep).join('\n')));
  }
  // The last half is already part of the previous window, unless the document has only one half.
  return wordsByHalf.slice(0, Math.max(1, wordsByHalf.length - 1)).map((words, index) => ({
    start: firstLine + index * windowStep,
    end: firstLine + Math.min(lines.length, (index + 2) * windowStep),
    words: words.union(wordsByHalf[index + 1] ?? new Set()),
  }));
}

/** Returns the identifiers of at least two characters in a text. */
export const findWords = (text: string): Set<string> => new Set(text.match(identifierPattern));

const identifierPattern = /[A-Za-z_$][\w$]+|[\u00C0-\uD7FF]{2,}/gu;

/**
 * Maximum number of indexed documents (`documents`), of indexed lines per document (`lines`), and of words per query
 * (`words`).
 */
export const snippetLimits = { documents: 20, lines: 2_000, words: 40 } as const;

export interface SnippetDocument {
  /** Document URI. */
  readonly documentUri: string;
  readonly path: string;
  /** Text with `\n` line ends, retained until the document is replaced or removed. */
  readonly text: string;
  /** 0-based line at the center of the indexed range of a long document. */
  readonly focusLine?: number;
}

/** Index of open documents that finds text similar to the text around the cursor. */
export class SnippetIndex {
  /** Indexed documents by URI, in the order in which they were last added or replaced, oldest first. */
  readonly #documents = new Map<string, IndexedDocument>();
  /** Number of indexed windows that contain each word, by word. */
  readonly #windowCountByWord = new Map<string, number>();
  #windowCount = 0;

  /**
   * Adds or replaces a document. If the index is full, removes the document that was added or replaced least recently.
   * Takes several milliseconds for 2,000 lines, so it should be called while the user is idle.
   */
  set(snippetDocument: SnippetDocument): void {
    this.delete(snippetDocument.documentUri);
    const [oldestUri] = this.#documents.keys();
    if (oldestUri !== undefined && this.#documents.size >= snippetLimits.documents)
      this.delete(oldestUri);
    const indexedDocument = indexDocument(snippetDocument);
    this.#documents.set(snippetDocument.documentUri, indexedDocument);
    this.#updateWordCounts(indexedDocument, 1);
  }

  delete(documentUri: string): void {
    const indexedDocument = this.#documents.get(documentUri);
    if (indexedDocument === undefined) return;
    this.#documents.delete(documentUri);
    this.#updateWordCounts(indexedDocument, -1);
  }

  clear(): void {
    this.#documents.clear();
    this.#windowCountByWord.clear();
    this.#windowCount = 0;
  }

  /**
   * Returns at most `limit` snippets that are most similar to the text around the cursor, best first. Excludes the
   * lines in the snapshot itself, and merges adjacent matches. Takes less than 1 ms with a full index.
   */
  query(snapshot: Snapshot, limit = 3): readonly ContextSnippet[] {
    const query = this.#selectWords(getQueryWords(snapshot));
    const snapshotRange = getSnapshotRange(snapshot);
    const candidates = [...this.#documents.values()]
      .flatMap((indexedDocument) =>
        findCandidates(
          indexedDocument,
          query,
          indexedDocument.documentUri === snapshot.documentUri ? snapshotRange : undefined,
        ),
      )
      .sort((a, b) => b.score - a.score)
      .slice(0, maxCandidates);
    const bestMatches = candidates
      .map((candidate) => this.#scoreMatch(candidate, query))
      .filter(({ score }) => score >= minScore)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
    return mergeTouchingMatches(bestMatches).map(toSnippet);
  }

  #updateWordCounts(indexedDocument: IndexedDocument, sign: 1 | -1): void {
    this.#windowCount += sign * indexedDocument.windows.length;
    for (const [word, windowsByWord] of indexedDocument.windowsByWord) {
      const count = (this.#windowCountByWord.get(word) ?? 0) + sign * windowsByWord.length;
      if (count > 0) this.#windowCountByWord.set(word, count);
      else this.#windowCountByWord.delete(word);
    }
  }

  /**
   * Returns the inverse document frequency of a word. In a small index, all words have about the same weight, because
   * their frequencies are not significant.
   */
  #weighWord(word: string): number {
    return Math.log((this.#windowCount + 6) / ((this.#windowCountByWord.get(word) ?? 0) + 0.5));
  }

  /** Returns the sum of the word weights. Ignores weights below {@link minWeight}. */
  #sumWordWeights(words: Iterable<string>): number {
    let totalWeight = 0;
    for (const word of words) {
      const weight = this.#weighWord(word);
      if (weight >= minWeight) totalWeight += weight;
    }
    return totalWeight;
  }

  /** Returns the rarest indexed words of a query, and the total weight of all words of the query. */
  #selectWords(words: ReadonlySet<string>): QueryWords {
    const rarestWords = [...words]
      .filter((word) => this.#windowCountByWord.has(word))
      .map((word) => [word, this.#weighWord(word)] as const)
      .filter(([, weight]) => weight >= minWeight)
      .sort(([, a], [, b]) => b - a)
      .slice(0, snippetLimits.words);
    return { rarestWords, totalWeight: this.#sumWordWeights(words) };
  }

  /**
   * Returns the candidate with its final score. The score also depends on the words of the window that the query does
   * not contain.
   */
  #scoreMatch(candidate: WindowMatch, query: QueryWords): WindowMatch {
    const { sharedWeight, words } = candidate;
    return {
      ...candidate,
      score: computeSimilarity(sharedWeight, query.totalWeight, this.#sumWordWeights(words)),
    };
  }
}

interface IndexedDocument {
  readonly documentUri: string;
  readonly path: string;
  readonly firstLine: number;
  readonly lines: readonly string[];
  readonly windows: readonly SnippetWindow[];
  /** For each word, the array indexes of the entries of `windows` that contain the word. */
  readonly windowsByWord: ReadonlyMap<string, Uint16Array>;
}

interface QueryWords {
  readonly rarestWords: readonly (readonly [word: string, weight: number])[];
  /** Sum of the weights of all words in the query, including words that are not in the index. */
  readonly totalWeight: number;
}

interface SnapshotLines {
  readonly start: number;
  readonly end: number;
}

interface WindowMatch extends SnippetWindow {
  readonly indexedDocument: IndexedDocument;
  /** Sum of the weights of the words that the window and the query have in common. */
  readonly sharedWeight: number;
  readonly score: number;
}

/**
 * Minimum weight of a word. Excludes words that occur in more than about 40 % of all windows, because such words slow
 * down the search but hardly affect the ranking.
 */
const minWeight = 0.9;
/** Minimum score of a match. Lower scores occur by chance. */
const minScore = 0.2;
/** Maximum number of candidates for which the final score is computed. */
const maxCandidates = 12;

/**
 * Returns the Tversky index, from 0 to 1. Unlike the Jaccard index, it hardly decreases if the window contains words
 * that the query does not contain. Such words are expected, because the code after a similar passage is useful context.
 */
function computeSimilarity(
  sharedWeight: number,
  queryWeight: number,
  windowWeight: number,
): number {
  if (sharedWeight <= 0) return 0;
  return (
    sharedWeight /
    (sharedWeight +
      0.7 * (queryWeight - sharedWeight) +
      0.1 * Math.max(0, windowWeight - sharedWeight))
  );
}

function indexDocument({
  documentUri,
  path,
  text,
  focusLine = 0,
}: SnippetDocument): IndexedDocument {
  const firstLine = Math.max(0, focusLine - snippetLimits.lines / 2);
  const lines = sliceLines(text, firstLine, snippetLimits.lines);
  const windows = createWindows(lines, firstLine);
  const windowsByWord = new Map<string, number[]>();
  for (const [index, { words }] of windows.entries()) {
    for (const word of words) {
      const indexes = windowsByWord.get(word);
      if (indexes === undefined) windowsByWord.set(word, [index]);
      else indexes.push(index);
    }
  }
  const packedIndexes = new Map(
    Array.from(windowsByWord, ([word, windowIndexes]) => [word, Uint16Array.from(windowIndexes)]),
  );
  return { documentUri, path, firstLine, lines, windows, windowsByWord: packedIndexes };
}

function findCandidates(
  indexedDocument: IndexedDocument,
  query: QueryWords,
  snapshotRange: SnapshotLines | undefined,
): WindowMatch[] {
  const weights = computeSharedWeights(indexedDocument, query);
  const candidates: WindowMatch[] = [];
  for (const [index, window] of indexedDocument.windows.entries()) {
    const sharedWeight = weights[index] ?? 0;
    const score = computeSimilarity(sharedWeight, query.totalWeight, 0);
    if (score < minScore || (snapshotRange !== undefined && isTouching(window, snapshotRange)))
      continue;
    candidates.push({
      ...window,
      indexedDocument,
      sharedWeight,
      score,
    });
  }
  return candidates;
}

function computeSharedWeights(
  { windows, windowsByWord }: IndexedDocument,
  { rarestWords }: QueryWords,
): Float64Array {
  const sharedWeights = new Float64Array(windows.length);
  for (const [word, weight] of rarestWords) {
    const indexes = windowsByWord.get(word);
    if (indexes === undefined) continue;
    // A loop over the index is twice as fast as an iterator in this innermost loop.
    for (let index = 0; index < indexes.length; index += 1)
      sharedWeights[indexes[index]!]! += weight;
  }
  return sharedWeights;
}

/** Returns the identifiers near the cursor. Text farther from the cursor often has another topic. */
const getQueryWords = ({ prefix, suffix }: Snapshot): Set<string> =>
  findWords(`${prefix.slice(-1_500)}\n${suffix.slice(0, 500)}`);

function getSnapshotRange({ prefix, suffix, position }: Snapshot): SnapshotLines {
  const countLines = (text: string): number => text.split('\n').length;
  return { start: position.line - countLines(prefix) + 1, end: position.line + countLines(suffix) };
}

const isTouching = (a: SnapshotLines, b: SnapshotLines): boolean =>
  a.start < b.end && b.start < a.end;

/** Merges overlapping and adjacent matches of the same document. A merged match has the score of its best match. */
function mergeTouchingMatches(matches: readonly WindowMatch[]): WindowMatch[] {
  const mergedMatches: WindowMatch[] = [];
  for (const match of matches) {
    const mergedIndex = mergedMatches.findIndex(
      (mergedMatch) =>
        mergedMatch.indexedDocument === match.indexedDocument &&
        match.start <= mergedMatch.end &&
        mergedMatch.start <= match.end,
    );
    const mergedMatch = mergedMatches[mergedIndex];
    if (mergedMatch === undefined) mergedMatches.push(match);
    else mergedMatches[mergedIndex] = mergeMatches(mergedMatch, match);
  }
  return mergedMatches.length === matches.length
    ? mergedMatches
    : mergeTouchingMatches(mergedMatches);
}

const mergeMatches = (a: WindowMatch, b: WindowMatch): WindowMatch => ({
  ...a,
  start: Math.min(a.start, b.start),
  end: Math.max(a.end, b.end),
});

function toSnippet({ indexedDocument, start, end }: WindowMatch): ContextSnippet {
  const { path, firstLine, lines } = indexedDocument;
  const text = lines.slice(start - firstLine, end - firstLine).join('\n');
  return { kind: 'similar', path, text };
}
