import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { classifyProse } from '../base/prose.ts';
import { leadingWhitespace } from '../agent/edit/indentation.ts';

/**
 * Languages whose documents can contain sentences and code fences. In other languages, both are
 * additions by the model and are removed.
 */
const textLanguages: ReadonlySet<string> = new Set([
  ...['markdown', 'mdx', 'plaintext', 'restructuredtext', 'asciidoc', 'latex', 'tex', 'html'],
  ...['git-commit', 'scminput', 'prompt', 'instructions', 'chatagent', 'quarto', 'rmd', 'typst'],
]);

/** Limits of an answer in lines and characters. A longer answer is not a plausible edit. */
const maxLines = 20_000;
const maxCharacters = 1_000_000;

/**
 * Extracts the lines of an edit from a streamed answer. Removes a surrounding code fence and
 * leading sentences. Ignores text above the limits.
 */
export class AnswerLines {
  readonly #isText: boolean;
  readonly #lines: string[] = [];
  /**
   * Blank lines and lines that may close the fence. They become part of the edit if more lines
   * follow.
   */
  #pendingLines: string[] = [];
  #partialLine = '';
  #characters = 0;
  #fence: string | undefined;
  #state: 'before' | 'inside' | 'completed' = 'before';

  /** @param language VS Code language id. */
  constructor(language: string) {
    this.#isText = textLanguages.has(language);
  }

  /** Complete lines received. Empty while the answer contains only sentences. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** True if the reader ignores further input. */
  get isComplete(): boolean {
    return this.#state === 'completed';
  }

  push(chunk: string): void {
    if (this.isComplete) return;
    this.#characters += chunk.length;
    const lines = (this.#partialLine + chunk).split('\n');
    this.#partialLine = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line);
    if (this.#characters > maxCharacters) this.end();
  }

  /** Marks the end of the answer and completes its last line. */
  end(): void {
    if (this.isComplete) return;
    if (this.#partialLine !== '') this.#readLine(this.#partialLine);
    this.#partialLine = '';
    // Removes a closing fence, except in a text document whose answer has no surrounding fence.
    const shouldKeepFences = this.#isText && this.#fence === undefined;
    if (this.#state === 'inside')
      this.#append(
        this.#pendingLines.filter((line) => shouldKeepFences || parseFence(line) === undefined),
      );
    this.#state = 'completed';
    while (this.#lines.at(-1)?.trim() === '') this.#lines.pop();
  }

  #readLine(raw: string): void {
    if (this.isComplete) return;
    const line = stripHiddenCharacters(raw.replace(/\r$/u, '')).text;
    if (/^\s*<\/?lines>\s*$/iu.test(line)) return;
    if (this.#state === 'before') this.#readLeadingLine(line);
    else this.#readEditLine(line);
    if (this.#lines.length >= maxLines) this.#state = 'completed';
  }

  #readLeadingLine(line: string): void {
    const fence = parseFence(line);
    if (fence !== undefined && this.#enclosesEdit(fence)) {
      this.#fence = fence.marks;
      this.#state = 'inside';
      this.#pendingLines = [];
    } else if (line.trim() !== '' && (this.#isText || classifyProse(line, true) === 'no')) {
      this.#state = 'inside';
      this.#readEditLine(line);
    }
  }

  /**
   * Checks whether a fence surrounds the edit. In text languages, the fence must have a text format
   * as info string.
   */
  #enclosesEdit({ info }: Fence): boolean {
    return !this.#isText || /^(?:markdown|md|mdx|text|txt|plaintext|html|latex|tex)$/iu.test(info);
  }

  #readEditLine(line: string): void {
    const fence = parseFence(line);
    const isClosingFence =
      fence !== undefined && fence.info === '' && fence.marks.startsWith(this.#fence ?? '`');
    if (isClosingFence && this.#fence !== undefined && !this.#isText) {
      this.#state = 'completed';
    } else if (isClosingFence || (this.#pendingLines.length > 0 && line.trim() === '')) {
      this.#pendingLines.push(line);
    } else {
      this.#append([...this.#pendingLines, line]);
      this.#pendingLines = [];
    }
  }

  #append(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }
}

interface Fence {
  readonly marks: string;
  readonly info: string;
}

function parseFence(line: string): Fence | undefined {
  const { marks, info } = /^ {0,3}(?<marks>`{3,}|~{3,})(?<info>[^`]*)$/u.exec(line)?.groups ?? {};
  return marks === undefined ? undefined : { marks, info: (info ?? '').trim() };
}

/**
 * Removes the context lines around the edit if the answer repeats all of them, as some models do.
 * An answer that repeats only a part of the context stays unchanged.
 */
export function removeContext(
  answer: readonly string[],
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): readonly string[] {
  const [head, tail] = [trimBlankLines(before), trimBlankLines(after)];
  const end = answer.length - tail.length;
  const hasFullContext =
    head.length + tail.length >= minContextLines &&
    end >= head.length &&
    isEqual(answer.slice(0, head.length), head) &&
    isEqual(answer.slice(end), tail);
  return hasFullContext ? trimBlankLines(answer.slice(head.length, end)) : answer;
}

/** Minimum number of repeated context lines. Fewer lines could match by chance. */
const minContextLines = 3;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((line, index) => line.trimEnd() === b[index]?.trimEnd());

const isNonBlank = (line: string): boolean => line.trim() !== '';

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isNonBlank);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isNonBlank) + 1);
}

/** Indentation style of a document. */
export interface Indentation {
  /** White space before the first line to replace. */
  readonly firstIndent: string;
  readonly usesTabs: boolean;
  /** Width of a tab in columns. */
  readonly tabSize: number;
}

/**
 * Adapts an answer to the document's indentation. Adds indentation that the model omitted, and
 * converts spaces to tabs if the document uses tabs. Keeps deeper indentation. Removes white space
 * from blank lines.
 */
export function fitIndentation(
  lines: readonly string[],
  indentation: Indentation,
): readonly string[] {
  const converted = indentation.usesTabs ? convertToTabs(lines, indentation.tabSize) : lines;
  const first = converted.find((line) => line.trim() !== '');
  const missing =
    first === undefined
      ? ''
      : missingIndentation(leadingWhitespace(first), indentation.firstIndent);
  return converted.map((line) => (line.trim() === '' ? '' : missing + line));
}

/**
 * Returns the white space to add before each line. Empty if the answer's indentation is equal,
 * deeper, or of another kind.
 */
const missingIndentation = (indent: string, expected: string): string =>
  expected.endsWith(indent) ? expected.slice(0, expected.length - indent.length) : '';

function convertToTabs(lines: readonly string[], tabSize: number): readonly string[] {
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
