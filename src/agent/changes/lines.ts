import type { LineRange } from '../../base/line-diff.ts';

export type Lines = readonly string[];

/** Lines that take the place of a range. */
export interface Replacement {
  readonly range: LineRange;
  readonly by: Lines;
}

/**
 * A text as lines without their ends, so that texts of different line endings compare. There is always one: a final
 * newline shows as an empty last line.
 */
export function linesOf(text: string): Lines {
  return text.replace(/^\uFEFF/u, '').split(/\r\n|\r|\n/u);
}

/** A copy with each range replaced. Ranges are in order and do not overlap. There is always one line left. */
export function replaceLines(lines: Lines, replacements: readonly Replacement[]): Lines {
  const replaced: Lines[] = [];
  let at = 0;
  for (const { range, by } of replacements) {
    replaced.push(lines.slice(at, range.start), by);
    at = range.end;
  }
  replaced.push(lines.slice(at));
  const all = replaced.flat();
  return all.length === 0 ? [''] : all;
}

export const slice = (lines: Lines, { start, end }: LineRange): Lines => lines.slice(start, end);

export const sameLines = (a: Lines, b: Lines): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);
