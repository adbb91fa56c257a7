import { type Language, languageAt, type Quote } from './language.ts';
import type { Snapshot } from '../snapshot.ts';

export type ScanState = 'code' | 'string' | 'line-comment' | 'block-comment';

/**
 * Scans code character by character and detects strings, comments and brackets. Takes constant time and memory per
 * character. Assumes that the text starts outside of strings and comments, and that a one-line string ends at the end
 * of its line.
 */
export class CodeScanner {
  readonly #language: Language;
  #state: ScanState = 'code';
  /** Delimiter that ends the string or block comment. */
  #close = '';
  #quote: Quote | undefined;
  #isEscaped = false;
  /** Number of characters since the start of the string or comment. */
  #inside = 0;
  /** Last four characters; `#first` is the newest. */
  #first = '\n';
  #second = '\n';
  #third = '\n';
  #fourth = '\n';

  constructor(language: Language) {
    this.#language = language;
  }

  get state(): ScanState {
    return this.#state;
  }

  /** Scans the next character. Returns true if the character is a bracket outside of strings and comments. */
  push(character: string): boolean {
    this.#fourth = this.#third;
    this.#third = this.#second;
    this.#second = this.#first;
    this.#first = character;
    if (this.#state !== 'code') {
      this.#scanInside(character);
      return false;
    }
    if (isPlain(character.charCodeAt(0))) return false;
    if (this.#opensComment()) return false;
    if (this.#second === "'" && this.#language.hasLifetimes) return false;
    if (brackets.includes(character)) return true;
    this.#opensString(character);
    return false;
  }

  #scanInside(character: string): void {
    this.#inside += 1;
    if (character === '\n' && (this.#state === 'line-comment' || this.#quote?.spansLines === false))
      return this.#enterCode();
    if (this.#state === 'line-comment') return;
    if (this.#state === 'string' && (this.#isEscaped || character === '\\')) {
      this.#isEscaped = !this.#isEscaped;
      return;
    }
    // A third quote directly after an empty string starts a triple-quoted string.
    if (this.#inside >= this.#close.length && this.#endsWith(this.#close)) this.#enterCode();
  }

  #enterCode(): void {
    this.#state = 'code';
    this.#quote = undefined;
    this.#isEscaped = false;
  }

  #opensComment(): boolean {
    const { blockComments, lineComments } = this.#language;
    const block = blockComments.find(([open]) => this.#endsWith(open));
    if (block !== undefined) return this.#enter('block-comment', block[1]);
    const line = lineComments.find((mark) => this.#endsWith(mark) && this.#canStartComment(mark));
    return line !== undefined && this.#enter('line-comment', '\n');
  }

  /** Checks whether a comment can start at the comment mark. Excludes text such as `https://`, `a#b` and `$#`. */
  #canStartComment(mark: string): boolean {
    const before = this.#back(mark.length);
    return mark === '#' ? /[\s;]/u.test(before) : before !== ':';
  }

  #opensString(character: string): void {
    if (!this.#language.quotes.some(({ mark }) => mark.endsWith(character))) return;
    const quote = this.#language.quotes.find(({ mark }) => this.#endsWith(mark));
    // An apostrophe inside a word does not start a string.
    if (quote?.mark === "'" && /[\p{L}\p{N}]/u.test(this.#second)) return;
    if (quote === undefined) return;
    this.#enter('string', quote.mark);
    this.#quote = quote;
  }

  #enter(state: ScanState, close: string): true {
    this.#state = state;
    this.#close = close;
    this.#inside = 0;
    return true;
  }

  #endsWith(mark: string): boolean {
    for (let back = 0; back < mark.length; back += 1)
      if (this.#back(back) !== mark[mark.length - 1 - back]) return false;
    return true;
  }

  #back(steps: number): string {
    if (steps === 0) return this.#first;
    if (steps === 1) return this.#second;
    return steps === 2 ? this.#third : this.#fourth;
  }
}

const brackets = '()[]{}';

/** Checks whether a UTF-16 code unit is a letter, digit or white space, which cannot start a string or comment. */
const isPlain = (code: number): boolean =>
  code <= 0x20 ||
  code > 0x7e ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a);

/** Returns the leading white space of a line. */
export const indentationOf = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';

/** Returns the width of white space in columns. A tab advances to the next multiple of `tab` columns. */
export function columnsOf(whiteSpace: string, tab: number): number {
  let columns = 0;
  for (const character of whiteSpace)
    columns = character === '\t' ? (Math.floor(columns / tab) + 1) * tab : columns + 1;
  return columns;
}

/** Returns the width of a tab in columns, derived from the indentation unit. */
export const tabColumns = (indentUnit: string): number =>
  indentUnit.startsWith('\t') ? 4 : Math.max(1, indentUnit.length);

/** Brackets, strings and comments that are open at the cursor. */
export interface CursorContext {
  /** Scanner that has read the text up to the cursor. */
  readonly scanner: CodeScanner;
  /** Open brackets, outermost first. */
  readonly open: readonly OpenBracket[];
}

export interface OpenBracket {
  readonly bracket: string;
  /** Leading white space of the line that contains the bracket. */
  readonly indentation: string;
  readonly isOnCursorLine: boolean;
}

/**
 * Returns the open brackets and the scanner at the cursor. Scans at most {@link lookBack} characters, so brackets that
 * were opened earlier are unknown.
 */
export function cursorContext({ prefix }: Snapshot, language: Language): CursorContext {
  const scanner = new CodeScanner(language);
  const open: OpenBracket[] = [];
  const cursorLine = prefix.lastIndexOf('\n') + 1;
  let lineStart = windowStart(prefix);
  for (let index = lineStart; index < prefix.length; index += 1) {
    const character = prefix[index] ?? '';
    if (character === '\n') lineStart = index + 1;
    if (!scanner.push(character)) continue;
    if (closers.includes(character)) {
      if (open.at(-1)?.bracket === openerOf(character)) open.pop();
      continue;
    }
    const indentation = indentationOf(prefix.slice(lineStart, index));
    open.push({ bracket: character, indentation, isOnCursorLine: lineStart === cursorLine });
  }
  return { scanner, open };
}

export const lookBack = 4_000;
export const closers = ')]}';
const openerOf = (closer: string): string => '([{'[closers.indexOf(closer)] ?? '';

/** Returns the offset at which the scan starts, if possible the start of a line. */
function windowStart(prefix: string): number {
  if (prefix.length <= lookBack) return 0;
  const start = prefix.indexOf('\n', prefix.length - lookBack) + 1;
  return start === 0 ? prefix.length - lookBack : start;
}

/**
 * Checks whether the cursor is in a comment. Scans a limited number of characters, so a position deep inside a long
 * block comment counts as code.
 */
export function isInComment(snapshot: Snapshot): boolean {
  const { state } = cursorContext(snapshot, languageAt(snapshot)).scanner;
  return state === 'line-comment' || state === 'block-comment';
}

/** Returns the part of the cursor's line before the cursor. */
export const linePrefix = ({ prefix }: Snapshot): string =>
  prefix.slice(prefix.lastIndexOf('\n') + 1);

/** Returns the part of the cursor's line after the cursor. */
export function lineSuffix({ suffix }: Snapshot): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}
