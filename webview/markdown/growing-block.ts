import type { MarkedToken, Tokens } from 'marked';
import { type Growing, partsHost, patchChildren, renderParts } from './blocks.ts';
import { type BlockLexer, safeCut, sentinel } from './lexer.ts';

/** How a block goes on: where its unsettled part starts and what must precede it to be read alone. */
interface Continuation {
  /** Offset in the source that was read. */
  readonly cut: number;
  readonly prefix: string;
  /** Number of items or rows before it. */
  readonly parts: number;
}

/**
 * A paragraph, list or table that is still being written and whose first parts (text, items, rows) are
 * settled. Only its last parts are read and rendered again.
 */
export class GrowingBlock {
  readonly element: HTMLElement;
  readonly type: Growing['type'];
  /** What to put before the unsettled source so that it reads as the rest of this block. */
  prefix = '';
  /** Source of the settled parts. */
  source = '';
  #references: number | undefined;
  #host: Element;
  #kept = 0;
  #loose = false;

  constructor(token: Growing, element: HTMLElement) {
    this.type = token.type;
    this.element = element;
    this.#host = partsHost(token, element);
  }

  /** Shows the parts of `token`, which was read from the prefix and the unsettled source. */
  update(token: Growing): void {
    if (token.type === 'list') this.#host.classList.toggle('loose', this.#loose || token.loose);
    if (this.#host.getAttribute('class') === '') this.#host.removeAttribute('class');
    patchChildren(this.#host, this.#kept, renderParts(this.#withoutPrefix(token)));
  }

  /** Settles the parts of `token` that are final; returns how much of its `source` that was. */
  advance(token: Growing, source: string, lexer: BlockLexer): number {
    const continuation = continuationOf(token, this.prefix + source, this.prefix !== '');
    if (!continuation) return 0;
    const settled = source.slice(0, continuation.cut - this.prefix.length);
    if (token.type === 'paragraph') this.#keepText(this.prefix + settled, lexer);
    else this.#keepParts(token, continuation.parts, lexer);
    this.source += settled;
    this.prefix = continuation.prefix;
    return settled.length;
  }

  /** Notes the state of the references now; -1 if it is not the same for the whole block. */
  referencesIn(state: number): number {
    this.#references = (this.#references ?? state) === state ? state : -1;
    return this.#references;
  }

  #keepText(source: string, lexer: BlockLexer): void {
    const [paragraph] = lexer.lex(source, true) as [Tokens.Paragraph];
    patchChildren(this.#host, this.#kept, renderParts(this.#withoutPrefix(paragraph)));
    this.#kept = this.#host.childNodes.length;
  }

  #keepParts(token: Tokens.List | Tokens.Table, count: number, lexer: BlockLexer): void {
    this.#kept += count;
    if (token.type === 'table') return;
    const items = token.items.slice(0, count);
    this.#loose ||= items.some(isLoose);
    lexer.settle([{ ...token, items }]);
  }

  #withoutPrefix(token: Growing): Growing {
    return this.prefix && token.type === 'paragraph' ? withoutSentinel(token) : token;
  }
}

export function isGrowing(token: MarkedToken): token is Growing {
  return token.type === 'paragraph' || token.type === 'list' || token.type === 'table';
}

function continuationOf(
  token: Growing,
  source: string,
  continued: boolean,
): Continuation | undefined {
  switch (token.type) {
    case 'list':
      return nextItem(token, source);
    case 'table':
      return nextRow(token);
    case 'paragraph': {
      const cut = source.startsWith(token.text) ? safeCut(token, continued) : 0;
      return cut > 0 ? { cut, prefix: sentinel, parts: 0 } : undefined;
    }
  }
}

/** An item is final when the first line of the one after it is complete. */
function nextItem(token: Tokens.List, source: string): Continuation | undefined {
  const items = finalItems(token, source);
  const cut = items.reduce((length, item) => length + item.raw.length, 0);
  return cut > 0 ? { cut, prefix: '', parts: items.length } : undefined;
}

function finalItems({ items }: Tokens.List, source: string): readonly Tokens.ListItem[] {
  const whole = items.slice(0, -1);
  const cut = whole.reduce((length, item) => length + item.raw.length, 0);
  return source.includes('\n', cut) ? whole : whole.slice(0, -1);
}

/** A row is final when another one follows. */
function nextRow(token: Tokens.Table): Continuation | undefined {
  const source = token.raw.replace(/\n$/, '');
  const lines = source.split('\n');
  if (token.rows.length < 2 || lines.length !== token.rows.length + 2) return undefined;
  const cut = source.length - lines.at(-1)!.length;
  return { cut, prefix: `${lines[0]}\n${lines[1]}\n`, parts: token.rows.length - 1 };
}

/** The parser makes a whole list loose if one of its items is; this is what one item contributes. */
function isLoose(item: Tokens.ListItem): boolean {
  if (/\n[ \t]*\n[ \t]*$/.test(item.raw)) return true;
  return item.tokens.some(({ type, raw }) => type === 'space' && /\n.*\n/.test(raw));
}

function withoutSentinel(token: Tokens.Paragraph): Tokens.Paragraph {
  const [first, ...rest] = token.tokens;
  if (first?.type !== 'text') return token;
  const text = { ...(first as Tokens.Text) };
  text.text = text.text.slice(sentinel.length);
  return { ...token, tokens: [text, ...rest] };
}
