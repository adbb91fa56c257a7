import { type FileLines, lineKey } from './file-lines.ts';
import { findCandidatesByEqualLines } from './find-similar.ts';
import {
  type Candidate,
  maxCountedMatches,
  toHunkLines,
  type RefusalCode,
  type RefusedHunks,
} from './hunk.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { ToolError, type ToolErrorCode } from '../../workspace/tool-error.ts';

/**
 * Creates the error for the model. The message contains the rejected hunk, the reason, the nearest
 * lines of the file, and what to do next.
 */
export function createRefusalError(refusal: RefusedHunks, label: string): ToolError {
  return new ToolError(errorCodes[refusal.code], formatRefusalMessage(refusal, label));
}

/**
 * Returns the message of {@link createRefusalError}.
 * @param label File label for display.
 */
export function formatRefusalMessage(
  { code, hunk, count, candidates }: RefusedHunks,
  label: string,
): string {
  const editNumber = code === 'no-hunks' ? '' : `Edit ${hunk + 1}: `;
  return `${label} was not changed. ${editNumber}${reasons[code](formatOccurrences(count))}${formatCandidates(candidates)}`;
}

/** Formats candidates with line numbers, as `read_file` does. */
function formatCandidates(candidates: readonly Candidate[]): string {
  const parts = candidates.map(({ line, lines }) =>
    lines.map((text, index) => `${line + index}\t${text}`).join('\n'),
  );
  if (parts.length === 0) return '';
  return `\nThe nearest lines:\n${parts.join('\n[…]\n')}${formatHiddenCharacterNote(candidates)}`;
}

/**
 * Returns a note about hidden characters, which the caller removes. Without the note, the model
 * would repeat the same search.
 */
function formatHiddenCharacterNote(candidates: readonly Candidate[]): string {
  const numbers = candidates.flatMap(({ line, lines }) =>
    lines.flatMap((text, at) => (stripHiddenCharacters(text).removed > 0 ? [line + at] : [])),
  );
  const lines = [...new Set(numbers)];
  if (lines.length === 0) return '';
  const [subject, verb] = lines.length === 1 ? ['Line', 'holds'] : ['Lines', 'hold'];
  return `\n${subject} ${lines.join(', ')} ${verb} invisible characters, which are not shown to you.`;
}

const errorCodes: Readonly<Record<RefusalCode, ToolErrorCode>> = {
  'no-hunks': 'bad-arguments',
  'empty-search': 'bad-arguments',
  'empty-file': 'not-found',
  'no-change': 'bad-arguments',
  elision: 'bad-arguments',
  'not-text': 'bad-arguments',
  'no-match': 'not-found',
  ambiguous: 'ambiguous',
  'no-occurrence': 'not-found',
  'cuts-word': 'ambiguous',
  'not-exact': 'not-found',
  overlap: 'ambiguous',
  'empties-file': 'bad-arguments',
  'too-many': 'too-large',
};

const reasons: Readonly<Record<RefusalCode, (times: string) => string>> = {
  'no-hunks': () => 'There is no edit in the call.',
  'empty-search': () =>
    'The search is empty. Give lines of the file; create a new file with create_file.',
  'empty-file': () => 'The file is empty. An empty search fills it.',
  'no-change': () => 'The file has the replacement already.',
  elision: () =>
    'The replacement omits code behind a comment. Write every line in full, or search for fewer lines.',
  'not-text': () =>
    'The search or the replacement contains an unpaired surrogate or a null character.',
  'no-match': () =>
    'The search does not occur in the file. Repeat its lines exactly, without line numbers.',
  ambiguous: (occurrences) =>
    `The search occurs in ${occurrences} places. Add lines around the right one, or set "occurrence" or "all".`,
  'no-occurrence': (occurrences) => `The search occurs in ${occurrences} places only.`,
  'cuts-word': () =>
    'The search begins or ends inside a word of the file. Give whole words or lines.',
  'not-exact': () => '"occurrence" and "all" need a search that matches exactly.',
  overlap: () =>
    'The search covers lines that an earlier edit changed. Combine the two edits, or search for the new lines.',
  'empties-file': () => 'Nothing would be left of the file. Use delete_file to remove it.',
  'too-many': () => 'The search fits too many places. Give more lines.',
};

function formatOccurrences(count = 0): string {
  const number = count.toLocaleString('en-US');
  return count >= maxCountedMatches ? `at least ${number}` : number;
}

/**
 * Limits of the candidates in an error: number of candidates, lines per candidate, characters per
 * line.
 */
const maxCandidates = 3;
const maxCandidateLines = 30;
const maxLineLength = 300;
/** Maximum length in characters of a file in which candidates are searched. */
const maxReadLength = 2_000_000;
/**
 * Maximum number of words to search for, and of occurrences per word. A more frequent word is not
 * significant.
 */
const maxWords = 40;
const maxOccurrences = 500;
/**
 * Minimum weight of the words in a candidate, as a share of the weight of all words in the search.
 */
const minWeightRatio = 0.3;

/**
 * Finds the parts of the file that are most similar to the search, best first. Empty if no part is
 * similar.
 */
export function findNearestCandidates(file: FileLines, search: string): Candidate[] {
  const lines = toHunkLines({ search, replace: '' }).search;
  const keys = lines.map(lineKey).filter((key) => key !== '');
  const matches = keys.length > 1 ? findCandidatesByEqualLines(file, keys) : [];
  const firsts =
    matches.length > 0 ? matches.map((at) => file.nonBlankLines[at] ?? 0) : rankByWords(file, keys);
  return removeOverlaps(firsts, lines.length).map((first) =>
    createCandidate(file, first, lines.length),
  );
}

/**
 * Returns the candidate of `count` lines from index `first`, with one line of context before and
 * after.
 */
export function createCandidate(file: FileLines, first: number, count: number): Candidate {
  const start = Math.max(0, first - 1);
  const end = Math.min(file.count, start + maxCandidateLines, first + count + 1);
  const lines = Array.from({ length: end - start }, (_, index) => file.line(start + index));
  return { line: start + 1, lines: lines.map(truncateLine) };
}

function truncateLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  return `${line.slice(0, maxLineLength).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Returns the best positions. Excludes a position that overlaps a better position. */
function removeOverlaps(firsts: readonly number[], count: number): number[] {
  const selected: number[] = [];
  for (const first of firsts) {
    if (selected.length === maxCandidates) break;
    if (selected.every((other) => Math.abs(other - first) >= count)) selected.push(first);
  }
  return selected;
}

/** Returns positions of lines with rare words of the search, highest total weight first. */
function rankByWords(file: FileLines, keys: readonly string[]): number[] {
  const weights = new Map<number, number>();
  const text = file.text.slice(0, maxReadLength);
  let totalWeight = 0;
  for (const word of findLongestWords(keys)) {
    const lines = findLinesContaining(file, text, word);
    if (lines.size === maxOccurrences) continue;
    // A word that the file does not contain also adds to the total weight.
    const weight = 1 / (1 + Math.log2(1 + lines.size));
    totalWeight += weight;
    for (const line of lines) weights.set(line, (weights.get(line) ?? 0) + weight);
  }
  return sumWindowWeights(weights, keys.length)
    .filter(({ weight }) => weight > totalWeight * minWeightRatio)
    .sort((a, b) => b.weight - a.weight || a.first - b.first)
    .map(({ first }) => first);
}

const wordPattern = /[\w\u00AA-\uFFFF]{2,40}/g;

function findLongestWords(keys: readonly string[]): string[] {
  const words = new Set(keys.join('\n').slice(0, 20_000).match(wordPattern));
  return Array.from(words)
    .sort((a, b) => b.length - a.length)
    .slice(0, maxWords);
}

function findLinesContaining(file: FileLines, text: string, word: string): Set<number> {
  const lines = new Set<number>();
  let at = text.indexOf(word);
  for (let foundCount = 0; at >= 0 && foundCount < maxOccurrences; foundCount += 1) {
    const line = file.lineAt(at);
    lines.add(line);
    // Counts only one occurrence per line.
    at = text.indexOf(word, file.end(line));
  }
  return lines;
}

interface WeightedLine {
  readonly first: number;
  readonly weight: number;
}

/**
 * Returns for each line in `weights` the total weight of `count` lines, starting with this line.
 */
function sumWindowWeights(weights: ReadonlyMap<number, number>, count: number): WeightedLine[] {
  const lines = Array.from(weights).sort(([a], [b]) => a - b);
  const result: WeightedLine[] = [];
  let [next, sum] = [0, 0];
  for (const [first, weight] of lines) {
    for (; next < lines.length && (lines[next]?.[0] ?? 0) < first + count; next += 1) {
      sum += lines[next]?.[1] ?? 0;
    }
    result.push({ first, weight: sum });
    sum -= weight;
  }
  return result;
}
