import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { classifyProse } from '../base/prose.ts';
import { leadingWhitespace } from '../agent/edit/indentation.ts';

/** Languages in which sentences and code fences are document text, not comments of the model. */
const textLanguages: ReadonlySet<string> = new Set([
  ...['markdown', 'mdx', 'plaintext', 'restructuredtext', 'asciidoc', 'latex', 'tex', 'html'],
  ...['git-commit', 'scminput', 'prompt', 'instructions', 'chatagent', 'quarto', 'rmd', 'typst'],
]);

/** Limits of an answer. A longer one is not a plausible edit. */
const mostLines = 20_000;
const mostCharacters = 1_000_000;

/**
 * Extracts the lines of an edit from a streamed answer. Removes the code fence around them and the
 * sentences before them. Ignores the rest of an answer that exceeds the limits.
 */
export class AnswerLines {
  readonly #isText: boolean;
  readonly #lines: string[] = [];
  /** Possible closing fence, with blank lines. Added to the lines if more lines follow. */
  #held: string[] = [];
  #rest = '';
  #characters = 0;
  #fence: string | undefined;
  #state: 'before' | 'inside' | 'over' = 'before';

  /** @param language VS Code language id. */
  constructor(language: string) {
    this.#isText = textLanguages.has(language);
  }

  /** Complete lines so far. Empty while the answer contains only sentences. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** True if the rest of the answer is not needed. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  push(piece: string): void {
    if (this.isOver) return;
    this.#characters += piece.length;
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#characters > mostCharacters) this.end();
  }

  /** Ends the answer. Its last line is then complete. */
  end(): void {
    if (this.isOver) return;
    if (this.#rest !== '') this.#take(this.#rest);
    this.#rest = '';
    // Excludes a closing fence: in code, an unpaired one, and in text, the end of the enclosing
    // one.
    const keepsFences = this.#isText && this.#fence === undefined;
    if (this.#state === 'inside')
      this.#release(this.#held.filter((line) => keepsFences || fenceOf(line) === undefined));
    this.#state = 'over';
    while (this.#lines.at(-1)?.trim() === '') this.#lines.pop();
  }

  #take(raw: string): void {
    if (this.isOver) return;
    const line = stripHiddenCharacters(raw.replace(/\r$/u, '')).text;
    if (/^\s*<\/?lines>\s*$/iu.test(line)) return;
    if (this.#state === 'before') this.#begin(line);
    else this.#goOn(line);
    if (this.#lines.length >= mostLines) this.#state = 'over';
  }

  #begin(line: string): void {
    const fence = fenceOf(line);
    if (fence !== undefined && this.#isAround(fence)) {
      this.#fence = fence.marks;
      this.#state = 'inside';
      this.#held = [];
    } else if (line.trim() !== '' && (this.#isText || classifyProse(line, true) === 'no')) {
      this.#state = 'inside';
      this.#goOn(line);
    }
  }

  /**
   * Checks whether a fence encloses the edit. In a text, its info string must name a text format.
   */
  #isAround({ info }: Fence): boolean {
    return !this.#isText || /^(?:markdown|md|mdx|text|txt|plaintext|html|latex|tex)$/iu.test(info);
  }

  #goOn(line: string): void {
    const fence = fenceOf(line);
    const closes =
      fence !== undefined && fence.info === '' && fence.marks.startsWith(this.#fence ?? '`');
    if (closes && this.#fence !== undefined && !this.#isText) {
      this.#state = 'over';
    } else if (closes || (this.#held.length > 0 && line.trim() === '')) {
      this.#held.push(line);
    } else {
      this.#release([...this.#held, line]);
      this.#held = [];
    }
  }

  #release(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }
}

interface Fence {
  readonly marks: string;
  readonly info: string;
}

function fenceOf(line: string): Fence | undefined {
  const { marks, info } = /^ {0,3}(?<marks>`{3,}|~{3,})(?<info>[^`]*)$/u.exec(line)?.groups ?? {};
  return marks === undefined ? undefined : { marks, info: (info ?? '').trim() };
}

/**
 * Removes the context from an answer that repeats all the lines shown around the edit. Some models
 * return the whole file when asked for a few lines. An answer that repeats only part of the context
 * stays unchanged.
 */
export function withoutContext(
  answered: readonly string[],
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): readonly string[] {
  const [head, tail] = [withoutBlankEnds(before), withoutBlankEnds(after)];
  const end = answered.length - tail.length;
  const isWhole =
    head.length + tail.length >= leastContext &&
    end >= head.length &&
    isEqual(answered.slice(0, head.length), head) &&
    isEqual(answered.slice(end), tail);
  return isWhole ? withoutBlankEnds(answered.slice(head.length, end)) : answered;
}

/** Minimum number of repeated lines. Fewer could match by chance. */
const leastContext = 3;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((line, index) => line.trimEnd() === b[index]?.trimEnd());

const isFilled = (line: string): boolean => line.trim() !== '';

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isFilled);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}

/** Indentation of a document. */
export interface Indentation {
  /** White space before the first replaced line. */
  readonly first: string;
  readonly usesTabs: boolean;
  /** Tab width in columns. */
  readonly tabSize: number;
}

/**
 * Adapts an answer to the document's indentation. Adds indentation that the model omitted, and
 * converts spaces to tabs if the document uses tabs. Keeps deeper indentation and empties blank
 * lines.
 */
export function fitIndentation(
  lines: readonly string[],
  indentation: Indentation,
): readonly string[] {
  const converted = indentation.usesTabs ? withTabs(lines, indentation.tabSize) : lines;
  const first = converted.find((line) => line.trim() !== '');
  const missing = first === undefined ? '' : missingIn(leadingWhitespace(first), indentation.first);
  return converted.map((line) => (line.trim() === '' ? '' : missing + line));
}

/**
 * Returns the missing indentation. Empty if the answer's is the same, deeper, or of another kind.
 */
const missingIn = (indent: string, wanted: string): string =>
  wanted.endsWith(indent) ? wanted.slice(0, wanted.length - indent.length) : '';

function withTabs(lines: readonly string[], tabSize: number): readonly string[] {
  if (lines.some((line) => line.startsWith('\t'))) return lines;
  const widths = lines
    .filter((line) => line.trim() !== '')
    .map((line) => leadingWhitespace(line).length)
    .filter((width) => width > 1);
  const unit = Math.max(2, Math.min(...widths, tabSize));
  return lines.map((line) => {
    const width = leadingWhitespace(line).length;
    return '\t'.repeat(Math.floor(width / unit)) + ' '.repeat(width % unit) + line.slice(width);
  });
}
