import { diffLines } from '../base/line-diff.ts';

/** Whole lines `start` up to, not including, `end`, counted from 0. Empty where all were removed. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** One change of a document, as the editor tells it; all of one event are in the coordinates before it. */
export interface TextChange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** Where the lines are after a change of the document. */
export interface MovedSpan {
  readonly span: LineSpan;
  /** Some of the lines are others now. */
  readonly isTouched: boolean;
}

/** `undefined` when a change reached over their edge: where they end is not known any more. */
export function spanAfter(span: LineSpan, changes: readonly TextChange[]): MovedSpan | undefined {
  let { start, end } = span;
  let isTouched = false;
  for (const change of changes) {
    if (isBehind(span, change)) continue;
    const more = breaksIn(change.text) - (change.end.line - change.start.line);
    const before = isBefore(span, change);
    if (!before && !isInside(span, change)) return undefined;
    if (before) start += more;
    else isTouched = true;
    end += more;
  }
  return { span: { start, end }, isTouched };
}

const isBehind = ({ end }: LineSpan, { start }: TextChange): boolean => start.line >= end;

const isInside = (span: LineSpan, { start, end }: TextChange): boolean =>
  start.line >= span.start && end.line < span.end;

/** What ends right before the first line must leave it at the start of a line. */
function isBefore(span: LineSpan, { start, end, text }: TextChange): boolean {
  if (end.line < span.start) return true;
  if (end.line > span.start || end.character > 0) return false;
  return text === '' ? start.character === 0 && start.line < end.line : /[\r\n]$/u.test(text);
}

const breaksIn = (text: string): number => text.split(/\r\n|\r|\n/u).length - 1;

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
