import type { TextChange } from './changed-lines.ts';
import { countLineEnds } from './line-ends.ts';
import type { Lines } from './text-lines.ts';

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
export class LineShadow {
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
  follow(changes: readonly TextChange[]): LineChange | undefined {
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
