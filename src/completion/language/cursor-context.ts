import { type Language, languageAt, type Quote } from './language.ts';
import type { Snapshot } from '../snapshot.ts';

export type ScanState = 'code' | 'string' | 'line-comment' | 'block-comment';

/**
 * Goes through code character by character and knows what is a string or a comment. Constant time and memory for each
 * character. Takes every beginning for code; a string that should end on its line does so at the latest at its end.
 */
export class CodeScanner {
  readonly #language: Language;
  #state: ScanState = 'code';
  /** What ends the string or the block comment. */
  #close = '';
  #quote: Quote | undefined;
  #isEscaped = false;
  /** Characters since the string or comment began. */
  #inside = 0;
  /** The character before this one, the one before that, and so on. */
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

  /** Takes the next character, and tells whether it is a bracket of the code. */
  push(character: string): boolean {
    this.#fourth = this.#third;
    this.#third = this.#second;
    this.#second = this.#first;
    this.#first = character;
    if (this.#state !== 'code') {
      this.#inString(character);
      return false;
    }
    if (isPlain(character.charCodeAt(0))) return false;
    if (this.#opensComment()) return false;
    if (this.#second === "'" && this.#language.hasLifetimes) return false;
    if (brackets.includes(character)) return true;
    this.#opensString(character);
    return false;
  }

  #inString(character: string): void {
    this.#inside += 1;
    if (character === '\n' && (this.#state === 'line-comment' || this.#quote?.spansLines === false))
      return this.#toCode();
    if (this.#state === 'line-comment') return;
    if (this.#state === 'string' && (this.#isEscaped || character === '\\')) {
      this.#isEscaped = !this.#isEscaped;
      return;
    }
    // The third mark of three: what seemed an empty string was the beginning of a longer one.
    if (this.#inside >= this.#close.length && this.#endsWith(this.#close)) this.#toCode();
  }

  #toCode(): void {
    this.#state = 'code';
    this.#quote = undefined;
    this.#isEscaped = false;
  }

  #opensComment(): boolean {
    const { blockComments, lineComments } = this.#language;
    const block = blockComments.find(([open]) => this.#endsWith(open));
    if (block !== undefined) return this.#enter('block-comment', block[1]);
    const line = lineComments.find((mark) => this.#endsWith(mark) && this.#mayComment(mark));
    return line !== undefined && this.#enter('line-comment', '\n');
  }

  /** `https://`, `a#b` and `$#` are no comments. */
  #mayComment(mark: string): boolean {
    const before = this.#back(mark.length);
    return mark === '#' ? /[\s;]/u.test(before) : before !== ':';
  }

  #opensString(character: string): void {
    if (!this.#language.quotes.some(({ mark }) => mark.endsWith(character))) return;
    const quote = this.#language.quotes.find(({ mark }) => this.#endsWith(mark));
    // The apostrophe of a word.
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

/** Letters, digits and white space begin nothing. */
const isPlain = (code: number): boolean =>
  code <= 0x20 ||
  code > 0x7e ||
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a);

/** The white space that a line begins with. */
export const indentationOf = (line: string): string => /^[\t ]*/u.exec(line)?.[0] ?? '';

/** How many columns white space takes. A tab goes to the next multiple of `tab`. */
export function columnsOf(whiteSpace: string, tab: number): number {
  let columns = 0;
  for (const character of whiteSpace)
    columns = character === '\t' ? (Math.floor(columns / tab) + 1) * tab : columns + 1;
  return columns;
}

/** Columns of a tab, as far as the step of indentation tells. */
export const tabColumns = (indentUnit: string): number =>
  indentUnit.startsWith('\t') ? 4 : Math.max(1, indentUnit.length);

/** What is open where the cursor stands. */
export interface CursorContext {
  /** Has read up to the cursor. */
  readonly scanner: CodeScanner;
  /** Outermost first. */
  readonly open: readonly OpenBracket[];
}

export interface OpenBracket {
  readonly bracket: string;
  /** Of the line that it stands on. */
  readonly indentation: string;
  readonly isOnCursorLine: boolean;
}

/** Looks back {@link lookBack} characters at most, so what began earlier is not known. */
export function cursorContext({ prefix }: Snapshot, language: Language): CursorContext {
  const scanner = new CodeScanner(language);
  const open: OpenBracket[] = [];
  const cursorLine = prefix.lastIndexOf('\n') + 1;
  let lineStart = windowStart(prefix);
  for (let at = lineStart; at < prefix.length; at += 1) {
    const character = prefix[at] ?? '';
    if (character === '\n') lineStart = at + 1;
    if (!scanner.push(character)) continue;
    if (closers.includes(character)) {
      if (open.at(-1)?.bracket === openerOf(character)) open.pop();
      continue;
    }
    const indentation = indentationOf(prefix.slice(lineStart, at));
    open.push({ bracket: character, indentation, isOnCursorLine: lineStart === cursorLine });
  }
  return { scanner, open };
}

export const lookBack = 4_000;
export const closers = ')]}';
const openerOf = (closer: string): string => '([{'[closers.indexOf(closer)] ?? '';

/** The beginning of a line where there is one. */
function windowStart(prefix: string): number {
  if (prefix.length <= lookBack) return 0;
  const start = prefix.indexOf('\n', prefix.length - lookBack) + 1;
  return start === 0 ? prefix.length - lookBack : start;
}

/**
 * Whether what is typed at the cursor becomes part of a comment. Looks back a bounded number of characters: the inside
 * of a longer block comment counts as code.
 */
export function isInComment(snapshot: Snapshot): boolean {
  const { state } = cursorContext(snapshot, languageAt(snapshot)).scanner;
  return state === 'line-comment' || state === 'block-comment';
}
