import type { Token, Tokens } from 'marked';
import { longText } from './lexer.ts';

/** The end of a paragraph stays unsettled: what is typed next may still join it. */
const margin = 100;

/**
 * The last offset at which a paragraph can be cut so that both sides read alone as they read together:
 * between two words, where nothing before is still waiting for its other half (emphasis, code, a
 * bracket). 0 if there is none. `continued` says that the paragraph's beginning is already cut off.
 */
export function safeCut(token: Tokens.Paragraph, continued: boolean): number {
  const minimum = continued ? margin : longText;
  if (token.text.length < minimum + 2 * margin) return 0;
  const scan = new CutScan(token.text, minimum, continued && token.text[1] === ' ');
  let offset = 0;
  for (const part of token.tokens) {
    if (!scan.take(part, offset)) break;
    offset += part.raw.length;
  }
  return scan.cut;
}

class CutScan {
  cut = 0;
  readonly #text: string;
  readonly #minimum: number;
  #lineStart: number;
  #brackets = 0;

  constructor(text: string, minimum: number, insideLongLine: boolean) {
    this.#text = text;
    this.#minimum = minimum;
    this.#lineStart = insideLongLine ? -longText : 0;
  }

  /** Looks at one inline token; returns false if nothing after it can be settled. */
  take(token: Token, offset: number): boolean {
    const end = offset + token.raw.length;
    if (token.type === 'br') this.#lineStart = end;
    if (token.type !== 'text') return true;
    for (let at = offset; at < end; at += 1) {
      if (!this.#visit(at, offset, end)) return false;
    }
    return true;
  }

  #visit(at: number, start: number, end: number): boolean {
    const character = this.#text[at]!;
    const next = this.#text[at + 1] ?? '';
    switch (character) {
      case '[':
        this.#brackets += 1;
        return true;
      case ']':
        this.#brackets = Math.max(0, this.#brackets - 1);
        return !/[([:]/.test(next) && next !== '';
      case '`':
        return false;
      case '<':
        return !/[a-z/!?]/i.test(next) && next !== '';
      case '*':
      case '~':
        return /\s/.test(next);
      case '_':
        return /\s/.test(next) || /[a-z\d_]/i.test(this.#text[at - 1] ?? '');
      case ' ':
      case '\n':
        if (at > start && at + 1 < end) this.#consider(at, character);
        if (character === '\n') this.#lineStart = at + 1;
    }
    return true;
  }

  #consider(at: number, character: string): void {
    if (this.#brackets > 0 || at < this.#minimum || at > this.#text.length - margin) return;
    if (/[\s\\]/.test(this.#text[at - 1]!) || /\s/.test(this.#text[at + 1]!)) return;
    const lineIsFinal =
      character === '\n' ? this.#text.includes('\n', at + 1) : at - this.#lineStart >= longText;
    if (lineIsFinal) this.cut = at;
  }
}
