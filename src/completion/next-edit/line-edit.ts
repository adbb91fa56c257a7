import { difference } from './difference.ts';

/** A line with the cursor in it. */
export interface Spot {
  readonly document: string;
  readonly languageId: string;
  /** From 0, like `character`. */
  readonly line: number;
  readonly character: number;
  /** Of the whole line, without its end. */
  readonly text: string;
}

/** One stretch of a line that was replaced, without line ends. */
export interface LineChange {
  readonly document: string;
  readonly line: number;
  readonly character: number;
  readonly removedLength: number;
  readonly inserted: string;
}

/** What a person does to one stretch of a line, change by change. */
export class LineEdit {
  readonly document: string;
  readonly languageId: string;
  readonly line: number;
  /** The line as it was when the cursor came. */
  readonly before: string;

  #text: string;
  /** The stretch that was changed, in `#text`; absent while nothing was. */
  #stretch: { start: number; end: number } | undefined;

  constructor({ document, languageId, line, text }: Spot) {
    this.document = document;
    this.languageId = languageId;
    this.line = line;
    this.before = text;
    this.#text = text;
  }

  /** The line as it is now. */
  get text(): string {
    return this.#text;
  }

  isAt({ document, line }: { readonly document: string; readonly line: number }): boolean {
    return document === this.document && line === this.line;
  }

  /** Whether the stretch that was changed ends, begins or lies around there; anywhere while nothing was changed. */
  holds(start: number, end = start): boolean {
    return !this.#stretch || (end >= this.#stretch.start && start <= this.#stretch.end);
  }

  /** Takes a change of this line; gives where the cursor is after it. */
  apply({ character, removedLength, inserted }: LineChange): number {
    const removedEnd = character + removedLength;
    const tail = this.#text.slice(removedEnd);
    const made = difference(this.#text.slice(character, removedEnd), inserted);
    this.#text = this.#text.slice(0, character) + inserted + tail;
    this.#extend(character + made.start, made.removed.length, made.inserted.length);
    return character + inserted.length;
  }

  #extend(start: number, removed: number, inserted: number): void {
    const { start: first, end: last } = this.#stretch ?? { start, end: start };
    const end = Math.max(last, start + removed) - removed + inserted;
    this.#stretch = { start: Math.min(first, start), end };
  }
}
