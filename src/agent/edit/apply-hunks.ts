import { createCandidate, findNearestCandidates } from './edit-errors.ts';
import { FileLines } from './file-lines.ts';
import {
  splitsWord,
  findExact,
  type HunkMatch,
  shiftEdits,
  computeMinimalEdits,
  normalizeText,
  applyEdits,
} from './find-exact.ts';
import { findSimilar } from './find-similar.ts';
import { findTolerant } from './find-tolerant.ts';
import {
  type AppliedHunks,
  type Candidate,
  maxCountedMatches,
  type Hunk,
  type MatchKind,
  type TextEdit,
  type RefusalCode,
  type RefusedHunks,
} from './hunk.ts';

/**
 * A replaced range of the original text (`start`, `end`), and the range of its replacement (`from`,
 * `to`).
 */
interface DraftChange {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** Text to which hunks are applied, with its changes compared to the original text. */
export class Draft {
  readonly #original: string;
  #text: string;
  #changes: readonly DraftChange[] = [];

  constructor(original: string) {
    this.#original = original;
    this.#text = original;
  }

  /** Text with all previous hunks applied. */
  get text(): string {
    return this.#text;
  }

  /** Checks whether an earlier hunk wrote or removed text inside the range. */
  hasChangesIn(start: number, end: number): boolean {
    return this.#changes.some(({ from, to }) =>
      from === to ? start < from && from < end : from < end && start < to,
    );
  }

  /** @param edits Edits of the current text, in order and without overlaps. */
  replace(edits: readonly TextEdit[]): void {
    const parts: string[] = [];
    let position = 0;
    for (const { start, end, text } of edits) {
      parts.push(this.#text.slice(position, start), text);
      position = end;
    }
    parts.push(this.#text.slice(position));
    this.#changes = mergeChanges(this.#changes, edits);
    this.#text = parts.join('');
  }

  /** Returns the changes as edits with offsets in the original text. */
  edits(): TextEdit[] {
    return this.#changes
      .map(({ start, end, from, to }) => ({ start, end, text: this.#text.slice(from, to) }))
      .filter(({ start, end, text }) => text !== this.#original.slice(start, end));
  }
}

/** Combines earlier changes with edits of the changed text. Adjacent changes become one change. */
function mergeChanges(changes: readonly DraftChange[], edits: readonly TextEdit[]): DraftChange[] {
  const result: DraftChange[] = [];
  // Number of characters added before this offset by the earlier changes, and by the new edits.
  let [before, addedLength] = [0, 0];
  let [c, e] = [0, 0];
  for (;;) {
    const [change, edit] = [changes[c], edits[e]];
    if (change === undefined && edit === undefined) return result;
    const from = Math.min(change?.from ?? Infinity, edit?.start ?? Infinity);
    const group = { from, to: from, start: from - before, grown: addedLength };
    for (;;) {
      const [nextChange, nextEdit] = [changes[c], edits[e]];
      if (nextChange !== undefined && nextChange.from <= group.to) {
        group.to = Math.max(group.to, nextChange.to);
        before += nextChange.to - nextChange.from - (nextChange.end - nextChange.start);
        c += 1;
      } else if (nextEdit !== undefined && nextEdit.start <= group.to) {
        group.to = Math.max(group.to, nextEdit.end);
        addedLength += nextEdit.text.length - (nextEdit.end - nextEdit.start);
        e += 1;
      } else break;
    }
    result.push({
      start: group.start,
      end: group.to - before,
      from: group.from + group.grown,
      to: group.to + addedLength,
    });
  }
}

/**
 * Finds a placeholder for omitted code in `replace`, such as `// ... existing code ...`. Writing
 * the placeholder would delete the code. Ignores a line that `search` contains, because the line is
 * part of the file.
 */
export function findElision(search: string, replace: string): string | undefined {
  const searchLines = new Set(search.split('\n').map((line) => line.trim()));
  return replace.split('\n').find((line) => isElision(line) && !searchLines.has(line.trim()));
}

const commentPattern =
  /^(?:\/\/+|#+|--|;+|%|\/\*+|<!--|\{\/\*|\*|"""|''')\s*(?<text>.*?)\s*(?:\*\/\}?|-->|"""|''')?$/u;
const startsWithDots = /^[[(<]?(?:\.{3,}|…)/u;
const onlyDots = /^(?:\.{3,}|…)$/u;
const omissionWord =
  /\b(?:existing|rest|remaining|remainder|unchanged|previous|same|others?|omitted|snip|skipped|truncated|more|continues?|keep|before|code|here)\b/iu;
const codeNoun =
  '(?:code|files?|functions?|methods?|class(?:es)?|contents?|components?|implementation|body|module|imports?|styles?|tests?|logic|lines|section)';
const trailingPhrase =
  '(?: (?:is|are|remains?|stays?|goes|follows?|continues|here|there|below|above|unchanged|omitted|the same|as is|as before|for brevity))*';
const omissionPhrases = [
  `(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*(?:\\w+ ){0,2}${codeNoun}${trailingPhrase}`,
  `(?:keep )?(?:the |all |your )?(?:existing|unchanged|remaining|previous|other) (?:\\w+ ){0,2}${codeNoun}${trailingPhrase}`,
  `(?:code |everything else )?(?:is |remains? |stays? )?(?:unchanged|omitted|as before)(?: for brevity)?`,
];
const omissionPhrase = new RegExp(`^[[(<]?(?:${omissionPhrases.join('|')})[\\]).>:…]*$`, 'iu');
const bareElision =
  /^[[(<]?(?:\.{3}|…)\s*(?:existing|rest of|remaining|unchanged|previous) [\w ]{0,40}(?:\.{3}|…)?[\])>]?$/iu;

function isElision(line: string): boolean {
  const trimmed = line.trim();
  // Longer lines contain more than a placeholder.
  if (trimmed === '' || trimmed.length > 120) return false;
  const comment = commentPattern.exec(trimmed)?.groups?.['text'];
  if (comment === undefined) return bareElision.test(trimmed);
  return (
    onlyDots.test(comment) ||
    (startsWithDots.test(comment) && omissionWord.test(comment)) ||
    omissionPhrase.test(comment)
  );
}

/**
 * Applies hunks to a text, all or none.
 * Each hunk applies to the result of the hunks before it. The hunks can be in any order of
 * position. A search must have exactly one match, unless `occurrence` or `all` selects exact
 * matches. An inexact match (see {@link MatchKind}) is accepted only if there is no exact match,
 * and only outside text of earlier hunks.
 * Line endings, a byte order mark and a missing final newline are preserved. Line feeds in a hunk
 * match any line ending.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks | RefusedHunks {
  const normalized = normalizeText(text);
  const draft = new Draft(normalized.text);
  const matches: MatchKind[] = [];
  const counts: number[] = [];
  if (hunks.length === 0) return refuse({ code: 'no-hunks' }, 0);
  for (const [index, hunk] of hunks.entries()) {
    const result = applyHunk(draft, withLineFeeds(hunk));
    if ('code' in result) return refuse(result, index);
    draft.replace(result.edits);
    matches.push(result.match);
    counts.push(result.count);
  }
  const edits = normalized.toOriginal(draft.edits());
  const last = hunks.length - 1;
  if (edits.length === 0) return refuse({ code: 'no-change' }, last);
  if (draft.text.trim() === '' && normalized.text.trim() !== '') {
    return refuse({ code: 'empties-file' }, last);
  }
  return { type: 'applied', text: applyEdits(text, edits), edits, matches, counts };
}

interface Refusal {
  readonly code: RefusalCode;
  readonly count?: number;
  readonly candidates?: readonly Candidate[];
}

interface HunkResult {
  readonly edits: readonly TextEdit[];
  readonly match: MatchKind;
  /** Number of matches of the search. */
  readonly count: number;
}

const refuse = ({ candidates = [], ...refusal }: Refusal, hunk: number): RefusedHunks => ({
  type: 'refused',
  ...refusal,
  hunk,
  candidates,
});

function withLineFeeds(hunk: Hunk): Hunk {
  const normalize = (text: string): string => text.replaceAll('\r\n', '\n');
  return { ...hunk, search: normalize(hunk.search), replace: normalize(hunk.replace) };
}

function applyHunk(draft: Draft, hunk: Hunk): HunkResult | Refusal {
  const invalid = invalidReason(draft.text, hunk);
  if (invalid !== undefined) return { code: invalid };
  if (draft.text === '') {
    if (hunk.search !== '') return { code: 'empty-file' };
    return { edits: [{ start: 0, end: 0, text: hunk.replace }], match: 'exact', count: 1 };
  }
  if (hunk.all === true || hunk.occurrence !== undefined) return replaceChosen(draft.text, hunk);
  const starts = findExact(draft.text, hunk.search, 'any', 2);
  const [start] = starts;
  if (starts.length > 1) return refuseAmbiguous(draft.text, hunk);
  if (start === undefined) return replaceInexact(draft, hunk);
  const end = start + hunk.search.length;
  if (splitsWord(draft.text, start, end)) {
    const file = new FileLines(draft.text);
    const first = file.lineAt(start);
    return {
      code: 'cuts-word',
      candidates: [createCandidate(file, first, file.lineAt(end) - first + 1)],
    };
  }
  return {
    edits: shiftEdits(computeMinimalEdits(hunk.search, hunk.replace), start),
    match: 'exact',
    count: 1,
  };
}

function invalidReason(text: string, { search, replace }: Hunk): RefusalCode | undefined {
  if (search === '' && text !== '') return 'empty-search';
  if (search === replace) return 'no-change';
  if (!search.isWellFormed() || !replace.isWellFormed() || replace.includes('\0'))
    return 'not-text';
  return findElision(search, replace) === undefined ? undefined : 'elision';
}

function replaceChosen(text: string, hunk: Hunk): HunkResult | Refusal {
  const { search, replace, occurrence, all } = hunk;
  const starts = findExact(text, search, all === true ? 'apart' : 'any', maxCountedMatches + 1);
  if (starts.length === 0) {
    return { code: 'not-exact', candidates: findNearestCandidates(new FileLines(text), search) };
  }
  if (all === true) {
    if (starts.length > maxCountedMatches) return { code: 'too-many' };
    const hunkEdits = computeMinimalEdits(search, replace);
    return {
      edits: starts.flatMap((start) => shiftEdits(hunkEdits, start)),
      match: 'exact',
      count: starts.length,
    };
  }
  const start = starts[(occurrence ?? 0) - 1];
  if (start === undefined) return { ...refuseAmbiguous(text, hunk), code: 'no-occurrence' };
  const edits = shiftEdits(computeMinimalEdits(search, replace), start);
  return { edits, match: 'exact', count: starts.length };
}

function refuseAmbiguous(text: string, { search }: Hunk): Refusal {
  const file = new FileLines(text);
  const starts = findExact(text, search, 'any');
  const firsts = starts
    .slice(0, 5)
    .map((start) => [file.lineAt(start), file.lineAt(start + search.length - 1)] as const);
  return {
    code: 'ambiguous',
    count: starts.length,
    candidates: firsts.map(([first, last]) => createCandidate(file, first, last - first + 1)),
  };
}

function replaceInexact(draft: Draft, hunk: Hunk): HunkResult | Refusal {
  const file = new FileLines(draft.text);
  const found = findTolerant(draft.text, file, hunk);
  if (found === undefined) return { code: 'too-many' };
  if (found.length > 1) {
    return {
      code: 'ambiguous',
      count: found.length,
      candidates: found.map((match) => toCandidate(file, match)),
    };
  }
  const match = found[0] ?? findSimilar(draft.text, file, hunk);
  if (match === undefined)
    return { code: 'no-match', candidates: findNearestCandidates(file, hunk.search) };
  const candidates = [toCandidate(file, match)];
  if (draft.hasChangesIn(match.start, match.end)) return { code: 'overlap', candidates };
  if (match.edits === undefined) return { code: 'no-match', candidates };
  return { edits: match.edits, match: match.match, count: 1 };
}

function toCandidate(file: FileLines, { start, end }: HunkMatch): Candidate {
  const first = file.lineAt(start);
  return createCandidate(file, first, file.lineAt(end) - first + 1);
}
