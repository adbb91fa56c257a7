import {
  getDefaults,
  type Hooks,
  Lexer,
  type MarkedToken,
  type Token,
  Tokenizer,
  type Tokens,
} from 'marked';
import { findFormulaEnd, maskFormulas, mayContainFormula, readFormula } from './formula-syntax.ts';
import { getOpenedElementName } from './inline.ts';

/**
 * Maximum length in characters of a heading, a table header or a link definition. A longer line or paragraph always
 * stays a paragraph, so text that arrives later cannot turn it into another block.
 */
export const longTextLength = 1000;

/**
 * Placeholder for the settled start of a paragraph, which later text cannot change. The parser treats text after the
 * placeholder as a continuation of the paragraph.
 */
export const settledTextPlaceholder = 'x';

/**
 * Maximum number of characters that one call of the lexer may scan in unsuccessful searches for the end of emphasis.
 * After that, the lexer treats emphasis marks as plain text.
 */
const lookaheadBudgetChars = 2_000_000;
const maxUrlLength = 2048;
const maxTagLength = 2048;
const maxWordLength = 2048;

/**
 * Maximum number of columns of a table. A wider table remains text. Without a limit, the parser would add a large
 * number of empty cells to each short row.
 */
const maxTableColumns = 32;

const maxBlockDepth = 20;
const maxInlineDepth = 20;

/**
 * Splits Markdown into tokens. Treats raw HTML blocks as text, creates a separate token for each inline tag, and limits
 * nesting. Link definitions affect later calls only after a call of {@link settleDefinitions}.
 */
export class BlockLexer {
  /** Total number of characters lexed, for tests of the running time. */
  lexedCharacters = 0;
  readonly #tokenizer = new PlainTokenizer();
  readonly #hooks = createHooks(this.#tokenizer);
  readonly #links: LinkDefinitions = Object.create(null) as LinkDefinitions;
  readonly #settledLabels = new Set<string>();

  /** Number of link definitions that are settled, so that later text cannot change them. */
  get definitionCount(): number {
    return this.#settledLabels.size;
  }

  /** True if the most recently lexed source contains link definitions that later text can still change. */
  get hasUnsettledDefinitions(): boolean {
    return this.#tokenizer.definedLabels.some((tag) => !this.#settledLabels.has(tag));
  }

  /**
   * Lexes a complete source.
   * @param continuesParagraph true if `source` starts with the `settledTextPlaceholder` and continues a paragraph
   */
  lex(source: string, continuesParagraph = false): MarkedToken[] {
    this.lexedCharacters += source.length;
    this.#tokenizer.definedLabels = [];
    this.#tokenizer.remainingLookaheadChars = lookaheadBudgetChars;
    this.#tokenizer.continuedLength = continuesParagraph ? source.length : -1;
    const lexer = new BoundedLexer({
      ...getDefaults(),
      tokenizer: this.#tokenizer,
      hooks: this.#hooks,
    });
    lexer.tokens.links = this.#links;
    try {
      return lexer.lex(source) as Token[] as MarkedToken[];
    } catch {
      return [createPlainParagraph(source)];
    } finally {
      this.#forgetUnsettledLabels();
    }
  }

  /** Lexes inline Markdown, such as emphasis and links. Does not detect blocks. */
  lexInline(text: string): Token[] {
    this.#tokenizer.remainingLookaheadChars = lookaheadBudgetChars;
    const lexer = new BoundedLexer({
      ...getDefaults(),
      tokenizer: this.#tokenizer,
      hooks: this.#hooks,
    });
    lexer.tokens.links = this.#links;
    try {
      return lexer.inlineTokens(text);
    } catch {
      return [createPlainText(text)];
    }
  }

  /**
   * Settles the link definitions in the tokens, so that they affect all later calls. If several definitions have the
   * same label, the first one applies.
   */
  settleDefinitions(tokens: readonly MarkedToken[]): void {
    if (this.#tokenizer.definedLabels.length > 0) this.#settleDefinitions(tokens);
  }

  #settleDefinitions(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (token.type === 'def' && !this.#settledLabels.has(token['tag'] as string)) {
        const { tag, href, title } = token as Tokens.Def;
        this.#settledLabels.add(tag);
        this.#links[tag] = { href, title };
      }
      // Definitions occur in block quotes and list items.
      if (token.type === 'list') this.#settleDefinitions((token as Tokens.List).items);
      else if ('tokens' in token) this.#settleDefinitions(token.tokens ?? []);
    }
  }

  #forgetUnsettledLabels(): void {
    for (const tag of this.#tokenizer.definedLabels)
      if (!this.#settledLabels.has(tag)) delete this.#links[tag];
  }
}

type LinkDefinitions = Lexer['tokens']['links'];

class PlainTokenizer extends Tokenizer {
  /**
   * Length of a source that starts in the middle of a paragraph, or -1 for other sources. The first block of such a
   * source cannot become a heading or a table.
   */
  continuedLength = -1;
  /** Labels of the link definitions in the most recently lexed source. */
  definedLabels: string[] = [];
  /** Remaining part of the `lookaheadBudgetChars`, in characters. */
  remainingLookaheadChars = 0;
  /** Text that the lexer currently parses into inline tokens. */
  inlineSource = '';

  override html(): undefined {
    return undefined;
  }

  /** Reads a formula instead of an escape, because the escape `\(` can start a formula. */
  override escape(source: string): Tokens.Escape | undefined {
    if (source[0] === '$' || source[0] === '\\') {
      const formula = readFormula(this.inlineSource, this.inlineSource.length - source.length);
      if (typeof formula === 'object') return formula as object as Tokens.Escape;
    }
    return super.escape(source);
  }

  /**
   * Extends a paragraph to the end of a display formula. The lines of the formula could otherwise start other blocks.
   */
  override paragraph(source: string): Tokens.Paragraph | undefined {
    const token = super.paragraph(source);
    if (!token || !mayContainFormula(token.raw)) return token;
    let end = token.raw.length;
    for (let start = 0; ;) {
      const formulaEnd = findFormulaEnd(source, start, end);
      if (formulaEnd === undefined) break;
      // Replace the start of the paragraph with the last character of the formula, so that the rule matches the rest.
      const restMatch = this.rules.block.paragraph.exec(source.slice(formulaEnd - 1));
      end = formulaEnd - 1 + (restMatch?.[0].length ?? 1);
      start = formulaEnd;
    }
    if (end === token.raw.length) return token;
    this.lexer.inlineQueue.pop();
    const text = source.slice(0, end);
    return { type: 'paragraph', raw: text, text, tokens: this.lexer.inline(text) };
  }

  /**
   * Extends the text of a list item to the end of a display formula. Does not extend it for an unclosed formula,
   * because the end of an item is not the end of the source.
   */
  override text(source: string): Tokens.Text | undefined {
    const line = source.indexOf('\n');
    const formulaEnd = line === -1 ? undefined : findFormulaEnd(source, 0, line, false);
    if (formulaEnd === undefined) return super.text(source);
    const newlineIndex = source.indexOf('\n', formulaEnd);
    const text = newlineIndex === -1 ? source : source.slice(0, newlineIndex);
    return { type: 'text', raw: text, text, tokens: this.lexer.inline(text) };
  }

  /**
   * Restores the parser state after a tag. The page renders most tags as text, so a tag must not affect later text.
   * Limits the length of the searched text, because the parser searches for the end of a comment from each possible
   * start, which takes quadratic time.
   */
  override tag(source: string): Tokens.Tag | undefined {
    const { inLink, inRawBlock } = this.lexer.state;
    const token = super.tag(source.slice(0, maxTagLength));
    Object.assign(this.lexer.state, { inLink, inRawBlock });
    return token;
  }

  /**
   * Treats `*` after `^` as an exponent instead of emphasis, as in `$x^*$`. After a Chinese, Japanese or Korean
   * character, lets emphasis start with punctuation, because these scripts use no spaces between words.
   */
  override emStrong(
    source: string,
    maskedSource: string,
    previousCharacter = '',
  ): Tokens.Em | Tokens.Strong | undefined {
    if (previousCharacter === '^' || this.remainingLookaheadChars <= 0) return undefined;
    const isAfterCjk = source[0] === '*' && cjkPattern.test(previousCharacter);
    const token = super.emStrong(source, maskedSource, isAfterCjk ? '' : previousCharacter);
    const canOpen =
      source[0] === '*' || (source[0] === '_' && !/[\p{L}\p{N}]/u.test(previousCharacter));
    if (!token && canOpen) this.remainingLookaheadChars -= source.length;
    return token;
  }

  override del(
    source: string,
    maskedSource: string,
    previousCharacter?: string,
  ): Tokens.Del | undefined {
    if (this.remainingLookaheadChars <= 0) return undefined;
    const token = super.del(source, maskedSource, previousCharacter);
    if (!token && source[0] === '~') this.remainingLookaheadChars -= source.length;
    return token;
  }

  /**
   * Limits the length of a word in which the parser searches for an email address. The search starts again at each
   * character of the word.
   */
  override inlineText(source: string): Tokens.Text | undefined {
    if (this.remainingLookaheadChars <= 0) return createPlainText(source);
    const boundedSource = source.slice(0, maxWordLength);
    const dollarIndex = boundedSource.indexOf('$', 1);
    if (dollarIndex !== -1) return super.inlineText(source.slice(0, dollarIndex));
    if (source.length <= maxWordLength) return super.inlineText(source);
    const lastWordIndex = /\S\s+\S*$/.exec(boundedSource)?.index;
    return super.inlineText(
      lastWordIndex === undefined ? boundedSource : boundedSource.slice(0, lastWordIndex + 1),
    );
  }

  /** Limits the length of the text in which the parser searches for a URL. The search starts again at each word. */
  override url(source: string): Tokens.Link | undefined {
    const token = super.url(source.slice(0, maxUrlLength));
    return token && token.raw.length < maxUrlLength ? token : undefined;
  }

  /** Ends a link definition at a blank line, even if the title is unclosed. */
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
    if (!token || token.raw.length > longTextLength) return undefined;
    // A line of a formula can look like an underline.
    const underlineIndex = token.raw.trimEnd().lastIndexOf('\n');
    return findFormulaEnd(source, 0, underlineIndex) === undefined ? token : undefined;
  }

  override table(source: string): Tokens.Table | undefined {
    if (source.length === this.continuedLength) return undefined;
    const header = source.slice(0, longTextLength + 1).split('\n', 1)[0]!;
    const isWide = header.length > longTextLength || header.split('|').length > maxTableColumns + 2;
    return isWide ? undefined : super.table(source);
  }
}

const cjkClassSource = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\u3000-\u303f\uff00-\uffef]`;
const cjkPattern = new RegExp(cjkClassSource, 'u');

/**
 * Matches a punctuation character that `*` and a Chinese, Japanese or Korean character follow, such as the colon in
 * `**注意：**请`. Also matches an East Asian punctuation character directly after `*`. The lexer replaces matches with a
 * letter before it looks for emphasis, because emphasis could otherwise not end at this `*`.
 */
const cjkPunctuationPattern = new RegExp(
  String.raw`(?!\*)[\p{P}\p{S}](?=\*{1,3}${cjkClassSource})|(?<=\*)(?=${cjkClassSource})[\p{P}\p{S}]`,
  'gu',
);

/**
 * Creates parser hooks that prevent emphasis inside formulas. The hooks also let emphasis end after punctuation if a
 * Chinese, Japanese or Korean character follows, as in `**注意：**请`.
 */
const createHooks = (tokenizer: PlainTokenizer): Hooks => {
  const hooks: Pick<Hooks, 'emStrongMask'> = {
    emStrongMask: (maskedSource) => {
      const textOutsideFormulas = maskFormulas(tokenizer.inlineSource, maskedSource);
      return textOutsideFormulas.includes('*')
        ? textOutsideFormulas.replace(cjkPunctuationPattern, (mark) => 'x'.repeat(mark.length))
        : textOutsideFormulas;
    },
  };
  // The lexer uses no other hook, and the class of the hooks would load the renderers of the package.
  return hooks as Hooks;
};

/**
 * Lexer that limits nesting, because deep nesting could exhaust the stack. Content beyond the limit becomes plain text.
 */
class BoundedLexer extends Lexer {
  #blockCount = 0;
  #inlineDepth = 0;

  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): never {
    if (this.#blockCount >= maxBlockDepth) tokens.push(createPlainParagraph(source));
    else {
      this.#blockCount += 1;
      super.blockTokens(source, tokens, isClipped);
      this.#blockCount -= 1;
    }
    return tokens as never;
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlineDepth >= maxInlineDepth) tokens.push(createPlainText(source));
    else {
      this.#inlineDepth += 1;
      const tokenizer = this.options.tokenizer as PlainTokenizer;
      const outerSource = tokenizer.inlineSource;
      tokenizer.inlineSource = source;
      super.inlineTokens(source, tokens);
      tokenizer.inlineSource = outerSource;
      this.#inlineDepth -= 1;
    }
    return tokens;
  }
}

function createPlainParagraph(source: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: source, text: source, tokens: [createPlainText(source)] };
}

function createPlainText(source: string): Tokens.Text {
  return { type: 'text', raw: source, text: source };
}

/**
 * Number of characters at the end of a paragraph that are parsed again after each update, because later text can change
 * their meaning.
 */
const unsettledLength = 100;

/**
 * Returns the last offset at which a paragraph can be split without changing its meaning; 0 if there is none. The
 * offset is between two words, and not inside emphasis, code or brackets.
 * @param isContinued true if an earlier split removed the start of the paragraph
 */
export function findSafeCutOffset(token: Tokens.Paragraph, isContinued: boolean): number {
  const minLength = isContinued ? unsettledLength : longTextLength;
  if (token.text.length < minLength + 2 * unsettledLength) return 0;
  const scan = new CutScan(token.text, minLength, isContinued && token.text[1] === ' ');
  let offset = 0;
  for (const part of token.tokens) {
    if (!scan.scanToken(part, offset)) break;
    offset += part.raw.length;
  }
  return scan.cutOffset;
}

class CutScan {
  cutOffset = 0;
  readonly #text: string;
  readonly #minLength: number;
  #lineStart: number;
  #bracketDepth = 0;
  /** Names of elements that are open, because their closing tag is not scanned yet. */
  readonly #openElements = new Set<string>();

  constructor(text: string, minLength: number, isInsideLongLine: boolean) {
    this.#text = text;
    this.#minLength = minLength;
    this.#lineStart = isInsideLongLine ? -longTextLength : 0;
  }

  /** Scans one inline token. Returns false if the paragraph cannot be split at any later position. */
  scanToken(token: Token, offset: number): boolean {
    const end = offset + token.raw.length;
    if (token.type === 'br') this.#lineStart = end;
    if (token.type === 'html') {
      const name = getOpenedElementName(token);
      if (name !== undefined) this.#openElements.add(name);
      else this.#openElements.delete(token.raw.slice(2, -1).toLowerCase());
    }
    if (token.type === 'escape') return !this.#opensFormula(offset);
    if (token.type !== 'text') return true;
    for (let index = offset; index < end; index += 1) {
      if (!this.#visitCharacter(index, offset, end)) return false;
    }
    return true;
  }

  #visitCharacter(index: number, start: number, end: number): boolean {
    const character = this.#text[index]!;
    const nextCharacter = this.#text[index + 1] ?? '';
    switch (character) {
      case '[':
        this.#bracketDepth += 1;
        return true;
      case ']':
        this.#bracketDepth = Math.max(0, this.#bracketDepth - 1);
        return !/[([:]/.test(nextCharacter) && nextCharacter !== '';
      case '`':
        return false;
      case '$':
        return !this.#opensFormula(index);
      case '<':
        return !/[a-z/!?]/i.test(nextCharacter) && nextCharacter !== '';
      case '*':
      case '~':
        return /\s/.test(nextCharacter);
      case '_':
        return /\s/.test(nextCharacter) || /[a-z\d_]/i.test(this.#text[index - 1] ?? '');
      case ' ':
      case '\n':
        if (index > start && index + 1 < end) this.#updateCutOffset(index, character);
        if (character === '\n') this.#lineStart = index + 1;
    }
    return true;
  }

  /** Checks whether an unclosed formula starts at `index`, which later text can close. */
  #opensFormula(index: number): boolean {
    return readFormula(this.#text, index) === 'open';
  }

  #updateCutOffset(index: number, character: string): void {
    if (this.#bracketDepth > 0 || this.#openElements.size > 0) return;
    if (index < this.#minLength || index > this.#text.length - unsettledLength) return;
    if (/[\s\\]/.test(this.#text[index - 1]!) || /\s/.test(this.#text[index + 1]!)) return;
    const isLineFinal =
      character === '\n'
        ? this.#text.includes('\n', index + 1)
        : index - this.#lineStart >= longTextLength;
    if (isLineFinal) this.cutOffset = index;
  }
}

/** Collects appended text, and returns it with `\n` as line break. Never splits a line break or a surrogate pair. */
export class TextBuffer {
  #pendingText = '';

  add(text: string): void {
    this.#pendingText += text;
  }

  read(isFinal: boolean): string {
    const heldCharacterCount = !isFinal && /[\r\ud800-\udbff]$/.test(this.#pendingText) ? 1 : 0;
    const end = this.#pendingText.length - heldCharacterCount;
    const text = this.#pendingText.slice(0, end);
    this.#pendingText = this.#pendingText.slice(end);
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  }
}
