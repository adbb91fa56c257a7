import { citationMarks, sourcesOfMark } from '../../base/citation-marks.ts';

interface Options {
  readonly write: (text: string) => void;
  /** Whether the answer has a source of this number, from 1. */
  readonly hasSource: (source: number) => boolean;
}

/** Writes the marks of sources as `[1]` and `[1,2]`, also those that come in pieces. What names no source stays. */
export class BracketMarks {
  readonly #options: Options;
  #held = '';

  constructor(options: Options) {
    this.#options = options;
  }

  push(text: string): void {
    const all = this.#held + text;
    const start = startOfOpenMark(all);
    this.#held = all.slice(start);
    this.#out(this.#bracketed(all.slice(0, start)));
  }

  end(): void {
    this.#out(this.#held);
    this.#held = '';
  }

  #bracketed(text: string): string {
    return text.replaceAll(citationMarks, (mark) => {
      const sources = sourcesOfMark(mark);
      return sources.every(this.#options.hasSource) ? `[${sources.join(',')}]` : mark;
    });
  }

  #out(text: string): void {
    if (text !== '') this.#options.write(text);
  }
}

/** Where the text ends in what may become a mark; its length when it does not. */
function startOfOpenMark(text: string): number {
  let end = 0;
  for (const { index, 0: mark } of text.matchAll(citationMarks)) end = index + mark.length;
  const open = openMark.exec(text.slice(end));
  return open === null ? text.length : end + open.index;
}

const openMark = /(?:\^[\d,]{0,29}|\[(?:R|RE|REF|REF\][\d,]{0,29}(?:\[\/?R?E?F?)?)?)$/u;
