import { isNonBlank } from '../edit/indentation.ts';
import { computeCommonWordRatio, haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';
import {
  isAddressedToUser,
  classifyRemark,
  hasRemarkWords,
  isAnnouncement,
  isAnswerHeading,
  isForeignRemark,
  type RemarkKind,
} from '../../base/remark.ts';
import { isSentence } from '../../base/prose.ts';
import {
  beginsWithCommentMark,
  nonLatinLetterPattern,
  rateAsRemark,
  rateAsSentence,
  usesHashComments,
} from './rate-line.ts';

/** The edited lines and their document. A line of the answer that also occurs there is not a remark of the model. */
export interface RemarkTarget {
  /** VS Code language id. */
  readonly language: string;
  readonly original: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The user's request. The replacement lines may quote it, so words from the request do not identify a remark. */
  readonly instruction?: string;
  /** Path of the document; absent for a document without a file. */
  readonly path?: string;
}

/**
 * Classification of text at the start or the end of an answer: a remark of the model, content of the document, or
 * unclear.
 */
type LineKind = 'remark' | 'unclear' | 'content';

/** Languages whose documents can contain sentences that are not comments. */
const textLanguages: ReadonlySet<string> = new Set([
  ...['markdown', 'mdx', 'plaintext', 'restructuredtext', 'asciidoc', 'latex', 'tex'],
  ...['git-commit', 'scminput', 'prompt', 'instructions', 'chatagent', 'quarto', 'rmd', 'typst'],
]);

/** Checks whether documents in a language can contain sentences that are not comments. */
export const isTextLanguage = (language: string): boolean => textLanguages.has(language);

/** Languages in which text outside tags is content of the document. */
const markupLanguages: ReadonlySet<string> = new Set([
  ...['html', 'xml', 'vue', 'svelte', 'astro', 'php', 'handlebars', 'razor', 'twig', 'jinja'],
  ...['javascriptreact', 'typescriptreact'],
]);

/** Languages in which a line of dashes is part of the syntax, so it does not separate a remark from the answer. */
const separatorLanguages: ReadonlySet<string> = new Set([
  ...['yaml', 'dockercompose', 'markdown', 'mdx', 'restructuredtext', 'asciidoc', 'plaintext'],
  ...['quarto', 'rmd', 'prompt', 'instructions', 'chatagent', 'git-commit', 'scminput', 'lua'],
]);

/** Finds the model's remarks before and after the replacement lines in an answer without a code fence. */
export class RemarkFinder {
  readonly #target: RemarkTarget;
  readonly #knownLines: ReadonlySet<string>;
  readonly #knownTokens: ReadonlySet<string>;
  readonly #documentWords: ReadonlySet<string>;
  /** True if the user requested a translation, which shares no words with the original. */
  readonly isTranslation: boolean;
  readonly #originalLineTrigrams: readonly ReadonlySet<string>[];
  /** Words of each of the first and last lines of the original, up to {@link maxComparedLines} lines at each end. */
  readonly #originalLineWords: readonly ReadonlySet<string>[];
  /** True if the document can contain sentences outside comments and strings. */
  readonly #canHaveBareText: boolean;
  readonly #separatorCount: number;
  /**
   * True if the original lines address the reader, for example as "you". A sentence of the answer that does so may then
   * be text of the document instead of a remark.
   */
  readonly #addressesReader: boolean;
  /** True if the edited lines contain sentences. */
  readonly isText: boolean;

  constructor(target: RemarkTarget) {
    this.#target = target;
    const { original, before, after, instruction = '' } = target;
    const contextLines = [...before.slice(-maxContextLines), ...after.slice(0, maxContextLines)];
    this.#knownLines = new Set(
      [...original, ...contextLines.filter((line) => /[\p{L}\p{N}]{2}/u.test(line))].map((line) =>
        line.trim(),
      ),
    );
    this.#originalLineWords = [
      ...original.slice(0, maxComparedLines),
      ...original.slice(maxComparedLines).slice(-maxComparedLines),
    ].map(toWords);
    this.#originalLineTrigrams = original.slice(0, maxContextLines).map(toTrigrams);
    const text = [...original.slice(0, maxComparedLines), ...contextLines].join('\n');
    this.#documentWords = new Set(text.toLowerCase().match(/\p{L}+/gu));
    this.#knownTokens = new Set(toTokens(`${text}\n${instruction}`));
    this.isTranslation = translationRequestPattern.test(instruction);
    this.isText = textLanguages.has(target.language) || original.some(isSentence);
    // Sentences of code are in comments or strings, which are indented or begin with a mark.
    const isUnmarkedSentence = (line: string): boolean =>
      /^[\p{L}"“(]/u.test(line) && isSentence(line);
    this.#canHaveBareText =
      textLanguages.has(target.language) ||
      markupLanguages.has(target.language) ||
      original.some(isUnmarkedSentence);
    this.#separatorCount = original.filter(isSeparatorLine).length;
    this.#addressesReader = original.some(isAddressedToUser);
  }

  /** Checks whether the context or the original contains the line, or the original contains a similar line. */
  isKnownLine(line: string): boolean {
    if (this.#knownLines.has(line.trim())) return true;
    return !isAnnouncement(line) && !this.#isRemark(line) && this.resemblesOriginal(line);
  }

  /**
   * Checks whether a line in a document of code is a remark of the model. Returns false if the original contains a
   * remark of the same kind.
   */
  #isRemark(line: string): boolean {
    const kind = /^\p{L}/u.test(line) ? classifyRemark(line) : 'none';
    if (kind === 'none' || textLanguages.has(this.#target.language)) return false;
    return !this.#target.original.some((originalLine) => classifyRemark(originalLine) === kind);
  }

  /** Checks whether a line in the answer for a text document is more likely a remark than new text of the document. */
  isLikelyRemark(line: string): boolean {
    if (this.isTextRequested(line) || this.isTranslation) return false;
    const kind = classifyRemark(line);
    const isNote =
      noteLabelPattern.test(line) &&
      !this.#target.original.some((originalLine) => noteLabelPattern.test(originalLine));
    if (isNote) return true;
    return kind === 'none' || kind === 'unclear'
      ? this.#usesForeignScript(line) ||
          (hasRemarkWords(line, this.#documentWords) &&
            !this.#sharesWordsWithContext(line, [], 1 / 2)) ||
          (kind === 'unclear' && isAddressedToUser(line) && !this.#addressesReader)
      : !this.#isUsualInDocument(kind);
  }

  resemblesOriginal(line: string): boolean {
    if (!/\p{L}{2}/u.test(line)) return false;
    const words = toWords(line);
    if (
      words.size > 1 &&
      this.#originalLineWords.some((otherWords) => haveMostWordsInCommon(words, otherWords))
    )
      return true;
    const trigrams = toTrigrams(line);
    return (
      trigrams.size > 2 &&
      this.#originalLineTrigrams.some((otherTrigrams) =>
        haveMostWordsInCommon(trigrams, otherTrigrams),
      )
    );
  }

  /**
   * Returns the lines without remarks. Returns `prose` if all lines are remarks, and `unclear` if it is uncertain
   * whether a line is one.
   */
  removeRemarks(lines: readonly string[]): readonly string[] | 'prose' | 'unclear' {
    const contentLines =
      this.#removeRemarksAroundList(lines) ?? this.#removeRemarksAroundTranslation(lines);
    if (contentLines !== undefined) return contentLines;
    const start = this.#findIntroductionEnd(lines);
    if (typeof start === 'string') return start;
    const rest = lines.slice(start);
    const end = this.#findConclusionIndex(rest);
    if (end === 'unclear') return end;
    const content = rest.slice(0, end);
    return content.some(isNonBlank) ? content : 'prose';
  }

  /** Checks whether any of the lines contains a word of the document or the instruction. */
  containsKnownWord(lines: readonly string[]): boolean {
    const requestedWords = new Set(this.#target.instruction?.toLowerCase().match(/\p{L}+/gu));
    const words =
      lines
        .join(' ')
        .toLowerCase()
        .match(/\p{L}{2,}/gu) ?? [];
    return words.some((word) => this.#documentWords.has(word) || requestedWords.has(word));
  }

  /**
   * Checks whether a short answer cannot replace the original text, because it shares no words with this text, or is
   * itself a refusal or a remark of the model.
   */
  isUnrelatedAnswer(answerLines: readonly string[]): boolean {
    // Words in a link do not show that a text is about the same subject.
    const lines = answerLines.map((line) => line.replaceAll(/https?:\/\/\S+/gu, 'x'));
    const text = lines.join(' ');
    if (lines.length > 4 || lines.some((line) => nonSentenceLinePattern.test(line))) return false;
    if (['refusal', 'unclear'].includes(classifyRemark(text))) return true;
    if (hasRemarkWords(text, this.#documentWords)) return true;
    if (isList(this.#target.original) && isList(lines) && this.#isRelatedList(lines)) return false;
    // The label announces lines, but the answer contains none.
    if (isLabel(lines.at(-1)) && !isLabel(this.#target.original.findLast(isNonBlank))) return true;
    const { original, instruction = '' } = this.#target;
    const requestedTokens = new Set(toTokens(instruction));
    const isEmpty = toTokens(original.join(' ')).length === 0;
    if (toTokens(text).some((token) => requestedTokens.has(token))) return false;
    const isQuestion = text.endsWith('?') && !original.some((line) => line.includes('?'));
    if (isQuestion && !this.isTranslation) return true;
    if (this.isTranslation || isEmpty || rateAsSentence(lines[0] ?? '') === 'no') return false;
    // One sentence in place of many lines is more likely a remark about these lines.
    const isShort = original.filter(isNonBlank).length > 3 * lines.length;
    if (!isShort && lines.some((line) => this.#replacesLine(line, []))) return false;
    return !this.#sharesWordsWithContext(text, [], 1 / 2);
  }

  /**
   * Returns the rewritten list from an answer, without the paragraphs around the list. Returns `unclear` if a paragraph
   * after the list may belong to the document, and undefined if the original or the answer is not a list.
   */
  #removeRemarksAroundList(lines: readonly string[]): readonly string[] | 'unclear' | undefined {
    if (!textLanguages.has(this.#target.language) || !isList(this.#target.original))
      return undefined;
    const start = lines.findIndex((line) => listItemPattern.test(line));
    const introductionLines = lines.slice(0, Math.max(0, start)).filter(isNonBlank);
    const isIntroduction = introductionLines.every(
      (line) => classifyRemark(line) === 'introduction',
    );
    if (start < 0 || !isIntroduction) return undefined;
    const end = findListEnd(lines, start);
    const content = lines.slice(start, end);
    const isAnswer = introductionLines.length > 0 || this.#isRelatedList(content);
    if (!isAnswer || content.some((line) => this.#isRemarkItem(line))) return undefined;
    const rest = lines.slice(end);
    if (this.#isRemarkAboutList(rest)) return content;
    const isLonger = additionRequestPattern.test(this.#target.instruction ?? '');
    return isLonger || rest.some((line) => this.#knownLines.has(line.trim()))
      ? undefined
      : 'unclear';
  }

  /**
   * Returns the paragraphs of a translation without remarks around them. Returns undefined for other answers. An answer
   * is a translation only if it has as many paragraphs and lines as the original.
   */
  #removeRemarksAroundTranslation(lines: readonly string[]): readonly string[] | undefined {
    if (!this.isTranslation || !textLanguages.has(this.#target.language)) return undefined;
    const originalParagraphs = splitParagraphs(this.#target.original);
    const paragraphs = splitParagraphs(lines);
    const isIntroduction = ({ lines: [firstLine = ''] }: Paragraph): boolean =>
      /^\S.*[:：!！.。][*_]*$/u.test(firstLine) && classifyRemark(firstLine) === 'introduction';
    const start = paragraphs.findIndex((paragraph) => !isIntroduction(paragraph));
    const contentParagraphs = paragraphs
      .slice(Math.max(0, start))
      .slice(0, originalParagraphs.length);
    const rest = paragraphs.slice(Math.max(0, start) + originalParagraphs.length);
    const isTranslated =
      contentParagraphs.length === originalParagraphs.length &&
      contentParagraphs.every(({ lines: paragraphLines }, index) => {
        const [text, originalLines] = [
          paragraphLines.join(' '),
          originalParagraphs[index]?.lines ?? [],
        ];
        const isNewQuestion =
          text.endsWith('?') && !originalLines.some((line) => line.includes('?'));
        return (
          paragraphLines.length === originalLines.length &&
          classifyRemark(text) === 'none' &&
          !isNewQuestion
        );
      });
    const isRemark = ({ lines: paragraphLines }: Paragraph): boolean =>
      classifyRemark(paragraphLines.join(' ')) !== 'none' ||
      hasRemarkWords(paragraphLines.join(' '), this.#documentWords);
    if (start < 0 || !isTranslated || !rest.every(isRemark)) return undefined;
    const lastParagraph = contentParagraphs.at(-1);
    return lines.slice(
      contentParagraphs[0]?.start,
      (lastParagraph?.start ?? 0) + (lastParagraph?.lines.length ?? 0),
    );
  }

  /**
   * Checks whether a list in the answer replaces the original: it has as many items as the original, or shares words
   * with the document.
   */
  #isRelatedList(lines: readonly string[]): boolean {
    const countItems = (listLines: readonly string[]): number =>
      listLines.filter((line) => /^\S/u.test(line) && listItemPattern.test(line)).length;
    const hasSameCount = countItems(lines) === countItems(this.#target.original);
    return hasSameCount || this.#sharesWordsWithContext(lines.join(' '), [], minSharedWordRatio);
  }

  /** Checks whether a list item describes what the model changed instead of being a new item. */
  #isRemarkItem(line: string): boolean {
    const text = line.replace(listItemPattern, '');
    const isKnown = this.#knownLines.has(line.trim());
    return (
      !isKnown && (classifyRemark(text) !== 'none' || hasRemarkWords(text, this.#documentWords))
    );
  }

  /** Checks whether all text after a list is certainly a remark about the list. */
  #isRemarkAboutList(lines: readonly string[]): boolean {
    const nonBlankLines = lines.filter(isNonBlank);
    const [firstLine = ''] = nonBlankLines;
    if (nonBlankLines.some((line) => this.isKnownLine(line) || isAnswerLabel(line))) return false;
    if (firstLine === '') return true;
    if (
      (lines[0] ?? '').trim() !== '' ||
      additionRequestPattern.test(this.#target.instruction ?? '')
    )
      return (
        nonBlankLines.every((line) => classifyRemark(line) === 'conclusion') && lines[0] === ''
      );
    const content = nonBlankLines.filter((line) => !isSeparatorLine(line));
    const [openingLine = ''] = content;
    return (
      classifyRemark(openingLine) !== 'none' ||
      hasRemarkWords(openingLine, this.#documentWords) ||
      (isAddressedToUser(openingLine) && !this.#addressesReader) ||
      this.#usesForeignScript(openingLine)
    );
  }

  #findIntroductionEnd(lines: readonly string[]): number | 'prose' | 'unclear' {
    const firstLine = lines.find(isNonBlank) ?? '';
    const isLabel = /[:：]$/u.test(firstLine) && classifyRemark(firstLine) === 'introduction';
    if (isLabel && this.isKnownLine(firstLine) && !this.#knownLines.has(firstLine.trim()))
      return 'unclear';
    const newSeparatorIndexes = new Set(
      this.#findSeparatorIndexes(lines).slice(0, -this.#separatorCount || undefined),
    );
    const firstKnownIndex = lines.findIndex(
      (line, index) =>
        isNonBlank(line) &&
        (index > maxComparedLines || this.isKnownLine(line)) &&
        !newSeparatorIndexes.has(index),
    );
    const headLines = firstKnownIndex < 0 ? lines : lines.slice(0, firstKnownIndex);
    return this.isText
      ? this.#findTextIntroductionEnd(headLines, lines)
      : this.#findCodeIntroductionEnd(headLines);
  }

  #findCodeIntroductionEnd(headLines: readonly string[]): number | 'prose' | 'unclear' {
    let isUnclear = false;
    let index = 0;
    for (; index < headLines.length; index += 1) {
      const line = headLines[index] ?? '';
      if (!isNonBlank(line) || (index > 0 && isSeparatorLine(line))) continue;
      const rating = this.rateLineAsRemark(line);
      if (rating === 'no') break;
      if (classifyRemark(line) === 'refusal') return 'prose';
      if (rating === 'maybe') isUnclear = true;
    }
    return isUnclear ? 'unclear' : index;
  }

  #findTextIntroductionEnd(
    head: readonly string[],
    lines: readonly string[],
  ): number | 'prose' | 'unclear' {
    const isKnownNext = head.length < lines.length;
    let index = skipBlankLines(head, 0);
    while (index < head.length) {
      const paragraph = takeParagraph(head, index);
      const [firstLine = ''] = paragraph;
      if (index > 0 && isSeparatorLine(firstLine)) {
        index = skipBlankLines(head, index + 1);
        continue;
      }
      const kind = classifyRemark(firstLine);
      if (kind === 'refusal') return 'prose';
      if (kind === 'introduction' && !/^[\s\\<]/u.test(firstLine)) {
        // The lines may follow without a blank line.
        const end = paragraph.findIndex((line) => /[.:!?：。][*_"”)]*\s*$/u.test(line));
        if (end < 0 && paragraph.length > 1) return 'unclear';
        index = skipBlankLines(head, index + Math.max(0, end) + 1);
        continue;
      }
      const isAdjacent = index + paragraph.length === head.length && isKnownNext;
      const answerLines = lines.slice(isKnownNext ? head.length : index + paragraph.length);
      const laterIndex = index > 0 ? this.#findLaterIntroductionIndex(head, index) : undefined;
      if (laterIndex !== undefined) {
        index = laterIndex;
        continue;
      }
      const announcesCode = isLabel(paragraph.at(-1)) && !this.isTextRequested(paragraph.join(' '));
      if (announcesCode && !isLabel(this.#target.original.find(isNonBlank))) return 'unclear';
      return this.#classifyParagraph(paragraph, { isAdjacent, answerLines }) === 'content'
        ? index
        : 'unclear';
    }
    return index === lines.length ? 'prose' : index;
  }

  /**
   * Returns the index of a line that introduces the replacement lines, if only other remarks precede that line;
   * otherwise undefined.
   */
  #findLaterIntroductionIndex(head: readonly string[], start: number): number | undefined {
    const introductionIndex = head.findIndex(
      (line, index) =>
        index > start &&
        isLabel(line) &&
        classifyRemark(line) === 'introduction' &&
        !isNonBlank(head[index - 1] ?? ''),
    );
    const isProse = head
      .slice(start, introductionIndex)
      .every((line) => !nonSentenceLinePattern.test(line));
    return introductionIndex < 0 || !isProse ? undefined : introductionIndex;
  }

  #findConclusionIndex(lines: readonly string[]): number | 'unclear' {
    const newSeparatorIndexes = new Set(
      this.#findSeparatorIndexes(lines).slice(this.#separatorCount),
    );
    const lastKnownIndex = lines.findLastIndex(
      (line, index) =>
        isNonBlank(line) &&
        (index < lines.length - maxComparedLines || this.isKnownLine(line)) &&
        !newSeparatorIndexes.has(index),
    );
    return this.isText
      ? this.#findTextConclusionIndex(lines, lastKnownIndex)
      : this.#findCodeConclusionIndex(lines, lastKnownIndex);
  }

  #findCodeConclusionIndex(lines: readonly string[], lastKnownIndex: number): number | 'unclear' {
    let result: number | 'unclear' = lines.length;
    let separatorIndex: number | undefined;
    let isInside = false;
    for (let index = lastKnownIndex + 1; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      if (!isNonBlank(line)) continue;
      if (isSeparatorLine(line)) {
        separatorIndex ??= index;
        continue;
      }
      if (isInside && /^\s+(?:[-*•+]|\d+[.)])\s/u.test(line)) continue;
      const rating = this.rateLineAsRemark(line);
      // A sentence before code can be a part of the code.
      if (rating === 'no' && isInside) return 'unclear';
      if (rating === 'no') separatorIndex = undefined;
      else if (!isInside) {
        result = rating === 'yes' ? (separatorIndex ?? index) : 'unclear';
        isInside = true;
      }
    }
    if (separatorIndex === undefined || isInside) return result;
    return this.#findEndAtSeparator(lines, separatorIndex);
  }

  #findSeparatorIndexes(lines: readonly string[]): readonly number[] {
    return [...lines.keys()].filter((index) => isSeparatorLine(lines[index] ?? ''));
  }

  /**
   * Decides whether the separator line at `separatorIndex`, such as `---`, begins a remark or is text of the document.
   * Used if no later line is a recognized remark. Returns the index after the last replacement line, or `unclear`.
   */
  #findEndAtSeparator(lines: readonly string[], separatorIndex: number): number | 'unclear' {
    const rating = this.rateLineAsRemark(lines[separatorIndex] ?? '');
    return rating === 'yes' ? separatorIndex : rating === 'no' ? lines.length : 'unclear';
  }

  #findTextConclusionIndex(lines: readonly string[], lastKnownIndex: number): number | 'unclear' {
    let end = lines.length;
    let separatorIndex: number | undefined;
    // Without known lines, the first paragraph is the content.
    let index = lastKnownIndex < 0 ? takeParagraph(lines, 0).length : lastKnownIndex + 1;
    while (index < lines.length) {
      const start = skipBlankLines(lines, index);
      if (start >= lines.length) break;
      const sentenceLines = takeSentenceLines(lines, start);
      index = start + sentenceLines.length;
      if (isSeparatorLine(sentenceLines[0] ?? '')) {
        separatorIndex ??= start;
        continue;
      }
      const isAdjacent = start === lastKnownIndex + 1;
      const answerLines = lines.slice(0, start);
      const judgment = this.#classifyParagraph(sentenceLines, { isAdjacent, answerLines });
      if (judgment === 'unclear') return 'unclear';
      if (judgment === 'content' && end < lines.length) return 'unclear';
      if (judgment === 'content') separatorIndex = undefined;
      else if (end === lines.length) {
        end = separatorIndex ?? start;
        // A label such as `Explanation:` announces further remarks.
        const isHeading =
          isLabel(sentenceLines.at(-1)) || /^(?:#{1,6} |\*\*)/u.test(sentenceLines[0] ?? '');
        if (isHeading && classifyRemark(sentenceLines[0] ?? '') === 'conclusion') return end;
      }
    }
    if (separatorIndex === undefined || end < lines.length) return end;
    return this.#findEndAtSeparator(lines, separatorIndex);
  }

  #classifyParagraph(
    paragraph: readonly string[],
    {
      isAdjacent,
      answerLines,
    }: { readonly isAdjacent: boolean; readonly answerLines: readonly string[] },
  ): LineKind {
    const [firstLine = ''] = paragraph;
    const text = paragraph.join(' ');
    const kind = classifyRemark(firstLine);
    const hasAnnouncement = isAnnouncement(firstLine) || isSeparatorLine(firstLine);
    const isPlain = beginsWithCommentMark(firstLine) || !/[\p{L}\p{N}`]/u.test(firstLine);
    if (isPlain && rateAsRemark(firstLine, this.#target.language) !== 'no') return 'unclear';
    if (nonSentenceLinePattern.test(firstLine) && kind === 'none' && !hasAnnouncement)
      return 'content';
    // A remark after the text usually follows a blank line, unlike a last line that resembles one.
    const isAttached = this.#canHaveBareText && (answerLines.at(-1) ?? '').trim() !== '';
    if (kind === 'introduction' || kind === 'conclusion' || kind === 'refusal')
      return isAttached || this.#isUsualInDocument(kind) ? 'unclear' : 'remark';
    if (kind === 'unclear' && !isAttached && this.#isInOtherLanguage(text)) return 'remark';
    const isRequested = this.isTextRequested(text);
    if (hasAnnouncement && !isRequested && !this.#replacesLine(firstLine, answerLines))
      return this.#canHaveBareText || this.rateLineAsRemark(firstLine) !== 'yes'
        ? 'unclear'
        : 'remark';
    if (classifyRemark(text) !== 'none' || hasRemarkWords(text, this.#documentWords))
      return 'unclear';
    if (!textLanguages.has(this.#target.language) && this.rateLineAsRemark(firstLine) === 'no')
      return 'content';
    if (this.#replacesLine(firstLine, answerLines)) return 'content';
    if (isAddressedToUser(text) && !isRequested) {
      const isClose =
        this.#addressesReader && this.#sharesWordsWithContext(text, answerLines, 2 / 3);
      if (!isClose) return 'unclear';
    }
    if (this.#usesForeignScript(text)) return isAttached ? 'unclear' : 'remark';
    const isTable = (line: string): boolean => /^\s*\|.*\|\s*$/u.test(line);
    if (isTable(firstLine) && !this.#target.original.some(isTable)) return 'unclear';
    const unmarkedLine = firstLine.replace(/^(?:[-*•+>]|\d+[.)])\s+/u, '');
    if (isAdjacent && rateAsRemark(unmarkedLine, this.#target.language) === 'no') return 'content';
    if (!this.#canHaveBareText) return 'unclear';
    const isProse = textLanguages.has(this.#target.language);
    const isGrounded =
      isRequested || this.#sharesWordsWithContext(text, answerLines, isProse ? 1 / 4 : 1 / 2);
    if (isGrounded || this.isTranslation) return 'content';
    return 'unclear';
  }

  /**
   * Checks whether the user's instruction contains at least half of the words of a text, ignoring stop words. The text
   * is then not a remark.
   */
  isTextRequested(text: string): boolean {
    const tokens = toTokens(text);
    const requestedTokens = new Set(toTokens(this.#target.instruction ?? ''));
    const count = tokens.filter((token) => requestedTokens.has(token)).length;
    return count > 0 && count * 2 >= tokens.length;
  }

  /**
   * Checks whether a text contains letters of a script, such as Cyrillic, that occurs neither in the document nor in
   * the instruction.
   */
  #usesForeignScript(text: string): boolean {
    if (this.isTranslation || !nonLatinLetterPattern.test(text)) return false;
    const { original, before, after, instruction = '' } = this.#target;
    return ![instruction, ...original, ...before, ...after].some((line) =>
      nonLatinLetterPattern.test(line),
    );
  }

  /** Checks whether a text is a remark in a language that is neither English nor used in the document. */
  #isInOtherLanguage(text: string): boolean {
    if (this.isTranslation || !isForeignRemark(text)) return false;
    const requestedWords = new Set(this.#target.instruction?.toLowerCase().match(/\p{L}+/gu));
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    const knownWords = words.filter(
      (word) => this.#documentWords.has(word) || requestedWords.has(word),
    );
    return knownWords.length * 5 <= words.length;
  }

  /**
   * Checks whether a text document itself contains lines that look like a remark of the given kind, so that such a line
   * is not necessarily a remark.
   */
  #isUsualInDocument(kind: RemarkKind): boolean {
    if (!textLanguages.has(this.#target.language)) return false;
    const { original, before, after } = this.#target;
    return [...original, ...before, ...after].some((line) => classifyRemark(line) === kind);
  }

  /**
   * Checks whether a line may be the changed version of an original line: they share words, and the answer lacks the
   * original line.
   */
  #replacesLine(line: string, answerLines: readonly string[]): boolean {
    const answerTexts = new Set(answerLines.map((answerLine) => answerLine.trim()));
    const tokens = new Set(toTokens(line));
    const words = toWords(line);
    const missingLines = this.#target.original.slice(0, maxComparedLines).filter((originalLine) => {
      if (!isNonBlank(originalLine) || answerTexts.has(originalLine.trim())) return false;
      if (tokens.size > 2)
        return computeCommonWordRatio(tokens, new Set(toTokens(originalLine))) >= 1 / 3;
      return words.size > 1 && computeCommonWordRatio(words, toWords(originalLine)) >= 1 / 2;
    });
    if (missingLines.length === 0) return false;
    const answerTrigrams = answerLines.slice(-maxComparedLines).map(toTrigrams);
    return missingLines.some((missingLine) => {
      const trigrams = toTrigrams(missingLine);
      return !answerTrigrams.some((lineTrigrams) => haveMostWordsInCommon(trigrams, lineTrigrams));
    });
  }

  /** Checks whether a paragraph shares words with the document, the instruction or the answer. */
  #sharesWordsWithContext(
    text: string,
    answerLines: readonly string[],
    minRatio = minSharedWordRatio,
  ): boolean {
    const tokens = [...new Set(toTokens(text))];
    const answerTokens = new Set(toTokens(answerLines.join('\n')));
    const sharedTokens = tokens.filter(
      (token) => this.#knownTokens.has(token) || answerTokens.has(token),
    );
    return sharedTokens.length >= Math.max(2, tokens.length * minRatio);
  }

  /** Rates whether a YAML line such as `Key: value` may be a remark. */
  #rateKeyValueLine(text: string): 'maybe' | 'no' {
    const [key = ''] = text.split(':');
    const value = text.slice(key.length + 1).trim();
    const isKnownKey = (key.toLowerCase().match(/\p{L}+/gu) ?? []).every((word) =>
      this.#documentWords.has(word),
    );
    const isText =
      value === '' || / ->? | .* .* |[.!?]$/u.test(value.replaceAll(/["'].*["']/gu, ''));
    if (isText && !isKnownKey) return 'maybe';
    return classifyRemark(text) === 'none' && rateAsSentence(text) === 'no' ? 'no' : 'maybe';
  }

  #rateAnnouncement(text: string): 'yes' | 'maybe' {
    const { language, original } = this.#target;
    if (['introduction', 'conclusion', 'refusal'].includes(classifyRemark(text))) return 'yes';
    const isLabel = /[:：]$/u.test(text);
    const canBeKey = isLabel && /^(?:yaml|dockercompose|restructuredtext)$/u.test(language);
    const canBeWord = /^[A-Z ]+$/u.test(text) && this.#documentWords.has(text.toLowerCase());
    return canBeKey || canBeWord || this.#canHaveBareText || original.some(isAnnouncement)
      ? 'maybe'
      : 'yes';
  }

  /** Rates whether a line of an answer with code is a remark of the model. */
  rateLineAsRemark(line: string): 'yes' | 'maybe' | 'no' {
    const text = line.trimEnd();
    const { language } = this.#target;
    if (/^\s/u.test(text) || text === '') return 'no';
    if (isSeparatorLine(text)) {
      if (separatorRequestPattern.test(this.#target.instruction ?? '')) return 'no';
      return separatorLanguages.has(language) ? 'maybe' : 'yes';
    }
    const isHashComment = text.startsWith('#') && usesHashComments(language);
    if (isAnnouncement(text) && !isHashComment) return this.#rateAnnouncement(text);
    if (beginsWithCommentMark(text) && !/^#(?!\p{L})/u.test(text))
      return rateAsRemark(text, language);
    if (text.startsWith('#')) return rateHeading(text, isHashComment);
    if (/^\|.*\|$/u.test(text)) return 'yes';
    if (/^\*\*[^*]+\*\*:?$/u.test(text)) return 'yes';
    if (language === 'yaml' && /^[\w-]+:(?:\s|$)/u.test(text)) return this.#rateKeyValueLine(text);
    const listMarker = /^(?:[-*•+>]|\d+[.)])(?=\s)/u.exec(text)?.[0];
    if (
      listMarker !== undefined &&
      language !== 'yaml' &&
      this.#target.original.some((originalLine) => originalLine.trim().startsWith(`${listMarker} `))
    )
      return hasRemarkWords(text, this.#documentWords) ? 'maybe' : 'no';
    const itemText = /^(?:[-*•+>]|\d+[.)])\s+(?<rest>\S.*)$/u.exec(text)?.groups?.['rest'];
    if (itemText === undefined) {
      const rating = rateAsRemark(text, language);
      const isRemark = ['introduction', 'conclusion', 'refusal'].includes(classifyRemark(text));
      return rating === 'yes' && markupLanguages.has(language) && !isRemark ? 'maybe' : rating;
    }
    const rating = rateAsSentence(itemText);
    if (rating !== 'no' && language !== 'yaml') return 'yes';
    return rating === 'no' && /[;{}=\\|@$<>]|\w[([]/u.test(itemText.replaceAll(/`[^`]*`/gu, 'x'))
      ? 'no'
      : 'maybe';
  }
}

const translationRequestPattern =
  /transl|übersetz|tradu|翻译|翻訳|перев|english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|korean|swedish|danish|norwegian|finnish|czech|turkish|greek|arabic|hebrew|hindi|ukrainian|deutsch|englisch|français|anglais|español|inglés|中文|英文|英语|日本語|英語|한국어|영어/iu;
/** Matches the label of a note, such as `Summary:`, with which a model ends its answer. */
const noteLabelPattern = /^(?:notes?|todo|summary|rationale|improvements|changes)\s*:/iu;
const separatorRequestPattern =
  /---|\b(?:rules?|separators?|dividers?|front ?matter|documents?)\b/iu;
/** Matches the marker of a list item, such as `- ` or `1. `, including its indentation and a check box. */
const listItemPattern = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(?=\S)/iu;

/** Checks whether every line is a list item or belongs to the item before it. */
const isList = (lines: readonly string[]): boolean =>
  listItemPattern.test(lines.find(isNonBlank) ?? '') && findListEnd(lines, 0) === lines.length;

/** Matches instructions that can require more lines than the original has, such as requests to add text. */
const additionRequestPattern =
  /\b(?:add|append|insert|include|continue|end|write|explain|extend|expand)\b/iu;

interface Paragraph {
  /** Index of the paragraph's first line in the text. */
  readonly start: number;
  readonly lines: readonly string[];
}

export function splitParagraphs(lines: readonly string[]): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  for (let start = skipBlankLines(lines, 0); start < lines.length;) {
    const paragraph = takeParagraph(lines, start);
    paragraphs.push({ start, lines: paragraph });
    start = skipBlankLines(lines, start + paragraph.length);
  }
  return paragraphs;
}

/** Returns the index after the last item of the list that starts at index `start`. */
function findListEnd(lines: readonly string[], start: number): number {
  let end = start;
  for (let index = start; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (!isNonBlank(line)) continue;
    if (!listItemPattern.test(line) && !/^\s{2,}\S/u.test(line)) break;
    end = index + 1;
  }
  return lines.slice(end).some(isNonBlank) ? end : lines.length;
}

/** Checks whether a line announces the model's code, such as `Here is the code:`. */
const isAnswerLabel = (line: string): boolean =>
  isLabel(line) && classifyRemark(line) === 'introduction';

const maxContextLines = 200;
/** Maximum number of lines to compare at each end of the original and of an answer. */
const maxComparedLines = 500;
/** Minimum fraction of a paragraph's words that also occur in the document, the instruction or the answer. */
const minSharedWordRatio = 0.25;

const isLabel = (line = ''): boolean => /[:：]\s*$/u.test(line);

/** Checks whether a line is a separator, such as `---`, which a model can write between the answer and a remark. */
export const isSeparatorLine = (line: string): boolean => /^(?:-{3,}|\*{3,}|_{3,})\s*$/u.test(line);

function rateHeading(text: string, hasHashComments: boolean): 'yes' | 'maybe' | 'no' {
  if (!hasHashComments)
    return /^#{2,6} \S/u.test(text) ? 'yes' : /^# \p{Lu}/u.test(text) ? 'maybe' : 'no';
  if (/^#{2,6} \p{Lu}/u.test(text)) return 'maybe';
  const kind = classifyRemark(text);
  return kind === 'introduction' || kind === 'refusal' || isAnswerHeading(text) ? 'maybe' : 'no';
}

/**
 * Returns each sequence of three consecutive characters in a line. Lines with renamed words still share some sequences.
 */
function toTrigrams(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, 200).toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)),
  );
}

const stopWords: ReadonlySet<string> = new Set(
  'here every everything else nothing still says same stands this that these those with from have will your they them then than when what which also only more other need into were been there their because about just some such'.split(
    ' ',
  ),
);

/**
 * Returns the first five characters of each word with at least four, and each Chinese, Japanese or Korean character.
 * Omits stop words.
 */
const toTokens = (text: string): readonly string[] =>
  (
    text
      .toLowerCase()
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}]{4,}/gu,
      ) ?? []
  )
    .filter((word) => !stopWords.has(word))
    .map((word) => word.slice(0, 5));

function takeParagraph(lines: readonly string[], start: number): readonly string[] {
  const end = lines.findIndex((line, index) => index >= start && !isNonBlank(line));
  return lines.slice(start, end < 0 ? lines.length : end);
}

/**
 * Returns the first lines of the paragraph at index `start`, up to the end of a sentence. Ends earlier if the next line
 * is markup or announces replacement lines.
 */
function takeSentenceLines(lines: readonly string[], start: number): readonly string[] {
  const paragraph = takeParagraph(lines, start);
  const isMarkup = (line = ''): boolean => nonSentenceLinePattern.test(line);
  const end = paragraph.findIndex(
    (line, index) =>
      index > 0 &&
      (/[.!?:。！？：][)"”*_]*\s*$/u.test(paragraph[index - 1] ?? '') ||
        isMarkup(line) !== isMarkup(paragraph[0]) ||
        isAnnouncement(line)),
  );
  return end < 0 ? paragraph : paragraph.slice(0, end);
}

/** Matches lines of text documents that are not sentences, such as markup and indented lines. */
const nonSentenceLinePattern = /^[\\<%{}`~]{1,2}(?![^`]*`\s)|^\s+\S|^[)\]}]/u;

function skipBlankLines(lines: readonly string[], start: number): number {
  let index = start;
  while (index < lines.length && !isNonBlank(lines[index] ?? '')) index += 1;
  return index;
}
