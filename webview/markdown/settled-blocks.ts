import type { MarkedToken } from 'marked';
import { isFence, renderBlock } from './blocks.ts';
import { type BlockLexer, longTextLength } from './lexer.ts';

/** A block token with its start and end offsets in the parsed source, in UTF-16 code units. */
export interface PositionedToken {
  readonly token: MarkedToken;
  readonly start: number;
  readonly end: number;
}

export function positionTokens(tokens: readonly MarkedToken[], from: number): PositionedToken[] {
  let end = from;
  return tokens.map((token) => {
    const start = end;
    end += token.raw.length;
    return { token, start: Math.max(start, 0), end };
  });
}

export function isVisible({ token }: PositionedToken): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

/**
 * Returns the offset before which following text cannot change the parse. Many block types are settled at a blank line,
 * others when the next block starts.
 */
export function findSettledEnd(tokens: readonly PositionedToken[], source: string): number {
  const index = tokens.findLastIndex(isVisible);
  const last = tokens[index];
  if (!last) return 0;
  const next = tokens[index + 1];
  if (next?.token.type === 'space' && endsAtBlankLine(last.token)) {
    const blank = source.slice(next.start, next.end);
    if (blank.split('\n').length > 2) return next.start + blank.lastIndexOf('\n') + 1;
  }
  const started = tokens.findLast(
    (token, at) => isVisible(token) && hasStarted(token, tokens[at - 1], source),
  );
  return started?.start ?? 0;
}

/** Returns the code fence at the end of the source if the fence is open and its first line is complete. */
export function findOpenFence(
  tokens: readonly PositionedToken[],
  source: string,
): PositionedToken | undefined {
  const index = tokens.findLastIndex(isVisible);
  const last = tokens[index];
  if (!last || !isFence(last.token)) return undefined;
  return hasStarted(last, tokens[index - 1], source) ? last : undefined;
}

function endsAtBlankLine({ type }: MarkedToken): boolean {
  return type === 'paragraph' || type === 'heading' || type === 'hr' || type === 'table';
}

/** Checks whether a block starts at `token`, independent of the text that follows. */
function hasStarted(
  token: PositionedToken,
  previous: PositionedToken | undefined,
  source: string,
): boolean {
  if (token.token.type === 'paragraph' && token.token.raw.length > longTextLength + 1) return true;
  const line = source.indexOf('\n', token.start);
  if (line === -1) return false;
  switch (previous?.token.type) {
    case 'paragraph':
      // The second line decides whether a table interrupts the paragraph.
      return source.includes('\n', line + 1);
    case 'def':
      // A title can follow on later lines until a blank line.
      return (
        line - previous.start > longTextLength || /\n[ \t]*\n/.test(source.slice(previous.start))
      );
    default:
      return true;
  }
}

interface Candidate {
  element: HTMLElement;
  readonly source: string;
  readonly definitions: number;
}

/** Settled blocks that can contain a link whose definition follows later in the text. */
export class PendingReferences {
  readonly #lexer: BlockLexer;
  readonly #candidates: Candidate[] = [];

  constructor(lexer: BlockLexer) {
    this.#lexer = lexer;
  }

  /** Number of settled link definitions, or -1 while the last source contains unsettled definitions. */
  get state(): number {
    return this.#lexer.hasUnsettledDefinitions ? -1 : this.#lexer.definitionCount;
  }

  /** Records a block. `definitions` is the value of `state` when the block was rendered. */
  add(element: HTMLElement, source: string, definitions: number): void {
    if (source.includes(']')) this.#candidates.push({ element, source, definitions });
  }

  /** Renders each recorded block again if link definitions were added since. Returns the elements that changed. */
  resolve(): HTMLElement[] {
    const stale = this.#candidates
      .splice(0)
      .filter(({ definitions }) => definitions !== this.#lexer.definitionCount);
    return stale.flatMap(({ element, source }) => {
      const [token] = this.#lexer.lex(source).filter(({ type }) => type !== 'space');
      const replacement = token && renderBlock(token);
      if (!replacement || replacement.isEqualNode(element)) return [];
      element.replaceWith(replacement);
      return [replacement];
    });
  }
}
