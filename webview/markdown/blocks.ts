import * as l10n from '@vscode/l10n';
import type { MarkedToken, Token, Tokens } from 'marked';
import {
  CodeBlock,
  makeTabStopIfScrollable,
  renderFence,
  tabStopAttributes,
} from './code-block.ts';
import { appendInlineTokens } from './inline.ts';

/** Renders a top-level block. Returns undefined for a token without visible content. */
export function renderBlock(token: MarkedToken): HTMLElement | undefined {
  return isFence(token) ? renderFence(token.raw) : renderNestedBlock(token);
}

export function isFence(token: MarkedToken): token is Tokens.Code {
  return token.type === 'code' && token.codeBlockStyle !== 'indented';
}

/** Types of blocks that can grow while their HTML element stays the same. */
export type GrowableToken = Tokens.Paragraph | Tokens.List | Tokens.Table;

/**
 * Renders the parts of a block that can grow: the items of a list, the rows of a table, or the inline nodes of a
 * paragraph.
 */
export function renderParts(token: GrowableToken): Node[] {
  switch (token.type) {
    case 'list':
      return token.items.map(renderItem);
    case 'table':
      return token.rows.map(renderRow);
    case 'paragraph': {
      const fragment = document.createDocumentFragment();
      appendInlineTokens(fragment, token.tokens);
      return [...fragment.childNodes];
    }
  }
}

/** Returns the element that contains the rendered items, rows or inline nodes: the `table` element, or `block`. */
export function findPartsElement(token: GrowableToken, block: HTMLElement): Element {
  return token.type === 'table' ? block.querySelector('table')! : block;
}

function renderNestedBlock(token: MarkedToken): HTMLElement | undefined {
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return createInlineElement('p', token.tokens ?? [token]);
    case 'heading':
      return renderHeading(token);
    case 'code':
      return renderCode(token);
    case 'blockquote':
      return createBlockElement('blockquote', token.tokens);
    case 'list':
      return renderList(token);
    case 'table':
      return renderTable(token);
    case 'hr':
      return document.createElement('hr');
    default:
      return undefined;
  }
}

/**
 * Renders a heading. A heading of the first level becomes a second-level heading, because the page itself contains the
 * first-level heading.
 */
function renderHeading({ depth, tokens }: Tokens.Heading): HTMLElement {
  const element = createInlineElement(`h${Math.max(2, depth)}`, tokens);
  if (depth === 1) element.className = 'title';
  return element;
}

/**
 * Computes the levels of the headings in a text. If a heading skips a level, such as `###` after `#`, its `aria-level`
 * is one deeper than the level of its parent heading. Levels must be assigned in document order.
 */
export class HeadingLevels {
  /** Depths of the most recent heading and its parent headings, in increasing order. */
  #depths: readonly number[] = [];

  copy(): HeadingLevels {
    const copy = new HeadingLevels();
    copy.continueFrom(this);
    return copy;
  }

  continueFrom(levels: HeadingLevels): void {
    this.#depths = levels.#depths;
  }

  /** Sets the levels of the headings in `node`, or of `node` itself. */
  setLevels(node: Node): void {
    if (node instanceof HTMLHeadingElement) this.#assignLevel(node);
    else if (node instanceof HTMLElement && mayContainHeadings(node)) this.setLevelsInside(node);
  }

  setLevelsInside(element: Element): void {
    for (const heading of element.querySelectorAll<HTMLHeadingElement>('h2, h3, h4, h5, h6'))
      this.#assignLevel(heading);
  }

  #assignLevel(heading: HTMLHeadingElement): void {
    const ownLevel = Number(heading.localName[1]);
    const depth = heading.classList.contains('title') ? 1 : ownLevel;
    this.#depths = [...this.#depths.filter((outerDepth) => outerDepth < depth), depth];
    const level = Math.min(6, 1 + this.#depths.length);
    if (level === ownLevel) heading.removeAttribute('aria-level');
    else heading.setAttribute('aria-level', String(level));
  }
}

const mayContainHeadings = ({ localName }: Element): boolean =>
  localName === 'ul' || localName === 'ol' || localName === 'li' || localName === 'blockquote';

function createInlineElement(name: string, tokens: readonly Token[]): HTMLElement {
  const element = document.createElement(name);
  appendInlineTokens(element, tokens);
  return element;
}

function createBlockElement(name: string, tokens: readonly Token[]): HTMLElement {
  const element = document.createElement(name);
  for (const token of tokens) {
    const child = renderNestedBlock(token as MarkedToken);
    if (child) element.append(child);
  }
  return element;
}

function renderCode(token: Tokens.Code): HTMLElement {
  const block = new CodeBlock(token.lang ?? '');
  if (token.text) block.append(`${token.text.replace(/\n$/, '')}\n`);
  block.addButtons(isClosedCode(token));
  return block.element;
}

/** Checks whether a nested code block is complete: it is indented code, or ends with its closing fence. */
function isClosedCode({ raw }: Tokens.Code): boolean {
  const fenceMarks = /^[\t ]*(?<marks>`{3,}|~{3,})/u.exec(raw)?.groups?.['marks'];
  const trimmedText = raw.trimEnd();
  const lastLine = trimmedText.slice(trimmedText.lastIndexOf('\n') + 1).trimStart();
  const isFence = trimmedText.includes('\n') && new Set(lastLine).size === 1;
  return fenceMarks === undefined || (isFence && lastLine.startsWith(fenceMarks));
}

function renderList(token: Tokens.List): HTMLElement {
  const element = document.createElement(token.ordered ? 'ol' : 'ul');
  if (token.ordered && token.start !== 1) element.setAttribute('start', String(token.start));
  if (token.loose) element.className = 'loose';
  patchParts(element, 0, renderParts(token));
  return element;
}

function renderItem(item: Tokens.ListItem): HTMLElement {
  const element = createBlockElement('li', item.tokens);
  if (item.task) {
    element.className = 'task';
    element.prepend(createCheckbox(item.checked === true));
  }
  return element;
}

function createCheckbox(isChecked: boolean): HTMLElement {
  const checkbox = document.createElement('input');
  checkbox.type = 'checkbox';
  checkbox.disabled = true;
  checkbox.toggleAttribute('checked', isChecked);
  checkbox.setAttribute('aria-label', isChecked ? l10n.t('Done') : l10n.t('To do'));
  return checkbox;
}

function renderTable(token: Tokens.Table): HTMLElement {
  const scroller = document.createElement('div');
  scroller.className = 'table-scroll';
  makeTabStopIfScrollable(scroller, l10n.t('Table'));
  const table = scroller.appendChild(document.createElement('table'));
  table
    .createTHead()
    .insertRow()
    .append(...token.header.map((cell) => renderCell(cell, 'th')));
  patchParts(table, 0, renderParts(token));
  return scroller;
}

/** Number of list items or table rows per group. The browser skips the layout of groups outside of the visible area. */
const itemsPerGroup = 64;

/**
 * Updates the items of a list or the rows of a table from index `startIndex` to match `parts`. A table of several
 * groups gets fixed column widths, so that a new row does not change the layout of the other rows.
 */
export function patchParts(parent: Element, startIndex: number, parts: readonly Node[]): void {
  if (parent instanceof HTMLOListElement) numberGroups(parent, startIndex, parts);
  let groupIndex = Math.floor(startIndex / itemsPerGroup);
  let start = startIndex % itemsPerGroup;
  let index = 0;
  do {
    const nextParts = parts.slice(index, index + itemsPerGroup - start);
    // Add a group only for remaining parts, so that a full last group has no empty successor.
    if (nextParts.length > 0 || start > 0 || groupIndex === 0)
      patchChildren(getGroup(parent, groupIndex) ?? createGroup(parent), start, nextParts);
    else groupIndex -= 1;
    index += nextParts.length;
    groupIndex += 1;
    start = 0;
  } while (index < parts.length);
  while (getGroup(parent, groupIndex)) getGroup(parent, groupIndex)?.remove();
  const isLong = getGroup(parent, 1) !== undefined;
  if (!(parent instanceof HTMLTableElement)) markLongList(parent, isLong);
  else if (isLong && !parent.classList.contains('long')) setColumnWidths(parent);
  else if (!isLong && parent.classList.contains('long')) removeColumnWidths(parent);
}

/**
 * Returns a group by its index. The groups of a table are its `tbody` elements. The first group of a list is the list
 * itself, so that the items of a growing list never move to another parent.
 */
function getGroup(parent: Element, index: number): Element | undefined {
  if (parent instanceof HTMLTableElement) return parent.children[index + 1];
  return index === 0 ? parent : parent.children[itemsPerGroup + index - 1];
}

function createGroup(parent: Element): Element {
  if (parent instanceof HTMLTableElement) return parent.createTBody();
  const group = document.createElement('div');
  group.className = 'item-group';
  group.role = 'none';
  return parent.appendChild(group);
}

/**
 * Returns the index of the child of `parent` that is, or contains, the list item or table row `partIndex`.
 */
export function getChildIndex(parent: Element, partIndex: number): number {
  const group = Math.floor(partIndex / itemsPerGroup);
  if (parent instanceof HTMLTableElement) return group + 1;
  return group === 0 ? partIndex : itemsPerGroup + group - 1;
}

/** Returns a list item by its index. */
export function getItem(list: Element, index: number): Element | undefined {
  const child = list.children[getChildIndex(list, index)];
  return index < itemsPerGroup ? child : child?.children[index % itemsPerGroup];
}

/**
 * Sets the number of the first item in each group, because the browser does not count the items of a group while it
 * skips the layout of the group.
 */
function numberGroups(list: HTMLOListElement, startIndex: number, items: readonly Node[]): void {
  for (const [offset, item] of items.entries()) {
    const index = startIndex + offset;
    if (index > 0 && index % itemsPerGroup === 0 && item instanceof HTMLLIElement)
      item.value = list.start + index;
  }
}

/**
 * Sets the ARIA role `list` explicitly on a long list, and removes it from other lists. A long list has group elements
 * between the list and its items, so browsers may not expose it as a list otherwise.
 */
function markLongList(list: Element, isLong: boolean): void {
  if (list.hasAttribute('role') === isLong) return;
  if (isLong) list.setAttribute('role', 'list');
  else list.removeAttribute('role');
}

const minColumnLength = 4;
const maxColumnLength = 40;

/** Sets fixed column widths for a long table, based on the text of its first rows. */
function setColumnWidths(table: HTMLTableElement): void {
  const [head, body] = table.children;
  const rows = [...(head?.children ?? []), ...(body?.children ?? [])];
  const count = rows[0]?.children.length ?? 0;
  const columns = Array.from({ length: count }, (_, index) =>
    measureColumnLimits(rows.map(({ children }) => children[index]?.textContent ?? '')),
  );
  const tracks = columns.map(
    ({ min, max }) => `minmax(calc(${min}ch + 17px), calc(${max}ch + 17px))`,
  );
  const minLength = columns.reduce((sum, { min }) => sum + min, 0);
  table.classList.add('long');
  table.style.setProperty('--columns', tracks.join(' '));
  table.style.setProperty('--min-width', `calc(${minLength}ch + ${count * 17}px)`);
}

function removeColumnWidths(table: HTMLTableElement): void {
  table.removeAttribute('class');
  table.removeAttribute('style');
}

/** Returns the lengths of the longest word and of the longest cell, in characters. */
function measureColumnLimits(texts: readonly string[]): {
  readonly min: number;
  readonly max: number;
} {
  const computeMaxLength = (lengths: readonly number[]): number =>
    Math.min(
      maxColumnLength,
      lengths.reduce((a, b) => Math.max(a, b), minColumnLength),
    );
  return {
    min: computeMaxLength(texts.flatMap((text) => text.split(/\s+/u).map((word) => word.length))),
    // Later rows can contain somewhat longer text.
    max: computeMaxLength(texts.map((text) => Math.ceil(text.length * 1.2) + 1)),
  };
}

/** Renders a table row. The Markdown parser adds empty cells to short rows; one spanning cell replaces these cells. */
function renderRow(cells: readonly Tokens.TableCell[]): HTMLElement {
  const row = document.createElement('tr');
  const filledCellCount = cells.findLastIndex(({ text }) => text !== '') + 1;
  row.append(...cells.slice(0, filledCellCount).map((cell) => renderCell(cell, 'td')));
  if (filledCellCount < cells.length) row.insertCell().colSpan = cells.length - filledCellCount;
  return row;
}

function renderCell({ tokens, align }: Tokens.TableCell, name: 'td' | 'th'): HTMLElement {
  const cell = createInlineElement(name, tokens);
  if (align) cell.className = `align-${align}`;
  return cell;
}

/** Number of blocks per group. The browser skips the layout of groups outside of the visible area. */
const blocksPerGroup = 64;

/** The rendered blocks of one text, in groups. */
export class BlockList {
  readonly #container: HTMLElement;
  #length = 0;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  get length(): number {
    return this.#length;
  }

  push(element: HTMLElement): void {
    if (this.#length % blocksPerGroup === 0) {
      const group = document.createElement('div');
      group.className = 'block-group';
      this.#container.append(group);
    }
    this.#container.lastElementChild!.append(element);
    this.#length += 1;
  }

  /** Removes all blocks from index `length` to the end. */
  truncate(length: number): void {
    for (; this.#length > length; this.#length -= 1) {
      const group = this.#container.lastElementChild!;
      group.lastElementChild!.remove();
      if (!group.hasChildNodes()) group.remove();
    }
  }
}

/**
 * Updates the children of `parent` from index `startIndex` to match `nextNodes`. Does not touch the leading nodes that
 * are equal. If a block only grows at its end, its earlier content therefore keeps the focus, the selection and its
 * buttons.
 * @param selection selection of the document; set only if `parent` is a long paragraph or inside one
 */
export function patchChildren(
  parent: Node,
  startIndex: number,
  nextNodes: readonly Node[],
  selection?: SelectionWatch,
): void {
  let oldNode: Node | null = parent.childNodes[startIndex] ?? null;
  let index = 0;
  for (; oldNode && index < nextNodes.length; index += 1) {
    const target = nextNodes[index]!;
    const nextSibling: Node | null = oldNode.nextSibling;
    if (!oldNode.isEqualNode(target)) {
      if (patchNode(oldNode, target, selection)) {
        oldNode = nextSibling;
        index += 1;
      }
      break;
    }
    oldNode = nextSibling;
  }
  removeNodesFrom(oldNode);
  for (; index < nextNodes.length; index += 1) parent.appendChild(nextNodes[index]!);
}

/**
 * Updates `oldNode` to match `nextNode`. Returns false and changes nothing if the nodes differ in type or attributes.
 */
export function patchNode(oldNode: Node, nextNode: Node, selection?: SelectionWatch): boolean {
  if (oldNode instanceof Text && nextNode instanceof Text) {
    // The browser processes the whole paragraph at each change of a text node, and only once for new nodes.
    if (selection && !selection.isBoundary(oldNode)) oldNode.replaceWith(nextNode);
    else if (nextNode.data.startsWith(oldNode.data))
      oldNode.appendData(nextNode.data.slice(oldNode.data.length));
    else oldNode.data = nextNode.data;
    return true;
  }
  if (oldNode.nodeName !== nextNode.nodeName) return false;
  if (!cloneWithoutChildren(oldNode).isEqualNode(cloneWithoutChildren(nextNode))) return false;
  patchChildren(oldNode, 0, [...nextNode.childNodes], selection);
  return true;
}

/**
 * Tracks the nodes in which the document's selection starts and ends. Adds its event listener at the first check, and
 * removes it when disposed.
 */
export class SelectionWatch {
  #boundaryNodes: readonly unknown[] | undefined;

  /**
   * Checks whether the selection starts or ends in `node`. Reads the selection only after it changed, because each read
   * makes the browser update the layout.
   */
  isBoundary(node: Node): boolean {
    if (!this.#boundaryNodes) document.addEventListener('selectionchange', this.#readSelection);
    return (this.#boundaryNodes ?? this.#readSelection()).includes(node);
  }

  dispose(): void {
    document.removeEventListener('selectionchange', this.#readSelection);
    this.#boundaryNodes = undefined;
  }

  readonly #readSelection = (): readonly unknown[] => {
    const selection = getSelection();
    this.#boundaryNodes = [selection?.anchorNode, selection?.focusNode];
    return this.#boundaryNodes;
  };
}

/**
 * Clones a node without its children and without the attributes in {@link tabStopAttributes}, which an element has only
 * while its content can be scrolled.
 */
function cloneWithoutChildren(node: Node): Node {
  const clone = node.cloneNode(false);
  if (clone instanceof Element) for (const name of tabStopAttributes) clone.removeAttribute(name);
  return clone;
}

function removeNodesFrom(node: Node | null): void {
  while (node) {
    const nextNode = node.nextSibling;
    node.parentNode?.removeChild(node);
    node = nextNode;
  }
}
