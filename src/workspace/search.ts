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

/** The part of a line that is too long in which something was found at `column`, counted from 0. */
export function cutAround(line: string, column: number, limit: number): string {
  if (line.length <= limit) return line;
  const start = Math.max(0, Math.min(column - Math.floor(limit / 3), line.length - limit));
  const part = line.slice(start, start + limit);
  const whole = part.replace(/^[\uDC00-\uDFFF]/u, '').replace(/[\uD800-\uDBFF]$/u, '');
  return `${start > 0 ? '… ' : ''}${whole}${start + limit < line.length ? ' …' : ''}`;
}

/** What a search looks for: within one line. */
export interface TextQuery {
  readonly text: string;
  /** Whether `text` is a regular expression. */
  readonly regex: boolean;
  readonly caseSensitive: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** Matching lines after which the search ends. */
  readonly most: number;
}

/** An entry of a folder. What a link points to is not looked at. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** Where files are read from. Paths are relative to a folder, with forward slashes; empty for the folder itself. */
export interface FileSource {
  /** Empty for a folder that cannot be read. An answer that is at hand comes without a promise. */
  entries(path: string): readonly FolderEntry[] | Promise<readonly FolderEntry[]>;
  /** Undefined for a file that cannot be read or is too large. The bytes are only good until the next call. */
  read(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Larger files are not read: they are seldom sources. */
export const largestScannedFile = 10_000_000;

/** Which files of a folder are looked at. Paths are relative to it, with forward slashes. */
export interface FileScope {
  /** Absolute, as the system writes it. */
  readonly folder: string;
  /** The folder or file in it that is looked into; empty for all of it. */
  readonly under: string;
  /** Globs of the person's settings: what they hide, from `folder` on. */
  readonly hidden: readonly string[];
  /** Globs of this call: what it leaves out, from `under` on. */
  readonly excludes: readonly string[];
  /** Globs of file names, one of which a file must have; undefined for any. */
  readonly names: readonly string[] | undefined;
  /** Whether ignore files are heeded. */
  readonly useIgnoreFiles: boolean;
  /** Ignore files above `under`, relative to the folder. */
  readonly ignoreFilesAbove: readonly string[];
}
