import * as l10n from '@vscode/l10n';
import type { MarkedToken, Tokens } from 'marked';
import { listenForActions, type MarkdownActions } from './actions.ts';
import { BlockList, HeadingLevels, patchNode, renderBlock, SelectionWatch } from './blocks.ts';
import { FenceReader, makeTabStopIfScrollable } from './code-block.ts';
import { IdleRenderer } from './idle-renderer.ts';
import { BlockLexer, TextBuffer } from './lexer.ts';
import { closeMarks, cutAmbiguousEnd } from './open-marks.ts';
import {
  GrowingBlock,
  isGrowable,
  isVisible,
  findOpenFence,
  type PositionedToken,
  locateTokens,
  PendingReferences,
  findSettledEnd,
} from './settled-blocks.ts';

export interface MarkdownOptions extends MarkdownActions {
  /**
   * Schedules work for idle time: highlighting, and rendering the rest of a long stored text. Default:
   * `requestIdleCallback`.
   */
  readonly schedule?: (run: () => void) => void;
}

interface RenderedBlock {
  readonly token: MarkedToken;
  readonly element: HTMLElement;
}

interface BlockUpdate {
  readonly previousBlock: RenderedBlock;
  readonly token: MarkedToken;
  /**
   * True if neither the previous nor this rendering depends on link definitions that can still change. A block with an
   * unchanged token then keeps its element.
   */
  readonly canReuse: boolean;
  /**
   * Levels of the headings so far. Contains those before the block when its rendering starts, and those at its end
   * afterward.
   */
  readonly levels: HeadingLevels;
}

/**
 * Fraction by which a long text must grow before it is parsed again. Because of this limit, the total parsing time
 * grows linearly with the length of the text.
 */
const rereadRatio = 1 / 16;
const shortTailLength = 4096;
/**
 * Time in milliseconds without new text after which a long text is parsed again, even if it has grown by less than
 * {@link rereadRatio}.
 */
const pauseMs = 200;

/**
 * Renders Markdown that arrives in chunks. Parses only text whose meaning can still change, and never changes blocks
 * that are settled. The final result is the same as for the whole text in one chunk.
 */
export class MarkdownStream {
  readonly #buffer = new TextBuffer();
  readonly #lexer = new BlockLexer();
  readonly #references = new PendingReferences(this.#lexer);
  readonly #blocks: BlockList;
  readonly #idleRenderer: IdleRenderer;
  readonly #stopListening: () => void;
  readonly #selection = new SelectionWatch();
  readonly #container: HTMLElement;
  /** Levels of the headings in the settled blocks, which can no longer change. */
  readonly #levels = new HeadingLevels();
  /** Markdown text after the last settled block. Its meaning can still change. */
  #tail = '';
  /** Length of the unsettled text at its last parse, in UTF-16 code units. */
  #readLength = 0;
  /** Rendered blocks of the unsettled text, in order. */
  #tailBlocks: RenderedBlock[] = [];
  /**
   * True if the unsettled blocks were rendered with link definitions that are still incomplete, so that later text can
   * change the links.
   */
  #isProvisional = false;
  /** First unsettled block, if the start of this block is already settled. Undefined otherwise. */
  #growingBlock: GrowingBlock | undefined;
  #fenceReader: FenceReader | undefined;
  #pauseTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(container: HTMLElement, options: MarkdownOptions) {
    container.classList.add('markdown');
    this.#container = container;
    this.#blocks = new BlockList(container);
    this.#idleRenderer = new IdleRenderer(options.schedule ?? runWhenIdle, makeTabStopIfScrollable);
    this.#stopListening = listenForActions(container, options);
  }

  /** Total number of characters parsed. Linear in the length of the text for any content. */
  get lexedCharacters(): number {
    return this.#lexer.lexedCharacters;
  }

  /** Buffers text. Call `renderPendingText` to render it. */
  append(text: string): void {
    this.#buffer.add(text);
  }

  /** Renders the text appended since the last call. Call this once per frame. */
  renderPendingText(): void {
    this.#renderTail(false);
    clearTimeout(this.#pauseTimer);
    if (!this.#isDisposed && this.#tail.length > this.#readLength)
      this.#pauseTimer = setTimeout(() => this.#renderWithheldText(), pauseMs);
  }

  /** Renders the remaining text and closes all open blocks. No text may be appended afterwards. */
  closeStream(): void {
    clearTimeout(this.#pauseTimer);
    this.#renderTail(true);
    this.#selection.dispose();
    const changedElements = this.#references.renderRecordedBlocks();
    for (const element of changedElements) {
      this.#idleRenderer.addCodeBlocks(element);
      this.#addFormulas(element);
    }
    if (changedElements.length > 0) new HeadingLevels().setLevelsInside(this.#container);
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Stops rendering and highlighting, and removes event listeners. Does not remove rendered content. */
  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#pauseTimer);
    this.#stopListening();
    this.#selection.dispose();
    this.#idleRenderer.dispose();
  }

  #renderTail(isFinal: boolean): void {
    const text = this.#buffer.read(isFinal);
    if (this.#isDisposed || (!text && !isFinal)) return;
    this.#tail += text;
    while (this.#tail || this.#fenceReader) {
      const shouldContinue = this.#fenceReader
        ? this.#writeToFence(this.#fenceReader, isFinal)
        : this.#parseTail(isFinal);
      if (!shouldContinue) return;
    }
  }

  /**
   * Renders the end of the text, which was not parsed until now because a long text is parsed again only after it has
   * grown.
   */
  #renderWithheldText(): void {
    this.#readLength = 0;
    while (this.#tail && !this.#fenceReader && this.#parseTail(false));
  }

  /** Writes the unsettled text to the open code block. Returns true if the code block or the whole text has ended. */
  #writeToFence(fenceReader: FenceReader, isFinal: boolean): boolean {
    const textAfterFence = fenceReader.addText(this.#tail);
    this.#tail = textAfterFence ?? '';
    if (textAfterFence === undefined && !isFinal) return false;
    fenceReader.closeBlock();
    this.#fenceReader = undefined;
    this.#readLength = 0;
    this.#idleRenderer.addCodeBlocks(fenceReader.element);
    return true;
  }

  /**
   * Parses and renders the unsettled text, and settles blocks that can no longer change. Returns true if the caller
   * must call this method again for the remaining text.
   */
  #parseTail(isFinal: boolean): boolean {
    if (!isFinal && !this.#shouldParse()) return false;
    const tokens = this.#lexTail();
    const openFenceToken = isFinal ? undefined : findOpenFence(tokens, this.#tail);
    const visibleTokens = tokens.filter((token) => token !== openFenceToken && isVisible(token));
    const settledEnd = findSettledEnd(tokens, this.#tail);
    this.#showTokens(
      isFinal || openFenceToken
        ? visibleTokens.map(({ token }) => token)
        : this.#closeOpenMarks(visibleTokens, settledEnd),
    );
    const end = isFinal ? this.#tail.length : settledEnd;
    this.#settleBlocks(tokens, end);
    const shouldContinue = openFenceToken
      ? this.#openFence(openFenceToken)
      : visibleTokens.at(-1)?.start === end && this.#settleParts(visibleTokens.at(-1)?.token);
    this.#readLength = shouldContinue ? 0 : this.#tail.length;
    return shouldContinue;
  }

  /**
   * Returns the blocks to show. In the last block, closes inline marks that are still open, such as emphasis. Also
   * removes text at the end whose meaning depends on later text.
   */
  #closeOpenMarks(
    visibleTokens: readonly PositionedToken[],
    settledEnd: number,
  ): readonly MarkedToken[] {
    const tokens = visibleTokens.map(({ token }) => token);
    const lastToken = visibleTokens.at(-1);
    if (!lastToken || lastToken.start < settledEnd) return tokens;
    const start = Math.max(0, lastToken.start);
    const source = this.#tail.slice(start);
    const visibleSource = cutAmbiguousEnd(source, lastToken.token.type, lastToken.start < 0);
    const shownTokens =
      visibleSource === source ? tokens : this.#lexVisibleSource(lastToken, visibleSource, tokens);
    // A block of another type would replace the element of the growing block, which contains settled parts.
    if (this.#growingBlock && shownTokens[0]?.type !== this.#growingBlock.type) return tokens;
    const lastShownToken = shownTokens.at(-1);
    // The cut removed whole lines, so all remaining list items or table rows are complete.
    const isComplete =
      visibleSource !== source &&
      visibleSource.endsWith('\n') &&
      lastToken.token.type !== 'paragraph';
    if (!lastShownToken || isComplete || visibleSource.trim() === '') return shownTokens;
    const closedToken = closeMarks(lastShownToken, visibleSource, (text) =>
      this.#lexer.lexInline(text),
    );
    return [...shownTokens.slice(0, -1), closedToken];
  }

  /**
   * Parses the unsettled text again, after replacing the source of its last block with `visibleSource`. Returns the
   * blocks to show.
   */
  #lexVisibleSource(
    { token, start }: PositionedToken,
    visibleSource: string,
    tokens: readonly MarkedToken[],
  ): readonly MarkedToken[] {
    if (visibleSource.trim() !== '' || (start < 0 && token.type !== 'list')) {
      const source = this.#tail.slice(0, Math.max(0, start)) + visibleSource;
      const items = this.#lexTail(source).filter(isVisible);
      if (start <= 0 || items.some((item) => item.start === start))
        return items.map((item) => item.token);
      // Without the held-back end, an unclosed formula before the block would contain the block, so parse the block alone.
      const endTokens = this.#lexer
        .lex(visibleSource)
        .filter(({ type }) => type !== 'space' && type !== 'def');
      return [...tokens.slice(0, -1), ...endTokens];
    }
    const isGrowingList = tokens.length === 1 && this.#growingBlock?.type === 'list';
    if (isGrowingList && token.type === 'list') return [{ ...token, items: [] }];
    return tokens.slice(0, -1);
  }

  #shouldParse(): boolean {
    const addedLength = this.#tail.length - this.#readLength;
    return this.#readLength < shortTailLength || addedLength >= this.#readLength * rereadRatio;
  }

  #lexTail(tail = this.#tail): PositionedToken[] {
    const prefix = this.#growingBlock?.prefix ?? '';
    const isParagraph = this.#growingBlock?.type === 'paragraph';
    return locateTokens(this.#lexer.lex(prefix + tail, isParagraph), -prefix.length);
  }

  #showTokens(tokens: readonly MarkedToken[]): void {
    const canReuse = !this.#isProvisional && !this.#lexer.hasUnsettledDefinitions;
    this.#isProvisional = this.#lexer.hasUnsettledDefinitions;
    const previousBlocks = this.#tailBlocks;
    const settledCount = this.#blocks.length - previousBlocks.length;
    let canUpdate = true;
    const levels = this.#levels.copy();
    this.#tailBlocks = tokens.map((token, index) => {
      const previousBlock = canUpdate ? previousBlocks[index] : undefined;
      if (previousBlock && this.#updateInPlace({ previousBlock, token, canReuse, levels }))
        return { token, element: previousBlock.element };
      const renderedElement = renderBlock(token)!;
      levels.setLevels(renderedElement);
      if (previousBlock && patchNode(previousBlock.element, renderedElement))
        return { token, element: previousBlock.element };
      // A new element removes the previous elements of all later blocks.
      canUpdate = false;
      this.#replaceBlock(settledCount + index, renderedElement);
      return { token, element: renderedElement };
    });
    this.#blocks.truncate(settledCount + tokens.length);
    for (const { element } of this.#tailBlocks) {
      const isGrowing = element === this.#growingBlock?.element;
      const changedElements = isGrowing ? this.#growingBlock?.takeRenderedElements() : undefined;
      for (const part of changedElements ?? [element]) this.#addFormulas(part);
    }
  }

  #addFormulas(element: Element): void {
    const formulas = element.matches('.formula')
      ? [element as HTMLElement]
      : [...element.querySelectorAll<HTMLElement>('.formula')];
    this.#idleRenderer.addFormulas(formulas);
    for (const formula of formulas)
      if (formula.matches('.display')) makeTabStopIfScrollable(formula, l10n.t('Formula'));
  }

  /** Updates the element of a block in place to show `token`. Returns false if the element must be replaced. */
  #updateInPlace({ previousBlock, token, canReuse, levels }: BlockUpdate): boolean {
    const { element } = previousBlock;
    // Equal tokens of a growing block can represent different rows, because earlier rows have settled.
    if (this.#growingBlock?.element === element && isGrowable(token)) {
      this.#growingBlock.update(token, levels);
      return true;
    }
    if (!canReuse || !isUnchangedToken(previousBlock.token, token)) return false;
    levels.setLevels(element);
    return true;
  }

  /** Replaces the blocks from `index` to the end with `element`. */
  #replaceBlock(index: number, element: HTMLElement): void {
    this.#blocks.truncate(index);
    this.#blocks.push(element);
  }

  /** Settles the blocks that start before the offset `end` in the unsettled text. Later text cannot change them. */
  #settleBlocks(tokens: readonly PositionedToken[], end: number): void {
    const settledTokens = tokens.filter((token) => token.start < end);
    this.#lexer.settleDefinitions(settledTokens.map(({ token }) => token));
    const visibleTokens = settledTokens.filter(isVisible);
    const blocks = this.#tailBlocks.splice(0, visibleTokens.length);
    for (const [index, { token, element }] of blocks.entries()) {
      const growingBlock = this.#growingBlock;
      const blockSource = growingBlock
        ? growingBlock.source + token.raw.slice(growingBlock.prefix.length)
        : token.raw;
      const hasSuccessor = (visibleTokens[index]?.end ?? 0) < this.#tail.length;
      // Blank lines after the block prevent an unclosed formula from changing how the block is parsed again.
      const source = hasSuccessor && isTextBlock(token) ? `${blockSource}\n\n` : blockSource;
      const definitionsState = growingBlock
        ? growingBlock.recordDefinitionsState(this.#references.definitionsState)
        : this.#references.definitionsState;
      this.#references.recordBlock(element, source, definitionsState);
      this.#levels.setLevels(element);
      this.#idleRenderer.addCodeBlocks(element);
      this.#growingBlock = undefined;
    }
    this.#tail = this.#tail.slice(Math.max(end, 0));
  }

  #openFence({ token }: PositionedToken): boolean {
    const openingLine = token.raw.slice(0, token.raw.indexOf('\n'));
    this.#fenceReader = new FenceReader(openingLine);
    this.#blocks.push(this.#fenceReader.element);
    this.#tail = this.#tail.slice(this.#tail.indexOf('\n') + 1);
    return true;
  }

  /**
   * Settles the parts of the growing block that can no longer change. Returns true if the remaining text of the block
   * must be parsed again.
   */
  #settleParts(token?: MarkedToken): boolean {
    const [lastBlock] = this.#tailBlocks;
    const renderedToken = lastBlock?.token;
    if (!renderedToken || !token || !isGrowable(token) || !isGrowable(renderedToken)) return false;
    if (renderedToken.type !== token.type) return false;
    const growingBlock =
      this.#growingBlock ??
      new GrowingBlock(token, lastBlock.element, {
        levels: this.#levels,
        selection: this.#selection,
      });
    const settledEnd = growingBlock.settleGrownParts(token, renderedToken, this.#tail, this.#lexer);
    if (settledEnd === 0) return false;
    growingBlock.recordDefinitionsState(this.#references.definitionsState);
    this.#growingBlock = growingBlock;
    this.#tail = this.#tail.slice(settledEnd);
    // Settling the text of a paragraph removes the rest of its text until the next parse.
    return growingBlock.type === 'paragraph';
  }
}

const isTextBlock = ({ type }: MarkedToken): boolean => type === 'paragraph' || type === 'heading';

/**
 * Checks whether a block has the same source as before, and therefore needs no update. For a paragraph, also compares
 * the text, which can depend on the text that follows the paragraph.
 */
function isUnchangedToken(previousToken: MarkedToken, nextToken: MarkedToken): boolean {
  if (previousToken.type !== nextToken.type || previousToken.raw !== nextToken.raw) return false;
  return (
    previousToken.type !== 'paragraph' ||
    previousToken.text === (nextToken as Tokens.Paragraph).text
  );
}

export function runWhenIdle(run: () => void): void {
  requestIdleCallback(run);
}
