import type { Place } from './hunk.ts';

/** A replaced range of the original and where its replacement stands now. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** A text while hunk after hunk is applied to it, and what became of the original. */
export class Draft {
  readonly #original: string;
  #text: string;
  #changes: readonly Change[] = [];

  constructor(original: string) {
    this.#original = original;
    this.#text = original;
  }

  /** As the hunks so far left it. */
  get text(): string {
    return this.#text;
  }

  /** Whether an earlier hunk wrote, or removed, something inside the range. */
  isWritten(start: number, end: number): boolean {
    return this.#changes.some(({ from, to }) =>
      from === to ? start < from && from < end : from < end && start < to,
    );
  }

  /** @param edits Of the present text: in order, apart from one another. */
  replace(edits: readonly Place[]): void {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of edits) {
      parts.push(this.#text.slice(at, start), text);
      at = end;
    }
    parts.push(this.#text.slice(at));
    this.#changes = merged(this.#changes, edits);
    this.#text = parts.join('');
  }

  /** What is different from the original, in its offsets. */
  places(): Place[] {
    return this.#changes
      .map(({ start, end, from, to }) => ({ start, end, text: this.#text.slice(from, to) }))
      .filter(({ start, end, text }) => text !== this.#original.slice(start, end));
  }
}

/** Walks through the changes so far and the edits of their text; what meets becomes one change. */
function merged(changes: readonly Change[], edits: readonly Place[]): Change[] {
  const result: Change[] = [];
  // How far the text before the edits, and then the text after them, lies behind the original.
  let [before, grown] = [0, 0];
  let [c, e] = [0, 0];
  for (;;) {
    const [change, edit] = [changes[c], edits[e]];
    if (change === undefined && edit === undefined) return result;
    const from = Math.min(change?.from ?? Infinity, edit?.start ?? Infinity);
    const open = { from, to: from, start: from - before, grown };
    for (;;) {
      const [nextChange, nextEdit] = [changes[c], edits[e]];
      if (nextChange !== undefined && nextChange.from <= open.to) {
        open.to = Math.max(open.to, nextChange.to);
        before += nextChange.to - nextChange.from - (nextChange.end - nextChange.start);
        c += 1;
      } else if (nextEdit !== undefined && nextEdit.start <= open.to) {
        open.to = Math.max(open.to, nextEdit.end);
        grown += nextEdit.text.length - (nextEdit.end - nextEdit.start);
        e += 1;
      } else break;
    }
    result.push({
      start: open.start,
      end: open.to - before,
      from: open.from + open.grown,
      to: open.to + grown,
    });
  }
}
