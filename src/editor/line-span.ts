import { diffLines } from '../base/line-diff.ts';

/** Range of whole lines, counted from 0, without `end`. Empty if all lines were removed. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * A change of a document, as reported by VS Code. All changes of an event use positions before the
 * event.
 */
export interface TextChange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** Position of the lines after a change of the document. */
export interface MovedSpan {
  readonly span: LineSpan;
  /** True if the change modified some of the lines. */
  readonly isTouched: boolean;
}

/**
 * Updates a span after changes. Returns `undefined` if a change crosses its edge, since its end is
 * then unknown.
 */
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

/**
 * Checks whether a change lies before the span. A change that ends right at the span must leave its
 * first line at a line start.
 */
function isBefore(span: LineSpan, { start, end, text }: TextChange): boolean {
  if (end.line < span.start) return true;
  if (end.line > span.start || end.character > 0) return false;
  return text === '' ? start.character === 0 && start.line < end.line : /[\r\n]$/u.test(text);
}

const breaksIn = (text: string): number => text.split(/\r\n|\r|\n/u).length - 1;

/**
 * Returns the document's lines during streaming: those of the answer so far, then the original
 * lines that the answer has not reached. The answer has reached the last original line that it
 * repeats, plus one line for each line since then.
 */
export function shownLines(
  original: readonly string[],
  answered: readonly string[],
): readonly string[] {
  return [...answered, ...original.slice(reached(original, answered))];
}

/** Returns the number of original lines that the answer has reached. */
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

/** Maximum distance of a match in lines. A match farther away is coincidental. */
const farthest = 20;

/** Checks whether a line is distinctive. Brackets and blank lines match others by chance. */
const isTelling = (line: string): boolean => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line);

/** Added and removed lines at one position. */
export interface LineMark {
  /** Range within the shown lines, counted from 0. Empty if lines were only removed. */
  readonly added: { readonly start: number; readonly end: number };
  readonly removed: readonly string[];
}

/** Returns the differences from the original, from top to bottom. */
export const lineMarks = (
  original: readonly string[],
  shown: readonly string[],
): readonly LineMark[] =>
  diffLines(original, shown).map(({ from, to }) => ({
    added: to,
    removed: original.slice(from.start, from.end),
  }));
