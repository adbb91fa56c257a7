import {
  getDefaults,
  Lexer,
  type MarkedToken,
  type Token,
  Tokenizer,
  type Tokens,
  walkTokens,
} from 'marked';

/**
 * Maximum length of headings, table headers and definitions. The start of longer text is final
 * early.
 */
export const longTextLength = 1000;

/** Placeholder for the settled start of a paragraph. Any following text can only continue it. */
export const sentinel = 'x';

/** Characters that one call may scan in vain for closing emphasis. The rest is then plain text. */
const lookaheadBudget = 2_000_000;
const maxAddressLength = 2048;
const maxWordLength = 2048;

/** Maximum columns of a table. The parser pads each row to the full width, however short it is. */
const maxTableColumns = 32;

const maxBlockDepth = 20;
const maxInlineDepth = 20;

/**
 * Tokenizes Markdown. Does not parse raw HTML blocks, makes inline tags separate tokens, and limits
 * nesting. Link definitions apply to later calls only once settled.
 */
export class BlockLexer {
  /** Characters lexed so far, for growth tests. */
  lexedCharacters = 0;
  readonly #tokenizer = new PlainTokenizer();
  readonly #links: Links = Object.create(null) as Links;
  readonly #settled = new Set<string>();

  /** Number of settled link definitions. */
  get definitionCount(): number {
    return this.#settled.size;
  }

  /** Checks whether the last source contains unsettled definitions. */
  get hasUnsettledDefinitions(): boolean {
    return this.#tokenizer.definedLabels.some((tag) => !this.#settled.has(tag));
  }

  /**
   * Lexes complete source.
   * @param continuesParagraph True if `source` starts with the `sentinel` and continues a
   *   paragraph.
   */
  lex(source: string, continuesParagraph = false): MarkedToken[] {
    this.lexedCharacters += source.length;
    this.#tokenizer.definedLabels = [];
    this.#tokenizer.remainingLookahead = lookaheadBudget;
    this.#tokenizer.continuedLength = continuesParagraph ? source.length : -1;
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

  /** Settles the link definitions in these tokens. The first definition of a label applies. */
  settle(tokens: readonly MarkedToken[]): void {
    if (this.#tokenizer.definedLabels.length === 0) return;
    void walkTokens([...tokens], (token) => {
      if (token.type !== 'def' || this.#settled.has(token['tag'] as string)) return;
      const { tag, href, title } = token as Tokens.Def;
      this.#settled.add(tag);
      this.#links[tag] = { href, title };
    });
  }

  #forgetUnsettled(): void {
    for (const tag of this.#tokenizer.definedLabels)
      if (!this.#settled.has(tag)) delete this.#links[tag];
  }
}

type Links = Lexer['tokens']['links'];

class PlainTokenizer extends Tokenizer {
  /** Length of the source whose first block continues a paragraph, or -1. */
  continuedLength = -1;
  /** Labels defined in the last source. */
  definedLabels: string[] = [];
  /** Remaining part of the `lookaheadBudget`. */
  remainingLookahead = 0;

  override html(): undefined {
    return undefined;
  }

  /** Tags are text here, so they must not change the parser state. */
  override tag(source: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(source);
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return token;
  }

  /** Treats `*` after `^` as an exponent, as in `$x^*$`, not as emphasis. */
  override emStrong(
    source: string,
    masked: string,
    before = '',
  ): Tokens.Em | Tokens.Strong | undefined {
    if (before === '^' || this.remainingLookahead <= 0) return undefined;
    const token = super.emStrong(source, masked, before);
    const canOpen = source[0] === '*' || (source[0] === '_' && !/[\p{L}\p{N}]/u.test(before));
    if (!token && canOpen) this.remainingLookahead -= source.length;
    return token;
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    if (this.remainingLookahead <= 0) return undefined;
    const token = super.del(source, masked, before);
    if (!token && source[0] === '~') this.remainingLookahead -= source.length;
    return token;
  }

  /**
   * Limits the word length, because the parser searches for an address from each character of a
   * word.
   */
  override inlineText(source: string): Tokens.Text | undefined {
    if (this.remainingLookahead <= 0) return plainText(source);
    if (source.length <= maxWordLength) return super.inlineText(source);
    const boundedSource = source.slice(0, maxWordLength);
    const lastWord = /\S\s+\S*$/.exec(boundedSource)?.index;
    return super.inlineText(
      lastWord === undefined ? boundedSource : boundedSource.slice(0, lastWord + 1),
    );
  }

  /** Limits the address length, because the parser tries an address at every word. */
  override url(source: string): Tokens.Link | undefined {
    const token = super.url(source.slice(0, maxAddressLength));
    return token && token.raw.length < maxAddressLength ? token : undefined;
  }

  /** Ends a definition at a blank line, even if its title is still open. */
  override def(source: string): Tokens.Def | undefined {
    if (!/^ {0,3}\[/.test(source)) return undefined;
    const boundedSource = source.slice(0, longTextLength);
    const end = boundedSource.search(/\n[ \t]*\n/);
    const token = super.def(end === -1 ? boundedSource : boundedSource.slice(0, end));
    if (token) this.definedLabels.push(token.tag);
    return token;
  }

  override lheading(source: string): Tokens.Heading | undefined {
    if (source.length === this.continuedLength) return undefined;
    const token = super.lheading(source);
    return token && token.raw.length <= longTextLength ? token : undefined;
  }

  override table(source: string): Tokens.Table | undefined {
    if (source.length === this.continuedLength) return undefined;
    const header = source.slice(0, longTextLength + 1).split('\n', 1)[0]!;
    const isWide = header.length > longTextLength || header.split('|').length > maxTableColumns + 2;
    return isWide ? undefined : super.table(source);
  }
}

/** Limits nesting, which could exhaust the stack. Deeper content is shown as plain text. */
class BoundedLexer extends Lexer {
  #blocks = 0;
  #inlines = 0;

  override blockTokens(source: string, tokens: Token[] = [], clipped = false): never {
    if (this.#blocks >= maxBlockDepth) tokens.push(plainParagraph(source));
    else {
      this.#blocks += 1;
      super.blockTokens(source, tokens, clipped);
      this.#blocks -= 1;
    }
    return tokens as never;
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlines >= maxInlineDepth) tokens.push(plainText(source));
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

/** Unsettled characters at the end of a paragraph, which further text may still join. */
const margin = 100;

/**
 * Returns the last offset at which a paragraph can be split so that both sides parse alone as they
 * parse together: between two words, without unclosed emphasis, code or brackets before it. Returns
 * 0 without such an offset.
 * @param isContinued True if the start of the paragraph is already split off.
 */
export function findSafeCut(token: Tokens.Paragraph, isContinued: boolean): number {
  const minimum = isContinued ? margin : longTextLength;
  if (token.text.length < minimum + 2 * margin) return 0;
  const scan = new CutScan(token.text, minimum, isContinued && token.text[1] === ' ');
  let offset = 0;
  for (const part of token.tokens) {
    if (!scan.scan(part, offset)) break;
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
    this.#lineStart = insideLongLine ? -longTextLength : 0;
  }

  /** Scans one inline token. Returns false if nothing after it can be settled. */
  scan(token: Token, offset: number): boolean {
    const end = offset + token.raw.length;
    if (token.type === 'br') this.#lineStart = end;
    if (token.type !== 'text') return true;
    for (let index = offset; index < end; index += 1) {
      if (!this.#visit(index, offset, end)) return false;
    }
    return true;
  }

  #visit(index: number, start: number, end: number): boolean {
    const character = this.#text[index]!;
    const next = this.#text[index + 1] ?? '';
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
        return /\s/.test(next) || /[a-z\d_]/i.test(this.#text[index - 1] ?? '');
      case ' ':
      case '\n':
        if (index > start && index + 1 < end) this.#consider(index, character);
        if (character === '\n') this.#lineStart = index + 1;
    }
    return true;
  }

  #consider(index: number, character: string): void {
    if (this.#brackets > 0 || index < this.#minimum || index > this.#text.length - margin) return;
    if (/[\s\\]/.test(this.#text[index - 1]!) || /\s/.test(this.#text[index + 1]!)) return;
    const lineIsFinal =
      character === '\n'
        ? this.#text.includes('\n', index + 1)
        : index - this.#lineStart >= longTextLength;
    if (lineIsFinal) this.cut = index;
  }
}

/**
 * Buffers text and returns it with `\n` line ends, never split inside a line end or a surrogate
 * pair.
 */
export class TextBuffer {
  #pending = '';

  add(text: string): void {
    this.#pending += text;
  }

  take(isFinal: boolean): string {
    const heldCharacters = !isFinal && /[\r\ud800-\udbff]$/.test(this.#pending) ? 1 : 0;
    const end = this.#pending.length - heldCharacters;
    const text = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  }
}
