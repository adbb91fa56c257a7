import { diffLines } from '../base/line-diff.ts';

/**
 * What stands in the document while an answer comes: its lines so far, then those of the original that it has not come
 * to yet. How far it has come is where it last agrees with the original, and a line more for each since then.
 */
export function shownLines(
  original: readonly string[],
  answered: readonly string[],
): readonly string[] {
  return [...answered, ...original.slice(reached(original, answered))];
}

/** How many lines of the original the answer has come past. */
function reached(original: readonly string[], answered: readonly string[]): number {
  let [agreed, since] = [0, 0];
  for (const line of answered) {
    const found = isTelling(line) ? original.indexOf(line, agreed) : -1;
    const near = found >= 0 && found <= agreed + since + farthest;
    if (near) [agreed, since] = [found + 1, 0];
    else since += 1;
  }
  return Math.min(original.length, agreed + since);
}

/** In lines; one that is farther away has nothing to do with it. */
const farthest = 20;

/** Brackets and blank lines agree with others by chance. */
const isTelling = (line: string): boolean => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line);

/** Lines that are new, and lines that are gone. */
export interface LineMark {
  /** Of the shown lines, from 0; empty where lines are only gone. */
  readonly added: { readonly start: number; readonly end: number };
  readonly removed: readonly string[];
}

/** What differs from the original, from top to bottom. */
export const lineMarks = (
  original: readonly string[],
  shown: readonly string[],
): readonly LineMark[] =>
  diffLines(original, shown).map(({ from, to }) => ({
    added: to,
    removed: original.slice(from.start, from.end),
  }));
