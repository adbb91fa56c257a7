import type { FileScope, FoundLine, TextQuery } from '../search.ts';
import { ToolError } from '../tool-error.ts';
import {
  toRelativePath,
  type RipgrepResult,
  runRipgrep,
  buildScopeArguments,
  getPathArgument,
} from './ripgrep.ts';

/**
 * Ripgrep arguments for the output format that {@link OutputParser} reads: `path NUL line:column:text` for a match, and
 * `path NUL line-text` for a context line.
 */
export const outputFormatArguments: readonly string[] = [
  '--color=never',
  '--no-heading',
  '--with-filename',
  '--null',
  '--line-number',
  '--column',
  '--no-context-separator',
  '--field-match-separator=:',
  '--field-context-separator=-',
  // Truncates long lines. A match near the start remains visible.
  '--max-columns=2000',
  '--max-columns-preview',
];

/** Parses ripgrep's output from chunks of any size. */
export class OutputParser {
  readonly #onLine: (path: string, line: FoundLine) => boolean;
  #pendingText = '';
  #printedPath = '';
  #currentPath = '';

  /** @param onLine Called for each line that the search finds. Returns false to stop the search. */
  constructor(onLine: (path: string, line: FoundLine) => boolean) {
    this.#onLine = onLine;
  }

  /**
   * Parses the next chunk of output.
   * @returns false if the callback has stopped the search
   */
  parseChunk(chunk: string): boolean {
    const text = this.#pendingText === '' ? chunk : this.#pendingText + chunk;
    let index = 0;
    for (;;) {
      // A name may contain a line break, so the NUL after the name is the only safe separator.
      const nulIndex = text.indexOf('\0', index);
      const end = nulIndex < 0 ? -1 : text.indexOf('\n', nulIndex);
      if (end < 0) break;
      if (!this.#parseLine(text.slice(index, nulIndex), text.slice(nulIndex + 1, end)))
        return false;
      index = end + 1;
    }
    this.#pendingText = text.slice(index);
    return true;
  }

  #parseLine(printedPath: string, lineOutput: string): boolean {
    if (printedPath !== this.#printedPath) {
      this.#printedPath = printedPath;
      this.#currentPath = toRelativePath(printedPath.replace(binaryNoticePattern, ''));
    }
    const line = parseFoundLine(lineOutput);
    // Skips names with a line break, which could imitate the path of another file. The path rules also reject these names.
    if (line === undefined || this.#currentPath.includes('\n')) return true;
    return this.#onLine(this.#currentPath, line);
  }
}

/**
 * Matches ripgrep's notice after the lines of a binary file. Otherwise, the notice would be read as part of the next
 * file name.
 */
const binaryNoticePattern = /^[^\n]*: WARNING: stopped searching binary file after match [^\n]*\n/u;

function parseFoundLine(text: string): FoundLine | undefined {
  const lineNumber = Number.parseInt(text, 10);
  if (Number.isNaN(lineNumber)) return undefined;
  const separatorIndex = String(lineNumber).length;
  if (text[separatorIndex] === '-')
    return {
      line: lineNumber,
      text: sliceWithoutCarriageReturn(text, separatorIndex + 1),
      column: undefined,
    };
  const colonIndex = text.indexOf(':', separatorIndex + 1);
  if (text[separatorIndex] !== ':' || colonIndex < 0) return undefined;
  const column = Number.parseInt(text.slice(separatorIndex + 1, colonIndex), 10) - 1;
  return { line: lineNumber, text: sliceWithoutCarriageReturn(text, colonIndex + 1), column };
}

const sliceWithoutCarriageReturn = (text: string, start: number): string =>
  text.slice(start, text.endsWith('\r') ? -1 : undefined);

export interface RipgrepSearch {
  readonly program: string;
  readonly query: TextQuery;
  readonly signal: AbortSignal;
  /**
   * Called for each line that the search finds. `path` is relative to the scope's folder. Returns false to stop the
   * search.
   */
  readonly onLine: (path: string, line: FoundLine) => boolean;
}

/**
 * Searches the files of the scope. Resolves with `missing` when ripgrep can't be started.
 * @throws ToolError `bad-arguments` for an invalid regular expression.
 */
export async function searchWithRipgrep(
  scope: FileScope & { readonly encoding?: string | undefined },
  search: RipgrepSearch,
): Promise<Exclude<RipgrepResult['kind'], 'failed'>> {
  const parser = new OutputParser(search.onLine);
  const end = await runRipgrep({
    program: search.program,
    args: [
      ...buildScopeArguments(scope),
      ...(scope.encoding === undefined ? [] : [`--encoding=${scope.encoding}`]),
      ...createQueryArguments(search.query),
      '--',
      getPathArgument(scope),
    ],
    cwd: scope.folder,
    signal: search.signal,
    onText: (text) => parser.parseChunk(text),
  });
  return toSearchResult(end);
}

/**
 * Searches a text that is not saved on disk. Resolves to `missing` if ripgrep can't be started.
 * @throws ToolError `bad-arguments` for an invalid regular expression.
 */
export async function searchTextWithRipgrep(
  text: string,
  search: Omit<RipgrepSearch, 'onLine'> & { readonly onLine: (line: FoundLine) => boolean },
): Promise<Exclude<RipgrepResult['kind'], 'failed'>> {
  const parser = new OutputParser((_, line) => search.onLine(line));
  const end = await runRipgrep({
    program: search.program,
    args: [...createQueryArguments(search.query), '--', '-'],
    cwd: process.cwd(),
    signal: search.signal,
    input: text,
    onText: (output) => parser.parseChunk(output),
  });
  return toSearchResult(end);
}

function createQueryArguments({
  text,
  isRegex,
  isCaseSensitive,
  contextLineCount,
  maxMatches,
}: TextQuery): string[] {
  return [
    ...outputFormatArguments,
    '--crlf',
    // Switches to PCRE2 for patterns that the default engine does not support, such as lookahead.
    ...(isRegex ? ['--engine=auto'] : ['--fixed-strings']),
    isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    `--context=${contextLineCount}`,
    // Limits the matches of each file, because ripgrep has no limit for all files together. One extra match reveals omitted
    // matches.
    ...(Number.isFinite(maxMatches) ? [`--max-count=${maxMatches + 1}`] : []),
    `--regexp=${text}`,
  ];
}

function toSearchResult(result: RipgrepResult): Exclude<RipgrepResult['kind'], 'failed'> {
  if (result.kind !== 'failed') return result.kind;
  const reason = /^error: (?<reason>.*)$/mu.exec(result.message)?.groups?.['reason'];
  if (/regex|PCRE2/u.test(result.message))
    throw new ToolError(
      'bad-arguments',
      `The regular expression cannot be read${reason === undefined ? '' : `: ${reason}`}. Search for literal text with regex: false.`,
    );
  throw new ToolError('failed', 'The search could not be done. Try another query.');
}
