import type { Hunk } from './hunk.ts';

/** A hunk as whole lines, for matching that does not look at every character. */
export interface HunkLines {
  readonly search: readonly string[];
  readonly replace: readonly string[];
}

/** Blank lines that both sides have around their text, as models like to put them, are no part of the hunk. */
export function hunkLines(hunk: Hunk): HunkLines {
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
