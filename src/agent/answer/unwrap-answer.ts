import {
  removeBackticks,
  removeEscapes,
  removeFileComment,
  removeLanguageName,
  removeTags,
} from './answer-marks.ts';
import {
  isSeparatorLine,
  isTextLanguage,
  RemarkFinder,
  type RemarkTarget,
  splitParagraphs,
} from './answer-remarks.ts';
import { isTaskLabel, removeCommentRemarks } from './comment-remarks.ts';
import { restoreDistortedLines } from './distortions.ts';
import { findEnvelope, removeEnvelope } from './envelope.ts';
import { answerObjectPattern } from './foreign-calls.ts';
import { findForeignText } from './foreign-marks.ts';
import { removeLinePrefixes } from './line-marks.ts';
import { getLeadingWhitespace, isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import { canCloseFence, type Fence, isRoleLine, parseFence } from '../../base/model-answer.ts';
import { isSentence } from '../../base/prose.ts';
import { rateAsSentence } from './rate-line.ts';
import { classifyRemark } from '../../base/remark.ts';

/** Reason why the replacement lines in an answer cannot be determined. */
export type UnwrapRefusalReason = 'prose' | 'unclear' | 'several-blocks';

/** Replacement lines of an answer, without the fences and remarks of the model around them. */
export type UnwrappedAnswer = UnwrappedLines | UnwrapRefusalReason;

export interface UnwrappedLines {
  readonly lines: readonly string[];
  /** Language in the info string of the code fence around the lines; empty without a fence. */
  readonly info: string;
  /** Blank lines at the start and the end of a closed code block. */
  readonly outerBlankLines?: OuterBlankLines;
}

/** Languages whose documents can contain code fences. */
const fencedLanguages: ReadonlySet<string> = new Set([
  ...['markdown', 'mdx', 'restructuredtext', 'asciidoc', 'quarto', 'rmd', 'typst'],
  ...['prompt', 'instructions', 'chatagent'],
]);

/** Languages whose documents can contain shell commands. */
const shellLanguages: ReadonlySet<string> = new Set([
  ...['shellscript', 'fish', 'powershell', 'bat', 'makefile', 'dockerfile', 'just'],
]);

/** Matches names of shells in the info strings of code fences. */
const shellNamesPattern = /^(?:bash|sh|shell|zsh|fish|console|terminal|powershell|ps1|cmd|bat)$/u;

/** Languages in which lines often begin with numbers. */
const numberedLanguages: ReadonlySet<string> = new Set(['csv', 'tsv', 'log', 'basic']);

const numbersRequestPattern =
  /\b(?:number|enumerat|numerier|numérot|numera|count|index|ids?\b|rank|step)|編號|编号|番号|序号/iu;

const keysRequestPattern =
  /\b(?:numeric|numbers?|digits?|integers?)\b.*\bkeys?\b|\bkeys?\b.*\b(?:numeric|numbers?|digits?|integers?)\b/iu;
/** Matches a line that begins with a number as a key, such as `1: 'one'`. */
const numericKeyPattern = /^\s*(?:\d+|\[\d+\])\s*(?::|=>?|->)/u;

/**
 * Matches info strings, such as `markdown`, of a fence that encloses a whole text document rather than code inside the
 * document.
 */
const wholeDocumentInfoPattern =
  /^(?:|markdown|md|mdx|text|txt|plaintext|plain|rst|restructuredtext|asciidoc|adoc|quarto|qmd|rmd|typst|git-commit|commit)$/iu;

/** Names that info strings use for a language instead of its VS Code language id, by that id. */
const languageNames: Readonly<Record<string, readonly string[]>> = {
  shellscript: ['bash', 'sh', 'shell', 'zsh'],
  typescript: ['ts'],
  typescriptreact: ['tsx', 'typescript'],
  javascript: ['js'],
  javascriptreact: ['jsx', 'javascript'],
  python: ['py'],
  csharp: ['c#', 'cs'],
  cpp: ['c++'],
  makefile: ['make'],
  plaintext: ['text', 'txt'],
  markdown: ['md'],
  latex: ['tex'],
  restructuredtext: ['rst'],
  asciidoc: ['adoc'],
  yaml: ['yml'],
};

/** Removes the fences, tags and remarks around the replacement lines in an answer. */
export class AnswerWrapping {
  readonly #target: RemarkTarget;
  readonly #original: readonly string[];
  readonly #language: string;
  readonly #originalFenceCount: number;
  readonly #remarks: RemarkFinder;
  /** True if the answer ends with a line break. */
  #hasFinalLineBreak = false;
  /**
   * True if the replacement lines may begin with numbers, because the user requested numbers or the document contains
   * data such as CSV.
   */
  readonly #canBeNumbered: boolean;
  /** True if the original lines are inside a code block of the document. */
  readonly #isInsideFence: boolean;
  /** True if the document can contain code fences outside comments and strings. */
  readonly canContainFences: boolean;
  /** True if the original lines contain sentences. */
  readonly isText: boolean;

  constructor(target: RemarkTarget) {
    const { language, original, before, after, instruction = '' } = target;
    this.#canBeNumbered =
      numberedLanguages.has(language) || numbersRequestPattern.test(instruction);
    this.#target = target;
    this.#language = language;
    this.#original = original;
    this.#originalFenceCount = countFences(original);
    this.#remarks = new RemarkFinder(target);
    this.isText = this.#remarks.isText;
    this.canContainFences =
      fencedLanguages.has(language) ||
      (this.isText && countFences([...before, ...original, ...after]) > 0);
    this.#isInsideFence = this.canContainFences && countFences(before) % 2 === 1;
  }

  /** Removes fences, tags, line numbers, escapes and remarks around the replacement lines. */
  unwrap(answerLines: readonly string[]): UnwrappedAnswer {
    this.#hasFinalLineBreak = !isNonBlank(answerLines.at(-1) ?? '');
    // An open code block ends in the indentation of a further line.
    const isOpenBlock = countFences(answerLines) === 1 && this.#originalFenceCount === 0;
    if (isOpenBlock && /^[ \t]+$/u.test(answerLines.at(-1) ?? '')) return 'unclear';
    const bodyLines = removeEnvelope(trimBlankLines(answerLines), this.#target);
    if (hasEnclosingTags(trimBlankLines(bodyLines), this.#original)) return 'unclear';
    const untaggedLines = removeTags(trimBlankLines(bodyLines), this.#target);
    if (untaggedLines === 'unclear') return 'unclear';
    const unnamedLines = removeFileComment(untaggedLines, this.#target);
    const unprefixedLines = this.#removeLinePrefixes(
      trimBlankLines(unnamedLines === 'unclear' ? untaggedLines : unnamedLines),
    );
    if (unprefixedLines === 'unclear') return 'unclear';
    const unlabeledLines = this.#removeSpeakerLabel(trimBlankLines(unprefixedLines));
    if (unlabeledLines === 'unclear') return 'unclear';
    if (findEnvelope(unlabeledLines, this.#target) !== undefined) return 'unclear';
    if (
      truncationNotePattern.test(unlabeledLines.at(-1) ?? '') &&
      !this.isKnownLine(unlabeledLines.at(-1) ?? '')
    )
      return 'unclear';
    if (
      hasCodeOnFenceLine(unlabeledLines) ||
      beginsWithTwoFences(unlabeledLines) ||
      this.#isPartialReplacement(unlabeledLines)
    )
      return 'unclear';
    if (hasLongLastFence(unlabeledLines) || (this.isText && hasTextBeforeFence(unlabeledLines)))
      return 'unclear';
    const separatedLines = splitLastFence(unlabeledLines, this.#original);
    if (isInBackticks(separatedLines, this.#original)) return 'unclear';
    if (this.isText && isLineInBackticks(separatedLines, this.#target)) return 'unclear';
    if (separatedLines.length === 0) return 'prose';
    const lines = this.isText ? separatedLines : removeBackticks(separatedLines, this.#original);
    if (lines === 'unclear') return 'unclear';
    const block = removeOuterBlankLines(this.#readFences(lines), separatedLines !== unlabeledLines);
    if (block === 'content' && this.#endsWithExtraBlock(lines)) return 'unclear';
    if (block === 'content') {
      const unwrappedAnswer = this.#removeRemarks(lines);
      return this.isText && losesFirstParagraph(lines, unwrappedAnswer)
        ? 'unclear'
        : this.#removeAddedText(unwrappedAnswer);
    }
    if (typeof block === 'string') return block;
    const blockLines = removeTags(removeEnvelope(block.lines, this.#target), this.#target);
    if (blockLines === 'unclear') return 'unclear';
    if (!blockLines.some(isNonBlank)) return 'prose';
    return this.#removeAddedText({ ...block, lines: blockLines });
  }

  /**
   * Removes text that a model added around the lines of a code block, and the model's remarks in comments. Returns
   * `unclear` if such text may be part of the replacement lines.
   */
  unwrapBlock(blockLines: readonly string[]): readonly string[] | 'unclear' {
    const innerLines = trimBlankLines(removeEnvelope(blockLines, this.#target));
    if (this.#hasInnerRemark(innerLines)) return 'unclear';
    const { length } = innerLines;
    if (
      findEnvelope(innerLines, this.#target) !== undefined ||
      truncationNotePattern.test(innerLines[length - 1] ?? '')
    )
      return 'unclear';
    const block = this.#removeAddedText({ lines: innerLines, info: '' });
    return typeof block === 'string' || findForeignText(block.lines, this.#target) !== undefined
      ? 'unclear'
      : block.lines;
  }

  /**
   * Removes a label such as `Answer:` or `assistant` at the start of an answer. Returns `unclear` if the label may be
   * part of the replacement lines.
   */
  #removeSpeakerLabel(lines: readonly string[]): readonly string[] | 'unclear' {
    const [firstLine = '', ...rest] = lines;
    const { before, after, instruction = '' } = this.#target;
    const label = speakerLabelPattern.exec(firstLine)?.[0];
    const isRole = isRoleLine(firstLine) && rest.some(isNonBlank);
    const name = (label ?? `${firstLine}:`).trim().toLowerCase();
    const documentText = [before, this.#original, after, [instruction]]
      .flat()
      .join('\n')
      .toLowerCase();
    if ((label === undefined && !isRole) || documentText.includes(name)) return lines;
    if (label === undefined) return rest;
    const text = firstLine.slice(label.length);
    if (this.#remarks.isKnownLine(text)) return [text, ...rest];
    return !this.isText && rateAsSentence(text) !== 'no' ? lines : 'unclear';
  }

  /**
   * Checks whether an answer replaces only a part of the selection. This is the case if the line before the code block
   * announces the change of one line, but there are several original lines, or if a remark states that lines are
   * omitted.
   */
  #isPartialReplacement(lines: readonly string[]): boolean {
    const start = lines.findIndex((line) => parseFence(line) !== undefined);
    const label = lines.slice(0, Math.max(0, start)).findLast(isNonBlank) ?? '';
    const closeIndex = lines.findLastIndex((line) => parseFence(line) !== undefined);
    const outsideLines =
      start < 0 ? [] : [...lines.slice(0, start), ...lines.slice(closeIndex + 1)];
    const count = this.#original.filter(isNonBlank).length;
    const isShorter = lines.slice(start + 1, closeIndex).filter(isNonBlank).length < count;
    const isPartial =
      (count > 1 && partialLabelPattern.test(label)) ||
      (isShorter && outsideLines.some((line) => unchangedRestPattern.test(line))) ||
      outsideLines.some((line) => partialNotePattern.test(line));
    return isPartial && !this.isKnownLine(label);
  }

  /** Checks whether the first or last line consists of dots that represent omitted lines. */
  #hasOmissionDots(lines: readonly string[]): boolean {
    const nonBlankLines = lines.filter(isNonBlank);
    // At the level of the document, the dots are a statement or the end of a document, but not an item of a list.
    const canBeCode = /^(?:yaml|dockercompose|python)$/u.test(this.#language);
    const isOpen = /[,([{]\s*$/u.test(nonBlankLines.at(-2) ?? '');
    const getIndentWidth = (line = ''): number => getLeadingWhitespace(line).length;
    const knownLines = new Set(this.#original);
    const isShallowDots = (line: string, index: number): boolean =>
      isDots(line.trimStart()) &&
      !knownLines.has(line) &&
      getIndentWidth(line) <
        Math.min(
          getIndentWidth(nonBlankLines[index - 1]),
          getIndentWidth(nonBlankLines[index + 1]),
        );
    const isDots = (line = ''): boolean => /^(?:\.{3,}|…)\s*$/u.test(line) && !knownLines.has(line);
    if (nonBlankLines.some(isShallowDots)) return true;
    if (canBeCode && !isOpen && this.#original.some((line) => /^\S/u.test(line))) return false;
    return isDots(nonBlankLines[0]) || isDots(nonBlankLines.at(-1));
  }

  /** Checks whether the context or the original contains the line, or the original contains a similar line. */
  isKnownLine(line: string): boolean {
    return this.#remarks.isKnownLine(line);
  }

  /** Checks whether a line of an incomplete answer may be a remark of the model. */
  canBeRemark(line: string): boolean {
    if (this.isKnownLine(line)) return false;
    return this.isText || isSeparatorLine(line) || this.#remarks.rateLineAsRemark(line) !== 'no';
  }

  /**
   * Checks whether the first line of an answer may begin with a prefix that models add to every line, such as a line
   * number.
   */
  canHaveLinePrefix(line: string): boolean {
    const prefixPattern = /^\s*(?:\d+ ?[|│→:\t]|\d+ |>|["{`]|<[a-z_]+[\s>]|assistant\s*$)/iu;
    return (
      (prefixPattern.test(line) || speakerLabelPattern.test(line)) &&
      !this.#original.some(
        (originalLine) => getLeadingCharacters(originalLine) === getLeadingCharacters(line),
      )
    );
  }

  /** Checks whether a code fence with this info string may contain commands instead of replacement lines. */
  canContainCommands(info: string): boolean {
    return shellNamesPattern.test(toLanguageName(info)) && !shellLanguages.has(this.#language);
  }

  /**
   * Returns the lines of an unfenced unified diff, from the first header to the last hunk; undefined if none exists.
   */
  findDiff(lines: readonly string[]): readonly string[] | undefined {
    if (countFences(lines) > 0) return undefined;
    const hunkIndex = lines.findIndex((line) => /^@@ .*@@|^@@\s*$/u.test(line));
    if (hunkIndex < 0) return undefined;
    const headerIndex = lines.findIndex((line) => /^(?:diff --git |--- \S)/u.test(line));
    const start = headerIndex < 0 ? hunkIndex : Math.min(headerIndex, hunkIndex);
    const end = lines.findLastIndex((line) => /^[-+ @]/u.test(line));
    const isPreamble = lines
      .slice(0, start)
      .every((line) => !isNonBlank(line) || !this.#remarks.isKnownLine(line));
    return isPreamble ? lines.slice(start, end + 1) : undefined;
  }

  #removeAddedText(unwrappedAnswer: UnwrappedAnswer): UnwrappedAnswer {
    if (typeof unwrappedAnswer === 'string') return unwrappedAnswer;
    if (this.#hasOmissionDots(unwrappedAnswer.lines)) return 'unclear';
    if (this.#addsText(unwrappedAnswer.lines, '<![CDATA[')) return 'unclear';
    const unescapedLines = removeEscapes(unwrappedAnswer.lines, this.#target);
    if (unescapedLines === 'unclear') return 'unclear';
    const restoredLines = restoreDistortedLines(unescapedLines, this.#target);
    if (restoredLines === 'unclear') return 'unclear';
    const unprefixedLines = this.#removeLinePrefixes(restoredLines);
    if (unprefixedLines === 'unclear') return 'unclear';
    const lines = removeCommentRemarks(unprefixedLines, this.#target);
    if (lines === 'unclear') return 'unclear';
    return this.#isRefusal({ ...unwrappedAnswer, lines }) ? 'prose' : { ...unwrappedAnswer, lines };
  }

  /** Checks whether the given text occurs in replacement lines, but neither in the document nor in the instruction. */
  #addsText(lines: readonly string[], text: string): boolean {
    const { before, after, instruction = '' } = this.#target;
    return (
      lines.some((line) => line.includes(text)) &&
      ![...before, ...this.#original, ...after, instruction].some((line) => line.includes(text))
    );
  }

  #removeLinePrefixes(lines: readonly string[]): readonly string[] | 'unclear' {
    const hasNumericKeys = lines.every((line) => !isNonBlank(line) || numericKeyPattern.test(line));
    if (hasNumericKeys && keysRequestPattern.test(this.#target.instruction ?? '')) return lines;
    const canBeQuoted =
      isTextLanguage(this.#language) || /quot|cit|>/iu.test(this.#target.instruction ?? '');
    return removeLinePrefixes(lines, this.#original, {
      canBeNumbered: this.#canBeNumbered,
      canBeQuoted,
    });
  }

  #isRefusal({
    lines,
    info,
  }: {
    readonly lines: readonly string[];
    readonly info: string;
  }): boolean {
    // A fence that names the language of the document contains text of the document.
    const documentLanguageNames = [this.#language, ...(languageNames[this.#language] ?? [])];
    if (this.isText && documentLanguageNames.includes(info)) return false;
    const nonBlankLines = lines.filter(isNonBlank);
    if (nonBlankLines.some((line) => this.#remarks.isKnownLine(line))) return false;
    const hasOnlyWords = nonBlankLines.every((line) => /^[\p{L}\p{N}/ .-]+$/u.test(line));
    if (
      hasOnlyWords &&
      !this.#remarks.isTranslation &&
      !this.#remarks.containsKnownWord(nonBlankLines)
    )
      return true;
    if (this.isText) return this.#remarks.isUnrelatedAnswer(nonBlankLines);
    return nonBlankLines.every((line) => this.#remarks.rateLineAsRemark(line) !== 'no');
  }

  #readFences(lines: readonly string[]): UnwrappedAnswer | 'content' {
    const fenceIndex = lines.findIndex((line) => parseFence(line) !== undefined);
    if (fenceIndex < 0) return 'content';
    if (this.canContainFences || this.#originalFenceCount > 0) {
      const openingIndex = this.#findOpeningFenceIndex(lines, fenceIndex);
      if (typeof openingIndex === 'number') return this.#readBlock(lines, openingIndex);
      return openingIndex ?? 'content';
    }
    return this.#readCodeFences(lines, fenceIndex);
  }

  /**
   * Checks whether an answer ends with an additional code block that the user did not request, after a label such as
   * `Test it with:`.
   */
  #endsWithExtraBlock(lines: readonly string[]): boolean {
    const fenceIndexes = [...lines.keys()].filter(
      (index) => parseFence(lines[index] ?? '') !== undefined,
    );
    const start = fenceIndexes.at(-2);
    if (start === undefined || fenceIndexes.length <= this.#originalFenceCount) return false;
    const label = lines.slice(0, start).findLast(isNonBlank) ?? '';
    const blockLines = lines.slice(start + 1);
    return (
      /[:：]\**\s*$|^#{1,6} /u.test(label) &&
      !this.isKnownLine(label) &&
      (!this.#remarks.isTextRequested(label) ||
        /^(?:then|now|next|finally|also|test|run|try)\b/iu.test(label)) &&
      !blockLines.some(
        (line) =>
          isNonBlank(line) && parseFence(line) === undefined && this.#original.includes(line),
      )
    );
  }

  /**
   * Returns the lines inside a fence, for documents that can contain code fences only in strings and comments. Returns
   * `content` if lines of the document surround the fences, because the fences are then part of a string or comment.
   */
  #readCodeFences(lines: readonly string[], firstIndex: number): UnwrappedAnswer | 'content' {
    const openingFence = parseFence(lines[firstIndex] ?? '');
    const lastIndex = lines.findLastIndex((line) => parseFence(line) !== undefined);
    const [preambleLines, rest] = [lines.slice(0, firstIndex), lines.slice(lastIndex + 1)];
    const isKnown = (line: string): boolean => isNonBlank(line) && this.#remarks.isKnownLine(line);
    const hasPreambleCode =
      preambleLines.some(isKnown) ||
      this.#containsCode(preambleLines) ||
      this.#containsText(preambleLines);
    if (openingFence !== undefined && hasPreambleCode) {
      const isStray = firstIndex === lastIndex && openingFence.info === '' && !rest.some(isKnown);
      if (isStray) return this.#removeRemarks(preambleLines);
      // Fences in a string or comment have lines of the answer on both sides.
      return preambleLines.some(isKnown) && rest.some(isKnown) && firstIndex !== lastIndex
        ? 'content'
        : 'unclear';
    }
    const block = this.#readBlock(lines, firstIndex);
    if (block === 'several-blocks') return this.#pickChangedBlock(lines);
    if (typeof block === 'object' && this.#isCommandBlock(block)) return 'prose';
    if (
      firstIndex !== lastIndex &&
      rest.some(
        (line) =>
          isKnown(line) && !isSentence(line) && this.#remarks.rateLineAsRemark(line) === 'no',
      )
    )
      return typeof block === 'string' ? block : 'unclear';
    return block;
  }

  /** Checks whether the lines before the code fence contain code instead of remarks. */
  #containsCode(lines: readonly string[]): boolean {
    return lines.some((line) => isNonBlank(line) && /[;{}=]\s*$|^\s{2,}\S|^<\/?\w/u.test(line));
  }

  /** Checks whether the lines before the code fence contain several paragraphs of text for the document. */
  #containsText(lines: readonly string[]): boolean {
    const paragraphs = splitParagraphs(lines).filter(
      ({ lines: paragraphLines }) =>
        classifyRemark(paragraphLines.join(' ')) === 'none' && !isSentence(paragraphLines[0] ?? ''),
    );
    return isTextLanguage(this.#language) && paragraphs.length > 1;
  }

  /**
   * Checks whether a block contains shell commands that the model advises the user to run, instead of lines of the
   * document.
   */
  #isCommandBlock({
    info,
    lines,
  }: {
    readonly info: string;
    readonly lines: readonly string[];
  }): boolean {
    if (
      !shellNamesPattern.test(toLanguageName(info)) ||
      lines.some((line) => isNonBlank(line) && this.#remarks.isKnownLine(line))
    )
      return false;
    const { path = '', instruction = '' } = this.#target;
    const fileName = path.split(/[\\/]/u).at(-1) ?? '';
    const mentionsFileName = fileName !== '' && lines.some((line) => line.includes(fileName));
    return (
      !shellLanguages.has(this.#language) || (mentionsFileName && !instruction.includes(fileName))
    );
  }

  /**
   * Returns the lines of the only code block that differs from the original, for an answer with blocks such as
   * `Before:` and `After:`.
   */
  #pickChangedBlock(lines: readonly string[]): UnwrappedAnswer {
    const blocks: (CodeSection & { readonly label: string })[] = [];
    let end = 0;
    let openFence: { readonly fence: Fence; readonly index: number } | undefined;
    for (const [index, line] of lines.entries()) {
      const fence = parseFence(line);
      if (fence === undefined) continue;
      if (openFence === undefined) openFence = { fence, index };
      else if (canCloseFence(fence, openFence.fence)) {
        const label = lines.slice(end, openFence.index).findLast(isNonBlank) ?? '';
        const codeLines = lines.slice(openFence.index + 1, index);
        blocks.push({ info: openFence.fence.info, lines: codeLines, label });
        [openFence, end] = [undefined, index + 1];
      }
    }
    const codeBlocks = blocks.filter((block) => !this.#isCommandBlock(block));
    const changedBlocks = codeBlocks.filter((block) => !areSameLines(block.lines, this.#original));
    const [onlyBlock] = changedBlocks;
    const [firstBlock, ...otherBlocks] = blocks;
    const isAnswer =
      firstBlock !== undefined &&
      openFence === undefined &&
      !this.#isCommandBlock(firstBlock) &&
      !exampleLabelPattern.test(firstBlock.label) &&
      firstBlock.lines.some((line) => this.isKnownLine(line)) &&
      !areSameLines(firstBlock.lines, this.#original) &&
      !blocks.some(({ label }) => choiceLabelPattern.test(label)) &&
      otherBlocks.every(
        (block) => areSameLines(block.lines, firstBlock.lines) || this.#isExample(block),
      );
    if (isAnswer) return { lines: firstBlock.lines, info: toLanguageName(firstBlock.info) };
    // One of several options can differ from the original only in white space.
    const isOption =
      blocks.some(({ label }) => optionLabelPattern.test(label)) &&
      blocks.some(
        (block) =>
          !changedBlocks.includes(block) && block.lines.join('\n') !== this.#original.join('\n'),
      );
    // The unchanged block is the old version only if it precedes the new version or has a label.
    const lastBlock = blocks.at(-1);
    const isSecondPart =
      lastBlock !== undefined &&
      lastBlock !== onlyBlock &&
      !optionLabelPattern.test(lastBlock.label) &&
      !/\b(?:before|old|original|previous|current|instead of|was)\b/iu.test(lastBlock.label);
    return changedBlocks.length === 1 &&
      !isOption &&
      !(isSecondPart && areSameLines(lastBlock.lines, this.#original)) &&
      (blocks.length === 2 || codeBlocks.length === 1) &&
      openFence === undefined &&
      onlyBlock !== undefined
      ? onlyBlock
      : 'several-blocks';
  }

  /**
   * Checks whether a code block after the replacement lines is only an example of how to use or test them, or shows
   * their output.
   */
  #isExample({ lines, label }: CodeSection & { readonly label: string }): boolean {
    const { instruction = '' } = this.#target;
    const originalTexts = new Set(this.#original.map((line) => line.trim()));
    return (
      exampleLabelPattern.test(label) &&
      !exampleLabelPattern.test(instruction) &&
      !lines.some((line) => /\p{L}{2}/u.test(line) && originalTexts.has(line.trim()))
    );
  }

  /**
   * Returns the index of an opening fence that may enclose the replacement lines, because only remarks precede it.
   * Returns undefined for any other fence, and `unclear` if the lines before the fence may themselves be replacement
   * lines.
   */
  #findOpeningFenceIndex(lines: readonly string[], index: number): number | 'unclear' | undefined {
    const preamble = trimBlankLines(lines.slice(0, index));
    const paragraphs = splitParagraphs(preamble);
    const isKnown = (line: string): boolean => isNonBlank(line) && this.#remarks.isKnownLine(line);
    if (preamble.some(isKnown)) return undefined;
    if (
      paragraphs.every(
        ({ lines: paragraphLines }) => classifyRemark(paragraphLines.join(' ')) !== 'none',
      )
    )
      return index;
    const openingFence = parseFence(lines[index] ?? '');
    const closeIndex = lines.findLastIndex((line) => parseFence(line) !== undefined);
    const insideLines = lines.slice(index + 1, closeIndex);
    const outsideLines = lines.slice(closeIndex + 1);
    const isWrapper = openingFence !== undefined && this.#isWrapperFence(openingFence);
    if (isWrapper && insideLines.some(isKnown) && !outsideLines.some(isKnown)) return index;
    return outsideLines.some(isKnown) ? undefined : 'unclear';
  }

  #isWrapperFence({ info }: Fence): boolean {
    const name = toLanguageName(info);
    return name === this.#language || wholeDocumentInfoPattern.test(name);
  }

  #readBlock(lines: readonly string[], index: number): UnwrappedAnswer | 'content' {
    const openingFence = parseFence(lines[index] ?? '');
    if (openingFence === undefined) return 'content';
    const originalFence = parseFence(this.#original.find(isNonBlank) ?? '');
    const nextFence = parseFence(lines.slice(index + 1).find(isNonBlank) ?? '');
    const isOriginalFence =
      originalFence !== undefined &&
      originalFence.info === openingFence.info &&
      originalFence.marks === openingFence.marks;
    if (isOriginalFence && nextFence === undefined) return 'content';
    const closeIndex = this.#findClosingFenceIndex(lines, index, openingFence);
    if (typeof closeIndex === 'string') return closeIndex;
    const contentLines = removeIndent(lines.slice(index + 1, closeIndex), openingFence.indent);
    if (closeIndex === lines.length && beginsWithFence(contentLines)) return 'unclear';
    if (!this.canContainFences || this.#isInsideFence) {
      const nestedBlock = this.#readNestedFence(trimBlankLines(contentLines));
      if (nestedBlock !== undefined) return nestedBlock;
      if (closeIndex === lines.length) {
        const unwrappedAnswer = this.#removeRemarks(contentLines);
        if (
          typeof unwrappedAnswer === 'object' &&
          this.#endsInsideLine(unwrappedAnswer.lines, contentLines)
        )
          return 'unclear';
        return typeof unwrappedAnswer === 'string'
          ? unwrappedAnswer
          : { lines: unwrappedAnswer.lines, info: toLanguageName(openingFence.info) };
      }
      const innerLines = trimBlankLines(removeEnvelope(contentLines, this.#target));
      if (this.#hasInnerRemark(innerLines)) return 'unclear';
      const outerBlankLines = listOuterBlankLines(contentLines);
      return { lines: innerLines, info: toLanguageName(openingFence.info), outerBlankLines };
    }
    const block = this.#readTextBlock({
      openingFence,
      content: trimBlankLines(contentLines),
      hasPreamble: index > 0,
      closingIndex: closeIndex,
      lines,
    });
    return typeof block === 'string' || closeIndex === lines.length
      ? block
      : { ...block, outerBlankLines: listOuterBlankLines(contentLines) };
  }

  /**
   * Checks whether the last line of an unclosed code block may be truncated. The line is complete if a remark follows
   * it, if it equals the last original line or ends with the same word, or if it ends a statement or a sentence. It is
   * also complete if a line break follows it and it has no open bracket or string.
   */
  #endsInsideLine(lines: readonly string[], content: readonly string[]): boolean {
    const line = lines.at(-1)?.trim() ?? '';
    const isFollowed = lines.at(-1) !== content.findLast(isNonBlank);
    const originalTexts = this.#original.map((text) => text.trim());
    const lastOriginalText = originalTexts.findLast(isNonBlank) ?? '';
    if (isFollowed || line === lastOriginalText || /(?:[;{}\])>]|[.!?]["')*_`]*)$/u.test(line))
      return false;
    const isStart = originalTexts.some((text) => text !== line && text.startsWith(line));
    const countMarks = (pattern: RegExp): number => line.match(pattern)?.length ?? 0;
    const isOpen =
      lastOriginalText.endsWith(';') ||
      (line.endsWith(',') && !lastOriginalText.endsWith(',')) ||
      (!this.isText &&
        (countMarks(/"/gu) % 2 === 1 ||
          countMarks(/[([]/gu) > countMarks(/[)\]]/gu) ||
          /\s(?:=|\+|&&)$/u.test(line)));
    if (isStart || isOpen) return true;
    const [word, lastWord] = [line, lastOriginalText].map(
      (text) => /\W*[\p{L}\p{N}_]+\W*$/u.exec(text)?.[0],
    );
    return !this.#hasFinalLineBreak && (word === undefined || word !== lastWord);
  }

  /** Checks whether the first line or the last paragraph inside a fence may be a remark of the model. */
  #hasInnerRemark(content: readonly string[]): boolean {
    if (this.#original.some((line) => classifyRemark(line) !== 'none')) return false;
    const paragraphs = splitParagraphs(content);
    const [firstLine = '', ...rest] = content;
    const lastLines = paragraphs.length > 1 ? (paragraphs.at(-1)?.lines ?? []) : rest.slice(-1);
    return [firstLine, ...lastLines].some((line) => {
      const text = line.trim().replace(/^(?:[-*•+]|\d+[.)])\s+/u, '');
      if (content.length < 2 || this.#remarks.isKnownLine(line) || !/\p{L}{2}/u.test(line))
        return false;
      if (line === firstLine && isTaskLabel(text)) return true;
      if (/^\s/u.test(line) || this.isText)
        return /^\p{L}/u.test(text) && this.#remarks.isLikelyRemark(text);
      const rating = this.#remarks.rateLineAsRemark(line);
      const isLikely = classifyRemark(text) !== 'none' || this.#remarks.isLikelyRemark(text);
      return rating === 'yes' || (rating === 'maybe' && isLikely);
    });
  }

  /**
   * If the content of a fence is a single nested fence, returns the content of the nested fence; otherwise undefined.
   */
  #readNestedFence(content: readonly string[]): UnwrappedAnswer | undefined {
    const openingFence = parseFence(content[0] ?? '');
    const closingFence = parseFence(content.at(-1) ?? '');
    if (openingFence === undefined || closingFence === undefined || countFences(content) !== 2)
      return undefined;
    if (this.#originalFenceCount > 0 || !canCloseFence(closingFence, openingFence))
      return undefined;
    const { before, after, instruction = '' } = this.#target;
    if (/fence|code block|```/iu.test(instruction) || countFences([...before, ...after]) > 0)
      return 'unclear';
    return {
      lines: trimBlankLines(removeIndent(content.slice(1, -1), openingFence.indent)),
      info: toLanguageName(openingFence.info),
    };
  }

  /**
   * Decides whether a fence encloses the replacement lines or is part of them, for documents that can contain fences.
   */
  #readTextBlock({
    openingFence,
    content,
    hasPreamble,
    closingIndex,
    lines,
  }: TextBlock): UnwrappedAnswer | 'content' {
    const info = toLanguageName(openingFence.info);
    const isWrapper = this.#isWrapperFence(openingFence);
    if (/^(?:diff|patch)$/iu.test(info)) return { lines: content, info };
    if (info === 'json' && answerObjectPattern.test(content.join('\n'))) return 'unclear';
    if (beginsWithFence(this.#original) && !(isWrapper && info !== ''))
      return isWrapper ? 'unclear' : 'content';
    // A fence around unchanged lines is the requested change.
    const { instruction = '' } = this.#target;
    const isFenceRequested = /fence|code ?block|snippet|```/iu.test(instruction);
    const isUnchanged = isFenceRequested
      ? areSameLines(content, this.#original)
      : trimBlankLines(content).join('\n') === trimBlankLines(this.#original).join('\n');
    if (isUnchanged) return 'content';
    if (isWrapper) {
      if (this.#changesFenceParity(content)) return 'unclear';
      if (closingIndex < lines.length && this.#hasInnerRemark(content)) return 'unclear';
      if (closingIndex < lines.length)
        return this.#readNestedFence(content) === undefined ? { lines: content, info } : 'unclear';
      const unwrappedAnswer = this.#removeRemarks(content);
      if (
        typeof unwrappedAnswer === 'object' &&
        this.#endsInsideLine(unwrappedAnswer.lines, content)
      )
        return 'unclear';
      return typeof unwrappedAnswer === 'string'
        ? unwrappedAnswer
        : { lines: unwrappedAnswer.lines, info };
    }
    const isOuter = this.#original.some((line) => {
      const fence = parseFence(line);
      return (
        fence !== undefined &&
        content.includes(line) &&
        openingFence.marks.length > fence.marks.length
      );
    });
    if (isOuter) return 'unclear';
    if (this.#originalFenceCount > 0) return 'content';
    const hasTextAfter = closingIndex < lines.length - 1;
    return hasPreamble || !hasTextAfter ? 'unclear' : 'content';
  }

  /**
   * Checks whether either the replacement lines or the original lines, but not both, contain an odd number of fences. A
   * fence may then belong to another block of the answer.
   */
  #changesFenceParity(content: readonly string[]): boolean {
    const countFenceLines = (lines: readonly string[]): number =>
      lines.filter(
        (line, index) =>
          parseFence(line) !== undefined &&
          !(this.#language === 'restructuredtext' && isNonBlank(lines[index - 1] ?? '')),
      ).length;
    return (countFenceLines(content) - countFenceLines(this.#original)) % 2 !== 0;
  }

  /** Returns the index of the closing fence; for an unclosed fence, the index after the last line. */
  #findClosingFenceIndex(
    lines: readonly string[],
    index: number,
    openingFence: Fence,
  ): number | UnwrapRefusalReason {
    const closingIndexes: number[] = [];
    const fences: { readonly index: number; readonly fence: Fence }[] = [];
    for (let lineIndex = index + 1; lineIndex < lines.length; lineIndex += 1) {
      const fence = parseFence(lines[lineIndex] ?? '');
      if (fence === undefined || fence.indent !== openingFence.indent) continue;
      // A longer outer fence may contain shorter ones.
      if (!fence.marks.startsWith(openingFence.marks)) continue;
      fences.push({ index: lineIndex, fence });
      if (canCloseFence(fence, openingFence)) closingIndexes.push(lineIndex);
    }
    const lastIndex = closingIndexes.at(-1);
    if (lastIndex === undefined) return fences.length === 0 ? lines.length : 'unclear';
    // All fences can belong to the edited lines, so that none closes the outer fence.
    const nestedFenceLines = this.#original.filter((line) =>
      parseFence(line)?.marks.startsWith(openingFence.marks),
    );
    if (nestedFenceLines.length > 0 && fences.length <= nestedFenceLines.length) return 'unclear';
    const rest = trimBlankLines(lines.slice(lastIndex + 1));
    const isRestRemark = splitParagraphs(rest).every(
      ({ lines: paragraphLines }) =>
        countFences(paragraphLines) === 0 && this.#canBeConclusion(paragraphLines),
    );
    if (!isRestRemark) return fences.length > closingIndexes.length ? 'several-blocks' : 'unclear';
    const innerFences = fences.filter((fence) => fence.index < lastIndex);
    if (innerFences.length === 0) return lastIndex;
    return this.#findNestedClosingIndex(lines, {
      innerFences,
      lastIndex,
      nestedCount: nestedFenceLines.length,
    });
  }

  /**
   * Returns the index of the fence that closes the outermost block, if the fences inside it enclose nested blocks.
   * Returns `several-blocks` if these fences instead separate several blocks.
   */
  #findNestedClosingIndex(
    lines: readonly string[],
    { innerFences, lastIndex, nestedCount }: NestedFences,
  ): number | UnwrapRefusalReason {
    const [firstFence] = innerFences;
    if (nestedCount === innerFences.length) return lastIndex;
    if (innerFences.length % 2 === 1) return 'unclear';
    const areNestedPairs = innerFences.every(
      ({ fence }, index) => index % 2 === 0 || fence.info === '',
    );
    if (!areNestedPairs) return 'several-blocks';
    if (firstFence?.fence.info !== '') return lastIndex;
    const linesBetween = trimBlankLines(lines.slice(firstFence.index + 1, innerFences[1]?.index));
    const isRemark =
      classifyRemark(linesBetween.join(' ')) !== 'none' ||
      linesBetween.every(
        (line) => !isNonBlank(line) || this.#remarks.rateLineAsRemark(line) !== 'no',
      );
    return linesBetween.length === 0 || isRemark ? 'several-blocks' : lastIndex;
  }

  #removeRemarks(lines: readonly string[]): UnwrappedAnswer {
    const names = [this.#language, ...(languageNames[this.#language] ?? [])];
    const trimmedLines = trimBlankLines(lines);
    const unnamedLines = removeLanguageName(trimmedLines, names, this.#original);
    const contentLines = this.#remarks.removeRemarks(unnamedLines);
    if (typeof contentLines === 'string') return contentLines;
    // The name of the language follows remarks that may include more lines.
    if (
      unnamedLines === trimmedLines &&
      removeLanguageName(contentLines, names, this.#original) !== contentLines
    )
      return 'unclear';
    // A fence without its counterpart remained, or belongs to the removed remarks.
    const isUnbalanced = (countFences(contentLines) - this.#originalFenceCount) % 2 !== 0;
    return isUnbalanced ? 'unclear' : { lines: trimBlankLines(contentLines), info: '' };
  }

  /** Checks whether a paragraph after the closing fence may be an explanation by the model. */
  #canBeConclusion(paragraphLines: readonly string[]): boolean {
    const [firstLine = ''] = paragraphLines;
    if (classifyRemark(paragraphLines.join(' ')) !== 'none' || isSentence(firstLine)) return true;
    return (
      !this.#original.some((line) => line.trim() === firstLine.trim()) &&
      (!this.canContainFences || !this.#remarks.resemblesOriginal(firstLine))
    );
  }
}

/** Matches a label, such as `Assistant:` or `Answer:`, that is followed by code on the same line. */
const speakerLabelPattern =
  /^\s*(?:assistant|model|ai|bot|(?:final |new |updated )?(?:answer|output|result|response|code)|replacement|solution)(?::\s+(?=\S))/iu;

/**
 * Checks whether backticks enclose the whole answer. The enclosed text must have several lines or more than
 * {@link maxWordsInCodeLine} words, because shorter text in backticks can be a name in the document.
 */
function isInBackticks(lines: readonly string[], original: readonly string[]): boolean {
  const text = lines.join('\n').trim();
  const isEnclosed = /^`[^`][\s\S]*[^`]`$/u.test(text) && !text.slice(1, -1).includes('`');
  const isOriginal = original.some((line) => /^\s*`/u.test(line) || line.trimEnd().endsWith('`'));
  return (
    isEnclosed &&
    !isOriginal &&
    (lines.length > 1 || text.split(/\s+/u).length > maxWordsInCodeLine)
  );
}

const maxWordsInCodeLine = 8;

/**
 * Checks whether a model added backticks around the only line of an answer. Returns false if the line itself begins and
 * ends with a name in backticks.
 */
function isLineInBackticks(
  lines: readonly string[],
  { original, instruction = '' }: RemarkTarget,
): boolean {
  const text = lines.join('\n').trim();
  if (lines.length !== 1 || !/^`[^`].*[^`]`$/u.test(text) || codeRequestPattern.test(instruction))
    return false;
  if (original.some((line) => /^\s*`/u.test(line))) return false;
  const [, firstSegment = ''] = text.split('`');
  const innerText = text.slice(1, -1);
  return /^\s|^(?:[-*+#>]+|\d+[.)])(?:\s|$)|\s$/u.test(firstSegment) || !innerText.includes('`');
}

const codeRequestPattern = /code|backtick|monospace|literal|verbatim|`/iu;

/** Checks whether code follows the opening fence on the same line, and the last line ends with a closing fence. */
const hasCodeOnFenceLine = (lines: readonly string[]): boolean =>
  /^`{3,}[\w+#-]*[\t ]+[^\s`{][^`\s=]*[\t ({<=]/u.test(lines[0] ?? '') &&
  lines.length > 1 &&
  /[^`\s]`{3,}\s*$/u.test(lines.at(-1) ?? '');

/** Checks for two opening fences in a row. */
const beginsWithTwoFences = ([
  firstLine = '',
  secondLine = '',
  ...rest
]: readonly string[]): boolean =>
  parseFence(firstLine)?.info === '' &&
  (parseFence(secondLine)?.info ?? '') !== '' &&
  countFences(rest) > 2;

/** Matches a line that states that the rest of the answer is missing, such as `[truncated]`. */
const truncationNotePattern =
  /^[([<*_\s.…]*(?:truncated|to be continued|continued?\b.*\b(?:next|below|message|part)|cut off|output (?:truncated|limit)|remainder|response (?:truncated|too long))\b.{0,60}[)\]>*_.…]*$/iu;

/**
 * Checks whether tags that the document lacks enclose the answer: `<selection>` tags, as in the request, or `<pre>` and
 * `<code>` tags of rendered code.
 */
function hasEnclosingTags(lines: readonly string[], original: readonly string[]): boolean {
  const [firstLine = '', lastLine = ''] = [lines[0], lines.at(-1)];
  const isRequestTag = /^<selection>$/iu.test(firstLine) && /^<\/selection>$/iu.test(lastLine);
  const isBlock =
    /^\s*<pre[^<>]*><code\b/iu.test(firstLine) &&
    /&(?:lt|gt|amp|quot|#\d+);/u.test(lines.join('\n'));
  return (
    (isRequestTag && !original.includes(firstLine)) ||
    (isBlock && !/<pre/iu.test(original[0] ?? ''))
  );
}

/** Checks whether the last line ends with more backticks or tildes than the only opening fence of an answer has. */
function hasLongLastFence(lines: readonly string[]): boolean {
  const [openingFence, otherFence] = lines.flatMap((line) => parseFence(line) ?? []);
  const marks = /[^`~](?<marks>`{4,}|~{4,})\s*$/u.exec(lines.at(-1) ?? '')?.groups?.['marks'] ?? '';
  return (
    openingFence !== undefined &&
    otherFence === undefined &&
    marks.length > openingFence.marks.length &&
    marks.startsWith(openingFence.marks)
  );
}

/** Removes the outer blank lines of a code block if their number is not known exactly. */
const removeOuterBlankLines = (
  block: UnwrappedAnswer | 'content',
  isInexact: boolean,
): UnwrappedAnswer | 'content' =>
  typeof block === 'object' && isInexact ? { lines: block.lines, info: block.info } : block;

/** Checks whether the first line of an answer is a label followed by an opening fence. */
const hasTextBeforeFence = ([firstLine = '']: readonly string[]): boolean =>
  /[:：]\s*(?:`{3,}|~{3,})[\w+#-]*\s*$/u.test(firstLine);

/**
 * Checks whether the parser dropped the answer's first paragraph as a label, although it is a sentence of several lines
 * and thus too long for a label.
 */
function losesFirstParagraph(lines: readonly string[], unwrappedAnswer: UnwrappedAnswer): boolean {
  const [firstLine = '', secondLine = ''] = trimBlankLines(lines);
  return (
    typeof unwrappedAnswer === 'object' &&
    isNonBlank(secondLine) &&
    /[\p{L}\p{N},]\s*$/u.test(firstLine) &&
    !unwrappedAnswer.lines.includes(firstLine) &&
    !unwrappedAnswer.lines.includes(secondLine)
  );
}

/** Moves a closing fence at the end of the last line to a line of its own, if the answer has only one fence. */
function splitLastFence(lines: readonly string[], original: readonly string[]): readonly string[] {
  const fences = lines.flatMap((line) => parseFence(line) ?? []);
  const [openingFence, otherFence] = fences;
  const lastLine = lines.at(-1) ?? '';
  const groups = /^(?<text>.*[^`~])(?<marks>`{3,}|~{3,})\s*$/u.exec(lastLine)?.groups;
  const { text = '', marks } = groups ?? {};
  if (openingFence === undefined || otherFence !== undefined || marks !== openingFence.marks)
    return lines;
  if (text.includes(marks) || original.some((line) => line.trimEnd().endsWith(marks))) return lines;
  return [...lines.slice(0, -1), text, openingFence.indent + marks];
}

interface NestedFences {
  readonly innerFences: readonly { readonly index: number; readonly fence: Fence }[];
  /** Index of the fence that closes the outermost block. */
  readonly lastIndex: number;
  /**
   * Number of fences in the original lines that are at least as long as the outermost fence. The replacement lines
   * probably contain as many.
   */
  readonly nestedCount: number;
}

/** Matches a line, such as `Change the last line to:`, after which a code block replaces only one line. */
const partialLabelPattern =
  /\b(?:change|replace|update|edit|modify|fix|rewrite|swap)\b.{0,40}\b(?:(?:first|second|third|fourth|fifth|last|final|next)(?: \w+)? line|line \d+)\b.{0,60}[:：]\**\s*$/iu;

/**
 * Matches a remark that the code block contains only a part of the selection, such as `Only the following line
 * changes.`
 */
const partialNotePattern =
  /\bonly (?:this|that|these|those|the (?:following|changed|new))\b.{0,40}\b(?:chang|differ)|\b(?:everything|all|nothing) else (?:of|in) (?:the|your) select|\b(?:the (?:rest|remainder)|(?:the )?other lines) (?:of|in) (?:the|your) select/iu;
/**
 * Matches a remark that all other lines stay unchanged, such as `Everything else stays the same.` The remark can refer
 * to the lines around the selection.
 */
const unchangedRestPattern =
  /\b(?:everything|all) else\b.{0,60}\b(?:same|unchanged|untouched|as (?:is|before|it (?:is|was)))\b/iu;

/** Lines of a code block, without the fences. */
interface CodeSection {
  readonly info: string;
  readonly lines: readonly string[];
}

/** Matches a line that introduces a code block with an example, such as how to use or test the replacement lines. */
const exampleLabelPattern =
  /^\W{0,6}(?:(?:example )?(?:of )?usage|examples?|(?:expected |sample )?output|verification(?: step)?|verify|test(?:ing)?(?: it| with)*|try(?: it)?|run it|you can (?:use|call|test|try|run)|to (?:use|test|verify|run|try)|how to (?:use|test|run))\b.{0,80}$/iu;

/** Matches a line that may introduce a code block as one of several alternatives, such as `First attempt:`. */
const choiceLabelPattern =
  /\b(?:option|alternativ\w*|version|variant|variation|approach|solution|method|either|or|instead|first|second|attempt|draft)\b|\d/iu;

/** Matches a label that clearly offers a code block as one of several options, such as `Option 1`. */
const optionLabelPattern =
  /\b(?:option|alternativ\w*|variant|variation|choice|possibility|approach|solution|version|method)\s*(?:\d|#|[A-D]\b|one\b|two\b)|^\W*(?:alternativ|option\b)/iu;

interface TextBlock {
  readonly openingFence: Fence;
  readonly content: readonly string[];
  readonly hasPreamble: boolean;
  readonly closingIndex: number;
  readonly lines: readonly string[];
}

const getLeadingCharacters = (line: string): string =>
  /^\s*\S{3}/u.exec(line)?.[0].trim() ?? line.trim();

/** Returns the language name from the info string of a fence, without a title, path or line numbers. */
const toLanguageName = (info: string): string => info.toLowerCase().split(/[\s:{,]/u)[0] ?? '';

/** Removes the indentation of a fence from the lines inside it. */
const removeIndent = (lines: readonly string[], indent: string): readonly string[] =>
  indent === '' || !lines.every((line) => !isNonBlank(line) || line.startsWith(indent))
    ? lines
    : lines.map((line) => line.slice(indent.length));

interface OuterBlankLines {
  readonly leadingLines: readonly string[];
  readonly trailingLines: readonly string[];
}

function listOuterBlankLines(lines: readonly string[]): OuterBlankLines {
  const firstIndex = lines.findIndex(isNonBlank);
  return firstIndex < 0
    ? { leadingLines: [], trailingLines: [] }
    : {
        leadingLines: lines.slice(0, firstIndex),
        trailingLines: lines.slice(lines.findLastIndex(isNonBlank) + 1),
      };
}

const countFences = (lines: readonly string[]): number =>
  lines.filter((line) => parseFence(line) !== undefined).length;

const beginsWithFence = (lines: readonly string[]): boolean =>
  parseFence(lines.find(isNonBlank) ?? '') !== undefined;

function areSameLines(a: readonly string[], b: readonly string[]): boolean {
  const [leftLines, rightLines] = [trimBlankLines(a), trimBlankLines(b)];
  return (
    leftLines.length === rightLines.length &&
    leftLines.every((line, index) => line.trim() === rightLines[index]?.trim())
  );
}
