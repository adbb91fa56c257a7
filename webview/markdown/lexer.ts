import { getDefaults, Lexer, type MarkedToken, type Token, Tokenizer, walkTokens } from 'marked';
import type { Tokens } from 'marked';

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
