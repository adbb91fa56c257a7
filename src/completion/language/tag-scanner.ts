/**
 * Counts the elements that are open while it goes through markup, or through code with elements in it, character by
 * character. Constant time for each character.
 */
export class TagScanner {
  readonly #isCode: boolean;
  /** Names, outermost first. Elements that were closed without having been opened are counted. */
  readonly open: string[] = [];
  surplus = 0;
  #tag = '';
  #isTag = false;
  /** `List<T>` or `a<b`, unless a closing tag follows. */
  #isDoubtful = false;
  #quote = '';
  #last = '\n';

  /** @param isCode Whether `a < b` and `List<T>` may stand beside elements. */
  constructor(isCode: boolean) {
    this.#isCode = isCode;
  }

  push(character: string): void {
    const last = this.#last;
    this.#last = character;
    if (!this.#isTag) {
      if (character !== '<') return;
      [this.#isTag, this.#tag, this.#quote] = [true, '', ''];
      this.#isDoubtful = this.#isCode && /[\w)\].$]/u.test(last);
      return;
    }
    if (this.#quote !== '') {
      if (character === this.#quote) this.#quote = '';
      return;
    }
    if (character === '>' && last !== '=') return this.#close();
    if ((character === '"' || character === "'") && last === '=') this.#quote = character;
    else if (this.#tag.length < longestTag) this.#tag += character;
    const begins = this.#isDoubtful ? /^\//u : /^[A-Za-z/!?]/u;
    if (this.#tag.length === 1 && !begins.test(this.#tag)) this.#isTag = false;
    // What was longer ended in a slash as far as can be told from the last character.
    else if (character === '/' && !this.#tag.endsWith('/'))
      this.#tag = `${this.#tag.slice(0, -1)}/`;
  }

  #close(): void {
    this.#isTag = false;
    const tag = this.#tag;
    const name = /^\/?(?<name>[\w:.-]*)/u.exec(tag)?.groups?.['name'] ?? '';
    if (tag.startsWith('/')) return this.#leave(name);
    if (/^[!?]/u.test(tag) || tag.endsWith('/') || voids.has(name.toLowerCase())) return;
    this.open.push(name);
  }

  #leave(name: string): void {
    const at = this.open.lastIndexOf(name);
    if (at >= 0) this.open.length = at;
    else this.surplus += 1;
  }
}

const longestTag = 200;

const voids: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
