import { isBeginning, type Mark, marksFor } from './marks.ts';

/**
 * Takes marks and thoughts out of a stream of characters, and turns all line ends into `\n`. Holds back what may become
 * a mark. Constant time for each character.
 */
export class MarkFilter {
  readonly #marks: ReadonlyMap<string, Mark>;
  readonly #emit: (character: string) => void;
  readonly #hasContent: () => boolean;
  #held = '';
  #until: readonly string[] = [];
  /** The end of what is skipped, as far as it may be a part of its closing mark. */
  #tail = '';
  #isAfterReturn = false;
  isOver = false;

  /** @param around The document around the cursor. */
  constructor(
    around: string,
    to: { readonly emit: (character: string) => void; readonly hasContent: () => boolean },
  ) {
    this.#marks = marksFor(around);
    this.#emit = to.emit;
    this.#hasContent = to.hasContent;
  }

  push(raw: string): void {
    if (this.isOver) return;
    const isPair = raw === '\n' && this.#isAfterReturn;
    this.#isAfterReturn = raw === '\r';
    if (isPair) return;
    const character = raw === '\r' ? '\n' : raw;
    if (this.#until.length > 0) this.#skip(character);
    else this.#take(character);
  }

  /** What was held back is no mark any more. */
  end(): void {
    const held = this.#held;
    this.#held = '';
    for (const character of held) this.#emit(character);
  }

  #take(character: string): void {
    if (this.#held === '' && character !== '<' && character !== '[') return this.#emit(character);
    const held = this.#held + character;
    this.#held = '';
    const mark = this.#marks.get(held);
    if (mark !== undefined) return this.#meet(mark);
    if (isBeginning(held)) this.#held = held;
    else this.#release(held);
  }

  /** The first character begins no mark; one behind it may. */
  #release(held: string): void {
    this.#emit(held[0] ?? '');
    for (let at = 1; at < held.length && !this.isOver; at += 1) this.#take(held[at] ?? '');
  }

  #meet({ means, until }: Mark): void {
    // Behind the text that is missing there is nothing more to say, whatever the mark.
    if (means === 'end' || this.#hasContent()) this.isOver = true;
    else if (means === 'skip') this.#until = until ?? [];
  }

  #skip(character: string): void {
    this.#tail = (this.#tail + character).slice(-longestClose);
    if (character !== '>' || !this.#until.some((close) => this.#tail.endsWith(close))) return;
    this.#until = [];
    this.#tail = '';
  }
}

const longestClose = 16;
