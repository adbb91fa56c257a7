/** Line that matches a search, or context line before or after a match. */
export interface FoundLine {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly text: string;
  /** 0-based column of the first match. Undefined for a context line. */
  readonly column: number | undefined;
}

const maxLineLength = 300;
const maxOutputLength = 50_000;

/** Collects the lines that a search finds, up to a maximum number of matches. Formats the lines for the model. */
export class SearchResult {
  readonly #files = new Map<string, FoundLine[]>();
  readonly #maxMatches: number;
  #matchCount = 0;
  #hasMore = false;

  constructor(maxMatches: number) {
    this.#maxMatches = maxMatches;
  }

  get matchCount(): number {
    return this.#matchCount;
  }

  /** True if at least one match was omitted because the limit had been reached. */
  get hasMoreMatches(): boolean {
    return this.#hasMore;
  }

  /**
   * Adds a line of a file. `label` identifies the file.
   * @returns false if the search can stop because the limit is reached
   */
  addLine(label: string, line: FoundLine): boolean {
    if (line.column !== undefined && this.#matchCount === this.#maxMatches) this.#hasMore = true;
    if (this.#hasMore) return false;
    if (line.column !== undefined) this.#matchCount += 1;
    const lines = this.#files.get(label);
    if (lines === undefined) this.#files.set(label, [line]);
    else lines.push(line);
    return true;
  }

  /**
   * Formats the lines, sorted by file label and line number. A match becomes `12: text`, and a context line becomes
   * `13- text`.
   */
  toString(): string {
    const fileTexts: string[] = [];
    let length = 0;
    const fileEntries = [...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [index, [label, lines]] of fileEntries.entries()) {
      const fileText = [label, ...lines.toSorted((a, b) => a.line - b.line).map(formatLine)].join(
        '\n',
      );
      length += fileText.length;
      if (length > maxOutputLength && index > 0) {
        fileTexts.push(`[… ${fileEntries.length - index} more files with matches are not shown …]`);
        break;
      }
      fileTexts.push(fileText);
    }
    return fileTexts.join('\n\n');
  }
}

function formatLine({ line, text, column }: FoundLine): string {
  const shortenedLine = truncateAroundColumn(text, column ?? 0, maxLineLength);
  return column === undefined ? `${line}- ${shortenedLine}` : `${line}: ${shortenedLine}`;
}

/** Shortens a line to `limit` characters around the 0-based `column`. Marks each cut with an ellipsis. */
export function truncateAroundColumn(line: string, column: number, limit: number): string {
  if (line.length <= limit) return line;
  const start = Math.max(0, Math.min(column - Math.floor(limit / 3), line.length - limit));
  const excerpt = line.slice(start, start + limit);
  const trimmedExcerpt = excerpt.replace(/^[\uDC00-\uDFFF]/u, '').replace(/[\uD800-\uDBFF]$/u, '');
  return `${start > 0 ? '… ' : ''}${trimmedExcerpt}${start + limit < line.length ? ' …' : ''}`;
}

/** Text search options. A match never spans lines. */
export interface TextQuery {
  readonly text: string;
  /** Interprets `text` as a regular expression. */
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  /** Number of context lines before each match, and after each match. */
  readonly contextLineCount: number;
  /** Maximum number of matching lines. The search stops when it has found this number. */
  readonly maxMatches: number;
}

/** Entry of a folder. Links are not resolved; their kind is `other`. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/**
 * Reads files and folders. Paths are relative to a base folder and use forward slashes. The empty
 * path is the base folder.
 */
export interface FileSource {
  /** Lists a folder, synchronously if possible. Returns no entries for an unreadable folder. */
  listEntries(path: string): readonly FolderEntry[] | Promise<readonly FolderEntry[]>;
  /**
   * Reads a file, synchronously if possible. Returns undefined for an unreadable or too large file.
   * The bytes are valid only until the next call.
   */
  read(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Maximum size of a searched file, in bytes. Larger files are rarely source code. */
export const maxScannedFileBytes = 10_000_000;

/** Describes which files of a folder a search reads. Paths are relative to this folder and use forward slashes. */
export interface FileScope {
  /** Absolute path of the folder in the notation of the operating system. */
  readonly folder: string;
  /** Path of the folder or file inside `folder` to search. Empty for the whole folder. */
  readonly searchPath: string;
  /** Globs of the user's exclude settings, relative to `folder`. */
  readonly hiddenGlobs: readonly string[];
  /** Globs of the files to exclude, from the arguments of the tool call, relative to `searchPath`. */
  readonly excludeGlobs: readonly string[];
  /** Globs of file names. A file must match at least one; undefined accepts every name. */
  readonly nameGlobs: readonly string[] | undefined;
  /** True if ignore files apply to the search. */
  readonly usesIgnoreFiles: boolean;
  /** Paths of the ignore files in the parent folders of `searchPath`, relative to `folder`. */
  readonly parentIgnoreFiles: readonly string[];
}
