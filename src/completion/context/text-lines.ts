/** Random access to the lines of a document. */
export interface DocumentLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** Position in a document, 0-based, in UTF-16 code units. */
export interface LinePosition {
  readonly line: number;
  readonly character: number;
}

/**
 * Returns up to `limit` UTF-16 code units directly before a position, with `\n` line ends. Reads at most `limit` lines
 * and never splits a surrogate pair.
 */
export function getTextBefore(
  lines: DocumentLines,
  { line, character }: LinePosition,
  limit: number,
): string {
  const chunks = [lines.lineAt(line).text.slice(Math.max(0, character - limit), character)];
  let length = Math.min(character, limit);
  for (let index = line - 1; index >= 0 && length < limit; index -= 1) {
    const { text } = lines.lineAt(index);
    const chunk = text.slice(Math.max(0, text.length - (limit - length - 1)));
    chunks.push(limit - length > 1 ? `${chunk}\n` : '\n');
    length += Math.min(text.length, limit - length - 1) + 1;
  }
  const text = chunks.reverse().join('');
  return isLowSurrogate(text.charCodeAt(0)) && length >= limit ? text.slice(1) : text;
}

/**
 * Returns up to `limit` UTF-16 code units directly after a position, with `\n` line ends. Never splits a surrogate
 * pair.
 */
export function getTextAfter(
  lines: DocumentLines,
  { line, character }: LinePosition,
  limit: number,
): string {
  const chunks = [lines.lineAt(line).text.slice(character, character + limit)];
  let length = chunks[0]?.length ?? 0;
  for (let index = line + 1; index < lines.lineCount && length < limit; index += 1) {
    const chunk = `\n${lines.lineAt(index).text.slice(0, limit - length - 1)}`;
    chunks.push(chunk);
    length += chunk.length;
  }
  const text = chunks.join('');
  return isHighSurrogate(text.charCodeAt(text.length - 1)) && length >= limit
    ? text.slice(0, -1)
    : text;
}

const isHighSurrogate = (codeUnit: number): boolean => codeUnit >= 0xd800 && codeUnit <= 0xdbff;
const isLowSurrogate = (codeUnit: number): boolean => codeUnit >= 0xdc00 && codeUnit <= 0xdfff;

/** Counts the line ends (`\n`, `\r\n`, `\r`) of a text. Stops when the count is greater than `maxCount`. */
export function countLineEnds(text: string, maxCount = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let index = 0; index < text.length && count <= maxCount; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 10 || (unit === 13 && text.charCodeAt(index + 1) !== 10)) count += 1;
  }
  return count;
}

/** Change event of VS Code: the replaced range, relative to the text before the change, and the new text. */
export interface TextChange {
  readonly range: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number };
  };
  readonly text: string;
}

/** Lines from `firstLine` to `lastLine`, 0-based and inclusive. */
export interface LineSpan {
  readonly firstLine: number;
  readonly lastLine: number;
}

/**
 * Returns the changed lines from top to bottom, numbered as in the text after all changes. Spans may overlap. Returns
 * undefined if more than `maxLines` lines changed.
 * @param changes changes in the order of VS Code's event. Each change applies to the result of the previous change.
 */
export function findChangedLines(
  changes: readonly TextChange[],
  maxLines: number,
): readonly LineSpan[] | undefined {
  let spans: LineSpan[] = [];
  let remainingLineCount = maxLines;
  for (const { range, text } of changes) {
    const addedLineCount = countLineEnds(text, remainingLineCount);
    remainingLineCount -= addedLineCount + 1;
    if (remainingLineCount < 0) return undefined;
    const firstLine = range.start.line;
    const lineDelta = addedLineCount - (range.end.line - firstLine);
    spans = spans.map((span) =>
      shiftSpan(span, { firstLine, lastLine: range.end.line, lineDelta }),
    );
    spans.push({ firstLine, lastLine: firstLine + addedLineCount });
  }
  return spans.toSorted((a, b) => a.firstLine - b.firstLine);
}

/**
 * Adjusts the line numbers of a span to a later change. If the change overlaps the span, returns a
 * span that covers both.
 */
function shiftSpan(
  span: LineSpan,
  { firstLine, lastLine, lineDelta }: LineSpan & { readonly lineDelta: number },
): LineSpan {
  if (span.lastLine < firstLine) return span;
  return {
    firstLine:
      span.firstLine > lastLine ? span.firstLine + lineDelta : Math.min(span.firstLine, firstLine),
    lastLine: Math.max(span.lastLine, lastLine) + lineDelta,
  };
}

/** Replacement of whole lines in a document, as {@link LineMirror} reports it. */
export interface LineChange {
  /** 0-based number of the first replaced line. The number is the same in the old and in the new text. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Number of lines that {@link LineMirror} copies before and after a position. */
const copiedLineCount = 300;

/**
 * Copy of the lines around a position. Provides the removed text of a change, because VS Code reports only the inserted
 * text.
 */
export class LineMirror {
  readonly #document: DocumentLines;
  #firstLine = 0;
  #lines: string[] = [];

  constructor(document: DocumentLines) {
    this.#document = document;
  }

  /**
   * Moves the copy to the surroundings of another 0-based line, unless the copy already contains
   * them. Reads at most 600 lines.
   */
  moveTo(line: number): void {
    const end = this.#firstLine + this.#lines.length;
    const isNearStart = this.#firstLine > 0 && line - this.#firstLine < copiedLineCount / 2;
    const isNearEnd = end < this.#document.lineCount && end - line < copiedLineCount / 2;
    if (this.#lines.length === 0 || isNearStart || isNearEnd) this.#copyLinesAround(line);
  }

  /**
   * Applies the changes of one event to the copy, and returns them as one replacement. If a change is too large or
   * outside of the copy, copies the lines again and returns undefined.
   */
  applyChanges(changes: readonly TextChange[]): LineChange | undefined {
    const line = Math.min(...changes.map(({ range }) => range.start.line));
    const lastLine = Math.max(...changes.map(({ range }) => range.end.line));
    let lineDelta = 0;
    for (const { range, text } of changes)
      lineDelta += countLineEnds(text) - (range.end.line - range.start.line);
    const count = lastLine - line + 1;
    const isInsideCopy = line >= this.#firstLine && lastLine < this.#firstLine + this.#lines.length;
    if (!isInsideCopy || count + lineDelta > copiedLineCount) {
      this.#copyLinesAround(line);
      return undefined;
    }
    const after = this.#readLines(line, line + count + lineDelta);
    const before = this.#lines.splice(line - this.#firstLine, count, ...after);
    if (this.#lines.length > 4 * copiedLineCount) this.#copyLinesAround(line);
    return { line, before, after };
  }

  #copyLinesAround(line: number): void {
    this.#firstLine = Math.max(0, line - copiedLineCount);
    this.#lines = this.#readLines(this.#firstLine, line + copiedLineCount);
  }

  #readLines(firstLine: number, end: number): string[] {
    const count = Math.max(0, Math.min(end, this.#document.lineCount) - firstLine);
    return Array.from(
      { length: count },
      (_, index) => this.#document.lineAt(firstLine + index).text,
    );
  }
}
