import { isTextLanguage } from './answer-remarks.ts';
import { computeBracketBalance, removeStrings } from './lost-content.ts';
import { beginsWithCommentMark, rateAsSentence } from './rate-line.ts';
import { isNonBlank } from '../edit/indentation.ts';
import { getLeadingWhitespace } from '../edit/indentation.ts';
import { diffLines } from '../../base/line-diff.ts';
import { computeCommonWordRatio, parseFence, toWords } from '../../base/model-answer.ts';
import { classifyRemark } from '../../base/remark.ts';

/** Replacement lines that were read from an answer, with all lines of the answer and the lines of the document. */
export interface ParsedAnswer {
  readonly answerLines: readonly string[];
  readonly lines: readonly string[];
  readonly original: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** VS Code language id. */
  readonly language: string;
  readonly instruction?: string;
}

/**
 * Returns the name of the first reason to doubt that the lines read from an answer are the complete replacement.
 * Returns undefined if there is no doubt: the lines cover all original lines, and all other text of the answer is known
 * to be a remark.
 */
export function findDoubtName(parsedAnswer: ParsedAnswer): string | undefined {
  const comparison = new AnswerComparison(parsedAnswer);
  return doubts.find(([, applies]) => applies(comparison))?.[0];
}

/** Maximum length of a line to compare. Longer lines are compared by their start. */
const maxComparedLength = 400;

/** A line without leading and trailing white space. Computes its words and other properties only once, on first use. */
class Line {
  readonly text: string;
  /** Words in lower case. */
  readonly words: ReadonlySet<string>;
  #bigrams: ReadonlySet<string> | undefined;
  #syntax: string | undefined;

  constructor(line: string) {
    this.text = line.trim().replaceAll(/\s+/gu, ' ');
    this.words = toWords(this.text.slice(0, maxComparedLength));
  }

  /** All pairs of adjacent characters. */
  get bigrams(): ReadonlySet<string> {
    const text = this.text.slice(0, maxComparedLength);
    this.#bigrams ??= new Set(
      Array.from({ length: Math.max(0, text.length - 1) }, (_, index) =>
        text.slice(index, index + 2),
      ),
    );
    return this.#bigrams;
  }

  /** Text of the line in which `x` replaces each word or sequence of words, so that mostly punctuation remains. */
  get syntax(): string {
    this.#syntax ??= this.text
      .slice(0, maxComparedLength)
      .replaceAll(/[\p{L}\p{N}_]+(?:[ .,'’!?-]+[\p{L}\p{N}_]+)*[.!?]?/gu, 'x');
    return this.#syntax;
  }
}

const toLine = (line: string): Line => new Line(line);

const toNonBlankLines = (lines: readonly string[]): readonly Line[] =>
  lines.filter(isNonBlank).map(toLine);

/** Maximum number of words in a short line. Short lines are compared by pairs of characters instead of by words. */
const maxShortLineWords = 2;

/** Returns how similar two lines are, from 0 to 1. */
function computeSimilarity(a: Line, b: Line): number {
  if (a.text === b.text) return 1;
  const ratio = computeCommonWordRatio(a.words, b.words);
  if (ratio >= 0.5) return ratio;
  const isShort = Math.min(a.words.size, b.words.size) <= maxShortLineWords;
  const bigramRatio = isShort ? computeCommonWordRatio(a.bigrams, b.bigrams) : 0;
  return Math.max(ratio, bigramRatio, haveSameSyntax(a, b) ? 0.5 : 0);
}

/**
 * Checks whether two lines have the same punctuation and differ only in the words between it, as an HTML element and
 * its translation do.
 */
const haveSameSyntax = (a: Line, b: Line): boolean =>
  a.syntax === b.syntax && (a.syntax.match(/[^\sx]/gu)?.length ?? 0) >= minPunctuationCount;

/** Minimum number of punctuation characters in lines that {@link haveSameSyntax} can consider equal. */
const minPunctuationCount = 2;

const areSimilar = (a: Line, b: Line, ratio = 0.5): boolean => computeSimilarity(a, b) >= ratio;

const listWords = (lines: readonly Line[]): ReadonlySet<string> =>
  new Set(lines.flatMap(({ words }) => [...words]));

/** Index of an original line, and index of the replacement line that is similar to it. Blank lines are not counted. */
type Pair = readonly [oldIndex: number, newIndex: number];

/**
 * Compares the replacement lines read from an answer with the original lines, with the document around these and with
 * the rest of the answer.
 */
class AnswerComparison {
  readonly parsedAnswer: ParsedAnswer;
  readonly oldLines: readonly Line[];
  readonly newLines: readonly Line[];
  readonly pairs: readonly Pair[];
  /** Original lines that are not blank, without duplicates. */
  readonly uniqueOldLines: readonly Line[];
  /** Replacement lines that are neither blank nor equal to an original line, without duplicates. */
  readonly changedNewLines: readonly Line[];
  /** Lines of the answer that are neither replacement lines nor lines of the document. */
  readonly remarks: readonly Line[];
  /** Remarks before the first code fence. */
  readonly introductionLines: readonly Line[];
  /** True if the remarks are too long to examine. */
  readonly hasLongRemarks: boolean;
  readonly hasFence: boolean;
  /**
   * Language name in the info string of the first code fence, in lower case, such as `ts`. Empty without a language
   * name.
   */
  readonly fenceLanguage: string;
  readonly isText: boolean;
  readonly requestedWords: ReadonlySet<string>;
  /** Text that the model received: the lines of the document and the user's instruction. */
  readonly documentText: string;

  constructor(parsedAnswer: ParsedAnswer) {
    const {
      answerLines,
      lines,
      original,
      before,
      after,
      language,
      instruction = '',
    } = parsedAnswer;
    this.parsedAnswer = parsedAnswer;
    this.oldLines = toNonBlankLines(original);
    this.newLines = toNonBlankLines(lines);
    this.pairs = alignLines(this.oldLines, this.newLines);
    const oldByText = new Map(this.oldLines.map((line) => [line.text, line]));
    this.uniqueOldLines = [...oldByText.values()];
    this.changedNewLines = [
      ...new Map(this.newLines.map((line) => [line.text, line])).values(),
    ].filter(({ text }) => !oldByText.has(text));
    const fenceIndex = answerLines.findIndex((line) => parseFence(line) !== undefined);
    this.hasFence = fenceIndex >= 0;
    this.fenceLanguage =
      parseFence(answerLines[fenceIndex] ?? '')
        ?.info.toLowerCase()
        .split(/[\s:{,]/u)[0] ?? '';
    const knownTexts = new Set(
      [...lines, ...original, ...before, ...after].map((line) => toLine(line).text),
    );
    const isUnknown = ({ text }: Line): boolean =>
      !knownTexts.has(text) && parseFence(text) === undefined;
    const listUnknownLines = (candidates: readonly string[]): readonly Line[] =>
      toNonBlankLines(candidates)
        .map(({ text }) => toLine(decodeEntities(text.replace(/^\d+ ?[|:→.)]? ?/u, ''))))
        .filter(isUnknown);
    const unknownLines = listUnknownLines(answerLines);
    const length = unknownLines.reduce((sum, { text }) => sum + text.length, 0);
    this.hasLongRemarks = length * this.newLines.length > maxSearchCost;
    const escapedLines = this.hasLongRemarks ? [] : listEscapedLines(this.newLines);
    const toRemarks = (candidates: readonly Line[]): readonly Line[] =>
      candidates
        .map(({ text }) => toLine(removeQuotedLines(text, escapedLines)))
        .filter(({ text }) => /[\p{L}\p{N}]/u.test(text) && !/^<\/?lines>$/iu.test(text))
        .filter(
          ({ text }) =>
            !languageFamilies.some((languageNames) => languageNames.has(text.toLowerCase())),
        );
    this.remarks = toRemarks(unknownLines);
    this.introductionLines = toRemarks(
      listUnknownLines(answerLines.slice(0, Math.max(0, fenceIndex))),
    );
    this.isText =
      isTextLanguage(language) || this.oldLines.some(({ text }) => rateAsSentence(text) === 'yes');
    this.requestedWords = toWords(instruction);
    this.documentText = [...original, ...before, ...after, instruction]
      .map((line) => toLine(line).text)
      .join('\n');
  }

  /**
   * Checks whether a remark only announces the replacement lines, such as `Here is the code:`, and does not state that
   * they replace only a part of the selection.
   */
  isAnnouncement({ text, words }: Line): boolean {
    if (this.newLines.length < this.oldLines.length && partialAnswerPattern.test(text))
      return false;
    return [...words].every((word) => announcementWords.has(word) || this.requestedWords.has(word));
  }

  /**
   * True if the answer also contains the document lines directly before and after the selection, around the replacement
   * lines.
   */
  get isEnclosed(): boolean {
    const { answerLines, before, after } = this.parsedAnswer;
    const answerTexts = toNonBlankLines(answerLines).map(({ text }) => text);
    const [previousText, nextText] = [
      toNonBlankLines(before).at(-1)?.text,
      toNonBlankLines(after)[0]?.text,
    ];
    const [firstText, lastText] = [this.newLines[0]?.text, this.newLines.at(-1)?.text];
    const start = answerTexts.findIndex(
      (text, index) => text === firstText && answerTexts[index - 1] === previousText,
    );
    const end = answerTexts.findLastIndex(
      (text, index) => text === lastText && answerTexts[index + 1] === nextText,
    );
    return previousText !== undefined && nextText !== undefined && start > 0 && end >= start;
  }

  /** Checks whether a line contains a word of the instruction. */
  readonly isRequested = ({ words }: Line): boolean =>
    [...words].some((word) => word.length > 2 && this.requestedWords.has(word));

  /**
   * True if all replacement lines are original lines, and the user requested the removal of the missing original lines.
   */
  get isRequestedRemoval(): boolean {
    const newTexts = new Set(this.newLines.map(({ text }) => text));
    const oldTexts = new Set(this.oldLines.map(({ text }) => text));
    return (
      removalRequestPattern.test(this.parsedAnswer.instruction ?? '') &&
      this.newLines.every(({ text }) => oldTexts.has(text)) &&
      this.oldLines.every((line) => newTexts.has(line.text) || this.isRequested(line))
    );
  }

  /**
   * True if the answer has no remarks except announcements, and replaces one line of code with one line that has the
   * same first and last punctuation. The two lines need not have words in common.
   */
  get replacesStatement(): boolean {
    const [line] = this.oldLines;
    const [firstText, lastText] = [this.newLines[0]?.text ?? '', this.newLines.at(-1)?.text ?? ''];
    if (line === undefined || this.oldLines.length > 1 || this.isText) return false;
    const hasSameStart =
      /^[^\p{L}\p{N}\s]?/u.exec(firstText)?.[0] === /^[^\p{L}\p{N}\s]?/u.exec(line.text)?.[0];
    const endPunctuation = /[;,{}()[\]>]$/u.exec(line.text)?.[0];
    return (
      this.hasOnlyAnnouncements &&
      this.newLines.length === 1 &&
      !additionRequestPattern.test(this.parsedAnswer.instruction ?? '') &&
      hasSameStart &&
      endPunctuation !== undefined &&
      lastText.endsWith(endPunctuation)
    );
  }

  get hasOnlyAnnouncements(): boolean {
    return this.remarks.every((line) => this.isAnnouncement(line));
  }

  /** True if at least two thirds of the original lines have a similar replacement line. */
  get isAligned(): boolean {
    const isDistinctive = (line: Line | undefined): boolean =>
      [...(line?.words ?? [])].some((word) => !commonWords.has(word));
    const lines = this.oldLines.filter(isDistinctive);
    const distinctivePairs = this.pairs.filter(([index]) => isDistinctive(this.oldLines[index]));
    return lines.length === 0
      ? this.pairs.length > 0
      : distinctivePairs.length * 3 >= lines.length * 2;
  }

  /** True if the replacement lines contain at least three quarters of the words of the original lines. */
  get sharesWords(): boolean {
    const oldWords = listWords(this.oldLines);
    const newWords = listWords(this.newLines);
    const ratio = [...oldWords].filter((word) => newWords.has(word)).length / oldWords.size;
    return ratio >= (this.hasOnlyAnnouncements ? 0.6 : 0.75);
  }

  addsText(pattern: RegExp): boolean {
    return this.newLines.some(({ text }) => pattern.test(text)) && !pattern.test(this.documentText);
  }
}

const decodeEntities = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/**
 * Matches a remark, such as `The changed lines:`, that suggests that the answer replaces only a part of the selection.
 */
const partialAnswerPattern =
  /\b(?:changed|modified|updated|new|affected|relevant|these|those|only)\b.*\b(?:lines?|parts?|calls?|sections?|bits?|statements?)\b/iu;
/** Matches a request to add code. The answer can then contain only the added code. */
const additionRequestPattern =
  /\b(?:add|insert|append|prepend|include|guard|handle|check|valid\w*|missing|also|before|after|too|import|log|hinzufüg|ergänz|ajout|añad|agreg)\w*|追加|添加/iu;

/** Minimum length in characters of a replacement line that is searched for inside other lines of the answer. */
const minSearchedLength = 3;

/**
 * Maximum product of the number of characters in all remarks and the number of replacement lines. Above it, the remarks
 * are not searched for replacement lines.
 */
const maxSearchCost = 5_000_000;
/** Maximum length of a remark. Longer text is not a remark. */
const maxRemarkLength = 1_000;

/**
 * Returns each replacement line in the forms in which other text of an answer can quote it: unchanged and escaped as in
 * JSON.
 */
const listEscapedLines = (lines: readonly Line[]): readonly string[] =>
  lines
    .filter(({ text }) => text.length >= minSearchedLength)
    .flatMap(({ text }) => [...new Set([JSON.stringify(text).slice(1, -1), text])]);

/**
 * Removes quoted replacement lines, which can be escaped as in JSON or follow a line number, from a line of an answer.
 */
function removeQuotedLines(text: string, escapedLines: readonly string[]): string {
  let remainingText = text;
  for (const line of escapedLines) remainingText = remainingText.replace(line, () => ' ');
  return remainingText === text ? text : remainingText.replaceAll(/\\[nrt"]|^[\d\s]+/gu, ' ');
}

/** Names of reasons to doubt that the lines read from an answer are the complete replacement, each with its check. */
const doubts: readonly (readonly [
  name: string,
  applies: (comparison: AnswerComparison) => boolean,
])[] = [
  [
    'long remarks',
    ({ hasLongRemarks, remarks }) =>
      hasLongRemarks || remarks.some(({ text }) => text.length > maxRemarkLength),
  ],
  [
    'remark without a code fence',
    ({ hasFence, remarks, hasOnlyAnnouncements, isAligned, oldLines, newLines }) =>
      !hasFence &&
      !hasOnlyAnnouncements &&
      !(
        oldLines.length > 0 &&
        isAligned &&
        newLines.length >= oldLines.length &&
        remarks.every(({ text }) => /[:：.!。！]$/u.test(text)) &&
        remarks.length < 3
      ),
  ],
  ['second thoughts', ({ remarks }) => remarks.some(({ text }) => secondThoughtPattern.test(text))],
  [
    'statement that nothing changed',
    ({ remarks }) => remarks.some(({ text }) => noChangePattern.test(text)),
  ],
  ['words in place of lines', (comparison) => comparison.addsText(omittedLinesPattern)],
  ['steps for the user', ({ remarks }) => remarks.some(({ text }) => manualStepPattern.test(text))],
  ['a second version', (comparison) => comparison.addsText(alternativeLabelPattern)],
  [
    'old and new text in one line',
    ({ uniqueOldLines, changedNewLines }) =>
      uniqueOldLines.length * changedNewLines.length <= maxComparisons &&
      changedNewLines.some((line) =>
        uniqueOldLines.some((oldLine) => repeatsOriginalLine(line, oldLine)),
      ),
  ],
  ['quoted old text', quotesOriginal],
  [
    'several versions of a line',
    ({ isText, oldLines, newLines }) =>
      isText &&
      oldLines.length === 1 &&
      newLines.filter((line) => oldLines.some((oldLine) => areSimilar(line, oldLine))).length > 1 &&
      !newLines.some(({ text }) => text === oldLines[0]?.text),
  ],
  [
    'label before each line',
    ({ isText, oldLines, newLines }) =>
      (isText && newLines.every(isLabeled) && !oldLines.some(isLabeled)) ||
      newLines.every(({ text }) => editLabelPattern.test(text)),
  ],
  [
    'text of a console',
    (comparison) => !comparison.isText && comparison.addsText(consoleLinePattern),
  ],
  ['visible white space', (comparison) => comparison.addsText(whitespaceSymbolPattern)],
  [
    'lost comment marks',
    ({ oldLines, newLines, parsedAnswer }) =>
      losesPrefix(oldLines, newLines) && !/comment/iu.test(parsedAnswer.instruction ?? ''),
  ],
  [
    'only comments',
    ({ isText, oldLines, newLines, requestedWords }) =>
      !isText &&
      newLines.every(isComment) &&
      !oldLines.every(isComment) &&
      !requestedWords.has('comment'),
  ],
  [
    'another language',
    ({ fenceLanguage, parsedAnswer }) =>
      !parsedAnswer.original.some((line) => parseFence(line) !== undefined) &&
      isUnrelatedLanguage(fenceLanguage, parsedAnswer.language),
  ],
  [
    'lost code fence',
    ({ parsedAnswer }) =>
      parsedAnswer.original.some((line) => parseFence(line) !== undefined) &&
      !parsedAnswer.lines.some((line) => parseFence(line) !== undefined),
  ],
  [
    'code in a sentence',
    ({ isText, newLines }) =>
      !isText &&
      newLines.length === 1 &&
      newLines.some(({ text }) => codeInSentencePattern.test(text)),
  ],
  ['indentation of the first line', isOnlyFirstLineIndented],
  [
    'blank lines',
    ({ parsedAnswer }) =>
      blankLineRequestPattern.test(parsedAnswer.instruction ?? '') &&
      hasBlankBorder(parsedAnswer.original),
  ],
  [
    'lost comma',
    ({ isText, oldLines, newLines }) =>
      !isText &&
      (oldLines.at(-1)?.text.endsWith(',') ?? false) &&
      !(newLines.at(-1)?.text.endsWith(',') ?? false),
  ],
  [
    'sentence',
    ({ isText, oldLines, newLines }) =>
      !isText &&
      newLines.length === 1 &&
      newLines.some(isSentence) &&
      !oldLines.some(isSentenceLike),
  ],
  [
    'insertion',
    (comparison) => comparison.oldLines.length === 0 && !isPlausibleInsertion(comparison),
  ],
  [
    'brackets',
    ({ isText, oldLines, parsedAnswer }) =>
      !isText && oldLines.length > 0 && changesBracketBalance(parsedAnswer),
  ],
  [
    'added brackets',
    ({ oldLines, newLines }) =>
      /^[[{(]$/u.test(newLines[0]?.text ?? '') &&
      oldLines[0]?.text !== newLines[0]?.text &&
      oldLines.length > 0,
  ],
  [
    'start of a document',
    ({ oldLines, newLines }) =>
      documentStartPattern.test(newLines[0]?.text ?? '') &&
      oldLines.length > 0 &&
      !documentStartPattern.test(oldLines[0]?.text ?? ''),
  ],
  ['lost lines', (comparison) => !comparison.isEnclosed && losesLines(comparison)],
  [
    'part of the selection',
    (comparison) =>
      comparison.newLines.length < comparison.oldLines.length &&
      (comparison.remarks.some(({ text }) => unchangedPartPattern.test(text)) ||
        comparison.introductionLines.some(
          (line) =>
            !comparison.isAnnouncement(line) && classifyRemark(line.text) !== 'introduction',
        )),
  ],
  ['lines around the selection', coversContext],
  [
    'other text',
    (comparison) =>
      comparison.oldLines.length > 0 &&
      !comparison.isAligned &&
      !comparison.sharesWords &&
      !comparison.isEnclosed &&
      !comparison.isRequestedRemoval &&
      !comparison.replacesStatement &&
      !isRewording(comparison),
  ],
];

/** Matches a remark with which a model corrects its own answer, such as `Wait, …`. */
const secondThoughtPattern = /^(?:wait|actually|hmm+|oops|correction|on second thought)\b/iu;
/** Matches a line that represents omitted lines, such as `# same for the others` or a list item of dots. */
const omittedLinesPattern =
  /^\W+(?:(?:do )?(?:the )?same (?:for|as|with)|and so on|etc|likewise|similarly|repeat(?:ed)? for)\b|^(?:[-*+]|\\item|\d+[.)])\s+(?:\.{3}|…)$/iu;
/** Matches a line, such as `Or:`, that introduces an alternative version of the replacement lines. */
const alternativeLabelPattern = /^(?:or|alternatively)\b.*:$/iu;
/** Matches a line with a console prompt, such as `$ make`, or with a command of the editor vi, such as `:wq`. */
const consoleLinePattern = /^(?:(?:>|\$|>>>|%|=>|\[\+\]) \S|:[\d%]*(?:s\/|wq?$|q$|g\/))/u;
/** Matches visible symbols for tabs and spaces, such as `→` and `␣`. */
const whitespaceSymbolPattern = /<TAB>|[→⇥␠␣]/u;
/** Matches a sentence that ends with code in backticks. */
const codeInSentencePattern = /^\p{Lu}\p{L}+ .*`[^`]{10,}`\.?$/u;
/** Matches a line that begins with a label for old or new text, such as `Before: …`. */
const editLabelPattern =
  /^[*_\s]*(?:find|replace|search|old|new|before|after|from|to|was|now|original|updated)\b[^:：]{0,12}[:：]\s/iu;
const isLabeled = ({ text }: Line): boolean =>
  /^\**[\p{L}][\p{L} ]{0,24}\**\s?[:：]\**\s/u.test(text);
const isSentence = ({ text }: Line): boolean => rateAsSentence(text) === 'yes';
const isSentenceLike = ({ text }: Line): boolean => rateAsSentence(text) !== 'no';
/** Matches a remark, such as `No changes needed`, that the answer contains no change. */
const noChangePattern =
  /\bno (?:code|changes?|lines?|edits?)\b.*\b(?:changed|made|needed|necessary|required)\b|\bnothing (?:was|has been|is|needs to be) changed\b/iu;
/** Matches a remark, such as `Add this above the class`, that asks the user to change other lines too. */
const manualStepPattern =
  /\b(?:add|insert|put|place|prepend|append|declare|import|keep|leave)\b.*\b(?:above|below|in front of|before|after|at the (?:top|end|start|beginning)|to the (?:top|end|start))\b/iu;
/** Matches a remark, such as `The loop stays unchanged`, that explains why the answer omits a part of the selection. */
const unchangedPartPattern =
  /\b(?:stays?|remains?|keeps?|kept|leave|left)\b.*\b(?:as (?:it|they|before)|unchanged|same|is|are|untouched)\b/iu;
/** Matches an instruction, such as `simplify`, after which the replacement can have fewer lines than the original. */
const shorteningRequestPattern =
  /short|simplif|one sentence|summar|condens|merge|combine|inline|compact|kürz|zusammenfass|raccourci|resum/iu;
/**
 * Matches a line that occurs only at the start of a document or code block, such as `<?php`. The replacement for a
 * later part of a document contains no such line.
 */
const documentStartPattern =
  /^(?:<\?php|\\documentclass|<!doctype|<html|<\?xml|\.\. code-block::)/iu;
/** Matches an instruction to remove lines. */
const removalRequestPattern =
  /remov|delet|drop|clear|empty|erase|strip|without|lösch|entfern|supprim|elimin|删除|削除/iu;

const isComment = ({ text }: Line): boolean =>
  beginsWithCommentMark(text) || /^(?:\*|"""|'{3})/u.test(text);

/**
 * Checks whether a replacement line contains the original line together with its new version, or after a label such as
 * `Old:`.
 */
function repeatsOriginalLine(line: Line, oldLine: Line): boolean {
  if (oldLine.text.length < 4 || !line.text.includes(oldLine.text)) return false;
  const rest = line.text.replace(oldLine.text, ' ');
  if (
    /^\s*(?:[=-]+>|[→⇒])\s*\S/u.test(
      line.text.slice(line.text.indexOf(oldLine.text) + oldLine.text.length),
    )
  )
    return true;
  const isLabeled =
    line.text.endsWith(oldLine.text) && /^[\p{L}\d *_]{1,20}[:：]\**\s*$/u.test(rest);
  return (
    isLabeled ||
    (oldLine.words.size > 2 && computeCommonWordRatio(toWords(rest), oldLine.words) >= 2 / 3)
  );
}

/**
 * Checks whether an answer describes the edit instead of making it, such as `"old words" to "new words"`. The quoted
 * words must be in the original lines, and the quotation must not be in the document.
 */
function quotesOriginal({ newLines, oldLines, documentText: document }: AnswerComparison): boolean {
  const text = oldLines.map((line) => line.text).join(' ');
  return newLines.some((line) =>
    [
      ...line.text
        .slice(0, maxRemarkLength)
        .matchAll(/(["`“])([^"`“”]+)["`”]\s*(with|by|to|->|→|=>|durch|par|por|con)\b/gu),
    ].some(
      ([quote, , quotedText = '']) =>
        /\S\s+\S/u.test(quotedText) && text.includes(quotedText) && !document.includes(quote),
    ),
  );
}

/** Checks whether all original lines begin with the same characters, such as `//`, and no replacement line does. */
function losesPrefix(oldLines: readonly Line[], newLines: readonly Line[]): boolean {
  const linePrefix = /^(?:\/{2,3}|#+|\*|--|%+|;+)(?=\s)/u.exec(oldLines[0]?.text ?? '')?.[0];
  return (
    linePrefix !== undefined &&
    oldLines.length > 1 &&
    oldLines.every(({ text }) => text.startsWith(linePrefix)) &&
    !newLines.some(({ text }) => text.startsWith(linePrefix))
  );
}

/**
 * Groups of related languages, such as JavaScript and TypeScript. Each group contains names in info strings and VS Code
 * language ids.
 */
const languageFamilies: readonly ReadonlySet<string>[] = [
  'js jsx ts tsx mjs cjs javascript typescript javascriptreact typescriptreact',
  'html htm xhtml xml svg xsl vue svelte astro mdx',
  'css scss sass less',
  'c cpp c++ cc cxx h hpp objective-c objective-cpp',
  'json jsonc json5',
  'sh bash zsh shell shellscript fish',
  'py python python3',
  'rb ruby',
  'toml',
  'ini cfg conf properties',
  'dotenv env',
  'yaml yml dockercompose',
  'java',
  'sql mysql postgresql plsql',
  'php',
  'go golang',
  'rust rs',
  'kotlin kt kts',
  'scala sbt',
  'swift',
  'csharp cs c#',
  'lua',
  'dart',
  'elixir ex exs',
  'haskell hs',
  'r',
  'perl pl',
  'powershell ps1 pwsh',
  'julia jl',
  'groovy gradle',
  'terraform hcl tf',
  'graphql gql',
  'makefile make',
  'latex tex',
].map((names) => new Set(names.split(' ')));

/**
 * Checks whether the info string of a code fence names a language that is unrelated to the language of the document.
 */
function isUnrelatedLanguage(fenceLanguage: string, language: string): boolean {
  const languageFamily = languageFamilies.find((languageNames) => languageNames.has(language));
  const fenceFamily = languageFamilies.find((languageNames) => languageNames.has(fenceLanguage));
  return (
    fenceFamily !== undefined && languageFamily !== undefined && fenceFamily !== languageFamily
  );
}

/** Checks whether lines to insert at an empty selection resemble the lines around it in form and indentation. */
function isPlausibleInsertion(comparison: AnswerComparison): boolean {
  const { introductionLines, newLines, parsedAnswer } = comparison;
  if (
    introductionLines.some(
      (line) => !comparison.isAnnouncement(line) && classifyRemark(line.text) !== 'introduction',
    )
  )
    return false;
  const [previousLine, nextLine] = [
    parsedAnswer.before.findLast(isNonBlank) ?? '',
    parsedAnswer.after.find(isNonBlank) ?? '',
  ];
  const [previousMark, nextMark] = [previousLine, nextLine].map(getLeadingMark);
  const newMark = getLeadingMark(newLines[0]?.text ?? '');
  if (previousMark !== '' && previousMark === nextMark && newMark !== previousMark) return false;
  const isListMark = (text: string | undefined): boolean => /^[-*+|]$/u.test(text ?? '');
  if (
    (isListMark(previousMark) || isListMark(nextMark)) &&
    newMark !== previousMark &&
    newMark !== nextMark
  )
    return false;
  const [newIndentWidth, previousIndentWidth, nextIndentWidth] = [
    parsedAnswer.lines.find(isNonBlank) ?? '',
    previousLine,
    nextLine,
  ].map((line) => getLeadingWhitespace(line).length) as [number, number, number];
  if (
    previousLine !== '' &&
    nextLine !== '' &&
    previousIndentWidth === nextIndentWidth &&
    newIndentWidth < previousIndentWidth
  )
    return false;
  return !(/^\s*(?:[)\]}]|end\b)/u.test(nextLine) && newIndentWidth <= nextIndentWidth);
}

const getLeadingMark = (line: string): string =>
  /^(?:<[\w.-]+|[^\p{L}\p{N}\s]+)/u.exec(line.trim())?.[0] ?? '';

/**
 * Checks whether the replacement lines open or close more brackets or blocks than the original lines, both with and
 * without the text of strings.
 */
const changesBracketBalance = ({ lines, original, language }: ParsedAnswer): boolean =>
  computeBracketBalance(lines, language) !== computeBracketBalance(original, language) &&
  computeBracketBalance(removeStrings(lines, language).split('\n'), language) !==
    computeBracketBalance(removeStrings(original, language).split('\n'), language);

/**
 * Checks whether the answer lacks original lines that contain names, has no lines in their place, and the user did not
 * request their removal. Lines between other original lines count only if the answer has remarks.
 */
function losesLines({
  oldLines,
  newLines,
  pairs,
  isText,
  parsedAnswer,
  isRequested,
  hasOnlyAnnouncements,
}: AnswerComparison): boolean {
  // Only equal lines of such long texts are compared.
  const isLong = oldLines.length * newLines.length > maxComparisons;
  if (isLong && newLines.length * 20 < oldLines.length * 19)
    return !removalRequestPattern.test(parsedAnswer.instruction ?? '');
  // New lines that mostly differ from the original ones are another implementation.
  if (pairs.length * 2 < newLines.length) return false;
  // A remark can state that lines were left out. Without one, an answer removes lines between others on purpose.
  const hasRemarks = !hasOnlyAnnouncements;
  const gapEnds: readonly Pair[] = [...pairs, [oldLines.length, newLines.length]];
  const removedLineGroups = gapEnds.map(([oldEnd, newEnd], index) => {
    const [oldStart, newStart] = pairs[index - 1] ?? [-1, -1];
    const isBorder = index === 0 || index === pairs.length;
    const isReplaced = newEnd !== newStart + 1;
    return isReplaced || !(isBorder || hasRemarks) ? [] : oldLines.slice(oldStart + 1, oldEnd);
  });
  const removedLines = removedLineGroups.flat();
  const remainingWords = listWords(oldLines.filter((line) => !removedLines.includes(line)));
  const newWords = listWords(newLines);
  const lostLines = removedLines.filter((line) => {
    if (/^(?:\[[^\]]+\]|#!.*)$/u.test(line.text)) return true;
    return [...line.words].some(
      (word) => /\p{L}{3}/u.test(word) && !remainingWords.has(word) && !newWords.has(word),
    );
  });
  const { instruction = '' } = parsedAnswer;
  if (isText && shorteningRequestPattern.test(instruction)) return false;
  return !(removalRequestPattern.test(instruction)
    ? lostLines.every(isRequested)
    : lostLines.length === 0);
}

/**
 * Checks whether the parser indented only the first replacement line, although the other lines may lack the same
 * indentation.
 */
function isOnlyFirstLineIndented({ parsedAnswer, oldLines, newLines }: AnswerComparison): boolean {
  const { answerLines, lines, original } = parsedAnswer;
  const [firstLine, secondLine] = lines.filter(isNonBlank);
  if (firstLine === undefined || secondLine === undefined) return false;
  const firstAnswerLine = answerLines.find((line) => line.trim() === firstLine.trim());
  const secondAnswerLine = answerLines.find((line) => line.trim() === secondLine.trim());
  const oldTexts = new Set(oldLines.map(({ text }) => text));
  return (
    firstAnswerLine !== undefined &&
    secondAnswerLine === secondLine &&
    getLeadingWhitespace(firstAnswerLine).length < getLeadingWhitespace(firstLine).length &&
    getLeadingWhitespace(secondLine) === getLeadingWhitespace(firstLine) &&
    original.filter(isNonBlank).length === 1 &&
    !newLines.slice(1).some(({ text }) => oldTexts.has(text))
  );
}

/** Matches an instruction about blank lines. */
const blankLineRequestPattern =
  /\b(?:blank|empty)\b|\bnew ?lines?\b|leerzeile|lignes? vides?|línea/iu;

const hasBlankBorder = (lines: readonly string[]): boolean =>
  lines.length > 1 && (!isNonBlank(lines[0] ?? '') || !isNonBlank(lines.at(-1) ?? ''));

/**
 * Checks whether the first or last replacement lines, which resemble no original line, resemble document lines before
 * or after the selection instead. The answer then covers more lines than the selection.
 */
function coversContext({ newLines, pairs, parsedAnswer }: AnswerComparison): boolean {
  const headLines = newLines.slice(0, pairs[0]?.[1] ?? 0);
  const tailLines = newLines.slice((pairs.at(-1)?.[1] ?? newLines.length) + 1);
  const [before, after] = [parsedAnswer.before, parsedAnswer.after].map(toNonBlankLines) as [
    readonly Line[],
    readonly Line[],
  ];
  const hasSeveralWords = ({ words }: Line): boolean => words.size > 1;
  const hasSimilarLine = (lines: readonly Line[], contextLine: Line | undefined): boolean =>
    contextLine !== undefined && lines.some((line) => areSimilar(line, contextLine, 0.75));
  const repeatsContext = (lines: readonly Line[], contextLines: readonly Line[]): boolean => {
    const texts = new Set(contextLines.map(({ text }) => text));
    return lines.some(({ text, words }) => words.size > 0 && texts.has(text));
  };
  return (
    (/^[{(]$/u.test(after[0]?.text ?? '') &&
      tailLines.some(({ text }) => text === after[0]?.text)) ||
    hasSimilarLine(headLines, before.findLast(hasSeveralWords)) ||
    hasSimilarLine(tailLines, after.find(hasSeveralWords)) ||
    repeatsContext(headLines, before) ||
    repeatsContext(tailLines, after)
  );
}

/**
 * Checks whether new prose has the same paragraphs as the original but shares few words with it, as in a translation.
 */
function isRewording({
  isText,
  oldLines,
  newLines,
  parsedAnswer,
  remarks,
  hasFence,
  introductionLines,
}: AnswerComparison): boolean {
  if (!isText || (!hasFence && remarks.length > 0)) return false;
  if (
    introductionLines.length > 1 ||
    !oldLines.some(isSentenceLike) ||
    !newLines.some(isSentenceLike)
  )
    return false;
  const [oldLength, newLength] = [oldLines, newLines].map((lines) =>
    lines.reduce((sum, { text }) => sum + text.length, 0),
  ) as [number, number];
  return (
    countParagraphs(parsedAnswer.original) === countParagraphs(parsedAnswer.lines) &&
    oldLength <= newLength * 3 &&
    newLength <= oldLength * 3 &&
    !newLines.some(({ text }) => /^[[(<].*[)\]>]$/u.test(text))
  );
}

const countParagraphs = (lines: readonly string[]): number =>
  lines.filter((line, index) => isNonBlank(line) && !isNonBlank(lines[index - 1] ?? '')).length;

/** Maximum product of the numbers of lines that are compared with each other. */
const maxComparisons = 100_000;

/** Aligns similar lines in their order, so that the sum of their similarities is maximal. */
function alignLines(oldLines: readonly Line[], newLines: readonly Line[]): readonly Pair[] {
  if (oldLines.length * newLines.length > maxComparisons) return pairEqualLines(oldLines, newLines);
  const width = newLines.length + 1;
  const bestSums = new Float64Array((oldLines.length + 1) * width);
  const ratePair = (i: number, j: number): number => {
    const [a, b] = [oldLines[i], newLines[j]];
    if (a === undefined || b === undefined) return 0;
    const ratio = computeSimilarity(a, b);
    return ratio >= 0.5 ? ratio : 0;
  };
  const getBestSum = (i: number, j: number): number => bestSums[i * width + j] ?? 0;
  for (let i = oldLines.length - 1; i >= 0; i -= 1)
    for (let j = newLines.length - 1; j >= 0; j -= 1) {
      const rating = ratePair(i, j);
      const pairedSum = rating > 0 ? rating + getBestSum(i + 1, j + 1) : 0;
      bestSums[i * width + j] = Math.max(getBestSum(i + 1, j), getBestSum(i, j + 1), pairedSum);
    }
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < oldLines.length && j < newLines.length) {
    const rating = ratePair(i, j);
    if (rating > 0 && getBestSum(i, j) === rating + getBestSum(i + 1, j + 1)) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (getBestSum(i, j) === getBestSum(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}

function pairEqualLines(oldLines: readonly Line[], newLines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  const changes = diffLines(
    oldLines.map(({ text }) => text),
    newLines.map(({ text }) => text),
  );
  const end = {
    from: { start: oldLines.length, end: oldLines.length },
    to: { start: newLines.length, end: newLines.length },
  };
  for (const { from, to } of [...changes, end]) {
    for (; i < from.start; i += 1, j += 1) pairs.push([i, j]);
    [i, j] = [from.end, to.end];
  }
  return pairs;
}

/** Words that are common in code. Lines that share only these words are not considered similar. */
const commonWords: ReadonlySet<string> = new Set([
  'end',
  'else',
  'fi',
  'done',
  'return',
  'pass',
  'begin',
  'try',
  'do',
  'then',
]);

/**
 * Words with which models announce their code. A remark of only these words does not limit which lines the code
 * replaces.
 */
const announcementWords: ReadonlySet<string> = new Set(
  'a an the this that these your my here is are s there you go it sure certainly of course absolutely ok okay alright great done got updated update new revised modified changed corrected fixed improved refactored rewritten edited final resulting replacement replaced code lines line version text content snippet selection selected block result answer output file function method class section paragraph below following as requested with and for in to i have ve made let me know if need anything else further any more changes hope helps happy help please note assistant answer'.split(
    ' ',
  ),
);
