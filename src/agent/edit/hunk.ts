/** One change that a model asks for: a piece of the file as the model knows it, and what takes its place. */
export interface Hunk {
  /** Stands once in the file, unless one of the next two says which is meant. */
  readonly search: string;
  readonly replace: string;
  /** The one of several equal places that is meant, counted from 1. */
  readonly occurrence?: number;
  /** Every place. */
  readonly all?: boolean;
}

/** A replaced range of the text before. */
export interface TextEdit {
  /** UTF-16 offsets in the text before; equal for an insertion. */
  readonly start: number;
  readonly end: number;
  /** What stands there now, with the file's own line endings. */
  readonly text: string;
}

/**
 * How a hunk was found: character by character; with other whitespace, indentation or look-alike characters; or in
 * lines that are similar.
 */
export type MatchKind = 'exact' | 'tolerant' | 'similar';

/** A part of the file that may be meant. */
export interface Candidate {
  /** Of its first line, counted from 1. */
  readonly line: number;
  /** As the file has it, shortened when it is long. */
  readonly lines: readonly string[];
}

export type RefusalCode =
  | 'no-hunks'
  /** Nothing to search for. */
  | 'empty-search'
  | 'empty-file'
  /** The replacement is what is there already. */
  | 'no-change'
  /** The replacement stands for code that it leaves out. */
  | 'elision'
  /** Half a character, or one that no text has. */
  | 'not-text'
  | 'no-match'
  | 'ambiguous'
  | 'no-occurrence'
  /** The search begins or ends inside a word of the file. */
  | 'cuts-word'
  /** `all` and `occurrence` count exact places only, and there is none. */
  | 'not-exact'
  /** It would be found in what an earlier hunk of the call wrote, and not exactly. */
  | 'overlap'
  /** Nothing would be left of the file. */
  | 'empties-file'
  | 'too-many';

export interface AppliedHunks {
  readonly type: 'applied';
  /** The whole text after. */
  readonly text: string;
  /** In order, apart from one another, and no larger than they must be. */
  readonly edits: readonly TextEdit[];
  /** One for each hunk. */
  readonly matches: readonly MatchKind[];
  /** In how many places the search of each hunk stood; at least so many when it is more than `countLimit`. */
  readonly counts: readonly number[];
}

export interface RefusedHunks {
  readonly type: 'refused';
  readonly code: RefusalCode;
  /** Which hunk, counted from 0. */
  readonly hunk: number;
  /** How many places there are, for `ambiguous` and `no-occurrence`; at least so many when it is `countLimit`. */
  readonly count?: number;
  /** Nearest first, for a hunk that was not found or found too often. Line numbers are those after the hunks before it. */
  readonly candidates: readonly Candidate[];
}

/** Places are counted up to here. No hunk changes more. */
export const maxCountedMatches = 10_000;

/** A hunk as whole lines, for matching that does not look at every character. */
export interface HunkLines {
  readonly search: readonly string[];
  readonly replace: readonly string[];
}

/** Blank lines that both sides have around their text, as models like to put them, are no part of the hunk. */
export function toHunkLines(hunk: Hunk): HunkLines {
  const search = hunk.search.split('\n');
  const replace = hunk.replace.split('\n');
  if (search.length > 1 && search.at(-1) === '') {
    search.pop();
    if (replace.at(-1) === '') replace.pop();
  }
  while (search.length > 1 && isBlank(search[0]) && isBlank(replace[0])) {
    search.shift();
    replace.shift();
  }
  while (search.length > 1 && isBlank(search.at(-1)) && isBlank(replace.at(-1))) {
    search.pop();
    replace.pop();
  }
  return { search, replace };
}

const isBlank = (line: string | undefined): boolean => line?.trim() === '';
