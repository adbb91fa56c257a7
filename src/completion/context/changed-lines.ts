import { countLineEnds } from './line-ends.ts';

/** One change as the editor tells of it: what was replaced, in the text before it, and what was put there. */
export interface TextChange {
  readonly range: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number };
  };
  readonly text: string;
}

/** Lines from `first` up to and with `last`. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * Where the changed lines stand after all changes, from the top down; a line may be in two spans. Each change counts on
 * those before it, as the editor tells them: from the bottom up, or one after the other. Undefined when more than `most`
 * lines were changed.
 */
export function changedLines(
  changes: readonly TextChange[],
  most: number,
): readonly LineSpan[] | undefined {
  let spans: LineSpan[] = [];
  let room = most;
  for (const { range, text } of changes) {
    const added = countLineEnds(text, room);
    room -= added + 1;
    if (room < 0) return undefined;
    const first = range.start.line;
    const grown = added - (range.end.line - first);
    spans = spans.map((span) => moved(span, { first, last: range.end.line, grown }));
    spans.push({ first, last: first + added });
  }
  return spans.toSorted((a, b) => a.first - b.first);
}

/** Where a span stands after a later change; around what the two have in common. */
function moved(
  span: LineSpan,
  { first, last, grown }: LineSpan & { readonly grown: number },
): LineSpan {
  if (span.last < first) return span;
  return {
    first: span.first > last ? span.first + grown : Math.min(span.first, first),
    last: Math.max(span.last, last) + grown,
  };
}
