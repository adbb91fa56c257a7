import {
  closingBrackets,
  type CodeScanner,
  countColumns,
  findCursorContext,
  getIndentation,
  type OpenBracket,
  getTabWidth,
  getLinePrefix,
  getLineSuffix,
} from '../language/cursor-context.ts';
import { type Language, getLanguageAtCursor, TagScanner } from '../language/language.ts';
import { parseFence } from '../../base/model-answer.ts';
import type { FilterName } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';

/** Range of the requested text: the rest of the line, or the block that begins at the cursor. */
export type CompletionScope = 'line' | 'block';

/** Extracts the completion from a streamed answer and detects its end. */
export interface AnswerReader {
  /** Processes the next part of the answer. Takes constant time per character. */
  push(chunk: string): void;
  /** Processes the end of the answer. Call when the stream ends. */
  end(): void;
  /**
   * Completion received so far, without fences, echoes, control tokens and prose. May end within a line. Later chunks
   * only append text, so the caller can already compare `text` with the text that the user types. Exception: a line
   * that turns out to be a placeholder for omitted text is removed, and the completion ends.
   */
  readonly text: string;
  /** Number of characters in the complete lines of `text`, without the line end of the last complete line. */
  readonly wholeLinesLength: number;
  /**
   * First filter that removed text other than control tokens and reasoning. If `text` is empty, this filter is the
   * reason why there is no suggestion.
   */
  readonly removedBy: FilterName | undefined;
  /**
   * Length of the first suggestion if `text` also contains later suggestions. Undefined until the first line is
   * complete, and also if the whole text is one suggestion.
   */
  readonly firstSuggestionLength: number | undefined;
  /** True if `text` is final. The caller can then close the stream to save tokens. */
  readonly isComplete: boolean;
}

/**
 * Returns the scope to request. The scope is `block` on a blank line, and at the end of a line that opens a block
 * without a body. Otherwise, the scope is `line`. Ignores auto-closed brackets after the cursor.
 */
export function chooseCompletionScope(snapshot: Snapshot): CompletionScope {
  const before = getLinePrefix(snapshot);
  const after = getLineSuffix(snapshot).trim();
  if (before.trim() === '') return after === '' ? 'block' : 'line';
  if (before.length > maxLineLength) return 'line';
  const { blockOpeningPattern, hasBodyOnNextLine } = getLanguageAtCursor(snapshot);
  // After `key: ` with a space, a value follows on the same line. A space after `{` has no meaning.
  if (!blockOpeningPattern.test(hasBodyOnNextLine ? before.trimEnd() : before)) return 'line';
  // A colon before a closing bracket belongs to a parameter or a key.
  const opensBracket = !before.trimEnd().endsWith(':');
  if (after !== '' && !(opensBracket && /^[)\]}][)\]};,]*$/u.test(after))) return 'line';
  return hasBlockBody(snapshot, before) ? 'line' : 'block';
}

/**
 * Maximum number of characters before the cursor on its line at which a whole block is requested. On a longer line,
 * only the rest of the line is requested, because such lines are rarely written by hand.
 */
const maxLineLength = 1_000;

/** Checks whether the block that the cursor's line opens already has a body. */
function hasBlockBody({ suffix }: Snapshot, line: string): boolean {
  const nextLine = findNextNonBlankLine(suffix);
  return nextLine !== undefined && getIndentation(nextLine).length > getIndentation(line).length;
}

/** Returns the first non-blank line below the cursor's line. */
export function findNextNonBlankLine(suffix: string): string | undefined {
  const lineEnd = suffix.indexOf('\n');
  const contentOffset = lineEnd < 0 ? -1 : suffix.slice(lineEnd).search(/\S/u);
  if (contentOffset < 0) return undefined;
  const start = suffix.lastIndexOf('\n', lineEnd + contentOffset) + 1;
  const end = suffix.indexOf('\n', start);
  return end < 0 ? suffix.slice(start) : suffix.slice(start, end);
}

/** Position of a line of the answer: `inside` the scope, `after` the scope, or the `last` line of the scope. */
export type LinePlacement = 'inside' | 'after' | 'last';

/** Reads a completion and detects the end of the scope at the cursor. Takes constant time per character. */
export class ScopeTracker {
  readonly language: Language;
  readonly #snapshot: Snapshot;
  readonly #scanner: CodeScanner;
  readonly #tags: TagScanner | undefined;
  readonly #openBrackets: OpenBracket[];
  readonly #nextLine: string;
  readonly #tabWidth: number;
  /**
   * True if the cursor's line contains code, so that the completion continues this line or fills the block that this
   * line opens.
   */
  readonly #isFillingBlock: boolean;
  readonly #isTopLevel: boolean;
  #answerBracketCount = 0;
  #cursorLineBracketCount: number;
  #hasContentInScope = false;
  #isClosing = false;
  #isFenced = false;
  /** Minimum indentation, in columns, of the lines that belong to the scope. */
  #baseIndentWidth: number;
  #hasFinalBaseIndent: boolean;
  #line = '';
  #lineCount = 0;
  #wasBlank = false;
  #isClosingLine = false;
  /** True if the previous line of the completion opened a block. */
  #hasOpenedBlock = false;
  /** True if the completion begins with a line break, so that its first line is below the cursor's line. */
  #startsOnNextLine = false;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.language = getLanguageAtCursor(snapshot);
    const { scanner, openBrackets } = findCursorContext(snapshot, this.language);
    this.#scanner = scanner;
    this.#openBrackets = [...openBrackets];
    this.#cursorLineBracketCount = openBrackets.filter(
      ({ isOnCursorLine }) => isOnCursorLine,
    ).length;
    this.#isTopLevel = openBrackets.length === 0;
    this.#tags = this.language.hasElements
      ? new TagScanner(this.language.scopeSyntax !== 'tags')
      : undefined;
    const line = getLinePrefix(snapshot);
    if (this.#tags !== undefined && line.length <= maxTrackedLength)
      for (const character of line) this.#tags.push(character);
    this.#isFillingBlock = line.trim() !== '';
    this.#nextLine = findNextNonBlankLine(snapshot.suffix) ?? '';
    this.#tabWidth = getTabWidth(snapshot.indentUnit);
    this.#baseIndentWidth = countColumns(getIndentation(line), this.#tabWidth);
    this.#hasFinalBaseIndent = false;
  }

  /** True if the cursor is in prose: a text document, a comment or a string. */
  get isProse(): boolean {
    return this.language.scopeSyntax === 'paragraphs' || this.#scanner.state !== 'code';
  }

  /** True if every bracket and element that was opened in the completion or on the cursor's line is closed. */
  get isBalanced(): boolean {
    return (
      this.#answerBracketCount === 0 &&
      this.#cursorLineBracketCount <= 0 &&
      (this.#tags?.openTags.length ?? 0) === 0
    );
  }

  /**
   * Returns the position of a non-blank line relative to the scope. Returns `undefined` if an incomplete line cannot be
   * classified yet.
   */
  classifyLine(line: string, isWhole: boolean): LinePlacement | undefined {
    const content = line.trimStart();
    if (this.#tags !== undefined && content.startsWith('<')) {
      const placement = this.#classifyTag(content, isWhole);
      if (placement !== 'inside') return placement;
    }
    if (this.language.scopeSyntax !== 'indentation' || this.#lineCount === 0) return 'inside';
    if (
      this.#answerBracketCount > 0 ||
      this.#cursorLineBracketCount > 0 ||
      this.#scanner.state !== 'code'
    )
      return 'inside';
    return this.#classifyByIndentation(line, content, isWhole);
  }

  /** Adds the next character of the completion. Returns false if the scope ended before the character. */
  push(character: string): boolean {
    if (character === '\n') [this.#line, this.#startsOnNextLine] = ['', true];
    else if (this.#line.length < maxTrackedLength) this.#line += character;
    if (this.language.scopeSyntax === 'paragraphs') return true;
    if (this.#tags !== undefined) this.#tags.push(character);
    if (this.language.scopeSyntax === 'tags') return true;
    if (!this.#scanner.push(character)) return true;
    return closingBrackets.includes(character)
      ? this.#closeBracket(character)
      : this.#openBracket();
  }

  /** Adds a line end. Returns true if the scope ended with the current line. */
  endLine(): boolean {
    const line = this.#line;
    this.#line = '';
    this.#scanner.push('\n');
    this.#tags?.push('\n');
    this.#updateBaseIndent(line);
    this.#hasOpenedBlock = this.language.blockOpeningPattern.test(line.trimEnd());
    this.#lineCount += 1;
    this.#wasBlank = false;
    if (parseFence(line) !== undefined) this.#isFenced = !this.#isFenced;
    if (this.#isClosingLine) return true;
    if (this.#isClosing && this.#answerBracketCount === 0) return true;
    return this.#isBlockComplete() || this.#isDefinitionComplete();
  }

  /** Adds a blank line. Returns true if the scope ended before the blank line. */
  addBlankLine(lastLine: string): boolean {
    this.#wasBlank = true;
    if (this.language.scopeSyntax === 'paragraphs') return !this.#isFenced;
    if (this.#scanner.state !== 'code' || !this.isBalanced) return false;
    if (this.language.scopeSyntax !== 'indentation') return true;
    const indentWidth =
      this.#lineCount <= 1 ? this.#baseIndentWidth : this.#measureIndent(lastLine);
    return indentWidth <= this.#baseIndentWidth && !this.#isFillingBlock && !this.#hasOpenedBlock;
  }

  #measureIndent(line: string): number {
    return countColumns(getIndentation(line), this.#tabWidth);
  }

  #openBracket(): true {
    this.#answerBracketCount += 1;
    this.#hasContentInScope = true;
    return true;
  }

  #closeBracket(character: string): boolean {
    if (this.#answerBracketCount > 0) {
      this.#answerBracketCount -= 1;
      return true;
    }
    const openBracket = this.#openBrackets.pop();
    if (openBracket === undefined || this.#isAlreadyClosed(character, openBracket)) return false;
    if (openBracket.isOnCursorLine) this.#cursorLineBracketCount -= 1;
    else this.#isClosing = true;
    return true;
  }

  /**
   * Checks whether the next non-blank line of the document begins with `closingBracket` and has the indentation of the
   * open bracket. Returns false if text follows the cursor on the line of the open bracket.
   */
  #isAlreadyClosed(closingBracket: string, { indentation, isOnCursorLine }: OpenBracket): boolean {
    if (isOnCursorLine && getLineSuffix(this.#snapshot).trim() !== '') return false;
    const nextLine = this.#nextLine;
    return (
      nextLine.trimStart().startsWith(closingBracket) && getIndentation(nextLine) === indentation
    );
  }

  #classifyTag(content: string, isWhole: boolean): LinePlacement | undefined {
    if ('</'.startsWith(content) && !isWhole) return undefined;
    if (!content.startsWith('</')) return 'inside';
    if (!content.includes('>') && !isWhole) return undefined;
    if ((this.#tags?.openTags.length ?? 0) > 0) return 'inside';
    const tag = /^<\/[\w:.-]*/u.exec(content)?.[0] ?? '</';
    return this.#nextLine.trimStart().startsWith(tag) ? 'after' : 'last';
  }

  #classifyByIndentation(
    line: string,
    content: string,
    isWhole: boolean,
  ): LinePlacement | undefined {
    if (closingBrackets.includes(content[0] ?? '')) return 'inside';
    const indentWidth = this.#measureIndent(line);
    this.#correctBaseIndent(indentWidth);
    if (indentWidth >= this.#baseIndentWidth) {
      const isNew =
        this.#wasBlank && indentWidth === this.#baseIndentWidth && !this.#isFillingBlock;
      if (!isNew) return 'inside';
    }
    return this.#classifyByFirstWord(content, isWhole, indentWidth);
  }

  #classifyByFirstWord(
    content: string,
    isWhole: boolean,
    indentWidth: number,
  ): LinePlacement | undefined {
    const word = /^[\w]+/u.exec(content)?.[0] ?? '';
    if (word === content && !isWhole && word.length < 20) return undefined;
    const { closingKeywords, continuationKeywords } = this.language;
    const continuesBlock =
      continuationKeywords.includes(word) &&
      (this.#isFillingBlock || indentWidth >= this.#baseIndentWidth);
    if (continuesBlock) return 'inside';
    if (indentWidth >= this.#baseIndentWidth || !closingKeywords.includes(word)) return 'after';
    const isCloserPresent =
      this.#nextLine.trimStart().startsWith(word) &&
      this.#measureIndent(this.#nextLine) === indentWidth;
    return isCloserPresent ? 'after' : 'last';
  }

  /**
   * Reduces the minimum indentation of the scope if the model omitted the indentation of the cursor's line. Detects
   * this case at the second line: the first line opened a block, but the second line is not indented more deeply than
   * the cursor's line.
   */
  #correctBaseIndent(indentWidth: number): void {
    if (this.#hasFinalBaseIndent || this.#lineCount !== 1) return;
    this.#hasFinalBaseIndent = true;
    if (this.#hasOpenedBlock && indentWidth <= this.#baseIndentWidth)
      this.#baseIndentWidth = Math.max(0, indentWidth - this.#tabWidth);
  }

  /**
   * Updates the minimum indentation of the scope after the first line, if the completion continues
   * the cursor's line.
   */
  #updateBaseIndent(line: string): void {
    if (this.#lineCount > 0 || !this.#isFillingBlock) return;
    this.#hasFinalBaseIndent = true;
    this.#baseIndentWidth = this.#startsOnNextLine
      ? this.#measureIndent(line)
      : this.#baseIndentWidth + 1;
  }

  /** Treats the current line as the closing line of the scope. */
  markClosingLine(): void {
    this.#isClosingLine = true;
  }

  /** Checks whether the block that the cursor's line opened is complete. */
  #isBlockComplete(): boolean {
    const { scopeSyntax } = this.language;
    if (scopeSyntax === 'tags' && (this.#tags?.unmatchedClosingCount ?? 0) > 0) return true;
    const hasClosingSyntax = scopeSyntax === 'braces' || scopeSyntax === 'tags';
    return this.#isFillingBlock && hasClosingSyntax && this.isBalanced && this.#lineCount > 1;
  }

  /** Checks whether the completion is a complete top-level definition in braces. */
  #isDefinitionComplete(): boolean {
    if (!this.#isTopLevel || this.language.scopeSyntax !== 'braces' || this.#answerBracketCount > 0)
      return false;
    return this.#hasContentInScope && this.#lineCount > 1 && this.#scanner.state === 'code';
  }
}

/** Maximum number of characters of a line that are analyzed. */
const maxTrackedLength = 1_000;
