import type { MarkedToken, Tokens } from 'marked';
import {
  getItem,
  getChildIndex,
  findPartsElement,
  type GrowableToken,
  type HeadingLevels,
  isFence,
  patchChildren,
  type SelectionWatch,
  patchParts,
  renderBlock,
  renderParts,
} from './blocks.ts';
import { containsClosedMarks } from './open-marks.ts';
import {
  type BlockLexer,
  findSafeCutOffset,
  longTextLength,
  settledTextPlaceholder,
} from './lexer.ts';

/**
 * Block token with its start and end offsets in the unsettled source, in UTF-16 code units. The parser receives this
 * source after the {@link GrowingBlock.prefix}. The start offset of a growing block is negative, because the block
 * starts in the prefix.
 */
export interface PositionedToken {
  readonly token: MarkedToken;
  readonly start: number;
  readonly end: number;
}

export function locateTokens(
  tokens: readonly MarkedToken[],
  startOffset: number,
): PositionedToken[] {
  let end = startOffset;
  return tokens.map((token) => {
    const start = end;
    end += token.raw.length;
    return { token, start, end };
  });
}

export function isVisible({ token }: PositionedToken): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

/**
 * Returns the offset before which later text cannot change the result of parsing. Blocks of most types are settled at a
 * blank line, other blocks at the start of the next block. Returns the start of the first token if no block is settled.
 */
export function findSettledEnd(tokens: readonly PositionedToken[], source: string): number {
  const start = tokens[0]?.start ?? 0;
  const index = tokens.findLastIndex(isVisible);
  const lastToken = tokens[index];
  if (!lastToken) return start;
  const nextToken = tokens[index + 1];
  if (nextToken?.token.type === 'space' && endsAtBlankLine(lastToken.token)) {
    const textBetween = source.slice(nextToken.start, nextToken.end);
    if (textBetween.split('\n').length > 2)
      return nextToken.start + textBetween.lastIndexOf('\n') + 1;
  }
  const startedToken = tokens.findLast(
    (token, tokenIndex) =>
      isVisible(token) && startsNewBlock(token, tokens[tokenIndex - 1], source),
  );
  return startedToken?.start ?? start;
}

/** Returns the code block at the end of the source if its closing fence is missing and its first line is complete. */
export function findOpenFence(
  tokens: readonly PositionedToken[],
  source: string,
): PositionedToken | undefined {
  const index = tokens.findLastIndex(isVisible);
  const lastToken = tokens[index];
  if (!lastToken || !isFence(lastToken.token)) return undefined;
  return startsNewBlock(lastToken, tokens[index - 1], source) ? lastToken : undefined;
}

function endsAtBlankLine({ type }: MarkedToken): boolean {
  return type === 'paragraph' || type === 'heading' || type === 'hr' || type === 'table';
}

/**
 * Checks whether `token` certainly starts a new block, so that later text cannot make it a part of the previous block.
 */
function startsNewBlock(
  token: PositionedToken,
  previousToken: PositionedToken | undefined,
  source: string,
): boolean {
  if (token.token.type === 'paragraph' && token.token.raw.length > longTextLength + 1) return true;
  const line = source.indexOf('\n', token.start);
  if (line === -1) return false;
  switch (previousToken?.token.type) {
    case 'paragraph':
      // The second line decides whether a table interrupts the paragraph.
      return source.includes('\n', line + 1);
    case 'def':
      // A title can follow on later lines until a blank line.
      return (
        line - previousToken.start > longTextLength ||
        /\n[ \t]*\n/.test(source.slice(Math.max(previousToken.start, 0)))
      );
    default:
      return true;
  }
}

interface SettledCandidate {
  element: HTMLElement;
  readonly source: string;
  readonly definitionCount: number;
}

/**
 * Settled blocks that contain a possible reference link, such as `[guide]`, whose definition may follow later in the
 * text. Renders these blocks again when definitions are added.
 */
export class PendingReferences {
  readonly #lexer: BlockLexer;
  readonly #candidates: SettledCandidate[] = [];

  constructor(lexer: BlockLexer) {
    this.#lexer = lexer;
  }

  /**
   * Number of link definitions in the settled blocks; -1 while the text after these blocks contains definitions, which
   * can still change.
   */
  get definitionsState(): number {
    return this.#lexer.hasUnsettledDefinitions ? -1 : this.#lexer.definitionCount;
  }

  /**
   * Records a block, so that it can be rendered again when link definitions are added. Ignores blocks that cannot
   * contain a link.
   * @param definitionCount value of `definitionsState` when the block was rendered
   */
  recordBlock(element: HTMLElement, source: string, definitionCount: number): void {
    if (source.includes(']')) this.#candidates.push({ element, source, definitionCount });
  }

  /**
   * Renders each recorded block again if link definitions were added after the block was rendered. Returns the changed
   * elements.
   */
  renderRecordedBlocks(): HTMLElement[] {
    const outdatedCandidates = this.#candidates
      .splice(0)
      .filter(({ definitionCount }) => definitionCount !== this.#lexer.definitionCount);
    return outdatedCandidates.flatMap(({ element, source }) => {
      const [token] = this.#lexer.lex(source).filter(({ type }) => type !== 'space');
      const replacement = token && renderBlock(token);
      if (!replacement || replacement.isEqualNode(element)) return [];
      element.replaceWith(replacement);
      return [replacement];
    });
  }
}

/**
 * Position at which a block splits into a settled and an unsettled part, and the prefix to insert before the unsettled
 * part when it is parsed without the settled part.
 */
interface Continuation {
  /** Offset of the unsettled part in the parsed source, in UTF-16 code units. */
  readonly cutOffset: number;
  readonly prefix: string;
  /** Number of list items or table rows in the settled part. */
  readonly partCount: number;
}

/**
 * Growing paragraph, list or table whose start is settled. Parses and renders only its other parts: text, list items or
 * table rows that can still change.
 */
export class GrowingBlock {
  readonly element: HTMLElement;
  readonly type: GrowableToken['type'];
  /**
   * Text to insert before the unsettled source, so that the parser treats this source as a continuation of the block.
   */
  prefix = '';
  /** Source of the settled parts. */
  source = '';
  #definitionsState: number | undefined;
  #partsElement: Element;
  #settledPartCount = 0;
  /** Number of rendered parts that `takeRenderedElements` has already returned. */
  #takenPartCount = 0;
  #isLoose = false;
  /** Levels of the headings before the unsettled parts. */
  readonly #levels: HeadingLevels;
  readonly #selection: SelectionWatch;

  /** @param levels levels of the headings before the block */
  constructor(
    token: GrowableToken,
    element: HTMLElement,
    { levels, selection }: { readonly levels: HeadingLevels; readonly selection: SelectionWatch },
  ) {
    this.#selection = selection;
    this.type = token.type;
    this.element = element;
    this.#levels = levels.copy();
    this.#partsElement = findPartsElement(token, element);
  }

  /**
   * Renders the parts of `token`, which was parsed from the prefix and the unsettled source.
   * @param levels receives the levels of the headings up to the end of the block
   */
  update(token: GrowableToken, levels: HeadingLevels): void {
    if (token.type === 'list')
      this.#partsElement.classList.toggle('loose', this.#isLoose || token.loose);
    if (this.#partsElement.getAttribute('class') === '')
      this.#partsElement.removeAttribute('class');
    const parts = renderParts(this.#removePrefix(token));
    levels.continueFrom(this.#levels);
    for (const part of parts) levels.setLevels(part);
    if (token.type === 'paragraph')
      patchChildren(this.#partsElement, this.#settledPartCount, parts, this.#selection);
    else patchParts(this.#partsElement, this.#settledPartCount, parts);
  }

  /** Returns the elements that contain all parts rendered since the last call. */
  takeRenderedElements(): Element[] {
    const children = this.#partsElement.childNodes;
    const firstIndex =
      this.type === 'paragraph'
        ? this.#takenPartCount
        : getChildIndex(this.#partsElement, this.#takenPartCount);
    this.#takenPartCount = this.#settledPartCount;
    const elements: Element[] = [];
    for (let node = children[firstIndex] ?? null; node; node = node.nextSibling)
      if (node instanceof Element) elements.push(node);
    return elements;
  }

  /**
   * Settles the parts of `token` that are rendered and can no longer change.
   * @param renderedToken block as it was rendered; lacks the end of `token` if its meaning still depends on later text
   * @returns the length of the settled part of `source`
   */
  settleGrownParts(
    token: GrowableToken,
    renderedToken: GrowableToken,
    source: string,
    lexer: BlockLexer,
  ): number {
    const continuation = findContinuation(
      token,
      this.prefix + source,
      this.prefix !== '',
      countRenderedParts(token, renderedToken),
    );
    if (!continuation) return 0;
    const settledSource = source.slice(0, continuation.cutOffset - this.prefix.length);
    if (token.type === 'paragraph') this.#settleText(this.prefix + settledSource, lexer);
    else this.#settleParts(token, continuation.partCount, lexer);
    this.source += settledSource;
    this.prefix = continuation.prefix;
    return settledSource.length;
  }

  /**
   * Records the `definitionsState` with which a part of the block was rendered.
   * @returns the recorded state, or -1 if parts of the block were rendered with different states
   */
  recordDefinitionsState(definitionsState: number): number {
    this.#definitionsState =
      (this.#definitionsState ?? definitionsState) === definitionsState ? definitionsState : -1;
    return this.#definitionsState;
  }

  #settleText(source: string, lexer: BlockLexer): void {
    const [paragraph] = lexer.lex(source, true) as [Tokens.Paragraph];
    const parts = renderParts(this.#removePrefix(paragraph));
    patchChildren(this.#partsElement, this.#settledPartCount, parts, this.#selection);
    this.#settledPartCount = this.#partsElement.childNodes.length;
  }

  #settleParts(token: Tokens.List | Tokens.Table, count: number, lexer: BlockLexer): void {
    const start = this.#settledPartCount;
    this.#settledPartCount += count;
    if (token.type === 'table') return;
    for (let index = start; index < this.#settledPartCount; index += 1)
      this.#levels.setLevels(getItem(this.#partsElement, index)!);
    const items = token.items.slice(0, count);
    this.#isLoose ||= items.some(isLoose);
    lexer.settleDefinitions([{ ...token, items }]);
  }

  #removePrefix(token: GrowableToken): GrowableToken {
    return this.prefix && token.type === 'paragraph' ? removePlaceholder(token) : token;
  }
}

export function isGrowable(token: MarkedToken): token is GrowableToken {
  return token.type === 'paragraph' || token.type === 'list' || token.type === 'table';
}

/**
 * Returns the number of leading items or rows of `token` that `renderedToken` contains unchanged. Returns `Infinity` if
 * both are the same token.
 */
function countRenderedParts(token: GrowableToken, renderedToken: GrowableToken): number {
  if (renderedToken === token) return Infinity;
  const hasClosedMarks = containsClosedMarks(renderedToken);
  if (renderedToken.type === 'table') return renderedToken.rows.length - (hasClosedMarks ? 1 : 0);
  if (renderedToken.type !== 'list' || token.type !== 'list') return 0;
  const lastIndex = renderedToken.items.length - 1;
  const isUnchanged =
    !hasClosedMarks && renderedToken.items[lastIndex]?.raw === token.items[lastIndex]?.raw;
  return isUnchanged ? lastIndex + 1 : lastIndex;
}

function findContinuation(
  token: GrowableToken,
  source: string,
  isContinued: boolean,
  maxParts: number,
): Continuation | undefined {
  switch (token.type) {
    case 'list':
      return findItemContinuation(token, source, maxParts);
    case 'table':
      return findRowContinuation(token, maxParts);
    case 'paragraph': {
      const cutOffset = source.startsWith(token.text) ? findSafeCutOffset(token, isContinued) : 0;
      return cutOffset > 0
        ? { cutOffset, prefix: settledTextPlaceholder, partCount: 0 }
        : undefined;
    }
  }
}

/**
 * Returns the position after the last settled list item, at which the list can be split. An item is settled when the
 * first line of the next item is complete.
 */
function findItemContinuation(
  token: Tokens.List,
  source: string,
  maxParts: number,
): Continuation | undefined {
  const items = listFinalItems(token, source).slice(0, maxParts);
  const cutOffset = items.reduce((length, item) => length + item.raw.length, 0);
  return cutOffset > 0 ? { cutOffset, prefix: '', partCount: items.length } : undefined;
}

function listFinalItems({ items }: Tokens.List, source: string): readonly Tokens.ListItem[] {
  const completeItems = items.slice(0, -1);
  const cutOffset = completeItems.reduce((length, item) => length + item.raw.length, 0);
  return source.includes('\n', cutOffset) ? completeItems : completeItems.slice(0, -1);
}

/**
 * Returns the position before the last table row, at which the table can be split. A row is settled when another row
 * follows.
 */
function findRowContinuation(token: Tokens.Table, maxParts: number): Continuation | undefined {
  if (token.rows.length - 1 > maxParts) return undefined;
  const source = token.raw.replace(/\n$/, '');
  const lines = source.split('\n');
  if (token.rows.length < 2 || lines.length !== token.rows.length + 2) return undefined;
  const cutOffset = source.length - lines.at(-1)!.length;
  return { cutOffset, prefix: `${lines[0]}\n${lines[1]}\n`, partCount: token.rows.length - 1 };
}

/**
 * Checks whether a list item makes its list loose, that is, rendered with paragraphs. The parser reports this property
 * only for the whole list.
 */
function isLoose(item: Tokens.ListItem): boolean {
  if (/\n[ \t]*\n[ \t]*$/.test(item.raw)) return true;
  return item.tokens.some(({ type, raw }) => type === 'space' && /\n.*\n/.test(raw));
}

function removePlaceholder(token: Tokens.Paragraph): Tokens.Paragraph {
  const [first, ...rest] = token.tokens;
  if (first?.type !== 'text') return token;
  const text = { ...(first as Tokens.Text) };
  text.text = text.text.slice(settledTextPlaceholder.length);
  return { ...token, tokens: [text, ...rest] };
}
