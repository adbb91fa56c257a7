import type { Language, Quote } from './language.ts';

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
