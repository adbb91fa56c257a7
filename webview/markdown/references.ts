import { renderBlock } from './blocks.ts';
import type { BlockLexer } from './lexer.ts';

interface Candidate {
  element: HTMLElement;
  readonly source: string;
  /** Number of definitions known when it was rendered; -1 if some were still changing. */
  readonly definitions: number;
}

/** Settled blocks that may refer to a link whose definition comes later in the text. */
export class References {
  readonly #lexer: BlockLexer;
  readonly #candidates: Candidate[] = [];

  constructor(lexer: BlockLexer) {
    this.#lexer = lexer;
  }

  add(element: HTMLElement, source: string): void {
    if (!source.includes(']')) return;
    const definitions = this.#lexer.sawDefinitions ? -1 : this.#lexer.definitions;
    this.#candidates.push({ element, source, definitions });
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
