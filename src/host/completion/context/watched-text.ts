import { beginsPrivateKey, environmentLines, looksLikeEnvironment } from './secret-text.ts';
import type { Lines } from './text-around.ts';

/** What is known of a document's text: whether something in it may not be told. */
export type TextState = 'clean' | 'secret';

/** Of a document as text, as far as its secrets go. */
export interface WatchedDocument extends Lines {
  readonly isUntitled: boolean;
  readonly languageId: string;
}

/** One change: where it began, and what was put there. */
export interface TextChange {
  readonly range: { readonly start: { readonly line: number } };
  readonly text: string;
}

/** Lines that are looked at while a change is told; a larger change is read afterwards. */
const linesAtOnce = 200;
/** Characters after which others have their turn; a line takes as long as this many. */
const charactersAtOnce = 1_000_000;
const charactersOfLine = 500;

/** Reads a document once, in slices, and from then on only what changes in it. */
export class WatchedText {
  readonly #document: WatchedDocument;
  #state: TextState | undefined;
  /** Lines above this one are clean. */
  #readTo = 0;
  #reading: Promise<TextState> | undefined;

  constructor(document: WatchedDocument) {
    this.#document = document;
  }

  /** Undefined while a part of the document was not read. */
  get state(): TextState | undefined {
    return this.#state;
  }

  /** Resolves when the whole text was read. */
  async read(): Promise<TextState> {
    this.#reading ??= this.#readOn().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Takes a change in the time of a few lines. What was secret stays so until it was read again. */
  follow(changes: readonly TextChange[]): void {
    const [change] = changes;
    if (change === undefined) return;
    const first = Math.min(...changes.map(({ range }) => range.start.line));
    if (this.#state === 'secret' && first > this.#readTo) return;
    const lines = change.text.split('\n', linesAtOnce + 1).length;
    if (this.#state === 'clean' && changes.length === 1 && lines <= linesAtOnce)
      return this.#lookAt(first, lines);
    if (this.#state === 'clean') this.#state = undefined;
    this.#readTo = Math.min(this.#readTo, first);
    void this.read();
  }

  #lookAt(first: number, count: number): void {
    const end = Math.min(first + count, this.#document.lineCount);
    for (let line = first; line < end; line += 1) {
      if (!this.#isKey(line)) continue;
      this.#readTo = line;
      this.#state = 'secret';
      return;
    }
    if (this.#isEnvironment()) this.#state = 'secret';
    this.#readTo = this.#document.lineCount;
  }

  async #readOn(): Promise<TextState> {
    // Never while a change is told: that would be in the way of typing.
    await turnOfOthers();
    let room = charactersAtOnce;
    while (this.#readTo < this.#document.lineCount) {
      if (this.#isKey(this.#readTo)) return (this.#state = 'secret');
      room -= this.#document.lineAt(this.#readTo).text.length + charactersOfLine;
      // Before the turn of others, who may set it back.
      this.#readTo += 1;
      if (room > 0) continue;
      room = charactersAtOnce;
      await turnOfOthers();
    }
    return (this.#state = this.#isEnvironment() ? 'secret' : 'clean');
  }

  #isKey(line: number): boolean {
    return beginsPrivateKey(this.#document.lineAt(line).text);
  }

  #isEnvironment(): boolean {
    const { isUntitled, languageId, lineCount } = this.#document;
    if (languageId === 'dotenv') return true;
    if (!isUntitled) return false;
    const count = Math.min(lineCount, environmentLines);
    return looksLikeEnvironment(
      Array.from({ length: count }, (_, line) => this.#document.lineAt(line).text),
    );
  }
}

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
