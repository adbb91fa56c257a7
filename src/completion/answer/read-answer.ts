import {
  answerTagSource,
  canBeFence,
  canBeRoleLine,
  isEditStart,
  isRoleLine,
  oldTextKeySource,
  parseFence,
  textKeySource,
  toolCallPattern,
} from '../../base/model-answer.ts';
import { classifyProse } from '../../base/prose.ts';
import { classifyRemark, isFileMark } from '../../base/remark.ts';
import { FimTokenFilter } from './fim-tokens.ts';
import {
  type AnswerReader,
  findNextNonBlankLine,
  ScopeTracker,
  type CompletionScope,
} from './scope.ts';
import { getIndentation, getLinePrefix, getLineSuffix } from '../language/cursor-context.ts';
import { getLanguageAtCursor } from '../language/language.ts';
import type { FilterName } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';

/** Limits for reading an answer. Longer answers are rarely useful, and each token costs money. */
export const answerLimits = {
  /** Maximum number of lines in the completion of a block. */
  lines: 24,
  /** Maximum number of characters in the completion. */
  characters: 4_000,
  /** Maximum number of characters in one line of the completion. */
  line: 1_000,
  /** Maximum number of characters in the whole answer, including control tokens, reasoning and prose. */
  raw: 20_000,
  /**
   * Maximum length of an incomplete line, in characters, up to which the reader classifies the line at each new
   * character. A longer line is classified only when it is complete.
   */
  maxUndecidedLength: 200,
} as const;

/** Checks whether the last lines consist of a group of one to eight lines that occurs three times in a row. */
export function endsInCycle(lines: readonly string[]): boolean {
  const lastLine = lines.at(-1) ?? '';
  if (!/[\p{L}\p{N}]/u.test(lastLine)) return false;
  for (let period = 1; period <= maxCycleLines && period * 3 <= lines.length; period += 1)
    if (endsInRepeatedLines(lines, period)) return true;
  return false;
}

const maxCycleLines = 8;

function endsInRepeatedLines(lines: readonly string[], period: number): boolean {
  for (let distance = 1; distance <= period * 2; distance += 1)
    if (lines.at(-distance) !== lines.at(-distance - period)) return false;
  return true;
}

export interface ReaderOptions {
  /** Maximum number of lines to read after the requested line. They become the suggestions after the first one. */
  readonly maxLinesAhead?: number;
  /**
   * Checks whether a complete line is a placeholder for omitted text, such as `// ... existing code ...`. If absent, no
   * line counts as a placeholder.
   */
  readonly isElision?: (line: string, language: string) => boolean;
}

/** Creates the parser of the streamed answer to the request at `snapshot`. */
export function createAnswerReader(
  snapshot: Snapshot,
  requestedScope: CompletionScope,
  options: ReaderOptions = {},
): AnswerReader {
  return new CompletionReader(snapshot, requestedScope, options);
}

/**
 * Decision about a line: `take` adds the line, `skip` removes the line, `finish` ends the completion before the line,
 * and `last` ends the completion after the line.
 */
type LineDecision = 'take' | 'skip' | 'finish' | 'last';

/**
 * Reads a completion while it streams, and ends it as early as possible, because each further token costs money.
 * Detects code fences, reasoning, control tokens, enclosing tags and remarks of the model line by line, with the
 * functions that `readEditAnswer` also uses.
 */
class CompletionReader implements AnswerReader {
  readonly #snapshot: Snapshot;
  readonly #requestedScope: CompletionScope;
  readonly #fimTokens: FimTokenFilter;
  readonly #maxLinesAhead: number;
  readonly #isElision: (line: string, language: string) => boolean;
  #scope: ScopeTracker;
  #firstSuggestionLength: number | undefined;
  readonly #linePrefix: string;
  /**
   * Next non-blank line of the document below the cursor's line. The completion ends before a line of the answer that
   * equals this line. Undefined if no such line exists, or if it is too common to be recognized, such as `}`.
   */
  readonly #nextDocumentLine: string | undefined;
  readonly #allowsProse: boolean;
  #text = '';
  #wholeLinesLength = 0;
  #isComplete = false;
  #removedBy: FilterName | undefined;
  #receivedLength = 0;
  /**
   * White space at the end of the answer so far. Becomes part of the completion only if other
   * characters follow.
   */
  #pendingText = '';
  #line = '';
  /** True if the current line contains non-blank characters. */
  #hasLineContent = false;
  #isTaken = false;
  /** Completed lines of the completion. */
  readonly #lines: string[] = [];
  #hasContent = false;
  #wasBlank = false;
  #leadingBreakCount = 0;
  /** True between introductory prose and the first line of the completion. */
  #isAfterProse = false;
  #openFence = '';
  /** Name of the tag in which the model encloses the completion. Empty if the model uses no such tag. */
  #openTag = '';
  #echo: EchoDetector | undefined;
  #echoStarts: readonly number[] | undefined;
  #possibleEcho = '';
  #isEchoChecked = false;

  constructor(snapshot: Snapshot, requestedScope: CompletionScope, options: ReaderOptions) {
    this.#snapshot = snapshot;
    this.#maxLinesAhead = options.maxLinesAhead ?? 0;
    this.#isElision = options.isElision ?? (() => false);
    this.#requestedScope = requestedScope;
    this.#fimTokens = new FimTokenFilter(`${snapshot.prefix}\n${snapshot.suffix}`, {
      emit: (character) => this.#readUnlessEcho(character),
      hasContent: () => this.#hasContent || this.#hasLineContent,
    });
    this.#scope = new ScopeTracker(snapshot);
    this.#linePrefix = getLinePrefix(snapshot);
    this.#allowsProse = this.#scope.isProse;
    const nextLine = findNextNonBlankLine(snapshot.suffix)?.trim() ?? '';
    this.#nextDocumentLine = isDistinctive(nextLine) ? nextLine : undefined;
  }

  get text(): string {
    return this.#text;
  }

  get wholeLinesLength(): number {
    return this.#wholeLinesLength;
  }

  get firstSuggestionLength(): number | undefined {
    return this.#firstSuggestionLength;
  }

  get removedBy(): FilterName | undefined {
    return this.#removedBy;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  push(chunk: string): void {
    for (let index = 0; index < chunk.length && !this.#isComplete; index += 1) {
      this.#receivedLength += 1;
      this.#fimTokens.push(chunk[index] ?? '');
      if (this.#fimTokens.hasEnded || this.#receivedLength > answerLimits.raw) this.end();
    }
  }

  end(): void {
    if (this.#isComplete) return;
    this.#fimTokens.end();
    this.#endEcho();
    if (this.#isComplete) return;
    if (this.#hasLineContent) this.#endLine();
    if (!this.#isComplete) this.#finishAnswer();
  }

  #finishAnswer(): void {
    this.#isComplete = true;
    if (isHighSurrogate(this.#pendingText)) this.#pendingText = '';
  }

  /** Processes a character of the answer, unless the character is part of an echo of the text before the cursor. */
  #readUnlessEcho(character: string): void {
    if (this.#isComplete) return;
    if (this.#echo === undefined) {
      const isStart = !this.#hasContent && !this.#isEchoChecked && !this.#hasLineContent;
      if (!isStart || /\s/u.test(character)) return this.#readCharacter(character);
      this.#echo = new EchoDetector(
        this.#snapshot,
        (this.#echoStarts ??= findEchoStarts(this.#snapshot)),
      );
      this.#possibleEcho = '';
    }
    this.#possibleEcho += character;
    const verdict = this.#echo.push(character);
    if (verdict !== 'maybe') this.#finishEcho(verdict === 'no' ? 0 : verdict.length);
  }

  #endEcho(): void {
    const verdict = this.#echo?.end();
    if (verdict !== undefined) this.#finishEcho(verdict === 'no' ? 0 : verdict.length);
  }

  #finishEcho(length: number): void {
    const rest = this.#possibleEcho.slice(length);
    this.#echo = undefined;
    this.#isEchoChecked = true;
    if (length > 0) {
      this.#discardAnswer();
      this.#removedBy ??= 'echo';
    }
    for (let index = 0; index < rest.length && !this.#isComplete; index += 1)
      this.#readCharacter(rest[index] ?? '');
  }

  /** Discards the text of the answer that was read before the completion, such as an introductory sentence. */
  #discardAnswer(): void {
    this.#line = '';
    this.#hasLineContent = false;
    this.#leadingBreakCount = 0;
    this.#isAfterProse = false;
    this.#wasBlank = false;
  }

  #readCharacter(character: string): void {
    if (this.#isComplete) return;
    if (character === '\n') return this.#endLine();
    this.#line += character;
    this.#hasLineContent ||= !/\s/u.test(character);
    if (this.#isTaken) return this.#writeCharacter(character);
    if (this.#line.length > answerLimits.maxUndecidedLength || !this.#hasLineContent) return;
    const verdict = this.#classifyLine(this.#line, false);
    if (verdict !== undefined) this.#applyDecision(verdict);
  }

  #endLine(): void {
    const line = this.#line;
    if (!this.#hasLineContent) return this.#readBlankLine();
    this.#hasLineContent = false;
    if (!this.#isTaken) this.#applyDecision(this.#classifyLine(line, true) ?? 'take');
    const wasTaken = this.#isTaken;
    this.#line = '';
    this.#isTaken = false;
    if (this.#isComplete || !wasTaken) return;
    if (this.#isPlaceholder(line)) return this.#removePlaceholder();
    this.#lines.push(this.#lines.length === 0 ? this.#addLinePrefix(line) : line);
    this.#wasBlank = false;
    this.#wholeLinesLength = this.#text.length;
    this.#pendingText = '\n';
    if (this.#requestedScope === 'line' && this.#lines.length === 1) return this.#readAhead();
    if (this.#scope.endLine()) return this.#finishAnswer();
    if (this.#lines.length >= this.#maxLines || endsInCycle(this.#lines)) this.#finishAnswer();
  }

  /**
   * Checks whether a complete line is a placeholder for omitted text that does not occur in the document. Returns false
   * for documentation comments, and in prose for a line without letters such as `...`, because such lines are often
   * intended.
   */
  #isPlaceholder(line: string): boolean {
    const content = line.trim();
    if (content.startsWith('*') || (this.#allowsProse && !/\p{L}/u.test(content))) return false;
    const { prefix, suffix, languageId } = this.#snapshot;
    return (
      this.#isElision(content, languageId) && !prefix.includes(content) && !suffix.includes(content)
    );
  }

  /**
   * Ends the completion before a placeholder. Also removes the opening lines of blocks that contain only the
   * placeholder.
   */
  #removePlaceholder(): void {
    const { blockOpeningPattern } = this.#scope.language;
    const minLines = this.#requestedScope === 'line' ? 1 : 0;
    let text = this.#text.slice(0, this.#wholeLinesLength);
    while (this.#lines.length > minLines && blockOpeningPattern.test(this.#lines.at(-1) ?? '')) {
      this.#lines.pop();
      text = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).trimEnd();
    }
    this.#text = text;
    this.#wholeLinesLength = text.length;
    this.#pendingText = '';
    this.#removedBy ??= 'prose';
    this.#finishAnswer();
  }

  get #maxLines(): number {
    return this.#requestedScope === 'line' ? 1 + this.#maxLinesAhead : answerLimits.lines;
  }

  /**
   * Ends the first suggestion at the end of the cursor's line. Reads the following lines of the answer as a block below
   * this line, from which the next suggestions are created. If `maxLinesAhead` is 0, ends the whole answer instead.
   */
  #readAhead(): void {
    if (this.#maxLinesAhead === 0) return this.#finishAnswer();
    this.#firstSuggestionLength = this.#text.length;
    this.#scope = new ScopeTracker(createSnapshotBelow(this.#snapshot, this.#text));
  }

  #readBlankLine(): void {
    this.#line = '';
    if (!this.#hasContent) {
      if (!this.#isAfterProse) this.#leadingBreakCount += 1;
      return;
    }
    this.#wasBlank = true;
    if (this.#scope.addBlankLine(this.#lines.at(-1) ?? '')) return this.#finishAnswer();
    if (this.#pendingText === '\n') this.#pendingText = '\n\n';
  }

  #applyDecision(decision: LineDecision): void {
    if (decision === 'finish') return this.#finishAnswer();
    if (decision === 'skip') return;
    if (decision === 'last') this.#scope.markClosingLine();
    this.#isTaken = true;
    const line = this.#hasContent ? this.#line : this.#adaptFirstLine(this.#line);
    this.#hasContent = true;
    for (let index = 0; index < line.length && !this.#isComplete; index += 1)
      this.#writeCharacter(line[index] ?? '');
  }

  #writeCharacter(character: string): void {
    if (!this.#scope.push(character)) {
      this.#wholeLinesLength = this.#text.length;
      this.#removedBy ??= 'repeats-suffix';
      return this.#finishAnswer();
    }
    this.#pendingText += character;
    if (/\s/u.test(character) || isHighSurrogate(character)) return;
    this.#text += this.#pendingText;
    this.#pendingText = '';
    if (this.#text.length >= answerLimits.characters || this.#line.length >= answerLimits.line)
      this.#finishAnswer();
  }

  /** Returns the decision about a line; `undefined` if an incomplete line cannot be classified yet. */
  #classifyLine(line: string, isWhole: boolean): LineDecision | undefined {
    const fenceDecision = this.#classifyFence(line.trim(), isWhole);
    if (fenceDecision !== 'take') return fenceDecision;
    const wrapperDecision = this.#classifyWrapperLine(line.trim(), isWhole);
    if (wrapperDecision !== 'take') return wrapperDecision;
    const proseDecision = this.#classifyProse(line, isWhole);
    if (proseDecision !== 'take') return proseDecision;
    if (!this.#hasContent) return 'take';
    const nextLineDecision = this.#classifyNextDocumentLine(line, isWhole);
    if (nextLineDecision !== 'take') return nextLineDecision;
    const placement = this.#scope.classifyLine(line, isWhole);
    if (placement === undefined) return undefined;
    return placement === 'inside' ? 'take' : placement === 'last' ? 'last' : 'finish';
  }

  #classifyFence(content: string, isWhole: boolean): LineDecision | undefined {
    const isStart = isWhole ? parseFence(content) !== undefined : canBeFence(content);
    if (!isStart) return 'take';
    const { info = '', marks = '' } = parseFence(content) ?? {};
    const [word = ''] = info.split(/\s/u);
    const isCompletionFence =
      this.#scope.language.scopeSyntax !== 'paragraphs' || completionFences.has(word);
    if (!isWhole) {
      const isClosed = this.#hasContent && this.#openFence !== '' && content === this.#openFence;
      return isClosed ? 'finish' : undefined;
    }
    if (this.#hasContent) {
      if (this.#openFence !== '' && content.startsWith(this.#openFence)) return 'finish';
      return this.#scope.language.scopeSyntax === 'paragraphs' ? 'take' : 'finish';
    }
    if (!isCompletionFence) return 'take';
    // Two consecutive fences are an empty block, so the second fence closes the first.
    this.#openFence = content === this.#openFence ? '' : marks;
    this.#discardAnswer();
    this.#isEchoChecked = false;
    return 'skip';
  }

  /**
   * Classifies lines around the completion: a file path, a tag or a remark before the completion, and the closing tag
   * after the completion.
   */
  #classifyWrapperLine(text: string, isWhole: boolean): LineDecision | undefined {
    if (this.#hasContent) {
      if (this.#openTag === '') return 'take';
      const closingTag = `</${this.#openTag}>`;
      if (isWhole) return text === closingTag ? 'finish' : 'take';
      return closingTag.startsWith(text) ? undefined : 'take';
    }
    const isLineStart = this.#linePrefix.trim() === '' || this.#leadingBreakCount > 0;
    if (this.#allowsProse || !isLineStart) return 'take';
    if (!isWhole) return this.#canBeWrapperLine(text) ? undefined : 'take';
    if (this.#isFileComment(text)) return this.#skipWrapperLine();
    if (this.#openFence !== '') return 'take';
    const tag = this.#scope.language.hasElements
      ? undefined
      : answerTagPattern.exec(text)?.groups?.['tag'];
    if (tag !== undefined) {
      this.#openTag = tag;
      return this.#skipWrapperLine();
    }
    const isHeading =
      /^#{2,6} \p{Lu}/u.test(text) && !this.#scope.language.lineComments.includes('#');
    const isRemark =
      /^\p{L}/u.test(text) &&
      ['introduction', 'conclusion', 'refusal'].includes(classifyRemark(text));
    if (isHeading || isRemark || isRoleLine(text) || /^\*\*[^*]+\*\*:?$/u.test(text))
      return this.#skipWrapperLine();
    const isJson = this.#snapshot.languageId.startsWith('json');
    const isForeign =
      toolCallPattern.test(text) ||
      isEditStart(text) ||
      /^(?:\d+ ?[|│→] |`[^`]+`\.?$)/u.test(text) ||
      (!isJson && this.#isJsonAnswer(text));
    if (isForeign) this.#removedBy ??= 'prose';
    return isForeign ? 'finish' : 'take';
  }

  /**
   * Checks whether a line begins a JSON object that contains the completion or a list of edits, such as
   * `{"completion":`. Returns false if the text before the cursor contains the same key.
   */
  #isJsonAnswer(text: string): boolean {
    const key = jsonAnswerPattern.exec(text)?.groups?.['key'];
    return key !== undefined && !this.#snapshot.prefix.includes(`"${key}"`);
  }

  #skipWrapperLine(): LineDecision {
    this.#discardAnswer();
    this.#isEchoChecked = false;
    this.#isAfterProse = true;
    this.#removedBy ??= 'prose';
    return 'skip';
  }

  /** Checks whether the text is a comment that contains only a file path. */
  #isFileComment(text: string): boolean {
    const commentDelimiter = this.#scope.language.lineComments.find((delimiter) =>
      text.startsWith(delimiter),
    );
    return commentDelimiter !== undefined && isFileMark(text.slice(commentDelimiter.length).trim());
  }

  /**
   * Checks whether an incomplete first line may turn out to be a line before the completion: a file path, a tag, a diff
   * or a remark.
   */
  #canBeWrapperLine(text: string): boolean {
    const { lineComments, hasElements } = this.#scope.language;
    const commentDelimiter = lineComments.find((delimiter) => text.startsWith(delimiter));
    if (commentDelimiter !== undefined)
      return /^(?:\w+:? ?)?[\w./@-]*$/u.test(text.slice(commentDelimiter.length).trimStart());
    if (lineComments.some((mark) => mark.startsWith(text))) return true;
    if (this.#openFence !== '') return false;
    if (!hasElements && /^<[\w=-]*(?:\s[^<>]*)?>?$/u.test(text)) return true;
    return canBeRoleLine(text) || possibleWrappingPattern.test(text);
  }

  #classifyProse(line: string, isWhole: boolean): LineDecision | undefined {
    if (this.#allowsProse || this.#openFence !== '') return 'take';
    if (this.#hasContent && !(this.#wasBlank && this.#scope.isBalanced)) return 'take';
    // A first line that begins with a space continues the text at the cursor, so it is not introductory prose.
    if (!this.#hasContent && this.#leadingBreakCount === 0 && /^\s/u.test(line)) return 'take';
    const verdict = classifyProse(line, isWhole);
    if (verdict === 'no') return 'take';
    if (verdict === 'maybe') return undefined;
    if (this.#hasContent) return 'finish';
    this.#discardAnswer();
    this.#isEchoChecked = false;
    this.#isAfterProse = true;
    this.#removedBy ??= 'prose';
    return 'skip';
  }

  #classifyNextDocumentLine(line: string, isWhole: boolean): LineDecision | undefined {
    const content = line.trim();
    if (this.#nextDocumentLine === undefined || !this.#scope.isBalanced) return 'take';
    if (isWhole) return content === this.#nextDocumentLine ? 'finish' : 'take';
    return this.#nextDocumentLine.startsWith(content) ? undefined : 'take';
  }

  /**
   * Adapts the first line to the cursor: removes indentation that is already in the document, or adds a missing line
   * break.
   */
  #adaptFirstLine(line: string): string {
    const indentation = getIndentation(line);
    const rest = line.slice(indentation.length);
    if (this.#linePrefix.trim() === '') return indentation.slice(this.#linePrefix.length) + rest;
    if (this.#leadingBreakCount > 0 && getLineSuffix(this.#snapshot).trim() === '')
      return `\n${line}`;
    if (this.#requestedScope === 'block' && this.#needsLineBreak(indentation, rest))
      return `\n${this.#getBodyIndentation(indentation)}${rest}`;
    return /\s$/u.test(this.#linePrefix) ? rest : line;
  }

  /**
   * Returns the text of the cursor's line before the cursor, followed by the first line of the
   * completion.
   */
  #addLinePrefix(line: string): string {
    const text = this.#adaptFirstLine(line);
    return text.startsWith('\n') ? text.slice(1) : this.#linePrefix + text;
  }

  #needsLineBreak(indentation: string, rest: string): boolean {
    if (!this.#scope.language.hasBodyOnNextLine) return false;
    if (indentation !== '') return indentation !== ' ';
    return /[{:\w]\s*$/u.test(this.#linePrefix) && /^[\p{L}_$@"'#/]/u.test(rest);
  }

  #getBodyIndentation(indentation: string): string {
    const outerIndentation = getIndentation(this.#linePrefix);
    return indentation.length > outerIndentation.length
      ? indentation
      : outerIndentation + this.#snapshot.indentUnit;
  }
}

/** Returns the snapshot after `text` was inserted at the cursor and the cursor moved to a new line below. */
function createSnapshotBelow(snapshot: Snapshot, text: string): Snapshot {
  const line = getLinePrefix({ ...snapshot, prefix: snapshot.prefix + text });
  const { blockOpeningPattern } = getLanguageAtCursor(snapshot);
  const indentation =
    getIndentation(line) + (blockOpeningPattern.test(line.trimEnd()) ? snapshot.indentUnit : '');
  return {
    ...snapshot,
    prefix: `${snapshot.prefix}${text}\n${indentation}`,
    suffix: snapshot.suffix.slice(getLineSuffix(snapshot).length),
  };
}

/**
 * Checks whether a line is specific enough to be recognized in the document. A line of brackets also occurs elsewhere
 * by chance.
 */
const isDistinctive = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && !commonClosingLines.has(line);
const commonClosingLines: ReadonlySet<string> = new Set([
  'end',
  'else:',
  'else',
  'fi',
  'done',
  'esac',
  'break;',
  'pass',
]);

/**
 * Languages of code fences that wrap a completion in prose documents. Code blocks in other languages are part of the
 * completion.
 */
const completionFences: ReadonlySet<string> = new Set([
  'markdown',
  'md',
  'text',
  'txt',
  'plaintext',
]);

const answerTagPattern = new RegExp(
  String.raw`^<(?<tag>lines|${answerTagSource})(?:\s[^<>]*)?>$`,
  'iu',
);
const jsonAnswerPattern = new RegExp(
  `^\\{\\s*"(?<key>${textKeySource}|${oldTextKeySource}|completion|insert|edits)"\\s*:`,
  'iu',
);
/**
 * Matches the beginning of a line that may turn out to be a diff, a tag or a remark of the model, for example `dif` or
 * `###`.
 */
const possibleWrappingPattern =
  /^(?:<{1,4}[A-Z]*|<{5,9} ?\w*(?: \w*)?|\*{1,3}[^*]*\*{0,2}:?|@{1,2}(?: -?\d*)?|d(?:i(?:f(?:f(?: -{0,2}g?i?t?)?)?)?)?|-{1,3}(?: a?\/?)?|\{\s*(?:"\w*(?:"\s*(?::.*)?)?)?|\d+ ?(?:[|│→](?: .*)?)?|\d+(?:,\d*)?(?:[cd]\d*(?:,\d*)?)?|`[^`]*`?\.?|\[[A-Z_]*\]?|#{1,6}(?: .*)?|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}].*)$/u;

const isHighSurrogate = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text);

/**
 * Detects an echo: an answer that first repeats text before the cursor, such as the last word or the last lines. Takes
 * constant time per character.
 */
class EchoDetector {
  readonly #prefix: string;
  /**
   * Start offsets, in `#prefix`, of the texts that the answer may be repeating. Each character of the answer removes
   * the offsets that do not match.
   */
  #echoStarts: readonly number[];
  /**
   * Matches the white space character that may follow a complete echo. Undefined if no white space precedes the cursor.
   */
  readonly #nextPattern: RegExp | undefined;
  #length = 0;
  #matchedLength = 0;
  /**
   * True if the answer has just repeated the text before the cursor up to its trailing white space. The next character
   * then shows whether the answer also repeats this white space.
   */
  #isAtTrailingSpace = false;

  /** @param echoStarts result of {@link findEchoStarts} */
  constructor({ prefix }: Snapshot, echoStarts: readonly number[]) {
    this.#prefix = prefix.trimEnd();
    const trailingSpace = prefix.slice(this.#prefix.length);
    if (trailingSpace !== '') this.#nextPattern = trailingSpace.includes('\n') ? /\n/u : /\s/u;
    this.#echoStarts = echoStarts;
  }

  /**
   * Adds the next character of the answer. Returns the length of the repeated text, `no` if the answer repeats no
   * text, or `maybe` if more characters are needed.
   */
  push(character: string): 'no' | 'maybe' | { readonly length: number } {
    if (this.#isAtTrailingSpace) {
      this.#isAtTrailingSpace = false;
      if (this.#nextPattern?.test(character)) this.#matchedLength = this.#length;
    }
    const prefix = this.#prefix;
    this.#echoStarts = this.#echoStarts.filter(
      (start) => prefix[start + this.#length] === character,
    );
    this.#length += 1;
    const isWhole = this.#echoStarts.includes(prefix.length - this.#length);
    if (isWhole && this.#nextPattern !== undefined) this.#isAtTrailingSpace = true;
    else if (isWhole) this.#matchedLength = this.#length;
    const lastStart = prefix.length - this.#length;
    this.#echoStarts = this.#echoStarts.filter((start) => start < lastStart);
    if (this.#echoStarts.length > 0 || this.#isAtTrailingSpace) return 'maybe';
    return this.#matchedLength > 0 ? { length: this.#matchedLength } : 'no';
  }

  /** Ends the answer. Returns the length of the repeated text, or `no` if the answer repeats no text. */
  end(): 'no' | { readonly length: number } {
    if (this.#isAtTrailingSpace) return { length: this.#length };
    return this.#matchedLength > 0 ? { length: this.#matchedLength } : 'no';
  }
}

/** Maximum number of lines before the cursor that an answer may repeat. */
const maxEchoLines = 40;

/** Returns the offsets in the prefix from which an answer may repeat the text up to the cursor. */
function findEchoStarts(snapshot: Snapshot): readonly number[] {
  const prefix = snapshot.prefix.trimEnd();
  const line = getLinePrefix(snapshot).trimEnd();
  const starts = line.trim() === '' ? [] : findWordStarts(snapshot.prefix, line);
  const lines = findLineStarts(prefix).filter((start) => !mayRepeatByChance(prefix.slice(start)));
  const contentStart = prefix.search(/\S/u);
  return [...new Set([...starts, ...lines, ...(contentStart < 0 ? [] : [contentStart])])];
}

/**
 * Returns the offset of the first non-blank character in each of the last {@link maxEchoLines} non-blank lines, last
 * line first.
 */
function findLineStarts(prefix: string): number[] {
  const starts: number[] = [];
  let end = prefix.length;
  while (starts.length < maxEchoLines && end > 0) {
    const start = prefix.lastIndexOf('\n', end - 1) + 1;
    const content = prefix.slice(start, end).search(/\S/u);
    if (content >= 0) starts.push(start + content);
    end = start - 1;
  }
  return starts;
}

/** Checks whether a line is not distinctive enough to detect an echo, such as a line that contains only brackets. */
const mayRepeatByChance = (line: string): boolean =>
  line.length < 2 || !/[\p{L}\p{N}\-#*/"'<@$]/u.test(line.slice(0, 1_000));

/** Returns the offsets where the last word and the last dotted name before the cursor start. */
function findWordStarts(prefix: string, line: string): number[] {
  if (!prefix.endsWith(line)) return [];
  const lineTail = line.slice(-maxEchoWordLength);
  const lastWord = /[\p{L}\p{N}_$]{3,}$/u.exec(lineTail)?.[0];
  const path = /[\p{L}\p{N}_$.]{3,}$/u.exec(lineTail)?.[0];
  return [lastWord, path]
    .filter((word) => word !== undefined && word.length < maxEchoWordLength)
    .map((word) => prefix.length - (word ?? '').length);
}

const maxEchoWordLength = 80;
