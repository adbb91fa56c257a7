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
