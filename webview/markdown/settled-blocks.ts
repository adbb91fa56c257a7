import type { MarkedToken } from 'marked';
import { isFence, renderBlock } from './blocks.ts';
import { type BlockLexer, longText } from './lexer.ts';

/** A block token with its place in the source it was read from. */
export interface PlacedToken {
  readonly token: MarkedToken;
  readonly start: number;
  readonly end: number;
}

export function placeTokens(tokens: readonly MarkedToken[], from: number): PlacedToken[] {
  let end = from;
  return tokens.map((token) => {
    const start = end;
    end += token.raw.length;
    return { token, start: Math.max(start, 0), end };
  });
}

export function isVisible({ token }: PlacedToken): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

/**
 * Where the source stops being open to change: everything before the returned offset reads the same
 * whatever follows. Many kinds of block are final at a blank line, the others when the next one has
 * begun for certain.
 */
export function settledEnd(tokens: readonly PlacedToken[], source: string): number {
  const index = tokens.findLastIndex(isVisible);
  const last = tokens[index];
  if (!last) return 0;
  const next = tokens[index + 1];
  if (next?.token.type === 'space' && endsAtBlankLine(last.token)) {
    const blank = source.slice(next.start, next.end);
    if (blank.split('\n').length > 2) return next.start + blank.lastIndexOf('\n') + 1;
  }
  const begun = tokens.findLast(
    (token, at) => isVisible(token) && isBegun(token, tokens[at - 1], source),
  );
  return begun?.start ?? 0;
}

/** A fence at the end of the source whose opening line is complete. */
export function openFenceAt(
  tokens: readonly PlacedToken[],
  source: string,
): PlacedToken | undefined {
  const index = tokens.findLastIndex(isVisible);
  const last = tokens[index];
  if (!last || !isFence(last.token)) return undefined;
  return isBegun(last, tokens[index - 1], source) ? last : undefined;
}

function endsAtBlankLine({ type }: MarkedToken): boolean {
  return type === 'paragraph' || type === 'heading' || type === 'hr' || type === 'table';
}

/** Whether a block starts where `token` starts, whatever follows. */
function isBegun(token: PlacedToken, previous: PlacedToken | undefined, source: string): boolean {
  if (token.token.type === 'paragraph' && token.token.raw.length > longText + 1) return true;
  const line = source.indexOf('\n', token.start);
  if (line === -1) return false;
  switch (previous?.token.type) {
    case 'paragraph':
      // The second line tells whether a table interrupts it
      return source.includes('\n', line + 1);
    case 'def':
      // A title may follow on later lines, up to a blank one
      return line - previous.start > longText || /\n[ \t]*\n/.test(source.slice(previous.start));
    default:
      return true;
  }
}

interface Candidate {
  element: HTMLElement;
  readonly source: string;
  readonly definitions: number;
}

/** Settled blocks that may refer to a link whose definition comes later in the text. */
export class References {
  readonly #lexer: BlockLexer;
  readonly #candidates: Candidate[] = [];

  constructor(lexer: BlockLexer) {
    this.#lexer = lexer;
  }

  /** What is known now: a number of definitions, or -1 while some are still changing. */
  get state(): number {
    return this.#lexer.sawDefinitions ? -1 : this.#lexer.definitions;
  }

  /** Remembers a block that was rendered when `state` was `definitions`. */
  add(element: HTMLElement, source: string, definitions: number): void {
    if (source.includes(']')) this.#candidates.push({ element, source, definitions });
  }

  /** Renders again, each once, the blocks that later definitions may have changed. */
  resolve(): HTMLElement[] {
    const stale = this.#candidates
      .splice(0)
      .filter(({ definitions }) => definitions !== this.#lexer.definitions);
    return stale.flatMap(({ element, source }) => {
      const [token] = this.#lexer.lex(source).filter(({ type }) => type !== 'space');
      const fresh = token && renderBlock(token);
      if (!fresh || fresh.isEqualNode(element)) return [];
      element.replaceWith(fresh);
      return [fresh];
    });
  }
}
