import { diffLines } from '../base/line-diff.ts';

/**
 * Range of whole lines. Line numbers start at 0; `end` is exclusive. The range is empty if all lines in it were
 * removed.
 */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * A change of a document, as reported by VS Code. Positions refer to the document before all
 * changes of the event.
 */
export interface TextChange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** New span after a change of the document. */
export interface UpdatedSpan {
  readonly span: LineSpan;
  /** True if the change modified lines in the span. */
  readonly isTouched: boolean;
}

/**
 * Returns the position of the span after changes of the document. Returns `undefined` if a change extends across the
 * start or the end of the span.
 */
export function updateSpan(
  span: LineSpan,
  changes: readonly TextChange[],
): UpdatedSpan | undefined {
  let { start, end } = span;
  let isTouched = false;
  for (const change of changes) {
    if (isChangeAfterSpan(span, change)) continue;
    const lineDelta = countLineBreaks(change.text) - (change.end.line - change.start.line);
    const isEarlier = isChangeBeforeSpan(span, change);
    if (!isEarlier && !isChangeInsideSpan(span, change)) return undefined;
    if (isEarlier) start += lineDelta;
    else isTouched = true;
    end += lineDelta;
  }
  return { span: { start, end }, isTouched };
}

const isChangeAfterSpan = ({ end }: LineSpan, { start }: TextChange): boolean => start.line >= end;

const isChangeInsideSpan = (span: LineSpan, { start, end }: TextChange): boolean =>
  start.line >= span.start && end.line < span.end;

/**
 * Checks whether a change is before the span. A change that ends at the start of the span also counts if the span still
 * begins at the start of a line afterwards.
 */
function isChangeBeforeSpan(span: LineSpan, { start, end, text }: TextChange): boolean {
  if (end.line < span.start) return true;
  if (end.line > span.start || end.character > 0) return false;
  return text === '' ? start.character === 0 && start.line < end.line : /[\r\n]$/u.test(text);
}

const countLineBreaks = (text: string): number => text.split(/\r\n|\r|\n/u).length - 1;

/**
 * Returns the lines to show during streaming: the lines of the answer, followed by the original lines that the answer
 * has not reached yet.
 */
export function mergeWithOriginalLines(
  originalLines: readonly string[],
  answerLines: readonly string[],
): readonly string[] {
  return [
    ...answerLines,
    ...originalLines.slice(estimateReplacedLineCount(originalLines, answerLines)),
  ];
}

/**
 * Estimates how many original lines the answer replaces so far. Counts the lines up to the last original line that the
 * answer repeats, plus one line for each later line of the answer.
 */
function estimateReplacedLineCount(
  originalLines: readonly string[],
  answerLines: readonly string[],
): number {
  let [matchedEnd, linesSinceMatch] = [0, 0];
  for (const line of answerLines) {
    const matchIndex = isDistinctiveLine(line) ? originalLines.indexOf(line, matchedEnd) : -1;
    const isNear = matchIndex >= 0 && matchIndex <= matchedEnd + linesSinceMatch + maxMatchDistance;
    if (isNear) [matchedEnd, linesSinceMatch] = [matchIndex + 1, 0];
    else linesSinceMatch += 1;
  }
  return Math.min(originalLines.length, matchedEnd + linesSinceMatch);
}

/**
 * Maximum distance in lines between an original line that the answer repeats and its expected position. A more distant
 * match is a coincidence.
 */
const maxMatchDistance = 20;

/**
 * Checks whether a line contains at least two letters or digits. Other lines, such as brackets, occur often and match
 * by chance.
 */
const isDistinctiveLine = (line: string): boolean => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line);

/** Added and removed lines at one position. */
export interface LineDifference {
  /**
   * Range of the added lines in the current text. Line numbers start at 0; `end` is exclusive. Empty if lines were only
   * removed.
   */
  readonly addedSpan: { readonly start: number; readonly end: number };
  readonly removedLines: readonly string[];
}

/** Returns the differences between the original and the current lines, from top to bottom. */
export const findLineDifferences = (
  originalLines: readonly string[],
  currentLines: readonly string[],
): readonly LineDifference[] =>
  diffLines(originalLines, currentLines).map(({ from, to }) => ({
    addedSpan: to,
    removedLines: originalLines.slice(from.start, from.end),
  }));
