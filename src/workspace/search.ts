import { cutAround } from '../agent/tools/text-window.ts';

/** A line that a search found, or one near it. */
export interface FoundLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** Where the first match begins, counted from 0; undefined for a line of the context. */
  readonly column: number | undefined;
}

const longestLine = 300;
const mostCharacters = 50_000;

/** Collects what a search finds, up to a number of matches, and tells it to the model. */
export class SearchResult {
  readonly #files = new Map<string, FoundLine[]>();
  readonly #most: number;
  #matches = 0;
  #full = false;

  constructor(most: number) {
    this.#most = most;
  }

  get matches(): number {
    return this.#matches;
  }

  /** There are more matches than are kept. */
  get full(): boolean {
    return this.#full;
  }

  /** @returns false when nothing more is wanted. */
  add(label: string, line: FoundLine): boolean {
    if (line.column !== undefined && this.#matches === this.#most) this.#full = true;
    if (this.#full) return false;
    if (line.column !== undefined) this.#matches += 1;
    const lines = this.#files.get(label);
    if (lines === undefined) this.#files.set(label, [line]);
    else lines.push(line);
    return true;
  }

  /** Files by name, lines in order: `12: a match`, `13- a line near it`. */
  toString(): string {
    const parts: string[] = [];
    let length = 0;
    const files = [...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [at, [label, lines]] of files.entries()) {
      const part = [label, ...lines.toSorted((a, b) => a.line - b.line).map(shown)].join('\n');
      length += part.length;
      if (length > mostCharacters && at > 0) {
        parts.push(`[… ${files.length - at} more files with matches are not shown …]`);
        break;
      }
      parts.push(part);
    }
    return parts.join('\n\n');
  }
}

function shown({ line, text, column }: FoundLine): string {
  const cut = cutAround(text, column ?? 0, longestLine);
  return column === undefined ? `${line}- ${cut}` : `${line}: ${cut}`;
}
