import { renderBlock } from './blocks.ts';
import type { BlockLexer } from './lexer.ts';

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
