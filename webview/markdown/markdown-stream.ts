import type { MarkedToken, Tokens } from 'marked';
import { listenForActions, type MarkdownActions } from './actions.ts';
import { BlockList, patchNode, renderBlock } from './blocks.ts';
import { Fence } from './code-block.ts';
import { GrowingBlock, isGrowing } from './growing-block.ts';
import { Highlighter } from './highlighter.ts';
import { BlockLexer, TextIntake } from './lexer.ts';
import {
  isVisible,
  openFenceAt,
  type PlacedToken,
  placeTokens,
  References,
  settledEnd,
} from './settled-blocks.ts';

export interface MarkdownOptions extends MarkdownActions {
  /** Runs idle work (highlighting, the rest of a long restored text). Default: `requestIdleCallback`. */
  readonly schedule?: (run: () => void) => void;
}

interface ShownBlock {
  readonly token: MarkedToken;
  readonly element: HTMLElement;
}

/** A long unsettled text is read again only after it grew by this share: total work stays linear. */
const patience = 1 / 16;
const shortTail = 4096;

/**
 * Renders Markdown that arrives in pieces. Only text that can still change its meaning is read again;
 * what is settled is never touched. The result equals that of rendering the whole text at once.
 */
export class MarkdownStream {
  readonly #intake = new TextIntake();
  readonly #lexer = new BlockLexer();
  readonly #references = new References(this.#lexer);
  readonly #blocks: BlockList;
  readonly #highlighter: Highlighter;
  readonly #stopListening: () => void;
  /** Source that is not settled. */
  #tail = '';
  /** Length of the tail when it was last read. */
  #readLength = 0;
  /** The tail's blocks as they are in the document. */
  #shown: ShownBlock[] = [];
  /** Whether the shown blocks were rendered with link definitions that may still change. */
  #isProvisional = false;
  /** The first of the tail's blocks, if its beginning is settled. */
  #growing: GrowingBlock | undefined;
  #fence: Fence | undefined;
  #isDisposed = false;

  constructor(container: HTMLElement, options: MarkdownOptions) {
    container.classList.add('markdown');
    this.#blocks = new BlockList(container);
    this.#highlighter = new Highlighter(options.schedule ?? whenIdle);
    this.#stopListening = listenForActions(container, options);
  }

  /** Characters handed to the parser so far; linear in the text, whatever it consists of. */
  get lexedCharacters(): number {
    return this.#lexer.lexedCharacters;
  }

  /** Adds text. Cheap: nothing is rendered before `flush`. */
  append(text: string): void {
    this.#intake.add(text);
  }

  /** Renders what was appended since the last call; meant to be called once per frame. */
  flush(): void {
    this.#render(false);
  }

  /** Flushes and closes every open block. Nothing may be appended afterwards. */
  end(): void {
    this.#render(true);
    for (const element of this.#references.resolve()) this.#highlighter.add(element);
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Stops rendering, listening and highlighting; what is rendered stays. */
  dispose(): void {
    this.#isDisposed = true;
    this.#stopListening();
    this.#highlighter.dispose();
  }

  #render(final: boolean): void {
    const text = this.#intake.take(final);
    if (this.#isDisposed || (!text && !final)) return;
    this.#tail += text;
    while (this.#tail || this.#fence) {
      const goesOn = this.#fence ? this.#feed(this.#fence, final) : this.#read(final);
      if (!goesOn) return;
    }
  }

  /** Hands the tail to the open fence; returns whether it was closed. */
  #feed(fence: Fence, final: boolean): boolean {
    const rest = fence.write(this.#tail);
    this.#tail = rest ?? '';
    if (rest === undefined && !final) return false;
    fence.end();
    this.#fence = undefined;
    this.#readLength = 0;
    this.#highlighter.add(fence.element);
    return true;
  }

  /** Reads and shows the tail and settles what it can; returns whether to go on at once. */
  #read(final: boolean): boolean {
    if (!final && !this.#isDue()) return false;
    const tokens = this.#lex();
    const fence = final ? undefined : openFenceAt(tokens, this.#tail);
    const visible = tokens.filter((token) => token !== fence && isVisible(token));
    this.#show(visible.map(({ token }) => token));
    const end = final ? this.#tail.length : settledEnd(tokens, this.#tail);
    this.#settle(tokens, end);
    const goesOn = fence ? this.#openFence(fence) : visible.at(-1)?.start === end && this.#grow();
    this.#readLength = this.#tail.length;
    return goesOn;
  }

  #isDue(): boolean {
    const added = this.#tail.length - this.#readLength;
    return this.#readLength < shortTail || added >= this.#readLength * patience;
  }

  #lex(): PlacedToken[] {
    const prefix = this.#growing?.prefix ?? '';
    const isParagraph = this.#growing?.type === 'paragraph';
    return placeTokens(this.#lexer.lex(prefix + this.#tail, isParagraph), -prefix.length);
  }

  #show(tokens: readonly MarkedToken[]): void {
    const mayKeep = !this.#isProvisional && !this.#lexer.sawDefinitions;
    this.#isProvisional = this.#lexer.sawDefinitions;
    const before = this.#shown;
    const settled = this.#blocks.length - before.length;
    this.#shown = tokens.map((token, index) => {
      const shown = before[index];
      const element = shown && this.#update(shown, token, mayKeep);
      return { token, element: element ?? this.#replace(settled + index, token) };
    });
    this.#blocks.truncate(settled + tokens.length);
  }

  /** Makes a shown block show `token`; undefined if it needs another element. */
  #update(shown: ShownBlock, token: MarkedToken, mayKeep: boolean): HTMLElement | undefined {
    if (mayKeep && isSameToken(shown.token, token)) return shown.element;
    if (this.#growing?.element === shown.element && isGrowing(token)) this.#growing.update(token);
    else if (!patchNode(shown.element, renderBlock(token)!)) return undefined;
    return shown.element;
  }

  /** Puts a new block at `index` instead of whatever was there and after it. */
  #replace(index: number, token: MarkedToken): HTMLElement {
    const element = renderBlock(token)!;
    this.#blocks.truncate(index);
    this.#blocks.push(element);
    return element;
  }

  /** Closes the blocks before `end`, an offset of the tail. */
  #settle(tokens: readonly PlacedToken[], end: number): void {
    const settled = tokens.filter((token) => token.start < end);
    this.#lexer.settle(settled.map(({ token }) => token));
    const blocks = this.#shown.splice(0, settled.filter(isVisible).length);
    for (const { token, element } of blocks) {
      const growing = this.#growing;
      const source = growing ? growing.source + token.raw.slice(growing.prefix.length) : token.raw;
      const state = growing ? growing.referencesIn(this.#references.state) : this.#references.state;
      this.#references.add(element, source, state);
      this.#highlighter.add(element);
      this.#growing = undefined;
    }
    this.#tail = this.#tail.slice(end);
  }

  #openFence({ token }: PlacedToken): boolean {
    const opening = token.raw.slice(0, token.raw.indexOf('\n'));
    this.#fence = new Fence(opening);
    this.#blocks.push(this.#fence.element);
    this.#tail = this.#tail.slice(this.#tail.indexOf('\n') + 1);
    return true;
  }

  /** Settles the first parts of the block that is being written. */
  #grow(): boolean {
    const [shown] = this.#shown;
    if (!shown || !isGrowing(shown.token)) return false;
    const growing = this.#growing ?? new GrowingBlock(shown.token, shown.element);
    const settled = growing.advance(shown.token, this.#tail, this.#lexer);
    if (settled === 0) return false;
    growing.referencesIn(this.#references.state);
    this.#growing = growing;
    this.#tail = this.#tail.slice(settled);
    return false;
  }
}

/** The same source may be read differently, depending on what follows, only inside a paragraph. */
function isSameToken(one: MarkedToken, other: MarkedToken): boolean {
  if (one.type !== other.type || one.raw !== other.raw) return false;
  return one.type !== 'paragraph' || one.text === (other as Tokens.Paragraph).text;
}

/** Text rendered at once when a message is restored; the rest follows while the page is idle. */
const firstSlice = 16_384;

/** Renders a whole text. Long ones show their beginning at once and the rest slice by slice. */
export function renderMarkdown(
  container: HTMLElement,
  text: string,
  options: MarkdownOptions,
): MarkdownStream {
  const stream = new MarkdownStream(container, options);
  const schedule = options.schedule ?? whenIdle;
  const renderFrom = (start: number): void => {
    if (stream.isDisposed) return;
    const end = start + firstSlice;
    stream.append(text.slice(start, end));
    if (end >= text.length) return stream.end();
    stream.flush();
    schedule(() => renderFrom(end));
  };
  renderFrom(0);
  return stream;
}

function whenIdle(run: () => void): void {
  requestIdleCallback(run);
}

/** Keeps a container equal to a text that mostly grows at its end. */
export class StreamedText {
  readonly #container: HTMLElement;
  readonly #options: MarkdownOptions;
  #stream: MarkdownStream | undefined;
  #text = '';
  #open = true;

  constructor(container: HTMLElement, options: MarkdownOptions) {
    this.#container = container;
    this.#options = options;
  }

  /** Shows `text`; `open` says that more will follow. */
  show(text: string, open: boolean): void {
    if (this.#stream !== undefined && text === this.#text && open === this.#open) return;
    if (this.#stream === undefined || !this.#open || !text.startsWith(this.#text)) {
      this.#restart(text, open);
    } else {
      if (text.length > this.#text.length) this.#stream.append(text.slice(this.#text.length));
      if (open) this.#stream.flush();
      else this.#stream.end();
    }
    this.#text = text;
    this.#open = open;
  }

  /** Shows `text` as it is, at next to no cost, until `show` is called. */
  showPlain(text: string): void {
    this.dispose();
    this.#container.classList.add('plain');
    this.#container.textContent = text;
  }

  dispose(): void {
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#text = '';
    this.#open = true;
  }

  #restart(text: string, open: boolean): void {
    this.dispose();
    // An element of its own: a former stream that still has idle work draws into what is no longer here.
    const target = document.createElement('div');
    this.#container.classList.remove('plain');
    this.#container.replaceChildren(target);
    if (!open) {
      this.#stream = renderMarkdown(target, text, this.#options);
      return;
    }
    this.#stream = new MarkdownStream(target, this.#options);
    this.#stream.append(text);
    this.#stream.flush();
  }
}
