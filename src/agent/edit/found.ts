import { diffLines } from '../../base/line-diff.ts';
import type { FileLines } from './file-lines.ts';
import type { Match, Place } from './hunk.ts';
import { narrowed } from './narrow.ts';

/** Where a hunk is, and what it changes there. */
export interface Found {
  readonly match: Match;
  /** The whole range that stands for the search, in the present text. */
  readonly start: number;
  readonly end: number;
  /** `undefined`: found, but what to write cannot be told for sure. */
  readonly edits: readonly Place[] | undefined;
}

export const movedBy = (places: readonly Place[], by: number): Place[] =>
  places.map(({ start, end, text }) => ({ start: start + by, end: end + by, text }));

/** What makes `lines` of the file's lines `first` up to, not including, `end`. A missing final newline stays missing. */
export function editsOfLines(
  text: string,
  file: FileLines,
  [first, end]: readonly [number, number],
  lines: readonly string[],
): Place[] {
  const start = file.start(first);
  if (lines.length > 0) {
    return movedBy(narrowed(text.slice(start, file.end(end - 1)), lines.join('\n')), start);
  }
  if (end < file.count) return [{ start, end: file.start(end), text: '' }];
  return [{ start: Math.max(0, start - 1), end: text.length, text: '' }];
}

/**
 * The lines of `kept`, which stand for those of `before`, changed as `after` changes those. `undefined` when a line
 * that it takes from `after` cannot be written.
 */
export function keepingLines(
  before: readonly string[],
  after: readonly string[],
  kept: readonly string[],
  write: (line: string) => string | undefined = (line) => line,
): string[] | undefined {
  const result: string[] = [];
  let at = 0;
  for (const { from, to } of diffLines(before, after)) {
    result.push(...kept.slice(at, from.start));
    for (const line of after.slice(to.start, to.end)) {
      const written = write(line);
      if (written === undefined) return undefined;
      result.push(written);
    }
    at = from.end;
  }
  return [...result, ...kept.slice(at)];
}
