import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { classifyProse } from '../base/prose.ts';
import { leadingWhitespace } from '../agent/edit/indentation.ts';

/** In such languages sentences and fences are what is written, not talk about it. */
const textLanguages: ReadonlySet<string> = new Set([
  ...['markdown', 'mdx', 'plaintext', 'restructuredtext', 'asciidoc', 'latex', 'tex', 'html'],
  ...['git-commit', 'scminput', 'prompt', 'instructions', 'chatagent', 'quarto', 'rmd', 'typst'],
]);

/** More is no edit of a file any more. */
const mostLines = 20_000;
const mostCharacters = 1_000_000;

/**
 * Reads the lines of an edit out of an answer as it comes, without the fence around them and the sentences before it.
 * An answer that is too long ends where it is.
 */
export class AnswerLines {
  readonly #isText: boolean;
  readonly #lines: string[] = [];
  /** Not known yet to be a part: sentences before the first line, and what may be the end of the fence. */
  #held: string[] = [];
  #rest = '';
  #characters = 0;
  #fence: string | undefined;
  #state: 'before' | 'inside' | 'over' = 'before';

  /** @param language VS Code language id. */
  constructor(language: string) {
    this.#isText = textLanguages.has(language);
  }

  /** Those that are whole. Empty as long as there is nothing but talk. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** No more of the answer is needed. */
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

  /** The answer is over: its last line is whole. */
  end(): void {
    if (this.isOver) return;
    if (this.#rest !== '') this.#take(this.#rest);
    this.#rest = '';
    // A fence that nothing opened in code, or that closes the one around a text, is none of the lines.
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

  /** Of a text, only a fence that says that it holds the text. */
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
 * The lines of an answer that repeats all that it was shown around the lines, without that. A model that was asked for
 * some lines may well give the whole file. What only looks like it stays as it is.
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

/** Fewer lines may well be the same by chance. */
const leastContext = 3;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((line, index) => line.trimEnd() === b[index]?.trimEnd());

const isFilled = (line: string): boolean => line.trim() !== '';

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isFilled);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}

/** How the document indents. */
export interface Indentation {
  /** White space before the first line that is replaced. */
  readonly first: string;
  readonly usesTabs: boolean;
  /** In columns. */
  readonly tabSize: number;
}

/**
 * The lines of an answer with the document's indentation: what a model left out of it comes back, and spaces become
 * tabs where the document has tabs. What is indented deeper on purpose stays deeper. Blank lines become empty.
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

/** Empty when the answer's is the same, deeper, or of another kind. */
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
