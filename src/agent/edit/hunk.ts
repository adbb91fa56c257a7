/** A change that a model requests: text that the model expects in the file, and its replacement. */
export interface Hunk {
  /** Text to find in the file. It must occur once, unless `occurrence` or `all` selects a match. */
  readonly search: string;
  readonly replace: string;
  /** Number of the match to replace, starting at 1. Matches inside words are not counted. */
  readonly occurrence?: number;
  /** True to replace every match, except matches inside words. */
  readonly all?: boolean;
  /**
   * True to also delete the line break of the searched lines. Has no effect on a match that is only a part of a line.
   */
  readonly deletesLines?: boolean;
}

/** A range of the original text, and the new text that replaces it. */
export interface TextEdit {
  /** UTF-16 offsets in the original text; equal for an insertion. */
  readonly start: number;
  readonly end: number;
  /** New text with the line endings of the file. */
  readonly text: string;
}

/**
 * Kind of a match between a search text and the file. `exact`: equal character by character. `tolerant`: equal except
 * for white space, indentation or look-alike characters. `similar`: most characters of the lines are equal.
 * `unwrapped`: equal after removal of line numbers, a code fence, escapes or placeholders from the hunk. `repeated`: an
 * earlier hunk inserted the same text at the same position, so this hunk changes nothing.
 */
export type MatchKind = 'exact' | 'tolerant' | 'similar' | 'unwrapped' | 'repeated';

/**
 * Kind of text that a model added to a hunk, although the file does not contain it: line numbers, a code fence,
 * escapes, or an ellipsis in place of omitted lines.
 */
export type WrappingKind = 'line-numbers' | 'fence' | 'escapes' | 'ellipsis';

/** Lines of the file that an error shows to the model, because the search text may refer to them. */
export interface MatchCandidate {
  /** Number of the first line, starting at 1. */
  readonly line: number;
  /** Lines of the file. Long lines are truncated. */
  readonly lines: readonly string[];
}

/** The first line in which a search text differs from the most similar lines of the file. */
export interface LineDifference {
  /** Number of the line in the search text, starting at 1. */
  readonly searchLine: number;
  /** Number of the line in the file, starting at 1. At the end of the file, the number after the last line. */
  readonly fileLine: number;
  /** True if the lines differ only in white space, punctuation or invisible characters. */
  readonly hasSameText?: boolean;
}

export type RefusalCode =
  | 'no-hunks'
  /** The search text is empty. */
  | 'empty-search'
  | 'empty-file'
  /** The replacement equals the current text. */
  | 'no-change'
  /** The replacement contains a placeholder for omitted code. */
  | 'elision'
  /** The search text or the replacement contains half of a surrogate pair, or a null character. */
  | 'not-text'
  | 'no-match'
  | 'ambiguous'
  | 'no-occurrence'
  /** The search text begins or ends inside a word of the file. */
  | 'cuts-word'
  /** `all` or `occurrence` requires an exact match, but no text matches exactly. */
  | 'not-exact'
  /** The correct indentation of the replacement is ambiguous. */
  | 'indentation'
  /** The only match is inexact and touches text of an earlier hunk. */
  | 'overlap'
  /** The file would become empty. */
  | 'empties-file'
  | 'too-many';

export interface AppliedHunks {
  readonly type: 'applied';
  /** Complete text after the edits. */
  readonly text: string;
  /** Minimal edits in order, without overlaps. */
  readonly edits: readonly TextEdit[];
  /** Kind of match for each hunk, in the order of the hunks. */
  readonly matches: readonly MatchKind[];
  /** Number of matches of each hunk's search text. A number above `maxCountedMatches` is a lower bound. */
  readonly counts: readonly number[];
}

export interface RefusedHunks {
  readonly type: 'refused';
  readonly code: RefusalCode;
  /** Index of the rejected hunk. */
  readonly hunkIndex: number;
  /**
   * Number of matches, for the codes `ambiguous` and `no-occurrence`. Matches above `maxCountedMatches` are not
   * counted.
   */
  readonly count?: number;
  /** Number of additional matches that begin or end inside a word. The model cannot select such matches. */
  readonly insideWordsCount?: number;
  /** Placeholder in the replacement, with the number of its line there, for the code `elision`. */
  readonly elision?: { readonly line: number; readonly text: string };
  /** Kind of text that the model seems to have added to the search text, for the code `no-match`. */
  readonly wrapping?: WrappingKind;
  /** First line in which the search text differs from the first candidate. Absent if the search text has a match. */
  readonly difference?: LineDifference;
  /**
   * Lines of the file that the model may have meant with the search text, best first; empty if no lines are similar.
   * Line numbers refer to the text after the preceding hunks.
   */
  readonly candidates: readonly MatchCandidate[];
}

/** Maximum number of matches to count, and to replace with one hunk. */
export const maxCountedMatches = 10_000;

/** A hunk split into lines, for matching line by line. */
export interface HunkLines {
  readonly search: readonly string[];
  readonly replace: readonly string[];
}

/** Splits a hunk into lines. Removes blank lines at the start and end of both texts, which models tend to add. */
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
