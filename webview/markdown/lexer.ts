import {
  getDefaults,
  Lexer,
  type MarkedToken,
  type Token,
  Tokenizer,
  type Tokens,
  walkTokens,
} from 'marked';

/** Beyond this length text becomes no heading, table header or definition, so its start is soon final. */
export const longText = 1000;

/** Stands for the settled beginning of a paragraph: whatever follows can only continue it. */
export const sentinel = 'x';

/** Characters that one call may look at in vain for the ends of emphases; what follows then is plain text. */
const lookaheadBudget = 2_000_000;
const longestAddress = 2048;
const longestWord = 2048;

/** A table wider than this is text: each of its rows, however short, is filled up to its width. */
const tableColumns = 32;

const blockDepth = 20;
const inlineDepth = 20;

/**
 * Turns Markdown into tokens. Raw HTML is not recognised as blocks, inline tags are tokens of their
 * own, nesting is bounded. Link definitions hold for later calls only once they are settled.
 */
export class BlockLexer {
  /** Characters lexed so far, for tests of growth. */
  lexedCharacters = 0;
  readonly #tokenizer = new PlainTokenizer();
  readonly #links: Links = Object.create(null) as Links;
  readonly #settled = new Set<string>();

  /** Number of link definitions known for good. */
  get definitions(): number {
    return this.#settled.size;
  }

  /** Whether the source lexed last holds definitions that are not known for good. */
  get sawDefinitions(): boolean {
    return this.#tokenizer.seen.some((tag) => !this.#settled.has(tag));
  }

  /** Lexes complete source. `source` that starts with the `sentinel` continues a paragraph. */
  lex(source: string, continuesParagraph = false): MarkedToken[] {
    this.lexedCharacters += source.length;
    this.#tokenizer.seen = [];
    this.#tokenizer.lookaheadLeft = lookaheadBudget;
    this.#tokenizer.continued = continuesParagraph ? source.length : -1;
    const lexer = new BoundedLexer({ ...getDefaults(), tokenizer: this.#tokenizer });
    lexer.tokens.links = this.#links;
    try {
      return lexer.lex(source) as Token[] as MarkedToken[];
    } catch {
      return [plainParagraph(source)];
    } finally {
      this.#forgetUnsettled();
    }
  }

  /** Keeps the link definitions found in these tokens; the first definition of a label wins. */
  settle(tokens: readonly MarkedToken[]): void {
    if (this.#tokenizer.seen.length === 0) return;
    void walkTokens([...tokens], (token) => {
      if (token.type !== 'def' || this.#settled.has(token['tag'] as string)) return;
      const { tag, href, title } = token as Tokens.Def;
      this.#settled.add(tag);
      this.#links[tag] = { href, title };
    });
  }

  #forgetUnsettled(): void {
    for (const tag of this.#tokenizer.seen) if (!this.#settled.has(tag)) delete this.#links[tag];
  }
}

type Links = Lexer['tokens']['links'];

class PlainTokenizer extends Tokenizer {
  /** Length of the source whose first block continues a paragraph, or -1. */
  continued = -1;
  /** Labels defined in what was lexed last. */
  seen: string[] = [];
  /** What is left of the `lookaheadBudget`. */
  lookaheadLeft = 0;

  override html(): undefined {
    return undefined;
  }

  /** A tag is text here, so it must not change how the text after it is read. */
  override tag(source: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(source);
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return token;
  }

  /** A star after `^` is an exponent, as in `$x^*$`, and begins no emphasis. */
  override emStrong(
    source: string,
    masked: string,
    before = '',
  ): Tokens.Em | Tokens.Strong | undefined {
    if (before === '^' || this.lookaheadLeft <= 0) return undefined;
    const token = super.emStrong(source, masked, before);
    const mayOpen = source[0] === '*' || (source[0] === '_' && !/[\p{L}\p{N}]/u.test(before));
    if (!token && mayOpen) this.lookaheadLeft -= source.length;
    return token;
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    if (this.lookaheadLeft <= 0) return undefined;
    const token = super.del(source, masked, before);
    if (!token && source[0] === '~') this.lookaheadLeft -= source.length;
    return token;
  }

  /** At each character of a word the rest of it may be an address, so a word must not be endless. */
  override inlineText(source: string): Tokens.Text | undefined {
    if (this.lookaheadLeft <= 0) return plainText(source);
    if (source.length <= longestWord) return super.inlineText(source);
    const near = source.slice(0, longestWord);
    const lastWord = /\S\s+\S*$/.exec(near)?.index;
    return super.inlineText(lastWord === undefined ? near : near.slice(0, lastWord + 1));
  }

  /** An address is tried at every word, so it must not look through all that follows. */
  override url(source: string): Tokens.Link | undefined {
    const token = super.url(source.slice(0, longestAddress));
    return token && token.raw.length < longestAddress ? token : undefined;
  }

  /** A definition ends at a blank line, also where its title is still open. */
  override def(source: string): Tokens.Def | undefined {
    if (!/^ {0,3}\[/.test(source)) return undefined;
    const near = source.slice(0, longText);
    const end = near.search(/\n[ \t]*\n/);
    const token = super.def(end === -1 ? near : near.slice(0, end));
    if (token) this.seen.push(token.tag);
    return token;
  }

  override lheading(source: string): Tokens.Heading | undefined {
    if (source.length === this.continued) return undefined;
    const token = super.lheading(source);
    return token && token.raw.length <= longText ? token : undefined;
  }

  override table(source: string): Tokens.Table | undefined {
    if (source.length === this.continued) return undefined;
    const header = source.slice(0, longText + 1).split('\n', 1)[0]!;
    const isWide = header.length > longText || header.split('|').length > tableColumns + 2;
    return isWide ? undefined : super.table(source);
  }
}

/** Deep nesting is an attack on the stack, not a document: below the bound it is shown as written. */
class BoundedLexer extends Lexer {
  #blocks = 0;
  #inlines = 0;

  override blockTokens(source: string, tokens: Token[] = [], clipped = false): never {
    if (this.#blocks >= blockDepth) tokens.push(plainParagraph(source));
    else {
      this.#blocks += 1;
      super.blockTokens(source, tokens, clipped);
      this.#blocks -= 1;
    }
    return tokens as never;
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlines >= inlineDepth) tokens.push(plainText(source));
    else {
      this.#inlines += 1;
      super.inlineTokens(source, tokens);
      this.#inlines -= 1;
    }
    return tokens;
  }
}

function plainParagraph(source: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: source, text: source, tokens: [plainText(source)] };
}

function plainText(source: string): Tokens.Text {
  return { type: 'text', raw: source, text: source };
}

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

/** Collects text and hands it out with `\n` line ends, never cut inside a line end or a character. */
export class TextIntake {
  #pending = '';

  add(text: string): void {
    this.#pending += text;
  }

  take(all: boolean): string {
    const held = !all && /[\r\ud800-\udbff]$/.test(this.#pending) ? 1 : 0;
    const end = this.#pending.length - held;
    const text = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  }
}
