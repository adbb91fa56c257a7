import { createCandidate, describeNearestLines, findDifference } from './nearest-lines.ts';
import { findElision } from './elision.ts';
import { Draft, type TextRange } from './draft.ts';
import type { FileLines } from './file-lines.ts';
import {
  createWordCheck,
  type HunkMatch,
  shiftEditOffsets,
  computeMinimalEdits,
  normalizeText,
  applyEdits,
} from './find-exact.ts';
import { findSimilarMatch } from './find-similar.ts';
import { findTolerantMatches } from './find-tolerant.ts';
import { adaptFirstIndent } from './lost-indent.ts';
import {
  type AppliedHunks,
  type MatchCandidate,
  maxCountedMatches,
  type Hunk,
  type LineDifference,
  type MatchKind,
  type TextEdit,
  type RefusalCode,
  type RefusedHunks,
  type WrappingKind,
} from './hunk.ts';

import { detectWrapping, unescapeLineBreaks, unwrapHunk } from './unwrap.ts';

/**
 * Applies all hunks to a text, or none if one of them is rejected. Each hunk applies to the result of the previous
 * hunks; their positions can be in any order.
 *
 * A search text must have exactly one match, unless `occurrence` or `all` selects exact matches. An inexact match (see
 * {@link MatchKind}) is accepted only if there is no exact match, and only outside text of earlier hunks.
 *
 * Preserves line endings, a byte order mark and a missing final newline. A line feed in a hunk matches any line ending.
 * @param format Format of the text, as `getTextFormat` returns it, or language id of VS Code; empty if unknown.
 */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  format = '',
): AppliedHunks | RefusedHunks {
  const normalizedText = normalizeText(text);
  const draft = new Draft(normalizedText.text);
  const matches: MatchKind[] = [];
  const counts: number[] = [];
  if (hunks.length === 0) return toRefusedHunks({ code: 'no-hunks' }, 0);
  for (const [index, hunk] of hunks.entries()) {
    const result = applyHunk(draft, convertToLineFeeds(hunk), format);
    if ('code' in result) return toRefusedHunks(result, index);
    // A hunk that was applied already must not change other lines that are only similar, and `all` has no
    // other lines to change.
    const repeatsEarlierHunk =
      ((result.match !== 'exact' && hunk.occurrence === undefined) || hunk.all === true) &&
      hunks.slice(0, index).some(isSameHunk(hunk));
    const { searchedRange = emptyRange } = result;
    const newEdits = result.edits.filter(
      (edit) => !repeatsEarlierHunk && !draft.hasInsertion(edit, searchedRange),
    );
    draft.applyEdits(newEdits);
    const isRepeated = result.edits.length > 0 && newEdits.length === 0;
    matches.push(isRepeated ? 'repeated' : result.match);
    counts.push(result.count);
  }
  const edits = normalizedText.toOriginalEdits(draft.listEdits());
  const lastIndex = hunks.length - 1;
  if (edits.length === 0) return toRefusedHunks({ code: 'no-change' }, lastIndex);
  if (draft.text.trim() === '' && normalizedText.text.trim() !== '') {
    return toRefusedHunks({ code: 'empties-file' }, lastIndex);
  }
  return { type: 'applied', text: applyEdits(text, edits), edits, matches, counts };
}

const isSameHunk =
  ({ search, replace }: Hunk) =>
  (otherHunk: Hunk): boolean =>
    otherHunk.search === search && otherHunk.replace === replace;

/** Range for a search text without an exact match. It is empty, so it contains no text of earlier hunks. */
const emptyRange: TextRange = { start: 0, end: 0 };

interface HunkRefusal {
  readonly code: RefusalCode;
  readonly count?: number;
  readonly insideWordsCount?: number;
  readonly elision?: NonNullable<RefusedHunks['elision']>;
  readonly wrapping?: WrappingKind;
  readonly difference?: LineDifference;
  readonly candidates?: readonly MatchCandidate[];
}

interface HunkResult {
  readonly edits: readonly TextEdit[];
  readonly match: MatchKind;
  /** Number of matches of the search text. */
  readonly count: number;
  /** Range of the only exact match; absent if the match is not exact. */
  readonly searchedRange?: TextRange;
}

const toRefusedHunks = (
  { candidates = [], ...refusal }: HunkRefusal,
  hunkIndex: number,
): RefusedHunks => ({
  type: 'refused',
  ...refusal,
  hunkIndex,
  candidates,
});

function convertToLineFeeds(hunk: Hunk): Hunk {
  const normalize = (text: string): string => text.replaceAll('\r\n', '\n');
  return { ...hunk, search: normalize(hunk.search), replace: normalize(hunk.replace) };
}

function applyHunk(draft: Draft, hunk: Hunk, format: string): HunkResult | HunkRefusal {
  if (hunk.deletesLines === true) {
    const result = applyHunk(draft, { ...hunk, deletesLines: false }, format);
    return 'code' in result ? result : extendDeletion(draft, result, hunk.search.endsWith('\n'));
  }
  const unescapedHunk = unescapeLineBreaks(hunk, { readFile: () => draft.text, format });
  if (unescapedHunk !== undefined) {
    const result = applyHunk(draft, unescapedHunk, format);
    return 'code' in result ? result : { ...result, match: 'unwrapped' };
  }
  const elision = findElidedLine(hunk, format);
  const invalidReason = findInvalidReason(draft, hunk, elision !== undefined);
  if (invalidReason === 'elision' && elision !== undefined)
    return { code: invalidReason, elision, candidates: findCandidates(draft, hunk.search) };
  if (draft.length === 0 && hunk.search !== '') return { code: 'empty-file' };
  if (invalidReason === 'no-change' && !occursInFile(draft, hunk))
    return { code: 'no-match', ...describeNearestLines(draft.lines, hunk.search) };
  if (invalidReason !== undefined) return { code: invalidReason };
  if (draft.length === 0) {
    return { edits: [{ start: 0, end: 0, text: hunk.replace }], match: 'exact', count: 1 };
  }
  if (hunk.all === true || hunk.occurrence !== undefined)
    return replaceSelectedMatches(draft, hunk);
  const starts = draft.findExactMatches(hunk.search, { overlap: 'any', limit: 2 });
  const [start] = starts;
  if (start === undefined) return replaceInexactMatch(draft, hunk, format);
  if (starts.length > 1) return refuseRepeatedSearch(draft, hunk);
  return replaceExactMatch(draft, start, hunk);
}

/** Checks whether the file contains the search text, exactly or with different white space. */
const occursInFile = (draft: Draft, hunk: Hunk): boolean =>
  draft.findExactMatches(hunk.search, { overlap: 'any', limit: 1 }).length > 0 ||
  findTolerantMatches(draft, hunk)?.length !== 0;

/**
 * Extends a deletion that covers all text of one or more lines to the white space of these lines and one line break, so
 * that no blank line remains.
 * @param hasBlankEnd True if the last deleted line is blank.
 */
function extendDeletion(draft: Draft, result: HunkResult, hasBlankEnd: boolean): HunkResult {
  const [start, end] = [result.edits[0]?.start ?? 0, result.edits.at(-1)?.end ?? 0];
  const readAt = (offset: number): string => draft.slice(offset, offset + 1);
  const isSpace = (offset: number): boolean => /[^\S\n]/u.test(readAt(offset));
  let [deletionStart, deletionEnd] = [start, end];
  while (deletionStart > 0 && isSpace(deletionStart - 1)) deletionStart -= 1;
  if (deletionStart > 0 && readAt(deletionStart - 1) !== '\n') return result;
  const endsWithLineBreak = readAt(end - 1) === '\n';
  if (!endsWithLineBreak || hasBlankEnd) while (isSpace(deletionEnd)) deletionEnd += 1;
  if (readAt(deletionEnd) === '\n' && (!endsWithLineBreak || hasBlankEnd)) deletionEnd += 1;
  else if (endsWithLineBreak) deletionEnd = end;
  else if (deletionEnd === draft.length) deletionStart = Math.max(0, deletionStart - 1);
  else return result;
  return { ...result, edits: [{ start: deletionStart, end: deletionEnd, text: '' }] };
}

/** Applies a hunk at the offset of its only exact match. */
function replaceExactMatch(draft: Draft, start: number, hunk: Hunk): HunkResult | HunkRefusal {
  if (createWordCheck(draft, hunk.search)(start)) return refuseSplitWords(draft, hunk, [start]);
  const result = replaceMatchesAt(draft, [start], { hunk, count: 1 });
  if ('code' in result) return result;
  return { ...result, searchedRange: { start, end: start + hunk.search.length } };
}

/**
 * Finds a placeholder for omitted text, such as `// ...`, in the replacement of a hunk. Returns its text and line
 * number.
 */
function findElidedLine({ search, replace }: Hunk, format: string): HunkRefusal['elision'] {
  const placeholder = findElision(search, replace, format);
  if (placeholder === undefined) return undefined;
  return { line: replace.split('\n').indexOf(placeholder) + 1, text: placeholder.trim() };
}

function findInvalidReason(
  { length }: Draft,
  { search, replace }: Hunk,
  hasElision: boolean,
): RefusalCode | undefined {
  if (search === '' && length > 0) return 'empty-search';
  if (search === replace) return 'no-change';
  if (!search.isWellFormed() || !replace.isWellFormed() || replace.includes('\0'))
    return 'not-text';
  return hasElision ? 'elision' : undefined;
}

function replaceSelectedMatches(draft: Draft, hunk: Hunk): HunkResult | HunkRefusal {
  const { search, occurrence, all } = hunk;
  const overlap = all === true ? 'none' : 'any';
  const splitsWordAt = createWordCheck(draft, search);
  const accepts = (start: number): boolean => !splitsWordAt(start);
  const starts = draft.findExactMatches(search, { overlap, limit: maxCountedMatches + 1, accepts });
  if (starts.length === 0) {
    const startsInsideWords = draft.findExactMatches(search, { overlap: 'any', limit: 1 });
    if (startsInsideWords.length > 0) return refuseSplitWords(draft, hunk, startsInsideWords);
    return { code: 'not-exact', ...describeNearestLines(draft.lines, search) };
  }
  if (all === true && starts.length > maxCountedMatches) return { code: 'too-many' };
  const start = starts[(occurrence ?? 0) - 1];
  const chosenStarts = all === true ? starts : start === undefined ? [] : [start];
  if (chosenStarts.length === 0)
    return { ...refuseRepeatedSearch(draft, hunk), code: 'no-occurrence' };
  return replaceMatchesAt(draft, chosenStarts, { hunk, count: starts.length });
}

/** Replaces the matches at the given offsets. Adapts the replacement to the indentation of each match. */
function replaceMatchesAt(
  draft: Draft,
  starts: readonly number[],
  { hunk, count }: { readonly hunk: Hunk; readonly count: number },
): HunkResult | HunkRefusal {
  const { search, replace } = hunk;
  const edits: TextEdit[] = [];
  const minimalEdits = new Map<string, readonly TextEdit[]>();
  for (const start of starts) {
    const indentedReplacement = adaptFirstIndent(draft, start, hunk);
    if (indentedReplacement === undefined)
      return { code: 'indentation', candidates: createCandidates(draft, search, [start]) };
    const matchEdits =
      minimalEdits.get(indentedReplacement) ?? computeMinimalEdits(search, indentedReplacement);
    minimalEdits.set(indentedReplacement, matchEdits);
    edits.push(...shiftEditOffsets(matchEdits, start));
  }
  if (edits.length === 0) return { code: 'no-change' };
  const isExact = [...minimalEdits.keys()].every((replacement) => replacement === replace);
  return { edits, match: isExact ? 'exact' : 'tolerant', count };
}

/**
 * Refuses a hunk whose search text has several matches. The error does not count matches inside words, because the
 * model cannot select them.
 */
function refuseRepeatedSearch(draft: Draft, { search }: Hunk): HunkRefusal {
  const starts = draft.findExactMatches(search, { overlap: 'any' });
  const splitsWordAt = createWordCheck(draft, search);
  const selectableStarts = starts.filter((start) => !splitsWordAt(start));
  if (selectableStarts.length === 0) return refuseSplitWords(draft, { search }, starts);
  return {
    code: 'ambiguous',
    count: selectableStarts.length,
    insideWordsCount: starts.length - selectableStarts.length,
    candidates: createCandidates(draft, search, selectableStarts),
  };
}

const refuseSplitWords = (
  draft: Draft,
  { search }: Pick<Hunk, 'search'>,
  starts: readonly number[],
): HunkRefusal => ({ code: 'cuts-word', candidates: createCandidates(draft, search, starts) });

/** Returns the lines of the file that match the search text or resemble it, to show in the error. */
function findCandidates(draft: Draft, search: string): readonly MatchCandidate[] {
  const starts = draft.findExactMatches(search, { overlap: 'any', limit: maxShownMatches });
  return starts.length > 0
    ? createCandidates(draft, search, starts)
    : describeNearestLines(draft.lines, search).candidates;
}

/** Maximum number of matches whose lines an error contains. */
const maxShownMatches = 5;

/** Returns the lines of the matches, each line only once. */
function createCandidates(
  { lines: file }: Draft,
  search: string,
  starts: readonly number[],
): MatchCandidate[] {
  const lastLineByFirstLine = new Map<number, number>();
  for (const start of starts) {
    lastLineByFirstLine.set(
      file.findLineIndex(start),
      file.findLineIndex(start + search.length - 1),
    );
    if (lastLineByFirstLine.size === maxShownMatches) break;
  }
  return [...lastLineByFirstLine].map(([firstLine, lastLine]) =>
    createCandidate(file, firstLine, lastLine - firstLine + 1),
  );
}

function replaceInexactMatch(draft: Draft, hunk: Hunk, format: string): HunkResult | HunkRefusal {
  const file = draft.lines;
  const matches = findTolerantMatches(draft, hunk);
  if (matches === undefined) return { code: 'too-many' };
  if (matches.length > 1) {
    return {
      code: 'ambiguous',
      count: matches.length,
      candidates: matches.map((match) => toCandidate(file, match)),
    };
  }
  const match = matches[0] ?? findSimilarMatch(draft, file, hunk);
  const wrapping = match?.edits === undefined ? detectWrapping(hunk, file) : undefined;
  if (match === undefined || wrapping !== undefined) {
    const unwrappedResult = applyUnwrappedHunk(draft, hunk, format);
    if (unwrappedResult !== undefined) return unwrappedResult;
    return {
      code: 'no-match',
      ...(wrapping === undefined
        ? describeNearestLines(file, hunk.search)
        : { wrapping, ...describeWrappedSearch(draft, hunk, wrapping) }),
    };
  }
  const candidates = [toCandidate(file, match)];
  if (draft.hasChangesIn(match.start, match.end)) return { code: 'overlap', candidates };
  if (match.edits === undefined) {
    const difference = findDifference(file, file.findLineIndex(match.start), hunk.search);
    const { code = 'no-match' } = match;
    return { code, ...(difference && { difference }), candidates };
  }
  return { edits: match.edits, match: match.match, count: 1 };
}

/**
 * Removes text that the model added to a hunk, such as line numbers or a code fence, and applies the hunk. Returns
 * undefined unless exactly one change is then possible.
 */
function applyUnwrappedHunk(draft: Draft, hunk: Hunk, format: string): HunkResult | undefined {
  const results = new Map<string, HunkResult>();
  for (const { wrapping: _, ...unwrappedHunk } of unwrapHunk(hunk, draft.lines)) {
    const hasElision =
      findElision(unwrappedHunk.search, unwrappedHunk.replace, format) !== undefined;
    if (findInvalidReason(draft, unwrappedHunk, hasElision) !== undefined) continue;
    const result = replaceUniqueMatch(draft, unwrappedHunk);
    if (result !== undefined)
      results.set(JSON.stringify(result.edits), { ...result, match: 'unwrapped' });
  }
  const [result] = results.values();
  return results.size === 1 ? result : undefined;
}

/**
 * Removes text that the model added to a search text, such as line numbers or a code fence. Returns the lines of the
 * file that match or resemble the remaining search text, and the first difference.
 */
function describeWrappedSearch(
  draft: Draft,
  hunk: Hunk,
  wrapping: WrappingKind,
): Pick<HunkRefusal, 'difference' | 'candidates'> {
  const searches = unwrapHunk(hunk, draft.lines)
    .filter(({ wrapping: kind }) => kind === wrapping)
    .map(({ search }) => search);
  // Inner fences can make the end of the outer one unclear.
  const [search = wrapping === 'fence' ? removeOuterLines(hunk.search) : hunk.search] = searches;
  const foundCandidates = [search, ...searches].flatMap((text) => findCandidates(draft, text));
  const candidates = foundCandidates.filter(
    ({ line }, index) =>
      foundCandidates.findIndex((candidate) => candidate.line === line) === index,
  );
  const { difference } = describeNearestLines(draft.lines, search);
  // Other variants have another number of lines than the search.
  const addedLineCount = wrapping === 'fence' ? 1 : 0;
  return {
    candidates: candidates.slice(0, maxShownMatches),
    ...(difference &&
      (wrapping === 'fence' || wrapping === 'line-numbers') && {
        difference: { ...difference, searchLine: difference.searchLine + addedLineCount },
      }),
  };
}

const removeOuterLines = (text: string): string => text.split('\n').slice(1, -1).join('\n');

/** Applies a hunk that has exactly one exact or tolerant match. Returns undefined for any other number of matches. */
function replaceUniqueMatch(draft: Draft, hunk: Hunk): HunkResult | undefined {
  const [start, secondStart] = draft.findExactMatches(hunk.search, { overlap: 'any', limit: 2 });
  if (secondStart !== undefined) return undefined;
  if (start !== undefined) {
    const result = replaceExactMatch(draft, start, hunk);
    return 'code' in result ? undefined : result;
  }
  const [match, otherMatch] = findTolerantMatches(draft, hunk) ?? [];
  if (match?.edits === undefined || otherMatch !== undefined) return undefined;
  if (draft.hasChangesIn(match.start, match.end)) return undefined;
  return { edits: match.edits, match: match.match, count: 1 };
}

function toCandidate(file: FileLines, { start, end }: HunkMatch): MatchCandidate {
  const firstLine = file.findLineIndex(start);
  return createCandidate(file, firstLine, file.findLineIndex(end) - firstLine + 1);
}
