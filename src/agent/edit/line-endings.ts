import type { Place } from './hunk.ts';

/** A text as the matching sees it: without a byte order mark, every line ending a line feed. */
export interface PlainText {
  readonly text: string;
  /** From places in `text` to places in the original, with the line endings that are used around each. */
  readonly toOriginal: (places: readonly Place[]) => Place[];
}

export function plainText(original: string): PlainText {
  const mark = original.startsWith('\uFEFF') ? 1 : 0;
  const marked = mark === 1 ? original.slice(1) : original;
  if (!marked.includes('\r\n')) {
    return { text: marked, toOriginal: (places) => places.map((place) => moved(place, mark)) };
  }
  const text = marked.replaceAll('\r\n', '\n');
  return {
    text,
    toOriginal: (places) => withLineEndings(marked, places).map((place) => moved(place, mark)),
  };
}

/** `text` with each place replaced. */
export function withPlaces(text: string, places: readonly Place[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: by } of places) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

const moved = (place: Place, by: number): Place => ({
  ...place,
  start: place.start + by,
  end: place.end + by,
});

function withLineEndings(original: string, places: readonly Place[]): Place[] {
  const cursor = new Cursor(original);
  return places.map(({ start, end, text }) => {
    const from = cursor.offsetOf(start);
    const ending = cursor.endingHere();
    return {
      start: from,
      end: cursor.offsetOf(end),
      text: ending === '\r\n' ? text.replaceAll('\n', '\r\n') : text,
    };
  });
}

/** Walks once through a text with carriage returns, for offsets that rise. */
class Cursor {
  readonly #text: string;
  /** Of the carriage return of the next line ending that has one; the text's length behind the last. */
  #next: number;
  /** Line endings with a carriage return so far. */
  #passed = 0;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
    this.#next = this.#find(0);
  }

  /** @param plain An offset in the text with line feeds only, not before the last one. */
  offsetOf(plain: number): number {
    while (this.#next - this.#passed < plain) {
      this.#passed += 1;
      this.#next = this.#find(this.#next + 2);
    }
    this.#offset = plain + this.#passed;
    return this.#offset;
  }

  /** The ending of the line at the last offset; on a last line without one, that of the line before it. */
  endingHere(): '\n' | '\r\n' {
    const after = this.#text.indexOf('\n', this.#offset);
    const feed = after >= 0 ? after : this.#text.lastIndexOf('\n');
    return this.#text[feed - 1] === '\r' ? '\r\n' : '\n';
  }

  #find(from: number): number {
    const found = this.#text.indexOf('\r\n', from);
    return found < 0 ? Number.POSITIVE_INFINITY : found;
  }
}
