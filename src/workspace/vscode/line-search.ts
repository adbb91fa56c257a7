import vm from 'node:vm';
import { isRecord } from '../../base/json.ts';
import type { FoundLine, TextQuery } from '../search.ts';
import { ToolError } from '../tool-error.ts';

/** Maps the 0-based number of each matching line to the 0-based column of the line's first match. */
export type LineMatches = ReadonlyMap<number, number>;

/** Finds up to `maxLines` matching lines of a text. `pattern` must have the global flag. */
export function matchLines(
  text: string,
  { pattern, isLineByLine, maxLines }: { pattern: RegExp; isLineByLine: boolean; maxLines: number },
): LineMatches {
  return isLineByLine
    ? matchLineByLine(text, pattern, maxLines)
    : matchWholeText(text, pattern, maxLines);
}

/**
 * Finds matching lines with an expression that never matches across lines. Much faster than {@link
 * matchLineByLine}.
 */
function matchWholeText(text: string, pattern: RegExp, maxLines: number): LineMatches {
  const columnByLine = new Map<number, number>();
  let line = 0;
  let lineStart = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (let end = text.indexOf('\n', lineStart); end >= 0 && end < match.index;) {
      line += 1;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    // The empty string after a final line break is not a line.
    if (match.index === text.length && lineStart === text.length) break;
    columnByLine.set(line, match.index - lineStart);
    const end = text.indexOf('\n', match.index);
    if (end < 0 || columnByLine.size >= maxLines) break;
    pattern.lastIndex = end + 1;
  }
  return columnByLine;
}

function matchLineByLine(text: string, pattern: RegExp, maxLines: number): LineMatches {
  const columnByLine = new Map<number, number>();
  for (let line = 0, start = 0; start < text.length && columnByLine.size < maxLines; line++) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd < 0 ? text.length : lineEnd;
    pattern.lastIndex = 0;
    const match = pattern.exec(text.slice(start, text[end - 1] === '\r' ? end - 1 : end));
    if (match !== null) columnByLine.set(line, match.index);
    start = end + 1;
  }
  return columnByLine;
}

/**
 * Time limit for one match operation in milliseconds. Stops expressions with catastrophic
 * backtracking.
 */
const matchTimeoutMs = 500;

/**
 * Matches the part of a regular expression's source that lets the expression match across a line end, for example
 * `\s` or `[^a]`. An expression with such a part must be matched line by line.
 */
const multilinePattern = /\\[sSWDPpnr]|\[\^|\(\?/u;

/**
 * Searches texts line by line, without ripgrep.
 * @throws ToolError `bad-arguments` for an invalid regular expression.
 */
export class LineSearch {
  readonly #query: TextQuery;
  readonly #pattern: RegExp;
  readonly #isLineByLine: boolean;
  readonly #needle: Buffer | undefined;

  constructor(query: TextQuery) {
    this.#query = query;
    this.#pattern = createPattern(query);
    this.#isLineByLine = query.isRegex && multilinePattern.test(query.text);
    this.#needle = query.isRegex || !query.isCaseSensitive ? undefined : Buffer.from(query.text);
  }

  /** Checks the bytes of a file before they are decoded. Returns false if the file can't contain a match. */
  mayContainMatch(bytes: Buffer): boolean {
    return this.#needle === undefined || bytes.includes(this.#needle);
  }

  /**
   * Returns the matching lines and context lines of each text.
   * @throws ToolError `failed` for an expression that exceeds the time limit.
   */
  search(texts: readonly string[]): readonly (readonly FoundLine[])[] {
    const textMatches = this.#query.isRegex
      ? this.#matchWithTimeLimit(texts)
      : texts.map((text) => this.#matchText(text));
    return textMatches.map((matches, index) => this.#addContextLines(texts[index] ?? '', matches));
  }

  #matchWithTimeLimit(texts: readonly string[]): LineMatches[] {
    const results = runMatchWithTimeout(() => texts.map((text) => this.#matchText(text)));
    if (results !== undefined) return results;
    // Searches each text separately, because the batch may exceed the time limit due to its size.
    return texts.map((text) => {
      const matches = runMatchWithTimeout(() => this.#matchText(text));
      if (matches !== undefined) return matches;
      throw new ToolError(
        'failed',
        'The regular expression takes too long. Write it without repetitions inside repetitions.',
      );
    });
  }

  #matchText(text: string): LineMatches {
    return matchLines(text, {
      pattern: this.#pattern,
      isLineByLine: this.#isLineByLine,
      maxLines: this.#query.maxMatches + 1,
    });
  }

  #addContextLines(text: string, matches: LineMatches): FoundLine[] {
    if (matches.size === 0) return [];
    const lines = text.split(/\r?\n/u);
    if (lines.at(-1) === '') lines.pop();
    const columnsByLine = new Map<number, number | undefined>();
    for (const line of matches.keys()) {
      const lastContextLine = Math.min(line + this.#query.contextLineCount, lines.length - 1);
      for (
        let contextLine = Math.max(0, line - this.#query.contextLineCount);
        contextLine <= lastContextLine;
        contextLine++
      )
        columnsByLine.set(contextLine, matches.get(contextLine));
    }
    return [...columnsByLine].map(([index, column]) => ({
      line: index + 1,
      text: lines[index] ?? '',
      column,
    }));
  }
}

function createPattern({ text, isRegex, isCaseSensitive }: TextQuery): RegExp {
  const flags = isCaseSensitive ? 'gm' : 'gim';
  if (!isRegex) return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`), flags);
  try {
    return new RegExp(text, `${flags}u`);
  } catch {
    // Retries without Unicode mode, in which unnecessary escapes are errors.
  }
  try {
    return new RegExp(text, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /u, '') : 'not valid';
    throw new ToolError(
      'bad-arguments',
      `The regular expression cannot be read: ${reason}. Search for literal text with regex: false.`,
    );
  }
}

const matchContext = vm.createContext(Object.create(null) as vm.Context);
const matchScript = new vm.Script('match()');

/**
 * Runs a function in a VM, which can interrupt regular expressions. Returns undefined if the time
 * limit is exceeded.
 */
function runMatchWithTimeout<T>(match: () => T): T | undefined {
  try {
    matchContext['match'] = match;
    return matchScript.runInContext(matchContext, { timeout: matchTimeoutMs }) as T;
  } catch (error) {
    if (isRecord(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    delete matchContext['match'];
  }
}
