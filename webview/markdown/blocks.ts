import * as l10n from '@vscode/l10n';
import type { MarkedToken, Token, Tokens } from 'marked';
import { CodeBlock, renderFence } from './code-block.ts';
import { appendInline } from './inline.ts';

/** Renders a top-level block. Returns undefined for tokens without visible content. */
export function renderBlock(token: MarkedToken): HTMLElement | undefined {
  return isFence(token) ? renderFence(token.raw) : renderNested(token);
}

export function isFence(token: MarkedToken): token is Tokens.Code {
  return token.type === 'code' && token.codeBlockStyle !== 'indented';
}

/** Blocks that can grow within the same element. */
export type GrowableToken = Tokens.Paragraph | Tokens.List | Tokens.Table;

/** Renders the parts by which a block grows: items, rows or inline nodes. */
export function renderParts(token: GrowableToken): Node[] {
  switch (token.type) {
    case 'list':
      return token.items.map(renderItem);
    case 'table':
      return token.rows.map(renderRow);
    case 'paragraph': {
      const fragment = document.createDocumentFragment();
      appendInline(fragment, token.tokens);
      return [...fragment.childNodes];
    }
  }
}

/** Returns the element inside `block` that contains its parts. */
export function findPartsElement(token: GrowableToken, block: HTMLElement): Element {
  return token.type === 'table' ? block.querySelector('tbody')! : block;
}

function renderNested(token: MarkedToken): HTMLElement | undefined {
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return withInline('p', token.tokens ?? [token]);
    case 'heading':
      return withInline(`h${token.depth}`, token.tokens);
    case 'code':
      return renderCode(token);
    case 'blockquote':
      return withBlocks('blockquote', token.tokens);
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

function withInline(name: string, tokens: readonly Token[]): HTMLElement {
  const element = document.createElement(name);
  appendInline(element, tokens);
  return element;
}

function withBlocks(name: string, tokens: readonly Token[]): HTMLElement {
  const element = document.createElement(name);
  for (const token of tokens) {
    const child = renderNested(token as MarkedToken);
    if (child) element.append(child);
  }
  return element;
}

function renderCode(token: Tokens.Code): HTMLElement {
  const block = new CodeBlock(token.lang ?? '');
  if (token.text) block.append(`${token.text.replace(/\n$/, '')}\n`);
  return block.element;
}

function renderList(token: Tokens.List): HTMLElement {
  const element = document.createElement(token.ordered ? 'ol' : 'ul');
  if (token.ordered && token.start !== 1) element.setAttribute('start', String(token.start));
  if (token.loose) element.className = 'loose';
  element.append(...renderParts(token));
  return element;
}

function renderItem(item: Tokens.ListItem): HTMLElement {
  const element = withBlocks('li', item.tokens);
  if (item.task) {
    element.className = 'task';
    element.prepend(checkbox(item.checked === true));
  }
  return element;
}

function checkbox(checked: boolean): HTMLElement {
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.disabled = true;
  box.toggleAttribute('checked', checked);
  box.setAttribute('aria-label', checked ? l10n.t('Done') : l10n.t('To do'));
  return box;
}

function renderTable(token: Tokens.Table): HTMLElement {
  const scroll = document.createElement('div');
  scroll.className = 'table-scroll';
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', l10n.t('Table'));
  const table = scroll.appendChild(document.createElement('table'));
  table
    .createTHead()
    .insertRow()
    .append(...token.header.map((cell) => renderCell(cell, 'th')));
  table.createTBody().append(...renderParts(token));
  return scroll;
}

/** Renders a row. The parser pads short rows, so missing cells become one spanning cell. */
function renderRow(cells: readonly Tokens.TableCell[]): HTMLElement {
  const row = document.createElement('tr');
  const filledCells = cells.findLastIndex(({ text }) => text !== '') + 1;
  row.append(...cells.slice(0, filledCells).map((cell) => renderCell(cell, 'td')));
  if (filledCells < cells.length) row.insertCell().colSpan = cells.length - filledCells;
  return row;
}

function renderCell({ tokens, align }: Tokens.TableCell, name: 'td' | 'th'): HTMLElement {
  const cell = withInline(name, tokens);
  if (align) cell.className = `align-${align}`;
  return cell;
}

/** Blocks per group. An invisible group needs no layout. */
const groupSize = 64;

/** The rendered blocks of one text, in groups of 64. */
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
    if (this.#length % groupSize === 0) {
      const group = document.createElement('div');
      group.className = 'block-group';
      this.#container.append(group);
    }
    this.#container.lastElementChild!.append(element);
    this.#length += 1;
  }

  /** Removes the blocks from index `length` on. */
  truncate(length: number): void {
    for (; this.#length > length; this.#length -= 1) {
      const group = this.#container.lastElementChild!;
      group.lastElementChild!.remove();
      if (!group.hasChildNodes()) group.remove();
    }
  }
}

/**
 * Updates the children of `parent`, from index `from` on, to equal `next`. Keeps equal leading
 * nodes, so that a block growing at its end keeps focus, selection and buttons.
 */
export function patchChildren(parent: Node, from: number, next: readonly Node[]): void {
  let old: Node | null = parent.childNodes[from] ?? null;
  let index = 0;
  for (; old && index < next.length; index += 1) {
    const target = next[index]!;
    const following: Node | null = old.nextSibling;
    if (!old.isEqualNode(target)) {
      if (patchNode(old, target)) {
        old = following;
        index += 1;
      }
      break;
    }
    old = following;
  }
  removeFrom(old);
  for (; index < next.length; index += 1) parent.appendChild(next[index]!);
}

/** Updates `old` to equal `next` if both have the same type. Returns false otherwise. */
export function patchNode(old: Node, next: Node): boolean {
  if (old instanceof Text && next instanceof Text) {
    if (next.data.startsWith(old.data)) old.appendData(next.data.slice(old.data.length));
    else old.data = next.data;
    return true;
  }
  if (old.nodeName !== next.nodeName) return false;
  if (!old.cloneNode(false).isEqualNode(next.cloneNode(false))) return false;
  patchChildren(old, 0, [...next.childNodes]);
  return true;
}

function removeFrom(node: Node | null): void {
  while (node) {
    const next = node.nextSibling;
    node.parentNode?.removeChild(node);
    node = next;
  }
}
