import type { MarkedDocument } from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import { parseFence } from '../../base/model-answer.ts';

/**
 * Characters of new text that a model or its interface wrote in another way, such as `&lt;` for `<`.
 */
interface Escape {
  /** Matches the escaped characters. */
  readonly escaped: RegExp;
  /** Matches the same characters without an escape. */
  readonly plain: RegExp;
  readonly restore: (text: string) => string;
  /** Languages in which new text often contains the escaped characters. */
  readonly usual?: RegExp;
  /** Words of an instruction that can request the escaped characters. */
  readonly requested?: RegExp;
  /** True if the escaped characters show a distortion even if the original has none of them. */
  readonly isForeign?: boolean;
}

const markup =
  /^(?:html|xml|xsl|svg|vue|svelte|astro|php|handlebars|razor|twig|jinja|javascriptreact|typescriptreact|markdown|mdx)$/u;

const quoteRequest = /quot|["“”']|escap|string|typogra|json/iu;

const escapes: readonly Escape[] = [
  {
    escaped: /\\"/gu,
    plain: /(?<!\\)"/u,
    restore: (text) => text.replaceAll('\\"', '"'),
    usual: /^(?:latex|tex|bibtex)$/u,
    requested: /quot|escap|umlaut|json|\\/iu,
    isForeign: true,
  },
  {
    escaped: /\\'/gu,
    plain: /(?<!\\)'/u,
    restore: (text) => text.replaceAll("\\'", "'"),
    usual: /^(?:latex|tex|bibtex)$/u,
    requested: /quot|escap|accent|apostrophe|\\/iu,
  },
  {
    escaped: /&(?:quot|#0?34|#x22|apos|#0?39|#x27);/giu,
    plain: /["']/u,
    restore: (text) =>
      text.replaceAll(/&(?:quot|#0?34|#x22);/giu, '"').replaceAll(/&(?:apos|#0?39|#x27);/giu, "'"),
    requested: /quot|escap|entit|&/iu,
    isForeign: true,
  },
  {
    escaped: /&(?:lt|gt);/gu,
    plain: /[<>]/u,
    restore: (text) =>
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    requested: /escap|entit|&|encod/iu,
    isForeign: true,
  },
  {
    escaped: /&amp;/gu,
    plain: /&(?!amp;)/u,
    restore: (text) => text.replaceAll('&amp;', '&'),
    usual: markup,
    requested: /escap|entit|&|encod/iu,
    isForeign: true,
  },
  {
    escaped: /[“”]/gu,
    plain: /"/u,
    restore: (text) => text.replaceAll(/[“”]/gu, '"'),
    requested: quoteRequest,
  },
  {
    escaped: /[‘’]/gu,
    plain: /'/u,
    restore: (text) => text.replaceAll(/[‘’]/gu, "'"),
    requested: quoteRequest,
  },
  {
    escaped: /\\[_*#<>[\]]/gu,
    plain: /(?<!\\)[_*#<>[\]]/u,
    restore: (text) => text.replaceAll(/\\([_*#<>[\]])/gu, '$1'),
    requested: /escap|regex|pattern|\\/iu,
  },
  {
    escaped: /\\\$/gu,
    plain: /(?<!\\)\$/u,
    restore: (text) => text.replaceAll('\\$', '$'),
    requested: /escap|dollar|regex|pattern|\\/iu,
  },
  {
    escaped: /\\`/gu,
    plain: /(?<!\\)`/u,
    restore: (text) => text.replaceAll('\\`', '`'),
    requested: /escap|backtick|\\/iu,
  },
  {
    escaped: /\{\{|\}\}/gu,
    plain: /(?<!\{)\{(?!\{)/u,
    restore: (text) => text.replaceAll(/\{\{|\}\}/gu, (braces) => braces.slice(1)),
    requested: /brace|template|\{/iu,
  },
  {
    escaped: /\\\\/gu,
    plain: /(?<!\\)\\(?!\\)/u,
    restore: (text) => text.replaceAll('\\\\', '\\'),
    requested: /escap|backslash|regex|\\/iu,
  },
  {
    escaped: /&nbsp;|\u{A0}/gu,
    plain: /^ /mu,
    restore: (text) => text.replaceAll(/&nbsp;|\u{A0}/gu, ' '),
    requested: /nbsp|space|non-?breaking/iu,
    isForeign: true,
  },
];

/**
 * Undoes changes of a model or its interface that affect all lines of an answer: escaped characters,
 * `<br>` at the ends of lines, and blank lines between all lines. Returns `unclear` if such a change
 * is likely but the lines of the document do not prove it.
 */
export function restoreDistortedLines(
  lines: readonly string[],
  document: MarkedDocument,
): readonly string[] | 'unclear' {
  let restored = removeCitations(lines, document);
  if (hasForeignStrings(lines, document)) return 'unclear';
  for (const restore of [restoreLineEnds, restoreSpacing, restoreEscapes]) {
    const next = restore(restored, document);
    if (next === 'unclear') return 'unclear';
    restored = next;
  }
  return restored;
}

/** Matches a line break after a tag that itself ends a line. */
const blockBreak =
  /<\/?(?:ul|ol|li|dl|div|p|h\d|table|tr|section|main|body|head|html|form|nav|header|footer|script|style|template|\w+-\w+)\b[^<>]*><br\s?\/?>\s*$/iu;
const citation = /\s?【[^【】]{1,40}】|\[cite(?:_start|: ?[\d, -]+)\]\s?/gu;

/** Removes marks of sources that some services add to answers. */
function removeCitations(
  lines: readonly string[],
  { original, before, after }: MarkedDocument,
): readonly string[] {
  const isUsual = [...before, ...original, ...after].some((line) => line.search(citation) >= 0);
  return isUsual || !lines.some((line) => line.search(citation) >= 0)
    ? lines
    : lines.map((line) => line.replaceAll(citation, ''));
}

const lineBreakTag = /<br\s?\/?>\s*$/iu;

/** Removes `<br>` from the ends of the lines. */
function restoreLineEnds(
  lines: readonly string[],
  { original, instruction = '', before, after, language }: MarkedDocument,
): readonly string[] | 'unclear' {
  const content = lines.filter(isNonBlank);
  const last = content.at(-1) ?? '';
  const isMarked = content.slice(0, -1).every((line) => lineBreakTag.test(line));
  const count = content.filter((line) => lineBreakTag.test(line)).length;
  const isUsual = [...before, ...original, ...after].some((line) => lineBreakTag.test(line));
  const isInOneLine = content.length === 1 && /<br\s?\/?>/iu.test(last);
  if (count === 0 && isInOneLine && original.filter(isNonBlank).length > 1 && !isUsual)
    return 'unclear';
  if (content.filter((line) => blockBreak.test(line)).length > 1) return 'unclear';
  if (hasBackslashEnds(content, { original, language })) return 'unclear';
  if (count === 0 || isUsual || /<br|\bbreak|\blines?\b|zeile|ligne/iu.test(instruction))
    return lines;
  if (!isMarked || content.length === 1) return lineBreakTag.test(last) ? 'unclear' : lines;
  const restored = lines.map((line) => line.replace(lineBreakTag, ''));
  return countKnownLines(restored, original) > countKnownLines(lines, original) &&
    !areSameLines(restored, original)
    ? restored
    : 'unclear';
}

const spacingRequest = /blank|empty line|spacing|spaced|paragraph|separate|double.spac/iu;

/** Checks for a backslash at the ends of all lines, in a language in which it does not continue a line. */
const hasBackslashEnds = (
  content: readonly string[],
  { original, language }: Pick<MarkedDocument, 'original' | 'language'>,
): boolean =>
  content.length > 1 &&
  content.slice(0, -1).every((line) => /(?<!\\)\\$/u.test(line)) &&
  !original.some((line) => line.endsWith('\\')) &&
  !/^(?:shellscript|fish|makefile|dockerfile|c|cpp)$/u.test(language);

/** Removes the blank lines that a model added between all lines of an answer. */
function restoreSpacing(
  lines: readonly string[],
  { original, instruction = '', language }: MarkedDocument,
): readonly string[] | 'unclear' {
  const gaps = listGaps(lines);
  const originalGaps = listGaps(original);
  if (gaps.length === 0 || gaps.some((gap) => gap === 0)) return lines;
  const isDense =
    originalGaps.some((gap) => gap === 0) && (gaps.length > 1 || originalGaps.length === 1);
  const isProse = isTextLanguage(language);
  const isWide =
    gaps.every((gap) => gap > (gaps.length > 1 ? 1 : 2)) && originalGaps.every((gap) => gap < 2);
  const isNew = !isProse && originalGaps.length === 0 && gaps.length > 2;
  if ((!isDense && !isWide && !isNew) || spacingRequest.test(instruction)) return lines;
  // Sentences can become paragraphs.
  const hasTable = lines.some((line) => /^\s*\|.*\|\s*$/u.test(line));
  if (isProse && !hasTable && gaps.every((gap) => gap === 1) && gaps.length !== originalGaps.length)
    return lines;
  if (gaps.some((gap) => gap % 2 === 0)) return 'unclear';
  const restored = removeGaps(lines);
  const known = countKnownLines(lines, original);
  const isCertain = !isProse && gaps.length > 1 && known > 0 && gaps.every((gap) => gap % 2 === 1);
  return isCertain && !areSameLines(restored, original) ? restored : 'unclear';
}

/** Returns the number of blank lines between each two consecutive lines with text. */
function listGaps(lines: readonly string[]): readonly number[] {
  const indexes = [...lines.keys()].filter((index) => isNonBlank(lines[index] ?? ''));
  return indexes.slice(1).map((index, position) => index - (indexes[position] ?? 0) - 1);
}

/** Removes the blank lines that were added after each line of a text. */
export function restoreBlankLines(lines: readonly string[]): readonly string[] {
  const gaps = listGaps(lines);
  if (gaps.every((gap) => gap < 2)) return lines;
  const added = [1, 2].find((count) => gaps.every((gap) => gap % (count + 1) === count));
  const restored = added === undefined ? lines : removeGaps(lines, added);
  return restored.filter(
    (line, index) => isNonBlank(line) || isNonBlank(restored[index - 1] ?? ''),
  );
}

/** Removes the blank lines of a text that has `added` blank lines after each of its lines. */
function removeGaps(lines: readonly string[], added = 1): readonly string[] {
  const result: string[] = [];
  let blankLines = 0;
  for (const line of lines)
    if (isNonBlank(line)) {
      const gap = result.length === 0 ? blankLines : (blankLines - added) / (added + 1);
      result.push(...Array.from({ length: gap }, () => ''), line);
      blankLines = 0;
    } else blankLines += 1;
  return result;
}

function restoreEscapes(
  lines: readonly string[],
  document: MarkedDocument,
): readonly string[] | 'unclear' {
  let restored = lines;
  for (const escape of escapes) {
    const next = restoreEscape(restored, escape, document);
    if (next === 'unclear') return 'unclear';
    restored = next;
  }
  return restored;
}

function restoreEscape(
  lines: readonly string[],
  { escaped, plain, restore, usual, requested, isForeign = false }: Escape,
  { original, before, after, instruction = '', language }: MarkedDocument,
): readonly string[] | 'unclear' {
  const isEscaped = (line: string): boolean => line.search(escaped) >= 0;
  const affected = lines.filter((line) => isEscaped(line));
  const isCode = (line: string): boolean => !isTextLanguage(language) || isInCodeBlock(lines, line);
  if (affected.length === 0 || requested?.test(instruction) === true) return lines;
  const context = [
    ...before.slice(-maxContextLines),
    ...original,
    ...after.slice(0, maxContextLines),
  ];
  const restored = lines.map((line) => restore(line));
  const isUsual = [...context, instruction].some((line) => isEscaped(line));
  if (isUsual && (lines.some((line) => plain.test(line)) || isForeign)) return lines;
  if (countKnownLines(restored, context) > countKnownLines(lines, context))
    return areSameLines(restored, original) ? lines : restored;
  if (isUsual) return lines;
  const hasOnlyEscaped = affected.every((line) => !plain.test(line));
  if (!hasOnlyEscaped || usual?.test(language) === true) return lines;
  const plainLines = original.filter((line) => plain.test(line));
  // A changed line of the original had the plain characters.
  const isChanged = affected.some((line) =>
    plainLines.some((other) => haveCommonWords(restore(line), other)),
  );
  return isChanged || (isForeign && affected.some((line) => isCode(line))) ? 'unclear' : lines;
}

/** Checks whether a line is inside a fenced code block of a text. */
function isInCodeBlock(lines: readonly string[], line: string): boolean {
  const before = lines.slice(0, lines.indexOf(line));
  return before.filter((other) => parseFence(other) !== undefined).length % 2 === 1;
}

/** Matches a typographic quotation mark where program code has the start of a string. */
const typographicString =
  /(?:[=(,[{+:]|\b(?:return|echo|raise|throw|from|import|in))\s*[“‘]|“”|^(?!\s*(?:\/\/|\*|#|--|%|<!--))[^"']*(?:^|\s)“[^”]*”(?=\s|[,;)]|$)/u;

/** Matches characters that stand for white space at the start of a line. */
const leadingMark = /^\s*(?:[·⇥]|[\u3000→]+ ?(?=\S))/u;

/** Matches Markdown escapes and doubled braces that program code does not contain. */
const foreignEscape =
  /[\p{L}\d]\\_(?=[\s;,)\p{L}])|\s\\\*\s|^\s*\\[<#*]|\/\\\*|\s\\#\s|\w\\<|\\<\/?\w|"\\\$[\d@*#{]|^\s*(?:\{\{|\}\})[;,)]*\s*$|\b(?:import|export)\s*\{\{|\{{4}|“\$/u;

/**
 * Checks for typographic quotation marks in place of the marks around strings of program code, and
 * for other characters that program code does not contain.
 */
function hasForeignStrings(
  lines: readonly string[],
  { original, before, after, language, instruction = '' }: MarkedDocument,
): boolean {
  const isKnown = [instruction, ...before, ...original, ...after].some((line) =>
    /[“‘”’]/u.test(line),
  );
  const hasEscape = [instruction, ...before, ...original, ...after].some((line) =>
    foreignEscape.test(line),
  );
  const hasMarks = lines.some((line) => leadingMark.test(line));
  if (hasMarks && ![...before, ...original, ...after].some((line) => leadingMark.test(line)))
    return true;
  return lines.some(
    (line) =>
      ((!isKnown && typographicString.test(line)) || (!hasEscape && foreignEscape.test(line))) &&
      (!isTextLanguage(language) || isInCodeBlock(lines, line)),
  );
}

const maxContextLines = 200;

/** Checks whether two lines have most of their words in common. */
function haveCommonWords(a: string, b: string): boolean {
  const [left, right] = [toWords(a), toWords(b)];
  const common = [...left].filter((word) => right.has(word)).length;
  return common > 0 && 2 * common >= Math.min(left.size, right.size);
}

const toWords = (line: string): ReadonlySet<string> =>
  new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));

function countKnownLines(lines: readonly string[], original: readonly string[]): number {
  const known = new Set(original.map((line) => line.trim()));
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line) && known.has(line.trim())).length;
}

const areSameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.filter(isNonBlank).join('\n') === b.filter(isNonBlank).join('\n');

const isNonBlank = (line: string): boolean => line.trim() !== '';
