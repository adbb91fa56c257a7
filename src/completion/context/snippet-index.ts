import type { ContextSnippet } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';

/** A run of lines of a document, and the words that stand in it. */
export interface SnippetWindow {
  /** From 0; `end` is the first line that is not in it. */
  readonly start: number;
  readonly end: number;
  readonly words: ReadonlySet<string>;
}

/** A window is two of these. */
const step = 10;
/** Longer lines are data: only their beginnings are read, and shown. */
const longestLine = 200;

/** The lines of a text from `first` on, at most `most` of them, long ones cut. Takes linear time. */
export function sliceLines(text: string, first: number, most: number): string[] {
  const lines: string[] = [];
  let at = 0;
  for (let line = 0; at >= 0 && lines.length < most; line += 1) {
    const end = text.indexOf('\n', at);
    if (line >= first) {
      const stop = Math.min(end < 0 ? text.length : end, at + longestLine);
      lines.push(text.slice(at, stop));
    }
    at = end < 0 ? -1 : end + 1;
  }
  return lines;
}

/** Windows over lines, each half over the one before. @param first The number of the first line. */
export function createWindows(lines: readonly string[], first: number): SnippetWindow[] {
  const halves: Set<string>[] = [];
  for (let start = 0; start < lines.length; start += step) {
    halves.push(wordsIn(lines.slice(start, start + step).join('\n')));
  }
  // The last half is a window of its own only when it is alone.
  return halves.slice(0, Math.max(1, halves.length - 1)).map((words, index) => ({
    start: first + index * step,
    end: first + Math.min(lines.length, (index + 2) * step),
    words: words.union(halves[index + 1] ?? new Set()),
  }));
}

/** The names in a text, without those of one letter. */
export const wordsIn = (text: string): Set<string> => new Set(text.match(words));

const words = /[A-Za-z_$][\w$]+|[\u00C0-\uD7FF]{2,}/gu;

/** What bounds the cost: a query looks at most at all windows once for each of its words. */
export const snippetLimits = { documents: 20, lines: 2_000, words: 40 } as const;

export interface SnippetDocument {
  /** The address, as in a snapshot. */
  readonly document: string;
  readonly path: string;
  /** Line ends are `\n`. Held on to until the document is set anew or removed. */
  readonly text: string;
  /** The line that matters most, from 0: of a long document, the lines around it are looked at. */
  readonly focus?: number;
}

/** Finds places in open documents that are alike to what stands around a cursor. */
export class SnippetIndex {
  /** The one that was set last stands last. */
  readonly #documents = new Map<string, Indexed>();
  /** In how many windows a word stands. */
  readonly #counts = new Map<string, number>();
  #windows = 0;

  /**
   * Adds a document, or puts its new text in place of the old one; the one that was not set for longest goes when there
   * are too many. Takes time linear in the text, some milliseconds for 2,000 lines: for idle moments.
   */
  set(source: SnippetDocument): void {
    this.delete(source.document);
    const [oldest] = this.#documents.keys();
    if (oldest !== undefined && this.#documents.size >= snippetLimits.documents)
      this.delete(oldest);
    const indexed = indexOf(source);
    this.#documents.set(source.document, indexed);
    this.#count(indexed, 1);
  }

  delete(document: string): void {
    const indexed = this.#documents.get(document);
    if (indexed === undefined) return;
    this.#documents.delete(document);
    this.#count(indexed, -1);
  }

  clear(): void {
    this.#documents.clear();
    this.#counts.clear();
    this.#windows = 0;
  }

  /**
   * The pieces that are most alike, best first, at most `limit`; none of the snapshot's own lines. Windows that touch
   * are one piece. Takes under 1 ms with all documents there may be.
   */
  query(snapshot: Snapshot, limit = 3): readonly ContextSnippet[] {
    const wanted = this.#wantedOf(queryWords(snapshot));
    const own = ownLines(snapshot);
    const candidates = [...this.#documents.values()]
      .flatMap((indexed) =>
        candidatesIn(indexed, wanted, indexed.document === snapshot.document ? own : undefined),
      )
      .sort((a, b) => b.score - a.score)
      .slice(0, mostCandidates);
    const best = candidates
      .map((candidate) => this.#weighed(candidate, wanted))
      .filter(({ score }) => score >= leastScore)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
    return mergeTouching(best).map(partOf);
  }

  #count(indexed: Indexed, sign: 1 | -1): void {
    this.#windows += sign * indexed.windows.length;
    for (const [word, places] of indexed.places) {
      const count = (this.#counts.get(word) ?? 0) + sign * places.length;
      if (count > 0) this.#counts.set(word, count);
      else this.#counts.delete(word);
    }
  }

  /** A word that stands in few windows says much, and one that stands everywhere nothing; of a few windows nobody knows. */
  #weightOf(word: string): number {
    return Math.log((this.#windows + 6) / ((this.#counts.get(word) ?? 0) + 0.5));
  }

  /** What the words weigh together. */
  #weigh(words: Iterable<string>): number {
    let total = 0;
    for (const word of words) {
      const weight = this.#weightOf(word);
      if (weight >= leastWeight) total += weight;
    }
    return total;
  }

  /** The words to look for: those that stand somewhere, the rarest of them. */
  #wantedOf(words: ReadonlySet<string>): Wanted {
    const rarest = [...words]
      .filter((word) => this.#counts.has(word))
      .map((word) => [word, this.#weightOf(word)] as const)
      .filter(([, weight]) => weight >= leastWeight)
      .sort(([, a], [, b]) => b - a)
      .slice(0, snippetLimits.words);
    return { rarest, total: this.#weigh(words) };
  }

  /** With what the window holds besides. */
  #weighed(candidate: Match, wanted: Wanted): Match {
    const { shared, words } = candidate;
    return { ...candidate, score: likeness(shared, wanted.total, this.#weigh(words)) };
  }
}

interface Indexed {
  readonly document: string;
  readonly path: string;
  readonly firstLine: number;
  readonly lines: readonly string[];
  readonly windows: readonly SnippetWindow[];
  /** In which windows a word stands. */
  readonly places: ReadonlyMap<string, Uint16Array>;
}

interface Wanted {
  readonly rarest: readonly (readonly [word: string, weight: number])[];
  /** The weight of all words, also of those that stand nowhere. */
  readonly total: number;
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

interface Match extends SnippetWindow {
  readonly indexed: Indexed;
  /** The weight of the words that are there and here. */
  readonly shared: number;
  readonly score: number;
}

/** Words in more than about four windows of ten are left out: they cost most and say least. */
const leastWeight = 0.9;
/** What is less alike is chance. */
const leastScore = 0.2;
/** The best by what they share alone, which is cheap: only these are weighed as a whole. */
const mostCandidates = 12;

/**
 * Tversky's index. Jaccard's, which is the same with ones, would prefer short windows: what a window holds besides
 * hardly matters here, since what follows the place that is alike is what helps.
 */
function likeness(both: number, wanted: number, window: number): number {
  if (both <= 0) return 0;
  return both / (both + 0.7 * (wanted - both) + 0.1 * Math.max(0, window - both));
}

function indexOf({ document, path, text, focus = 0 }: SnippetDocument): Indexed {
  const firstLine = Math.max(0, focus - snippetLimits.lines / 2);
  const lines = sliceLines(text, firstLine, snippetLimits.lines);
  const windows = createWindows(lines, firstLine);
  const places = new Map<string, number[]>();
  for (const [index, { words }] of windows.entries()) {
    for (const word of words) {
      const known = places.get(word);
      if (known === undefined) places.set(word, [index]);
      else known.push(index);
    }
  }
  const packed = new Map(Array.from(places, ([word, at]) => [word, Uint16Array.from(at)]));
  return { document, path, firstLine, lines, windows, places: packed };
}

function candidatesIn(indexed: Indexed, wanted: Wanted, own: Lines | undefined): Match[] {
  const weights = sharedWeights(indexed, wanted);
  const candidates: Match[] = [];
  for (const [index, window] of indexed.windows.entries()) {
    const shared = weights[index] ?? 0;
    const score = likeness(shared, wanted.total, 0);
    if (score < leastScore || (own !== undefined && touches(window, own))) continue;
    candidates.push({ ...window, indexed, shared, score });
  }
  return candidates;
}

function sharedWeights({ windows, places }: Indexed, { rarest }: Wanted): Float64Array {
  const shared = new Float64Array(windows.length);
  for (const [word, weight] of rarest) {
    const indexes = places.get(word);
    if (indexes === undefined) continue;
    // The innermost loop of a query: an iterator would take half of its time.
    for (let at = 0; at < indexes.length; at += 1) shared[indexes[at]!]! += weight;
  }
  return shared;
}

/** Near the cursor only: what stands farther away is about something else. */
const queryWords = ({ prefix, suffix }: Snapshot): Set<string> =>
  wordsIn(`${prefix.slice(-1_500)}\n${suffix.slice(0, 500)}`);

function ownLines({ prefix, suffix, position }: Snapshot): Lines {
  const count = (text: string): number => text.split('\n').length;
  return { start: position.line - count(prefix) + 1, end: position.line + count(suffix) };
}

const touches = (a: Lines, b: Lines): boolean => a.start < b.end && b.start < a.end;

/** Matches of one document whose lines overlap or follow one another become one, in the place of the better. */
function mergeTouching(matches: readonly Match[]): Match[] {
  const merged: Match[] = [];
  for (const match of matches) {
    const into = merged.findIndex(
      (other) =>
        other.indexed === match.indexed && match.start <= other.end && other.start <= match.end,
    );
    const other = merged[into];
    if (other === undefined) merged.push(match);
    else merged[into] = union(other, match);
  }
  return merged.length === matches.length ? merged : mergeTouching(merged);
}

const union = (a: Match, b: Match): Match => ({
  ...a,
  start: Math.min(a.start, b.start),
  end: Math.max(a.end, b.end),
});

function partOf({ indexed, start, end }: Match): ContextSnippet {
  const { path, firstLine, lines } = indexed;
  const text = lines.slice(start - firstLine, end - firstLine).join('\n');
  return { kind: 'similar', path, text };
}
