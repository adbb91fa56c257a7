import {
  containsLines,
  type EditedDocument,
  type NewLines,
  readFileComment,
  taggedLanguages,
  toOriginalWords,
} from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import { isNonBlank } from '../edit/indentation.ts';
import { parseFence, toWords } from '../../base/model-answer.ts';

/**
 * Characters that a model or its chat interface wrongly escapes in answers, and their escaped form, such as `<` and
 * `&lt;`.
 */
interface EscapePair {
  /** Matches the escaped form, such as `&lt;`. */
  readonly escapedPattern: RegExp;
  /** Matches the unescaped characters, such as `<`. */
  readonly plainPattern: RegExp;
  readonly restore: (text: string) => string;
  /** Matches ids of languages whose documents often contain the escaped form. */
  readonly usualLanguagesPattern?: RegExp;
  /** Matches words in an instruction with which the user can request the escaped form. */
  readonly requestPattern?: RegExp;
  /** True if code never contains the escaped form, so that a single occurrence in code suggests a wrong escape. */
  readonly isForeignToCode?: boolean;
  /** True if an edit of one line often replaces the characters by the escaped form on purpose. */
  readonly isOftenIntended?: boolean;
}

const markupLanguagesPattern =
  /^(?:html|xml|xsl|svg|vue|svelte|astro|php|handlebars|razor|twig|jinja|javascriptreact|typescriptreact|markdown|mdx)$/u;

const quoteRequestPattern = /quot|["“”']|escap|string|typogra|json/iu;

const escapePairs: readonly EscapePair[] = [
  {
    escapedPattern: /\\"/gu,
    plainPattern: /(?<!\\)"/u,
    restore: (text) => text.replaceAll('\\"', '"'),
    usualLanguagesPattern: /^(?:latex|tex|bibtex)$/u,
    requestPattern: /quot|escap|umlaut|json|\\/iu,
    isForeignToCode: true,
  },
  {
    escapedPattern: /\\'/gu,
    plainPattern: /(?<!\\)'/u,
    restore: (text) => text.replaceAll("\\'", "'"),
    usualLanguagesPattern: /^(?:latex|tex|bibtex)$/u,
    requestPattern: /quot|escap|accent|apostrophe|\\/iu,
  },
  {
    escapedPattern: /&(?:quot|#0?34|#x22|apos|#0?39|#x27);/giu,
    plainPattern: /["']/u,
    restore: (text) =>
      text.replaceAll(/&(?:quot|#0?34|#x22);/giu, '"').replaceAll(/&(?:apos|#0?39|#x27);/giu, "'"),
    requestPattern: /quot|escap|entit|&/iu,
    isForeignToCode: true,
  },
  {
    escapedPattern: /&(?:lt|gt);/gu,
    plainPattern: /[<>]/u,
    restore: (text) =>
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    requestPattern: /escap|entit|&|encod/iu,
    isForeignToCode: true,
  },
  {
    escapedPattern: /&amp;/gu,
    plainPattern: /&(?!amp;)/u,
    restore: (text) => text.replaceAll('&amp;', '&'),
    usualLanguagesPattern: markupLanguagesPattern,
    requestPattern: /escap|entit|&|encod/iu,
    isForeignToCode: true,
  },
  {
    escapedPattern: /[“”]/gu,
    plainPattern: /"/u,
    restore: (text) => text.replaceAll(/[“”]/gu, '"'),
    requestPattern: quoteRequestPattern,
  },
  {
    escapedPattern: /[‘’]/gu,
    plainPattern: /'/u,
    restore: (text) => text.replaceAll(/[‘’]/gu, "'"),
    requestPattern: quoteRequestPattern,
  },
  {
    escapedPattern: /(?<!\\)\\[_*#<>[\]]/gu,
    plainPattern: /(?<!\\)[_*#<>[\]]/u,
    restore: (text) => text.replaceAll(/\\([_*#<>[\]])/gu, '$1'),
    requestPattern: /escap|regex|pattern|\\/iu,
  },
  {
    escapedPattern: /\\\$/gu,
    plainPattern: /(?<!\\)\$/u,
    restore: (text) => text.replaceAll('\\$', '$'),
    requestPattern: /escap|dollar|regex|pattern|\\/iu,
  },
  {
    escapedPattern: /\\`/gu,
    plainPattern: /(?<!\\)`/u,
    restore: (text) => text.replaceAll('\\`', '`'),
    requestPattern: /escap|backtick|\\/iu,
  },
  {
    escapedPattern: /\{\{|\}\}/gu,
    plainPattern: /(?<!\{)\{(?!\{)/u,
    restore: (text) => text.replaceAll(/\{\{|\}\}/gu, (braces) => braces.slice(1)),
    requestPattern: /brace|template|\{/iu,
  },
  {
    escapedPattern: /\\\\/gu,
    plainPattern: /(?<!\\)\\(?!\\)/u,
    restore: (text) => text.replaceAll('\\\\', '\\'),
    requestPattern: /escap|backslash|regex|\\/iu,
    isOftenIntended: true,
  },
  {
    escapedPattern: /&nbsp;/gu,
    plainPattern: /^ /mu,
    restore: (text) => text.replaceAll('&nbsp;', ' '),
    requestPattern: /nbsp|space|non-?breaking/iu,
    isForeignToCode: true,
  },
  {
    escapedPattern: /\u{A0}/gu,
    plainPattern: /^ /mu,
    restore: (text) => text.replaceAll('\u{A0}', ' '),
    requestPattern: /nbsp|space|non-?breaking/iu,
    isForeignToCode: true,
  },
];

/**
 * Restores an answer in which a model or its chat interface changed all lines: it escaped characters, or added `<br>`
 * at line ends or blank lines between all lines. Returns `unclear` if such a change is likely, but the lines of the
 * document do not prove it.
 */
export function restoreDistortedLines(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  let restoredLines = removeCitations(lines, document);
  if (hasTypographicQuotes(lines, document)) return 'unclear';
  for (const restore of [removeLineBreakTags, restoreSpacing, unescapeLines]) {
    const nextLines = restore(restoredLines, document);
    if (nextLines === 'unclear') return 'unclear';
    restoredLines = nextLines;
  }
  return restoredLines;
}

/**
 * Matches `<br>` after a block tag such as `</p>`, which is on its own line in the browser even without `<br>`.
 */
const blockBreakPattern =
  /<\/?(?:ul|ol|li|dl|div|p|h\d|table|tr|section|main|body|head|html|form|nav|header|footer|script|style|template|\w+-\w+)\b[^<>]*><br\s?\/?>\s*$/iu;
const citationPattern = /\s?【[^【】]{1,40}】|\[cite(?:_start|: ?[\d, -]+)\]\s?/gu;

/** Removes the citation marks that some services add to answers. */
function removeCitations(
  lines: readonly string[],
  { original, before, after }: EditedDocument,
): readonly string[] {
  const isUsual = [...before, ...original, ...after].some(
    (line) => line.search(citationPattern) >= 0,
  );
  return isUsual || !lines.some((line) => line.search(citationPattern) >= 0)
    ? lines
    : lines.map((line) => line.replaceAll(citationPattern, ''));
}

const lineBreakTagPattern = /<br\s?\/?>\s*$/iu;

/** Removes `<br>` from the ends of lines. Returns `unclear` if `<br>` may be part of the replacement lines. */
function removeLineBreakTags(
  lines: readonly string[],
  { original, instruction = '', before, after, language }: EditedDocument,
): readonly string[] | 'unclear' {
  const nonBlankLines = lines.filter(isNonBlank);
  const lastLine = nonBlankLines.at(-1) ?? '';
  const isMarked = nonBlankLines.slice(0, -1).every((line) => lineBreakTagPattern.test(line));
  const count = nonBlankLines.filter((line) => lineBreakTagPattern.test(line)).length;
  const isUsual = [...before, ...original, ...after].some((line) => lineBreakTagPattern.test(line));
  const isInOneLine = nonBlankLines.length === 1 && /<br\s?\/?>/iu.test(lastLine);
  if (count === 0 && isInOneLine && original.filter(isNonBlank).length > 1 && !isUsual)
    return 'unclear';
  if (nonBlankLines.filter((line) => blockBreakPattern.test(line)).length > 1) return 'unclear';
  if (endsLinesWithBackslash(nonBlankLines, { original, language })) return 'unclear';
  if (count === 0 || isUsual || /<br|\bbreak|\blines?\b|zeile|ligne/iu.test(instruction))
    return lines;
  if (!isMarked || nonBlankLines.length === 1)
    return lineBreakTagPattern.test(lastLine) ? 'unclear' : lines;
  const restoredLines = lines.map((line) => line.replace(lineBreakTagPattern, ''));
  return countKnownLines(restoredLines, original) > countKnownLines(lines, original) &&
    !areSameLines(restoredLines, original)
    ? restoredLines
    : 'unclear';
}

const spacingRequestPattern = /blank|empty line|spacing|spaced|paragraph|separate|double.spac/iu;

/** Checks whether all lines end with a backslash, in a language in which a backslash does not continue a line. */
const endsLinesWithBackslash = (
  content: readonly string[],
  { original, language }: Pick<EditedDocument, 'original' | 'language'>,
): boolean =>
  content.length > 1 &&
  content.slice(0, -1).every((line) => /(?<!\\)(?:\\{2})*\\$/u.test(line)) &&
  !original.some((line) => /(?<!\\)(?:\\{2})*\\$/u.test(line)) &&
  (!/^(?:shellscript|fish|makefile|dockerfile|c|cpp)$/u.test(language) ||
    (original.length > 1 && content.slice(0, -1).every((line) => /[^\s\\]\\$/u.test(line))) ||
    (/^c(?:pp)?$/u.test(language) && !/^\s*#/u.test(content[0] ?? '')));

/**
 * Removes blank lines that a model added between all lines of an answer. Returns `unclear` if the blank lines may be
 * intended.
 */
function restoreSpacing(
  lines: readonly string[],
  { original, instruction = '', language }: EditedDocument,
): readonly string[] | 'unclear' {
  const gaps = listBlankLineCounts(lines);
  const originalGaps = listBlankLineCounts(original);
  if (gaps.length === 0 || gaps.some((gap) => gap === 0)) return lines;
  const isDense =
    originalGaps.some((gap) => gap === 0) && (gaps.length > 1 || originalGaps.length === 1);
  const isProse = isTextLanguage(language);
  const isWide =
    gaps.every((gap) => gap > (gaps.length > 1 ? 1 : 2)) && originalGaps.every((gap) => gap < 2);
  const isNew = !isProse && originalGaps.length === 0 && gaps.length > 2;
  if ((!isDense && !isWide && !isNew) || spacingRequestPattern.test(instruction)) return lines;
  // A model that adds blank lines also adds them around a blank line of the original.
  const isSparse = originalGaps.some((gap) => gap > 0) && gaps.length < minAddedGaps;
  if (isDense && isSparse && gaps.every((gap) => gap === 1)) return lines;
  // Sentences can become paragraphs.
  const hasTable =
    lines.some((line) => /^\s*\|.*\|\s*$/u.test(line)) ||
    (/^(?:latex|tex)$/u.test(language) &&
      lines.some((line) => /\\(?:hline|begin\{tabular)/u.test(line)));
  if (isProse && !hasTable && gaps.every((gap) => gap === 1) && gaps.length !== originalGaps.length)
    return lines;
  if (gaps.some((gap) => gap % 2 === 0)) return 'unclear';
  const restoredLines = removeAddedBlankLines(lines);
  const knownLineCount = countKnownLines(lines, original);
  const isCertain =
    !isProse && gaps.length > 1 && knownLineCount > 0 && gaps.every((gap) => gap % 2 === 1);
  return isCertain && !areSameLines(restoredLines, original) ? restoredLines : 'unclear';
}

/**
 * Minimum number of gaps between the non-blank lines of an answer. If every gap of such an answer contains one blank
 * line, the model likely added these lines, even if the original also contains blank lines.
 */
const minAddedGaps = 4;

/** Returns the number of blank lines in each gap between non-blank lines. */
function listBlankLineCounts(lines: readonly string[]): readonly number[] {
  const nonBlankIndexes = [...lines.keys()].filter((index) => isNonBlank(lines[index] ?? ''));
  return nonBlankIndexes
    .slice(1)
    .map((index, position) => index - (nonBlankIndexes[position] ?? 0) - 1);
}

/**
 * Removes blank lines that were added after each line of a text, and limits every gap to one blank line. Returns the
 * lines unchanged if no gap has several blank lines.
 */
export function reduceBlankLines(lines: readonly string[]): readonly string[] {
  const gaps = listBlankLineCounts(lines);
  if (gaps.every((gap) => gap < 2)) return lines;
  const addedCount = [1, 2].find((count) => gaps.every((gap) => gap % (count + 1) === count));
  const restoredLines = addedCount === undefined ? lines : removeAddedBlankLines(lines, addedCount);
  return restoredLines.filter(
    (line, index) => isNonBlank(line) || isNonBlank(restoredLines[index - 1] ?? ''),
  );
}

/** Removes `addedCount` blank lines from the gap after each line of a text. */
function removeAddedBlankLines(lines: readonly string[], addedCount = 1): readonly string[] {
  const result: string[] = [];
  let blankLineCount = 0;
  for (const line of lines)
    if (isNonBlank(line)) {
      const gap =
        result.length === 0 ? blankLineCount : (blankLineCount - addedCount) / (addedCount + 1);
      result.push(...Array.from({ length: gap }, () => ''), line);
      blankLineCount = 0;
    } else blankLineCount += 1;
  return result;
}

function unescapeLines(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  let restoredLines = lines;
  for (const escapePair of escapePairs) {
    const nextLines = unescapeCharacters(restoredLines, escapePair, document);
    if (nextLines === 'unclear') return 'unclear';
    restoredLines = nextLines;
  }
  return restoredLines;
}

function unescapeCharacters(
  lines: readonly string[],
  {
    escapedPattern,
    plainPattern,
    restore,
    usualLanguagesPattern,
    requestPattern,
    isForeignToCode = false,
    isOftenIntended = false,
  }: EscapePair,
  { original, before, after, instruction = '', language }: EditedDocument,
): readonly string[] | 'unclear' {
  const isEscaped = (line: string): boolean => line.search(escapedPattern) >= 0;
  const affectedLines = lines.filter((line) => isEscaped(line));
  if (affectedLines.length === 0 || requestPattern?.test(instruction) === true) return lines;
  const contextLines = [
    ...before.slice(-maxContextLines),
    ...original,
    ...after.slice(0, maxContextLines),
  ];
  const restoredLines = lines.map((line) => restore(line));
  const isUsual = [...contextLines, instruction].some((line) => isEscaped(line));
  if (isUsual && (lines.some((line) => plainPattern.test(line)) || isForeignToCode)) return lines;
  if (countKnownLines(restoredLines, contextLines) > countKnownLines(lines, contextLines)) {
    if (isOftenIntended && affectedLines.length === 1) return 'unclear';
    if (areSameLines(restoredLines, original)) return lines;
    // Without the escapes, the answer would change nothing.
    return repeatsDocument(restoredLines, { before, original, after }) ? 'unclear' : restoredLines;
  }
  if (isUsual) return lines;
  const hasOnlyEscaped = affectedLines.every((line) => !plainPattern.test(line));
  if (!hasOnlyEscaped || usualLanguagesPattern?.test(language) === true) return lines;
  const changedLineWords = affectedLines
    .slice(0, maxComparedLines)
    .map((line) => toWords(restore(line)));
  const plainLineWords = original
    .filter((line) => plainPattern.test(line))
    .slice(0, Math.ceil(maxComparisons / Math.max(1, changedLineWords.length)))
    .map(toWords);
  // A changed line of the original had the plain characters.
  const isChanged = changedLineWords.some((words) =>
    plainLineWords.some((otherWords) => haveCommonWords(words, otherWords)),
  );
  if (isChanged) return 'unclear';
  const isCode =
    isForeignToCode && isTextLanguage(language) ? createCodeBlockCheck(lines) : undefined;
  return isForeignToCode && affectedLines.some((line) => isCode?.(line) ?? true)
    ? 'unclear'
    : lines;
}

/** Checks whether the document contains the lines consecutively, ignoring indentation and blank lines. */
function repeatsDocument(
  lines: readonly string[],
  { before, original, after }: Pick<EditedDocument, 'before' | 'original' | 'after'>,
): boolean {
  const toTrimmedTexts = (sourceLines: readonly string[]): readonly string[] =>
    sourceLines.filter(isNonBlank).map((line) => line.trim());
  const [firstLine = '', ...rest] = toTrimmedTexts(lines);
  const isNamed = readFileComment(firstLine) !== undefined;
  return containsLines(
    toTrimmedTexts([...before, ...original, ...after]),
    isNamed ? rest : [firstLine, ...rest],
  );
}

/** Maximum number of changed lines of an answer to compare with the original lines. */
const maxComparedLines = 1_000;
/** Maximum number of comparisons of two lines. */
const maxComparisons = 1_000_000;

/**
 * Creates a function that checks whether the first occurrence of a line in a document is inside a fenced code block.
 */
function createCodeBlockCheck(lines: readonly string[]): (line: string) => boolean {
  const isInBlockByLine = new Map<string, boolean>();
  let isOpen = false;
  for (const line of lines) {
    if (!isInBlockByLine.has(line)) isInBlockByLine.set(line, isOpen);
    if (parseFence(line) !== undefined) isOpen = !isOpen;
  }
  return (line) => isInBlockByLine.get(line) === true;
}

/** Matches typographic quotation marks that enclose a string in code, such as `x = “a”`. */
const typographicStringPattern =
  /(?:[=(,[{+:]|\b(?:return|echo|raise|throw|from|import|in))\s*[“‘]|“”|^(?!\s*(?:\/\/|\*|#|--|%|<!--))[^"']*(?:^|\s)“[^”]*”(?=\s|[,;)]|$)/u;

/** Matches visible symbols for white space, such as `·`, in the indentation of a line. */
const visibleWhitespacePattern = /^\s*(?:[·⇥]|[\u3000→]+ ?(?=\S))/u;

/** Matches Markdown escapes and doubled braces that code does not contain. */
const foreignEscapePattern =
  /[\p{L}\d(,\s]\\_(?=[\s;,)\p{L}])|\s\\\*\s|^\s*\\[<#*]|\/\\\*|\s\\#\s|\w\\<|\\<\/?\w|"\\\$[\d@*#{]|^\s*(?:\{\{|\}\})[;,)]*\s*$|\b(?:import|export)\s*\{\{|\{{4}|“\$/u;

/**
 * Checks whether code contains typographic quotation marks as string delimiters, or other characters that do not occur
 * in code.
 */
function hasTypographicQuotes(
  lines: readonly string[],
  { original, before, after, language, instruction = '' }: EditedDocument,
): boolean {
  const isKnown = [instruction, ...before, ...original, ...after].some((line) =>
    /[“‘”’]/u.test(line),
  );
  const hasEscape = [instruction, ...before, ...original, ...after].some((line) =>
    foreignEscapePattern.test(line),
  );
  const hasMarks = lines.some((line) => visibleWhitespacePattern.test(line));
  if (
    hasMarks &&
    ![...before, ...original, ...after].some((line) => visibleWhitespacePattern.test(line))
  )
    return true;
  const isCode = isTextLanguage(language) ? createCodeBlockCheck(lines) : undefined;
  return lines.some(
    (line) =>
      ((!isKnown && typographicStringPattern.test(line)) ||
        (!hasEscape && foreignEscapePattern.test(line))) &&
      (isCode?.(line) ?? true),
  );
}

const maxContextLines = 200;

/** Checks whether two lines share most of their words. */
function haveCommonWords(leftWords: ReadonlySet<string>, rightWords: ReadonlySet<string>): boolean {
  const commonCount = [...leftWords].filter((word) => rightWords.has(word)).length;
  return commonCount > 0 && 2 * commonCount >= Math.min(leftWords.size, rightWords.size);
}

function countKnownLines(lines: readonly string[], original: readonly string[]): number {
  const originalTexts = new Set(original.map((line) => line.trim()));
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line) && originalTexts.has(line.trim()))
    .length;
}

const areSameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.filter(isNonBlank).join('\n') === b.filter(isNonBlank).join('\n');

/** Minimum number of Base64 characters to refuse an answer as encoded, for an edit of an empty selection. */
const minEncodedLength = 40;
/** Minimum number of equal lines at the end of an answer to refuse it as an endless repetition of the model. */
const minRepeatedLines = 10;

/** Checks whether the answer ends with many repetitions of one line, and the original contains this line less often. */
export function repeatsLastLine({ nonBlankLines, originalLines }: NewLines): boolean {
  const lastLine = nonBlankLines.at(-1);
  const count = nonBlankLines.length - 1 - nonBlankLines.findLastIndex((line) => line !== lastLine);
  return (
    count >= minRepeatedLines && originalLines.filter((line) => line === lastLine).length < count
  );
}

/**
 * Checks for doubled backslashes in escapes at the end of strings, such as `\\n"`, if the document contains only single
 * backslashes there.
 */
export function hasDoubledEscapes({ text, originalText }: NewLines): boolean {
  const doubledEscapePattern = /[^\\]\\\\[nrt]["'`]/u;
  const singleEscapePattern = /[^\\]\\[nrt]["'`]/u;
  return (
    doubledEscapePattern.test(text) &&
    !singleEscapePattern.test(text) &&
    singleEscapePattern.test(originalText) &&
    !/\\\\[nrt]/u.test(originalText)
  );
}

/** Checks whether replacement lines are Base64 and contain words of the original after decoding. */
export function isBase64({ text, originalLines }: NewLines): boolean {
  if (!/^[A-Za-z\d+/]{16,}={0,2}$/u.test(text) || text.length % 4 > 0) return false;
  if (originalLines.length === 0) return text.length >= minEncodedLength;
  const words = toOriginalWords(originalLines);
  return [...toWords(atob(text))].some((word) => word.length > 2 && words.has(word));
}

/**
 * Checks whether full-width punctuation replaces all ASCII punctuation, although the text contains no letters of a
 * script that uses full-width punctuation.
 */
export function hasFullWidthPunctuation({ text, originalText }: NewLines): boolean {
  const punctuationPairs = ['（(', '）)', '，,', '；;'].filter(([wideMark = '']) =>
    text.includes(wideMark),
  );
  return (
    punctuationPairs.length > 0 &&
    punctuationPairs.every(
      ([wideMark = '', plainMark = '']) =>
        !text.includes(plainMark) && !originalText.includes(wideMark),
    ) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
  );
}

/**
 * Checks for three consecutive blank lines, which models write only by mistake. Ignores blank lines that remain around
 * deleted lines.
 */
export function hasRunOfBlankLines({
  lines,
  nonBlankLines,
  originalLines,
  document: { original },
}: NewLines): boolean {
  const hasBlankLineRun = (textLines: readonly string[]): boolean => {
    const innerLines = textLines.slice(
      textLines.findIndex(isNonBlank),
      textLines.findLastIndex(isNonBlank),
    );
    return innerLines.some((_, index) =>
      [0, 1, 2].every((offset) => !isNonBlank(innerLines[index + offset] ?? 'x')),
    );
  };
  return (
    nonBlankLines.length >= originalLines.length &&
    hasBlankLineRun(lines) &&
    !hasBlankLineRun(original)
  );
}

/** Checks whether the answer joins several lines into one, with two spaces in place of each line break. */
export function areLinesJoined({
  nonBlankLines,
  text,
  originalLines,
  isTextDocument,
}: NewLines): boolean {
  const gaps = text.match(isTextDocument ? /[^\s.!?|] {2,}\S/gu : /[^\s|] {2,}\S/gu) ?? [];
  return nonBlankLines.length === 1 && originalLines.length !== 1 && gaps.length > 1;
}

/** Checks whether the answer repeats each line directly after it. */
export function repeatsEachLine({ nonBlankLines, originalLines }: NewLines): boolean {
  const isPair =
    nonBlankLines.length === 2 &&
    originalLines.length < 2 &&
    toWords(nonBlankLines[0] ?? '').size > 3;
  return (
    nonBlankLines.length % 2 === 0 &&
    nonBlankLines.every((line, index) => index % 2 === 0 || line === nonBlankLines[index - 1]) &&
    (new Set(nonBlankLines).size > 1 || isPair)
  );
}

/** Checks whether an answer contains all of its lines twice. */
export function hasDoubledLines({ nonBlankLines, originalLines }: NewLines): boolean {
  const firstHalf = nonBlankLines.slice(0, nonBlankLines.length / 2);
  return (
    nonBlankLines.length % 2 === 0 &&
    firstHalf.every((line, index) => line === nonBlankLines[firstHalf.length + index]) &&
    (firstHalf.join(' ').match(/[\p{L}\p{N}]/gu) ?? []).length > 2 &&
    (firstHalf.length === 1 || new Set(firstHalf).size > 1) &&
    !isDoubled(originalLines)
  );
}

const isDoubled = (lines: readonly string[]): boolean =>
  lines.length % 2 === 0 &&
  lines.every((line, index) => line === lines[(index + lines.length / 2) % lines.length]);

/**
 * Checks for HTML escapes such as `&lt;` that the original does not contain. In a language with tags, only an escape at
 * the start of the replacement lines counts. In other languages, escapes in strings and in lines that begin with a
 * comment do not count.
 */
export function hasHtmlEscapes({
  text,
  textWithoutStrings,
  originalText,
  document: { language },
}: NewLines): boolean {
  const hasEscapes = taggedLanguages.has(language)
    ? /^\s*&lt;/u.test(text)
    : /^(?!\s*(?:\/\/|\/?\*|#)).*&(?:lt|gt|amp|quot);/mu.test(textWithoutStrings);
  return hasEscapes && !/&\w+;/u.test(originalText);
}
