import { type Language, getLanguageAtCursor, type Quote } from './language.ts';
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
  /** Delimiter that ends the current string or block comment. */
  #closingDelimiter = '';
  #quote: Quote | undefined;
  #isEscaped = false;
  /** Number of characters since the start of the current string or comment. */
  #contentLength = 0;
  /** Last scanned character. The next three fields contain the characters before it. */
  #lastCharacter = '\n';
  #secondLastCharacter = '\n';
  #thirdLastCharacter = '\n';
  #fourthLastCharacter = '\n';

  constructor(language: Language) {
    this.#language = language;
  }

  get state(): ScanState {
    return this.#state;
  }

  /** Scans the next character. Returns true if the character is a bracket outside of strings and comments. */
  push(character: string): boolean {
    this.#fourthLastCharacter = this.#thirdLastCharacter;
    this.#thirdLastCharacter = this.#secondLastCharacter;
    this.#secondLastCharacter = this.#lastCharacter;
    this.#lastCharacter = character;
    if (this.#state !== 'code') {
      this.#scanStringOrComment(character);
      return false;
    }
    if (isLetterDigitOrSpace(character.charCodeAt(0))) return false;
    if (this.#tryEnterComment()) return false;
    if (this.#secondLastCharacter === "'" && this.#language.hasLifetimes) return false;
    if (brackets.includes(character)) return true;
    this.#enterStringAtQuote(character);
    return false;
  }

  #scanStringOrComment(character: string): void {
    this.#contentLength += 1;
    if (character === '\n' && (this.#state === 'line-comment' || this.#quote?.spansLines === false))
      return this.#enterCode();
    if (this.#state === 'line-comment') return;
    if (this.#state === 'string' && (this.#isEscaped || character === '\\')) {
      this.#isEscaped = !this.#isEscaped;
      return;
    }
    // A third quote directly after an empty string starts a triple-quoted string.
    if (
      this.#contentLength >= this.#closingDelimiter.length &&
      this.#endsWith(this.#closingDelimiter)
    )
      this.#enterCode();
  }

  #enterCode(): void {
    this.#state = 'code';
    this.#quote = undefined;
    this.#isEscaped = false;
  }

  #tryEnterComment(): boolean {
    const { blockComments, lineComments } = this.#language;
    const blockComment = blockComments.find(([openingMark]) => this.#endsWith(openingMark));
    if (blockComment !== undefined) return this.#enterState('block-comment', blockComment[1]);
    const lineComment = lineComments.find(
      (mark) => this.#endsWith(mark) && this.#canStartComment(mark),
    );
    return lineComment !== undefined && this.#enterState('line-comment', '\n');
  }

  /**
   * Checks whether `delimiter` can start a comment at the current position. Returns false in text such as `https://`,
   * `a#b` and `$#`.
   */
  #canStartComment(delimiter: string): boolean {
    const previousCharacter = this.#getRecentCharacter(delimiter.length);
    return delimiter === '#' ? /[\s;]/u.test(previousCharacter) : previousCharacter !== ':';
  }

  #enterStringAtQuote(character: string): void {
    if (!this.#language.quotes.some(({ delimiter }) => delimiter.endsWith(character))) return;
    const quote = this.#language.quotes.find(({ delimiter }) => this.#endsWith(delimiter));
    // An apostrophe inside a word does not start a string.
    if (quote?.delimiter === "'" && /[\p{L}\p{N}]/u.test(this.#secondLastCharacter)) return;
    if (quote === undefined) return;
    this.#enterState('string', quote.delimiter);
    this.#quote = quote;
  }

  #enterState(state: ScanState, closingDelimiter: string): true {
    this.#state = state;
    this.#closingDelimiter = closingDelimiter;
    this.#contentLength = 0;
    return true;
  }

  #endsWith(mark: string): boolean {
    for (let distance = 0; distance < mark.length; distance += 1)
      if (this.#getRecentCharacter(distance) !== mark[mark.length - 1 - distance]) return false;
    return true;
  }

  #getRecentCharacter(distance: number): string {
    if (distance === 0) return this.#lastCharacter;
    if (distance === 1) return this.#secondLastCharacter;
    return distance === 2 ? this.#thirdLastCharacter : this.#fourthLastCharacter;
  }
}

const brackets = '()[]{}';

/** Checks whether a UTF-16 code unit is a letter, digit or white space, which cannot start a string or comment. */
const isLetterDigitOrSpace = (code: number): boolean =>
  code <= 0x20 ||
  code > 0x7e ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a);

/** Returns the leading white space of a line. */
export const getIndentation = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';

/** Returns the width of white space in columns. A tab advances to the next multiple of `tabWidth` columns. */
export function countColumns(whiteSpace: string, tabWidth: number): number {
  let width = 0;
  for (const character of whiteSpace)
    width = character === '\t' ? (Math.floor(width / tabWidth) + 1) * tabWidth : width + 1;
  return width;
}

/** Returns the width of a tab in columns, derived from the indentation unit. */
export const getTabWidth = (indentUnit: string): number =>
  indentUnit.startsWith('\t') ? 4 : Math.max(1, indentUnit.length);

/** Brackets, strings and comments that are open at the cursor. */
export interface CursorContext {
  /** Scanner that has read the text up to the cursor. */
  readonly scanner: CodeScanner;
  /** Open brackets, outermost first. */
  readonly openBrackets: readonly OpenBracket[];
}

export interface OpenBracket {
  readonly bracket: string;
  /** Leading white space of the line that contains the bracket. */
  readonly indentation: string;
  readonly isOnCursorLine: boolean;
}

/**
 * Returns the open brackets and the scanner at the cursor. Scans at most {@link maxScannedLength} characters, so
 * brackets that were opened earlier are unknown.
 */
export function findCursorContext({ prefix }: Snapshot, language: Language): CursorContext {
  const scanner = new CodeScanner(language);
  const openBrackets: OpenBracket[] = [];
  const cursorLineStart = prefix.lastIndexOf('\n') + 1;
  let lineStart = findScanStart(prefix);
  for (let index = lineStart; index < prefix.length; index += 1) {
    const character = prefix[index] ?? '';
    if (character === '\n') lineStart = index + 1;
    if (!scanner.push(character)) continue;
    if (closingBrackets.includes(character)) {
      if (openBrackets.at(-1)?.bracket === getOpeningBracket(character)) openBrackets.pop();
      continue;
    }
    const indentation = getIndentation(prefix.slice(lineStart, index));
    openBrackets.push({
      bracket: character,
      indentation,
      isOnCursorLine: lineStart === cursorLineStart,
    });
  }
  return { scanner, openBrackets };
}

export const maxScannedLength = 4_000;
export const closingBrackets = ')]}';
const getOpeningBracket = (closingBracket: string): string =>
  '([{'[closingBrackets.indexOf(closingBracket)] ?? '';

/** Returns the offset in the prefix at which the scan starts. If possible, this is the start of a line. */
function findScanStart(prefix: string): number {
  if (prefix.length <= maxScannedLength) return 0;
  const start = prefix.indexOf('\n', prefix.length - maxScannedLength) + 1;
  return start === 0 ? prefix.length - maxScannedLength : start;
}

/**
 * Checks whether the cursor is in a comment. Scans a limited number of characters, so a position deep inside a long
 * block comment counts as code.
 */
export function isInComment(snapshot: Snapshot): boolean {
  const { state } = findCursorContext(snapshot, getLanguageAtCursor(snapshot)).scanner;
  return state === 'line-comment' || state === 'block-comment';
}

/** Returns the part of the cursor's line before the cursor. */
export const getLinePrefix = ({ prefix }: Snapshot): string =>
  prefix.slice(prefix.lastIndexOf('\n') + 1);

/** Returns the part of the cursor's line after the cursor. */
export function getLineSuffix({ suffix }: Pick<Snapshot, 'suffix'>): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}
