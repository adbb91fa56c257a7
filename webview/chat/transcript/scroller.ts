import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import type { ScrollPosition } from '../saved-state.ts';
import { initialShownLength } from './text-fold.ts';
import type { MessageLayout } from './turn-layout.ts';

const endTolerancePx = 24;

/** Keeps a growing transcript scrolled to its end until the user scrolls up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #isFollowing = true;
  /**
   * Scroll position that is restored whenever the content changes its height. Undefined while no position must be
   * restored.
   */
  #pinnedPosition: ScrollPosition | undefined;
  #lastScrollTop = 0;

  /** @param onChange called after each scroll event and each change of {@link isFollowing} */
  constructor(element: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    element.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart']) {
      document.addEventListener(type, () => this.#unpinPosition(), {
        capture: true,
        passive: true,
      });
    }
    const observer = new ResizeObserver(() => this.restorePosition());
    observer.observe(element);
    observer.observe(content);
  }

  /** True while the view scrolls to the end whenever the content grows. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Scrolls to the end or to the pinned position after the content changed. */
  restorePosition(): void {
    if (this.#isFollowing) this.#element.scrollTop = this.#element.scrollHeight;
    else if (this.#pinnedPosition !== undefined) this.#applyPosition(this.#pinnedPosition);
  }

  scrollToEnd(): void {
    this.#unpinPosition();
    this.#isFollowing = true;
    this.restorePosition();
    this.#onChange();
  }

  /** Returns the scroll position, or `undefined` if the view is at the end. */
  getPosition(): ScrollPosition | undefined {
    if (this.#isFollowing) return undefined;
    const { top } = this.#element.getBoundingClientRect();
    for (const article of this.#element.querySelectorAll<HTMLElement>('article')) {
      const bounds = article.getBoundingClientRect();
      if (bounds.bottom > top)
        return { messageId: article.id, offset: Math.round(top - bounds.top) };
    }
    return undefined;
  }

  scrollTo(position: ScrollPosition | undefined): void {
    if (position === undefined || this.#findArticle(position) === null) return this.scrollToEnd();
    this.#isFollowing = false;
    this.#pinnedPosition = position;
    this.restorePosition();
    this.#onChange();
  }

  #findArticle({ messageId }: ScrollPosition): Element | null {
    return this.#element.querySelector(`#${CSS.escape(messageId)}`);
  }

  #applyPosition(position: ScrollPosition): void {
    this.#findArticle(position)?.scrollIntoView({ block: 'start' });
    this.#element.scrollTop += position.offset;
  }

  #unpinPosition(): void {
    this.#pinnedPosition = undefined;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < endTolerancePx;
    // Content growth also increases the distance to the end, so only scrolling up counts as a user action.
    if (this.#pinnedPosition === undefined)
      this.#isFollowing = isAtEnd || (this.#isFollowing && scrollTop >= this.#lastScrollTop);
    this.#lastScrollTop = scrollTop;
    this.#onChange();
  }
}

/**
 * Number of messages per group. The browser skips the layout of distant groups, so the time for a change hardly depends
 * on the number of messages.
 */
const messagesPerGroup = 16;

/** Message with its element. The element has an estimated height until the browser has rendered it. */
export interface GroupedMessage {
  readonly element: HTMLElement;
  readonly message: MessageView;
  readonly layout: MessageLayout;
}

/**
 * Messages of a transcript in groups. Estimates heights, so that the scroll bar is correct before all messages are
 * rendered.
 */
export class MessageGroups {
  readonly #container: HTMLElement;
  readonly #items = new WeakMap<Element, GroupedMessage>();
  readonly #heights = new WeakMap<Element, number>();
  #metrics: TextMetrics | undefined;
  #idleCallbackId = 0;

  constructor(container: HTMLElement) {
    this.#container = container;
    window.addEventListener('resize', () => {
      cancelIdleCallback(this.#idleCallbackId);
      this.#idleCallbackId = requestIdleCallback(() => this.#onResize());
    });
  }

  addMessage(message: GroupedMessage): void {
    let group = this.#container.lastElementChild;
    if (!group || group.childElementCount >= messagesPerGroup) {
      group = this.#container.appendChild(document.createElement('div'));
      group.className = 'message-group';
    }
    group.append(message.element);
    this.#items.set(message.element, message);
    this.updateHeightEstimate(message);
  }

  /** Removes empty groups at the end of the transcript. */
  removeEmptyGroups(): void {
    for (;;) {
      const group = this.#container.lastElementChild;
      if (!group || group.hasChildNodes()) return;
      group.remove();
    }
  }

  /** Estimates the height of a message after a change. */
  updateHeightEstimate({ element, message, layout }: GroupedMessage): void {
    const group = element.parentElement;
    this.#metrics ??= readMetrics(this.#container);
    const height = Math.round(estimateHeight(message, layout, this.#metrics));
    if (this.#heights.get(element) === height || !group) return;
    this.#heights.set(element, height);
    setIntrinsicHeight(element, height);
    const heights = [...group.children].map((child) => this.#heights.get(child) ?? 0);
    setIntrinsicHeight(
      group,
      heights.reduce((sum, itemHeight) => sum + itemHeight, 0),
    );
  }

  #onResize(): void {
    if (this.#metrics?.width === readWidth(this.#container)) return;
    this.#metrics = undefined;
    for (const element of this.#container.querySelectorAll('article')) {
      const item = this.#items.get(element);
      if (item) this.updateHeightEstimate(item);
    }
  }
}

/**
 * Sets the estimated height of an element that is not rendered yet. For a rendered element, the browser uses the
 * measured height instead.
 */
function setIntrinsicHeight({ style }: HTMLElement, height: number): void {
  style.setProperty('contain-intrinsic-height', `auto ${height}px`);
}

/** Sizes in pixels that determine the height of a text. */
export interface TextMetrics {
  readonly width: number;
  readonly fontSize: number;
  readonly charWidth: number;
  /** Width of a character of an East Asian script, as a multiple of `charWidth`. */
  readonly wideCharRatio: number;
  readonly codeFontSize: number;
  readonly wrapsCode: boolean;
}

const sampleText = 'A function returns the value that the caller of this module needs. ';
const wideSampleText = '这个函数返回';

function readMetrics(container: HTMLElement): TextMetrics {
  const style = getComputedStyle(container);
  const fontSize = Number.parseFloat(style.fontSize) || 13;
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = `${style.fontSize} ${style.fontFamily}`;
  const measureCharWidth = (text: string): number =>
    (context?.measureText(text).width ?? 0) / text.length;
  const charWidth = measureCharWidth(sampleText) || fontSize / 2;
  return {
    width: readWidth(container),
    fontSize,
    charWidth,
    wideCharRatio: measureCharWidth(wideSampleText) / charWidth || 2,
    codeFontSize:
      Number.parseFloat(style.getPropertyValue('--vscode-editor-font-size')) || 0.92 * fontSize,
    wrapsCode: container.closest('.wrap-code') !== null,
  };
}

/** Returns the width of the messages in pixels, without the margins beside them. */
const readWidth = ({ clientWidth }: HTMLElement): number =>
  Math.max(100, (clientWidth || 424) - 24);

/** Height in pixels of a tool row, a footer or another line with buttons. */
const rowHeight = 24;
/** Height in pixels of a message about a failure. */
const failureHeight = 100;

/** Estimates the height of a message, in pixels. */
export function estimateHeight(
  { role, text, reasoning, failure, attachments }: MessageView,
  { isHidden, rows, isContinued, changes, sources }: MessageLayout,
  metrics: TextMetrics,
): number {
  if (isHidden) return 0;
  if (role === 'user') {
    const lineLengths = text.split('\n').map((line) => measureTextLength(line, metrics));
    const lineCount = countWrappedLines(lineLengths, metrics.width - 26, metrics);
    return 1.5 * metrics.fontSize * lineCount + 34 + (attachments.length > 0 ? rowHeight + 4 : 0);
  }
  const lineCount =
    rows.length +
    (reasoning === '' ? 0 : 1) +
    (isContinued ? 0 : 1) +
    (changes ? 1 + Math.min(10, changes.files.length) : 0) +
    (sources.length > 0 ? 1 : 0);
  return (
    lineCount * rowHeight +
    (failure ? failureHeight : 0) +
    (text === '' ? 0 : estimateTextHeight(text, metrics))
  );
}

/**
 * Number of characters at the start of a long text that are measured. The height of the whole text is extrapolated from
 * the height of this part.
 */
const sampleLength = 50_000;
const blockGapPx = 8;
const scrollBarHeight = 10;
const headingSizes: Readonly<Record<number, number>> = { 1: 1.4, 2: 1.2, 3: 1.08 };

/** Paragraph, list item or quote that can continue on the next line, with its length in characters. */
interface OpenBlock {
  length: number;
  readonly indent: number;
  readonly gap: number;
}

/** Estimates the height of a Markdown text from the lengths and types of its lines, in pixels. */
function estimateTextHeight(text: string, metrics: TextMetrics): number {
  const { width, fontSize, codeFontSize, wrapsCode } = metrics;
  const lineHeight = 1.5 * fontSize;
  const codeWidth = wrapsCode ? width - 18 : Infinity;
  const codeMetrics = { ...metrics, charWidth: 0.6 * codeFontSize };
  let height = 0;
  let openBlock: OpenBlock | undefined;
  let openFenceMarks = '';
  let codeLength = 0;
  const tableLines: string[] = [];
  const close = (): void => {
    if (tableLines.length > 0) height += estimateTableHeight(tableLines.splice(0), metrics);
    if (openBlock)
      height +=
        lineHeight * countWrappedLines([openBlock.length], width - openBlock.indent, metrics) +
        openBlock.gap;
    openBlock = undefined;
  };
  for (const line of text.slice(0, sampleLength).split('\n')) {
    const [, indentText = '', marker = ''] = linePattern.exec(line) ?? [];
    if (openFenceMarks !== '') {
      codeLength = Math.max(codeLength, line.length);
      if (line.trim().startsWith(openFenceMarks)) {
        openFenceMarks = '';
        const hasScrollBar = !wrapsCode && codeLength * codeMetrics.charWidth > width - 18;
        height += hasScrollBar ? scrollBarHeight : 0;
      } else
        height += 1.45 * codeFontSize * countWrappedLines([line.length], codeWidth, codeMetrics);
    } else if (/^(?:```|~~~)/u.test(marker)) {
      close();
      openFenceMarks = marker;
      codeLength = 0;
      height += 24 + 14 + blockGapPx;
    } else if (line.trim() === '') {
      if (openBlock && openBlock.indent > 0) height += 4;
      close();
    } else if (marker.startsWith('#')) {
      close();
      const size = (headingSizes[marker.length] ?? 1) * fontSize;
      const lineCount = countWrappedLines(
        [(measureTextLength(line, metrics) * size) / fontSize],
        width,
        metrics,
      );
      height += 1.3 * size * lineCount + 16;
    } else if (marker === '|') {
      if (openBlock) close();
      tableLines.push(line);
    } else if (marker !== '') {
      close();
      const indent = 24 * (1 + Math.floor(indentText.length / 2));
      openBlock = {
        length: measureTextLength(line.slice(indentText.length + marker.length), metrics),
        indent,
        gap: 4,
      };
    } else if (openBlock) openBlock.length += measureTextLength(line, metrics) + 1;
    else openBlock = { length: measureTextLength(line, metrics), indent: 0, gap: blockGapPx };
  }
  close();
  return (height * Math.min(text.length, initialShownLength)) / Math.min(text.length, sampleLength);
}

/** Matches Markdown syntax at the start of a line: the marker of a fence, heading, list item, quote or table row. */
const linePattern = /^(\s*)(`{3,}|~{3,}|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|>|\|)/u;

/** Horizontal padding and border of a table cell, in pixels. */
const cellPaddingPx = 17;
/**
 * Minimum text length, in characters, that the computation of column widths assumes for a cell. The maximum is {@link
 * maxCellLength}.
 */
const minCellLength = 8;
const maxCellLength = 40;

/**
 * Estimates the height of a table from the lengths of its cells, in pixels. Columns with longer texts get a greater
 * part of the table's width.
 */
function estimateTableHeight(rows: readonly string[], metrics: TextMetrics): number {
  const { width, fontSize, charWidth } = metrics;
  const cellLengths = rows
    .filter((row) => !/^[\s|:-]+$/u.test(row))
    .map((row) =>
      row
        .trim()
        .replaceAll(/^\||\|$/gu, '')
        .split('|')
        .map((cell) => measureTextLength(cell.trim(), metrics)),
    );
  const columnCount = cellLengths.reduce((count, { length }) => Math.max(count, length), 0);
  const columnLengths = Array.from({ length: columnCount }, (_, index) =>
    Math.min(
      maxCellLength,
      cellLengths.reduce((max, row) => Math.max(max, row[index] ?? 0), minCellLength),
    ),
  );
  const availableLength = Math.max(
    columnCount * minCellLength,
    width / charWidth - (columnCount * cellPaddingPx) / charWidth,
  );
  const totalLength = columnLengths.reduce((sum, length) => sum + length, 0);
  const shrinkRatio =
    Math.max(0, totalLength - availableLength) /
    Math.max(1, totalLength - columnCount * minCellLength);
  const lineLengths = columnLengths.map(
    (length) => length - (length - minCellLength) * shrinkRatio,
  );
  const rowHeights = cellLengths.map((row) => {
    const lineCounts = row.map((length, index) =>
      countWrappedLines([length], (lineLengths[index] ?? maxCellLength) * charWidth, metrics),
    );
    return 1.5 * fontSize * lineCounts.reduce((max, count) => Math.max(max, count), 1) + 9;
  });
  return rowHeights.reduce((sum, height) => sum + height, blockGapPx);
}

/**
 * Returns the number of lines that wrapped texts of the given lengths need in total, at a width in pixels. Assumes that
 * an average of 2.5 characters at the end of each wrapped line stay empty.
 */
function countWrappedLines(
  lengths: readonly number[],
  width: number,
  { charWidth }: TextMetrics,
): number {
  const lineLength = Math.max(8, width / charWidth);
  return lengths.reduce(
    (sum, length) =>
      sum + (length <= lineLength ? 1 : Math.ceil(length / Math.max(6, lineLength - 2.5))),
    0,
  );
}

/** Returns the length of a line without Markdown syntax, in characters of average width. */
function measureTextLength(line: string, { wideCharRatio }: TextMetrics): number {
  const text = line.replaceAll(/\]\([^)]*\)|[*_`~[\]|]/gu, '');
  const wideCharCount = text.match(/[\u2E80-\uFFDC]/gu)?.length ?? 0;
  return text.length + wideCharCount * (wideCharRatio - 1);
}
