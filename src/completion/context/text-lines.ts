/** The lines of a document, of which single ones are looked at without going through the others. */
export interface Lines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

export interface LinePosition {
  readonly line: number;
  readonly character: number;
}

/**
 * At most `limit` UTF-16 units directly before a place, with `\n` as line ends. Looks at no more lines than `limit`,
 * and never cuts a character in two.
 */
export function textBefore(lines: Lines, { line, character }: LinePosition, limit: number): string {
  const pieces = [lines.lineAt(line).text.slice(Math.max(0, character - limit), character)];
  let length = Math.min(character, limit);
  for (let at = line - 1; at >= 0 && length < limit; at -= 1) {
    const { text } = lines.lineAt(at);
    const piece = text.slice(Math.max(0, text.length - (limit - length - 1)));
    pieces.push(limit - length > 1 ? `${piece}\n` : '\n');
    length += Math.min(text.length, limit - length - 1) + 1;
  }
  const text = pieces.reverse().join('');
  return isSecondHalf(text.charCodeAt(0)) && length >= limit ? text.slice(1) : text;
}

/** At most `limit` UTF-16 units directly behind a place, as {@link textBefore}. */
export function textAfter(lines: Lines, { line, character }: LinePosition, limit: number): string {
  const pieces = [lines.lineAt(line).text.slice(character, character + limit)];
  let length = pieces[0]?.length ?? 0;
  for (let at = line + 1; at < lines.lineCount && length < limit; at += 1) {
    const piece = `\n${lines.lineAt(at).text.slice(0, limit - length - 1)}`;
    pieces.push(piece);
    length += piece.length;
  }
  const text = pieces.join('');
  return isFirstHalf(text.charCodeAt(text.length - 1)) && length >= limit
    ? text.slice(0, -1)
    : text;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Line ends in a text, of every kind that the editor takes for one. Stops counting above `most`. */
export function countLineEnds(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) count += 1;
  }
  return count;
}

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

/** Whole lines that took the place of others. */
export interface LineChange {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** How many lines on either side of a place are held. */
const reach = 300;

/**
 * The lines around a place as they were before the next change: the editor tells what was put into a document, not what
 * was taken out of it.
 */
export class LineMirror {
  readonly #document: Lines;
  #first = 0;
  #lines: string[] = [];

  constructor(document: Lines) {
    this.#document = document;
  }

  /** Holds the lines around another place, unless those around it are held. Takes the time of at most 600 lines. */
  moveTo(line: number): void {
    const end = this.#first + this.#lines.length;
    const isNearStart = this.#first > 0 && line - this.#first < reach / 2;
    const isNearEnd = end < this.#document.lineCount && end - line < reach / 2;
    if (this.#lines.length === 0 || isNearStart || isNearEnd) this.#take(line);
  }

  /**
   * The changes that were made at once, as one stretch of lines around all of them. Undefined when that reaches beyond the
   * lines that are held; then those around it are held from now on.
   */
  applyChanges(changes: readonly TextChange[]): LineChange | undefined {
    const line = Math.min(...changes.map(({ range }) => range.start.line));
    const last = Math.max(...changes.map(({ range }) => range.end.line));
    let grown = 0;
    for (const { range, text } of changes)
      grown += countLineEnds(text) - (range.end.line - range.start.line);
    const count = last - line + 1;
    const isHeld = line >= this.#first && last < this.#first + this.#lines.length;
    if (!isHeld || count + grown > reach) {
      this.#take(line);
      return undefined;
    }
    const after = this.#read(line, line + count + grown);
    const before = this.#lines.splice(line - this.#first, count, ...after);
    if (this.#lines.length > 4 * reach) this.#take(line);
    return { line, before, after };
  }

  #take(line: number): void {
    this.#first = Math.max(0, line - reach);
    this.#lines = this.#read(this.#first, line + reach);
  }

  #read(first: number, end: number): string[] {
    const count = Math.max(0, Math.min(end, this.#document.lineCount) - first);
    return Array.from({ length: count }, (_, at) => this.#document.lineAt(first + at).text);
  }
}
