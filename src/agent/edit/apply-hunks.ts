import { candidateAt, nearest } from './edit-errors.ts';
import { FileLines } from './file-lines.ts';
import {
  cutsWord,
  exactPlaces,
  type Found,
  movedBy,
  narrowed,
  plainText,
  withPlaces,
} from './find-exact.ts';
import { similarPlace } from './find-similar.ts';
import { tolerantPlaces } from './find-tolerant.ts';
import {
  type AppliedHunks,
  type Candidate,
  countLimit,
  type Hunk,
  type Match,
  type Place,
  type RefusalCode,
  type RefusedHunks,
} from './hunk.ts';

/** A replaced range of the original and where its replacement stands now. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** A text while hunk after hunk is applied to it, and what became of the original. */
export class Draft {
  readonly #original: string;
  #text: string;
  #changes: readonly Change[] = [];

  constructor(original: string) {
    this.#original = original;
    this.#text = original;
  }

  /** As the hunks so far left it. */
  get text(): string {
    return this.#text;
  }

  /** Whether an earlier hunk wrote, or removed, something inside the range. */
  isWritten(start: number, end: number): boolean {
    return this.#changes.some(({ from, to }) =>
      from === to ? start < from && from < end : from < end && start < to,
    );
  }

  /** @param edits Of the present text: in order, apart from one another. */
  replace(edits: readonly Place[]): void {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of edits) {
      parts.push(this.#text.slice(at, start), text);
      at = end;
    }
    parts.push(this.#text.slice(at));
    this.#changes = merged(this.#changes, edits);
    this.#text = parts.join('');
  }

  /** What is different from the original, in its offsets. */
  places(): Place[] {
    return this.#changes
      .map(({ start, end, from, to }) => ({ start, end, text: this.#text.slice(from, to) }))
      .filter(({ start, end, text }) => text !== this.#original.slice(start, end));
  }
}

/** Walks through the changes so far and the edits of their text; what meets becomes one change. */
function merged(changes: readonly Change[], edits: readonly Place[]): Change[] {
  const result: Change[] = [];
  // How far the text before the edits, and then the text after them, lies behind the original.
  let [before, grown] = [0, 0];
  let [c, e] = [0, 0];
  for (;;) {
    const [change, edit] = [changes[c], edits[e]];
    if (change === undefined && edit === undefined) return result;
    const from = Math.min(change?.from ?? Infinity, edit?.start ?? Infinity);
    const open = { from, to: from, start: from - before, grown };
    for (;;) {
      const [nextChange, nextEdit] = [changes[c], edits[e]];
      if (nextChange !== undefined && nextChange.from <= open.to) {
        open.to = Math.max(open.to, nextChange.to);
        before += nextChange.to - nextChange.from - (nextChange.end - nextChange.start);
        c += 1;
      } else if (nextEdit !== undefined && nextEdit.start <= open.to) {
        open.to = Math.max(open.to, nextEdit.end);
        grown += nextEdit.text.length - (nextEdit.end - nextEdit.start);
        e += 1;
      } else break;
    }
    result.push({
      start: open.start,
      end: open.to - before,
      from: open.from + open.grown,
      to: open.to + grown,
    });
  }
}

/**
 * The line of `replace` that stands for text it leaves out (`// ... existing code ...`): written to a file, it would
 * be all that is left of that text. A line that the search has too is the file's own.
 */
export function elisionIn(search: string, replace: string): string | undefined {
  const own = new Set(search.split('\n').map((line) => line.trim()));
  return replace.split('\n').find((line) => isElision(line) && !own.has(line.trim()));
}

const comment =
  /^(?:\/\/+|#+|--|;+|%|\/\*+|<!--|\{\/\*|\*|"""|''')\s*(?<said>.*?)\s*(?:\*\/\}?|-->|"""|''')?$/u;
const dotsFirst = /^[[(<]?(?:\.{3,}|…)/u;
const onlyDots = /^(?:\.{3,}|…)$/u;
const leftOut =
  /\b(?:existing|rest|remaining|remainder|unchanged|previous|same|others?|omitted|snip|skipped|truncated|more|continues?|keep|before|code|here)\b/iu;
const thing =
  '(?:code|files?|functions?|methods?|class(?:es)?|contents?|components?|implementation|body|module|imports?|styles?|tests?|logic|lines|section)';
const tail =
  '(?: (?:is|are|remains?|stays?|goes|follows?|continues|here|there|below|above|unchanged|omitted|the same|as is|as before|for brevity))*';
const phrases = [
  `(?:the )?(?:rest|remainder) of (?:the |this |your |existing )*(?:\\w+ ){0,2}${thing}${tail}`,
  `(?:keep )?(?:the |all |your )?(?:existing|unchanged|remaining|previous|other) (?:\\w+ ){0,2}${thing}${tail}`,
  `(?:code |everything else )?(?:is |remains? |stays? )?(?:unchanged|omitted|as before)(?: for brevity)?`,
];
const wholePhrase = new RegExp(`^[[(<]?(?:${phrases.join('|')})[\\]).>:…]*$`, 'iu');
const uncommented =
  /^[[(<]?(?:\.{3}|…)\s*(?:existing|rest of|remaining|unchanged|previous) [\w ]{0,40}(?:\.{3}|…)?[\])>]?$/iu;

function isElision(line: string): boolean {
  const trimmed = line.trim();
  // Longer ones say something.
  if (trimmed === '' || trimmed.length > 120) return false;
  const said = comment.exec(trimmed)?.groups?.['said'];
  if (said === undefined) return uncommented.test(trimmed);
  return (
    onlyDots.test(said) || (dotsFirst.test(said) && leftOut.test(said)) || wholePhrase.test(said)
  );
}

/**
 * Applies hunks to a text, all or none.
 *
 * They apply one after the other, each to what those before it made of the text, in whatever order they stand in it. A
 * search must stand in exactly one place: character by character; else with other white space, indentation or look-alike
 * characters; else in lines that are similar. Only the first may touch what an earlier hunk wrote. A search that stands in
 * several places is refused unless `occurrence` or `all` says which are meant; these count exact places only.
 *
 * Line endings, a byte order mark and a missing final newline stay what they are. Whatever a hunk does not change keeps every
 * character. Line feeds in a hunk stand for any line ending.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks | RefusedHunks {
  const plain = plainText(text);
  const draft = new Draft(plain.text);
  const matches: Match[] = [];
  const counts: number[] = [];
  if (hunks.length === 0) return refused({ code: 'no-hunks' }, 0);
  for (const [index, hunk] of hunks.entries()) {
    const step = applyHunk(draft, withLineFeeds(hunk));
    if ('code' in step) return refused(step, index);
    draft.replace(step.edits);
    matches.push(step.match);
    counts.push(step.count);
  }
  const places = plain.toOriginal(draft.places());
  const last = hunks.length - 1;
  if (places.length === 0) return refused({ code: 'no-change' }, last);
  if (draft.text.trim() === '' && plain.text.trim() !== '') {
    return refused({ code: 'empties-file' }, last);
  }
  return { type: 'applied', text: withPlaces(text, places), places, matches, counts };
}

interface Refusal {
  readonly code: RefusalCode;
  readonly count?: number;
  readonly candidates?: readonly Candidate[];
}

interface Step {
  readonly edits: readonly Place[];
  readonly match: Match;
  /** Places where the search stands. */
  readonly count: number;
}

const refused = ({ candidates = [], ...refusal }: Refusal, hunk: number): RefusedHunks => ({
  type: 'refused',
  ...refusal,
  hunk,
  candidates,
});

function withLineFeeds(hunk: Hunk): Hunk {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  return { ...hunk, search: plain(hunk.search), replace: plain(hunk.replace) };
}

function applyHunk(draft: Draft, hunk: Hunk): Step | Refusal {
  const useless = withoutMeaning(draft.text, hunk);
  if (useless !== undefined) return { code: useless };
  if (draft.text === '') {
    if (hunk.search !== '') return { code: 'empty-file' };
    return { edits: [{ start: 0, end: 0, text: hunk.replace }], match: 'exact', count: 1 };
  }
  if (hunk.all === true || hunk.occurrence !== undefined) return chosenPlaces(draft.text, hunk);
  const places = exactPlaces(draft.text, hunk.search, 'any', 2);
  const [start] = places;
  if (places.length > 1) return ambiguous(draft.text, hunk);
  if (start === undefined) return inexact(draft, hunk);
  const end = start + hunk.search.length;
  if (cutsWord(draft.text, start, end)) {
    const file = new FileLines(draft.text);
    const first = file.at(start);
    return { code: 'cuts-word', candidates: [candidateAt(file, first, file.at(end) - first + 1)] };
  }
  return { edits: movedBy(narrowed(hunk.search, hunk.replace), start), match: 'exact', count: 1 };
}

function withoutMeaning(text: string, { search, replace }: Hunk): RefusalCode | undefined {
  if (search === '' && text !== '') return 'empty-search';
  if (search === replace) return 'no-change';
  if (!search.isWellFormed() || !replace.isWellFormed() || replace.includes('\0'))
    return 'not-text';
  return elisionIn(search, replace) === undefined ? undefined : 'elision';
}

function chosenPlaces(text: string, hunk: Hunk): Step | Refusal {
  const { search, replace, occurrence, all } = hunk;
  const places = exactPlaces(text, search, all === true ? 'apart' : 'any', countLimit + 1);
  if (places.length === 0) {
    return { code: 'not-exact', candidates: nearest(new FileLines(text), search) };
  }
  if (all === true) {
    if (places.length > countLimit) return { code: 'too-many' };
    const edits = narrowed(search, replace);
    return {
      edits: places.flatMap((start) => movedBy(edits, start)),
      match: 'exact',
      count: places.length,
    };
  }
  const start = places[(occurrence ?? 0) - 1];
  if (start === undefined) return { ...ambiguous(text, hunk), code: 'no-occurrence' };
  const edits = movedBy(narrowed(search, replace), start);
  return { edits, match: 'exact', count: places.length };
}

function ambiguous(text: string, { search }: Hunk): Refusal {
  const file = new FileLines(text);
  const places = exactPlaces(text, search, 'any');
  const firsts = places
    .slice(0, 5)
    .map((start) => [file.at(start), file.at(start + search.length - 1)] as const);
  return {
    code: 'ambiguous',
    count: places.length,
    candidates: firsts.map(([first, last]) => candidateAt(file, first, last - first + 1)),
  };
}

function inexact(draft: Draft, hunk: Hunk): Step | Refusal {
  const file = new FileLines(draft.text);
  const places = tolerantPlaces(draft.text, file, hunk);
  if (places === undefined) return { code: 'too-many' };
  if (places.length > 1) {
    return {
      code: 'ambiguous',
      count: places.length,
      candidates: places.map((each) => candidateOf(file, each)),
    };
  }
  const found = places[0] ?? similarPlace(draft.text, file, hunk);
  if (found === undefined) return { code: 'no-match', candidates: nearest(file, hunk.search) };
  const candidates = [candidateOf(file, found)];
  if (draft.isWritten(found.start, found.end)) return { code: 'overlap', candidates };
  if (found.edits === undefined) return { code: 'no-match', candidates };
  return { edits: found.edits, match: found.match, count: 1 };
}

function candidateOf(file: FileLines, { start, end }: Found): Candidate {
  const first = file.at(start);
  return candidateAt(file, first, file.at(end) - first + 1);
}
