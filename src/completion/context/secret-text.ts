import { changedLines, type Lines, type LineSpan, type TextChange } from './text-lines.ts';

/** Whether a line begins or ends a private key, as files of keys are written and as people paste them into others. */
export const isPrivateKeyBoundary = (line: string): boolean =>
  line.includes('PRIVATE KEY') &&
  /-----(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u.test(line);

/** How many lines {@link looksLikeEnvironment} needs, at most. */
export const environmentLines = 200;

const assignment = /^\s{0,8}(?:export\s{1,4})?[A-Z][A-Z0-9_]{2,80}\s{0,4}=/u;
const nothing = /^\s{0,80}(?:#|;|$)/u;

/**
 * Whether a text that has no name yet is a list of variables, such as people keep passwords in: more than half of what
 * it says are assignments to names in capitals.
 */
export function looksLikeEnvironment(lines: readonly string[]): boolean {
  const said = lines.slice(0, environmentLines).filter((line) => !nothing.test(line));
  const assigned = said.filter((line) => assignment.test(line)).length;
  return assigned > 0 && assigned * 2 > said.length;
}

/** Whether a whole text may not be told to anybody, whatever its file is called. */
export const isSecretText = (text: string): boolean =>
  text.includes('PRIVATE KEY') && isPrivateKeyBoundary(text);

/** What is known of a document's text: whether something in it may not be told. */
export type SecretState = 'clean' | 'secret';

/** Of a document as text, as far as its secrets go. */
export interface WatchedDocument extends Lines {
  readonly isUntitled: boolean;
  readonly languageId: string;
}

/** Lines that are looked at while changes are told; larger ones are read afterwards. */
const linesAtOnce = 200;
/** Characters after which others have their turn; a line takes as long as this many. */
const charactersAtOnce = 1_000_000;
const charactersOfLine = 500;

/** Reads a document once, in slices, and from then on only what changes in it. */
export class SecretScanner {
  readonly #document: WatchedDocument;
  readonly #turned: () => void;
  #state: SecretState | undefined;
  /** Lines above this one are clean. */
  #readTo = 0;
  /** What was found last, also while a part is read again. */
  #found: SecretState | undefined;
  #reading: Promise<SecretState> | undefined;

  /** `turned` is called when a text that was clean is found to be secret, or the other way round. */
  constructor(document: WatchedDocument, turned: () => void) {
    this.#document = document;
    this.#turned = turned;
  }

  /** Undefined while a part of the document was not read. */
  get state(): SecretState | undefined {
    return this.#state;
  }

  /** Resolves when the whole text was read. */
  async read(): Promise<SecretState> {
    this.#reading ??= this.#readOn().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Takes changes in the time of a few lines. What was secret stays so until it was read again. */
  applyChanges(changes: readonly TextChange[]): void {
    if (changes.length === 0) return;
    const first = Math.min(...changes.map(({ range }) => range.start.line));
    if (this.#state === 'secret' && first > this.#readTo) return;
    if (this.#state === 'clean') {
      const spans = changedLines(changes, linesAtOnce);
      if (spans !== undefined) return this.#lookAt(spans);
      this.#state = undefined;
    }
    this.#readTo = Math.min(this.#readTo, first);
    void this.read();
  }

  #lookAt(spans: readonly LineSpan[]): void {
    this.#readTo = this.#document.lineCount;
    for (const { first, last } of spans) {
      const end = Math.min(last + 1, this.#document.lineCount);
      for (let line = first; line < end; line += 1) {
        if (!this.#isKey(line)) continue;
        this.#readTo = line;
        this.#find('secret');
        return;
      }
    }
    if (this.#isEnvironment()) this.#find('secret');
  }

  #find(state: SecretState): SecretState {
    const before = this.#found;
    this.#state = state;
    this.#found = state;
    if (before !== undefined && before !== state) this.#turned();
    return state;
  }

  async #readOn(): Promise<SecretState> {
    // Never while a change is told: that would be in the way of typing.
    await turnOfOthers();
    let room = charactersAtOnce;
    while (this.#readTo < this.#document.lineCount) {
      if (this.#isKey(this.#readTo)) return this.#find('secret');
      room -= this.#document.lineAt(this.#readTo).text.length + charactersOfLine;
      // Before the turn of others, who may set it back.
      this.#readTo += 1;
      if (room > 0) continue;
      room = charactersAtOnce;
      await turnOfOthers();
    }
    return this.#find(this.#isEnvironment() ? 'secret' : 'clean');
  }

  #isKey(line: number): boolean {
    return isPrivateKeyBoundary(this.#document.lineAt(line).text);
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
