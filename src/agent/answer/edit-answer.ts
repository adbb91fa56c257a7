import {
  applyHunksToLines,
  hasDiffSigns,
  hasFileLabels,
  parseAnswerHunks,
  parseDiff,
  parseJsonHunks,
  type SurroundedLines,
} from './answer-hunks.ts';
import { findDoubtName } from './answer-evidence.ts';
import { findElision } from '../edit/elision.ts';
import type { Hunk } from '../edit/hunk.ts';
import { getLeadingWhitespace, isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import {
  readFileComment,
  type RefusalCause,
  removeFileComment,
  stripAddedCharacters,
} from './answer-marks.ts';
import { removeCommentRemarks } from './comment-remarks.ts';
import { restoreDistortedLines } from './distortions.ts';
import { fitIndentation, type IndentTarget } from './fit-indentation.ts';
import { findForeignMarks } from './foreign-marks.ts';
import { computeBracketBalance, findOpenPart } from './lost-content.ts';
import { beginsWithCommentMark } from './rate-line.ts';
import { AnswerWrapping, type UnwrappedLines, type UnwrapRefusalReason } from './unwrap-answer.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { diffLines } from '../../base/line-diff.ts';
import {
  isCutOff,
  isPatchStart,
  parseFence,
  stripTemplateTokens,
  stripThinking,
  thinkingTags,
  toolCallPattern,
} from '../../base/model-answer.ts';
import type { FinishReason } from '../../service/chat/chat-types.ts';

/** Lines that a model is asked to replace, exactly as the request contains them. */
export interface EditTarget extends SurroundedLines, Omit<IndentTarget, keyof SurroundedLines> {
  /** VS Code language id. */
  readonly language: string;
  /** The user's request. The replacement lines may quote it, so words from the request do not identify a remark. */
  readonly instruction?: string;
  /** Path of the document, which the answer may contain as a label; absent for a document without a file. */
  readonly path?: string;
}

/**
 * Reason why an answer is not used. `prose`: it contains only sentences. `unclear`: several interpretations are
 * possible. `several-blocks`: it contains several code blocks. `elision`: it contains a placeholder for omitted code.
 * `no-match`: a diff does not match the document. `outside`: it changes lines outside the target. `cut-off`: the
 * service truncated it. `uncertain`: it probably contains the replacement lines, but nothing proves that these are
 * complete.
 */
export type EditRefusalReason =
  | UnwrapRefusalReason
  | 'elision'
  | 'no-match'
  | 'outside'
  | 'too-long'
  | 'cut-off'
  | 'uncertain';

export interface RefusedAnswer {
  readonly kind: 'refused';
  readonly reason: EditRefusalReason;
  /**
   * Text in the answer that caused the refusal. Set only if the reason is `unclear` and a known pattern matched the
   * text.
   */
  readonly cause?: RefusalCause;
  /**
   * Probable replacement lines, with the indentation of the target, for the user to preview. Set only if the reason is
   * `uncertain`.
   */
  readonly lines?: readonly string[];
  /** Name of the reason to doubt {@link lines}, for the log. Set only if the reason is `uncertain`. */
  readonly doubt?: string;
}

/** Replacement lines for an {@link EditTarget}, or the reason why the target stays unchanged. */
export type EditAnswer =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | RefusedAnswer;

/** Maximum number of lines in an answer. A longer answer is not a plausible edit. */
const maxLines = 20_000;
/** Maximum number of characters in an answer. A longer answer is not a plausible edit. */
export const maxAnswerCharacters = 1_000_000;

/**
 * Returns the lines with which a complete answer replaces the target. Accepts common formats of answers: lines between
 * sentences and code fences, with repeated context or without indentation, a unified diff, and SEARCH/REPLACE blocks.
 * To edit a whole file, pass all its lines as the original lines, without context.
 * @param finishReason Reason why the model ended the answer, as the service reported it.
 */
export function readEditAnswer(
  answer: string,
  target: EditTarget,
  finishReason: FinishReason = 'stop',
): EditAnswer {
  if (isCutOff(finishReason)) return refuseAnswer('cut-off');
  const lines = toAnswerLines(answer, target);
  if (typeof lines === 'string') return refuseWithCause(lines, answer.split('\n'), target);
  if (answer.length > maxAnswerCharacters || lines.length > maxLines)
    return refuseAnswer('too-long');
  const content = readAnswerContent(lines, target);
  if (typeof content === 'string') return refuseWithCause(content, lines, target);
  const replacement =
    'hunks' in content
      ? applyAnswerHunks(content.hunks, target)
      : readReplacementLines(content, target);
  if (typeof replacement === 'string') return refuseWithCause(replacement, lines, target);
  // Strings in JSON and escapes can add characters that the text of the answer did not contain.
  const resultLines = stripAddedCharacters(replacement, target.original);
  const openPart = findOpenPart(resultLines, target);
  if (openPart !== undefined)
    return { ...refuseAnswer('unclear'), cause: { kind: 'incomplete', rule: openPart } };
  if (replacesWordsWithSymbols(resultLines, target)) return refuseAnswer('unclear');
  if (addsBareDots(resultLines, target)) return refuseAnswer('elision');
  const elision = findElision(target.original.join('\n'), resultLines.join('\n'), target.language);
  if (elision !== undefined) return refuseAnswer('elision');
  // The old lines of a diff prove where it belongs.
  const doubt =
    'hunks' in content
      ? undefined
      : findDoubtName({ ...target, answerLines: lines, lines: resultLines });
  return doubt === undefined
    ? { kind: 'lines', lines: resultLines }
    : { kind: 'refused', reason: 'uncertain', doubt, lines: resultLines };
}

/** Matches ids of languages in which a line of only three dots is a syntax error. */
const noDotsLanguagesPattern =
  /^(?:typescript|javascript|java|csharp|cpp|c|go|rust|swift|kotlin|scala|dart|php|ruby|lua|r|sql|css|scss|less|jsonc?|toml|terraform|elixir|haskell|shellscript|powershell|groovy|zig|proto3?|dockerfile|makefile|cmake|graphql|ini)$/u;

/**
 * Checks whether the answer contains a line of dots in place of omitted lines. A line of dots inside an argument list
 * does not count, because it can be an argument.
 */
function addsBareDots(lines: readonly string[], { original, language }: EditTarget): boolean {
  if (!noDotsLanguagesPattern.test(language)) return false;
  const isDots = (line: string): boolean => /^\s*(?:\.{3}|…)\s*$/u.test(line);
  if (original.some(isDots)) return false;
  const nonBlankLines = lines.filter(isNonBlank);
  return nonBlankLines.some((line, index) => {
    const previousLine = nonBlankLines[index - 1] ?? '';
    const isArgument =
      /[,(]\s*$/u.test(previousLine) &&
      getLeadingWhitespace(line).length >= getLeadingWhitespace(previousLine).length;
    return isDots(line) && !isArgument;
  });
}

const removalRequestPattern =
  /remov|delet|drop|clear|empty|erase|strip|without|comment|lösch|entfern|supprim|elimin|删除|削除/iu;

/**
 * Checks whether replacement lines without letters and digits, such as lone brackets, replace lines with words,
 * although the user did not request a removal.
 */
const replacesWordsWithSymbols = (
  lines: readonly string[],
  { original, instruction = '' }: EditTarget,
): boolean =>
  instruction !== '' &&
  !removalRequestPattern.test(instruction) &&
  original.filter((line) => /[\p{L}\p{N}]/u.test(line)).length > 1 &&
  !/[\p{L}\p{N}]/u.test(lines.join(''));

const refuseAnswer = (reason: EditRefusalReason): RefusedAnswer => ({ kind: 'refused', reason });

/**
 * Creates a refusal. If the reason is `unclear`, the refusal contains the kind of text in the answer that caused it, if
 * known.
 */
export function refuseWithCause(
  reason: EditRefusalReason,
  answerLines: readonly string[],
  target: EditTarget,
): RefusedAnswer {
  if (reason !== 'unclear' || answerLines.length > maxLines) return refuseAnswer(reason);
  const isCall = toolCallPattern.test(answerLines.join('\n'));
  const cause = isCall
    ? ({ kind: 'call', rule: 'tool call' } as const)
    : (findForeignMarks(trimBlankLines(answerLines), target) ??
      findForeignMarks(removeEnclosingFence(answerLines), target) ??
      (hasDiffSigns(removeEnclosingFence(answerLines), target)
        ? ({ kind: 'diff', rule: 'signs of a diff' } as const)
        : undefined));
  return cause === undefined ? refuseAnswer(reason) : { kind: 'refused', reason, cause };
}

/**
 * Returns the replacement lines of an answer, without the model's reasoning and tags. Returns `prose` if the answer is
 * only reasoning, and `unclear` if the replacement lines cannot be determined with certainty.
 */
export function toAnswerLines(
  answer: string,
  target: EditTarget,
): readonly string[] | 'prose' | 'unclear' {
  const documentText = joinDocumentTexts(target);
  const cleanText = stripHiddenCharacters(answer.replaceAll(/\r\n?/gu, '\n')).text;
  const visibleText = noBreakIndentPattern.test(documentText)
    ? cleanText
    : cleanText.replaceAll(indentPattern, (indent) => indent.replaceAll('\u{A0}', ' '));
  if (toolCallPattern.test(visibleText) && !toolCallPattern.test(documentText)) return 'unclear';
  const answerText = stripTemplateTokens(visibleText, documentText);
  const text = answerText === undefined ? 'unclear' : removeThinking(answerText, target);
  if (text === 'prose' || text === 'unclear') return text;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^\s*<lines>/iu.test(line));
  const end = lines.findLastIndex((line) => /<\/lines>\s*$/iu.test(line));
  if (start < 0 && end < 0) return lines;
  const taggedLines = lines.slice(
    start < 0 ? 0 : start,
    end < start || end < 0 ? lines.length : end + 1,
  );
  const isLinesTag = (line: string): boolean => /^\s*<\/?lines>\s*$/iu.test(line);
  if (taggedLines.slice(1, -1).some(isLinesTag) && !documentText.split('\n').some(isLinesTag))
    return 'unclear';
  const [firstLine = ''] = taggedLines;
  const lastLine = taggedLines.at(-1) ?? '';
  const middleLines = taggedLines.length === 1 ? [] : taggedLines.slice(1, -1);
  const firstContent = firstLine.replace(/^\s*<lines>[^\S\n]*$|^\s*<lines>/iu, '');
  const lastContent = (taggedLines.length === 1 ? firstContent : lastLine).replace(
    /<\/lines>\s*$/iu,
    '',
  );
  return taggedLines.length === 1 ? [lastContent] : [firstContent, ...middleLines, lastContent];
}

/** Matches indentation with no-break spaces, which chat pages write instead of spaces, and words for such spaces. */
const noBreakIndentPattern = /^[ \t]*\u{A0}|nbsp|non-?breaking/imu;
const indentPattern = /^[ \t\u{A0}]+/gmu;

const joinDocumentTexts = ({ before, original, after, instruction = '' }: EditTarget): string =>
  [...before, ...original, ...after, instruction].join('\n');

/**
 * Removes the model's reasoning, which is enclosed in tags, but not tags that belong to the document. Returns `prose`
 * if the reasoning has no closing tag, and `unclear` if the tags may be part of the replacement lines.
 */
function removeThinking(answer: string, target: EditTarget): string {
  const { original, instruction = '', language } = target;
  const originalFirstLine = original.find(isNonBlank)?.trim() ?? '';
  const openingTag = openingTagPattern.exec(originalFirstLine)?.[0];
  if (openingTag !== undefined && openingTagPattern.exec(answer)?.[0] === openingTag) return answer;
  const text = stripThinking(answer);
  if (text === undefined) return 'prose';
  if (answer.startsWith(text)) return text;
  if (thinkingTagRequestPattern.test(instruction)) return 'unclear';
  const isDocumentTag =
    (/^(?:xml|xsl|svg|html|vue|svelte)$/u.test(language) && markupTagPattern.test(answer)) ||
    original.some((line) => thinkingTagPattern.test(line));
  if (!isDocumentTag) return text;
  // The lines after the reasoning begin as the original does.
  return text.split('\n').find(isNonBlank)?.trim() === originalFirstLine ? text : 'unclear';
}

const openingTagPattern = /^\s*<[a-z]+>/iu;
const thinkingTagPattern = new RegExp(`</?(?:${thinkingTags.join('|')})>`, 'iu');
const thinkingTagRequestPattern = new RegExp(
  `<(?:${thinkingTags.join('|')})|\\b(?:${thinkingTags.join('|')})[ -](?:tags?|elements?|blocks?|nodes?|sections?)\\b`,
  'iu',
);
/** Matches opening tags of a model's reasoning whose names are also common in XML. */
const markupTagPattern = /^\s*<(?:thoughts?|reasoning|analysis|reflection)>/iu;

/** Changes in an answer: hunks, or replacement lines without the fences and remarks around them. */
export type AnswerContent = { readonly hunks: readonly Hunk[] | 'malformed' } | UnwrappedLines;

/** Reads the changes in the lines of an answer. Returns the reason for a refusal if the answer contains none. */
export function readAnswerContent(
  answerLines: readonly string[],
  target: EditTarget,
): AnswerContent | EditRefusalReason {
  const canBeHunks =
    !/^(?:diff|patch)$/u.test(target.language) && parseAnswerHunks(target.original) === undefined;
  const isHunkStart = (line: string): boolean =>
    /^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b/u.test(line) || isPatchStart(line);
  // In a document with diffs, only marks of other formats show that the answer itself is an edit.
  if (!canBeHunks && answerLines.some(isHunkStart) && !target.original.some(isHunkStart))
    return 'unclear';
  if (canBeHunks && answerLines.some(isHunkStart))
    return { hunks: parseAnswerHunks(answerLines) ?? 'malformed' };
  const wrapping = new AnswerWrapping(target);
  const diff = canBeHunks ? wrapping.findDiff(answerLines) : undefined;
  if (diff !== undefined && hasTrimmedContext(diff, target)) return 'unclear';
  if (diff !== undefined) return { hunks: parseAnswerHunks(diff) ?? 'malformed' };
  const canBeJson = canBeHunks && !target.language.startsWith('json');
  const jsonHunks = canBeJson
    ? parseJsonHunks(removeEnclosingFence(answerLines), [
        ...target.before,
        ...target.original,
        ...target.after,
      ])
    : undefined;
  if (jsonHunks !== undefined) return { hunks: jsonHunks };
  const unwrappedAnswer = wrapping.unwrap(answerLines);
  if (typeof unwrappedAnswer === 'string') return unwrappedAnswer;
  const hasMarks =
    findForeignMarks(unwrappedAnswer.lines, target) !== undefined ||
    hasFileLabels(answerLines, { original: target.original, isUnwrapped: false }) ||
    hasFileLabels(unwrappedAnswer.lines, { original: target.original, isUnwrapped: true });
  if (hasMarks && parseAnswerHunks(unwrappedAnswer.lines) === undefined) return 'unclear';
  const isDiff =
    /^(?:diff|patch|udiff)$/iu.test(unwrappedAnswer.info) ||
    isBareDiff(unwrappedAnswer.lines, target);
  if (canBeHunks && isDiff && hasTrimmedContext(unwrappedAnswer.lines, target)) return 'unclear';
  if (canBeHunks && isDiff) return { hunks: parseDiff(unwrappedAnswer.lines) };
  const hunks = canBeHunks ? parseAnswerHunks(unwrappedAnswer.lines) : undefined;
  if (hunks !== undefined) return { hunks };
  return hasDiffSigns(unwrappedAnswer.lines, target) ? 'unclear' : unwrappedAnswer;
}

/**
 * Returns the replacement lines with the indentation of the original lines, and without the context lines that the
 * answer repeats.
 */
function readReplacementLines(
  content: UnwrappedLines,
  target: EditTarget,
): readonly string[] | EditRefusalReason {
  const unnamedLines = removeFileComment(content.lines, target);
  if (unnamedLines === 'unclear') return 'unclear';
  const ownLines = removeRepeatedContext(unnamedLines, target);
  if (typeof ownLines === 'string') return ownLines;
  if (addsFileHeader(ownLines, target)) return 'unclear';
  const lines = trimBlankLines(ownLines.lines);
  const fittedLines = fitToDocument(lines, ownLines.repeatedLines, target);
  if (fittedLines === undefined) return 'unclear';
  if (fittedLines.length === 0) return 'prose';
  return addOuterBlankLines(fittedLines, target.original, {
    ...(unnamedLines === content.lines
      ? selectOuterBlankLines(content.outerBlankLines, target)
      : {}),
    ...(ownLines.hasHead ? { leadingLines: listBlankLines(ownLines.lines, target.before) } : {}),
    ...(ownLines.hasTail
      ? { trailingLines: listBlankLines(ownLines.lines.toReversed(), target.after.toReversed()) }
      : {}),
  });
}

const headerRequestPattern =
  /[ck]om+ent|licen[cs]|copyright|header|docs?\b|document|note|top|begin|explain|descri|erklär|beschreib|注释|註解|コメント/iu;

/**
 * Minimum number of repeated document lines that show that an answer contains the whole file instead of the selection.
 */
const minFileLines = 3;

/**
 * Checks whether an answer that repeats the file from its start adds a comment there, although the user requested none.
 * The comment may represent lines that the answer omits.
 */
function addsFileHeader(
  { lines, repeatedLines, hasTail }: LinesWithoutContext,
  { before, original, instruction = '' }: EditTarget,
): boolean {
  const [firstLine = '', secondLine = ''] = lines.filter(isNonBlank);
  const originalFirstLine = original.find(isNonBlank)?.trim() ?? '';
  return (
    hasTail &&
    repeatedLines.length >= minFileLines &&
    !before.some(isNonBlank) &&
    beginsWithCommentMark(firstLine) &&
    secondLine.trim() === originalFirstLine &&
    firstLine.trim() !== originalFirstLine &&
    !headerRequestPattern.test(instruction)
  );
}

/**
 * Returns the replacement lines with the indentation of the document. Derives this indentation from the original lines
 * or, if these do not determine it, from the context lines that the answer repeats. Returns undefined if several
 * results are equally plausible.
 */
function fitToDocument(
  lines: readonly string[],
  repeatedLines: readonly LinePair[],
  target: EditTarget,
): readonly string[] | undefined {
  const fittedLines = fitIndentation(lines, target);
  const addedIndent = findContextShift(repeatedLines);
  if (addedIndent === undefined || lines.length === 0) return fittedLines;
  if (addedIndent !== '' && fittedLines !== undefined) return fittedLines;
  const shiftedLines = lines.map((line) => (isNonBlank(line) ? addedIndent + line : line));
  const { before, original, after } = target;
  const indents = shiftedLines.filter(isNonBlank).map(getLeadingWhitespace);
  const knownIndents = new Set(
    (addedIndent === '' ? [...before, ...original, ...after] : original)
      .filter(isNonBlank)
      .map(getLeadingWhitespace),
  );
  // White space in a literal of several lines is content.
  const hasLiteral = /`|"""|'{3}/u.test([...lines, ...original].join('\n'));
  if (hasLiteral || indents.some((indent) => !knownIndents.has(indent))) return fittedLines;
  const firstIndent = getLeadingWhitespace(original.find(isNonBlank) ?? '');
  return indents[0] === firstIndent && (addedIndent !== '' || !indents.includes(''))
    ? shiftedLines
    : fittedLines;
}

/**
 * Returns the white space that must be added to the answer's repeated context lines to indent them as in the document.
 * Returns an empty string only if an indented line is repeated exactly, because lines at column 0 prove nothing about
 * indented lines. Returns undefined if the repeated lines do not determine the white space.
 */
function findContextShift(repeatedLines: readonly LinePair[]): string | undefined {
  // A model often omits the indentation of the first line of its answer.
  const pairs = repeatedLines.filter(
    ({ answer, document }, index) =>
      index > 0 || getLeadingWhitespace(answer) === getLeadingWhitespace(document),
  );
  const firstPair = pairs[0];
  if (firstPair === undefined) return undefined;
  const [answerIndent, documentIndent] = [
    getLeadingWhitespace(firstPair.answer),
    getLeadingWhitespace(firstPair.document),
  ];
  const addedIndent = documentIndent.endsWith(answerIndent)
    ? documentIndent.slice(answerIndent.length)
    : undefined;
  const isShared = pairs.every(
    ({ answer, document }) =>
      getLeadingWhitespace(document) === `${addedIndent ?? ''}${getLeadingWhitespace(answer)}`,
  );
  const isIndented = addedIndent !== '' || pairs.some(({ answer }) => /^\s/u.test(answer));
  return isShared && isIndented ? addedIndent : undefined;
}

/** Blank lines before and after the replacement lines; undefined to use the blank lines of the original. */
interface OuterBlankLines {
  readonly leadingLines?: readonly string[];
  readonly trailingLines?: readonly string[];
}

/**
 * Returns the blank lines at both ends of a code block that belong to the replacement. Models often omit or add such
 * lines, so they count only on a side on which the original also has some. Additional blank lines on both sides, or
 * next to a blank line of the context, do not count.
 */
function selectOuterBlankLines(
  outerBlankLines: Required<OuterBlankLines> | undefined,
  { original, before, after, instruction = '' }: EditTarget,
): OuterBlankLines {
  if (outerBlankLines === undefined) return {};
  if (blankLineRequestPattern.test(instruction)) return outerBlankLines;
  const counts = countOuterBlankLines(original);
  const [firstAddedCount = 0, lastAddedCount = 0] = [
    outerBlankLines.leadingLines,
    outerBlankLines.trailingLines,
  ].map(({ length }, sideIndex) => length - (counts[sideIndex] ?? 0));
  if (firstAddedCount > 0 && lastAddedCount > 0) return {};
  const isFromAnswer = (addedCount: number, count: number, neighborLine = ''): boolean =>
    count > 0 && addedCount + count > 0 && (addedCount <= 0 || isNonBlank(neighborLine));
  return {
    ...(isFromAnswer(firstAddedCount, counts[0], before.at(-1))
      ? { leadingLines: outerBlankLines.leadingLines }
      : {}),
    ...(isFromAnswer(lastAddedCount, counts[1], after[0])
      ? { trailingLines: outerBlankLines.trailingLines }
      : {}),
  };
}

const blankLineRequestPattern = /\b(?:blank|empty) lines?\b|\bnewlines?\b/iu;

const countOuterBlankLines = (
  lines: readonly string[],
): readonly [leadingCount: number, trailingCount: number] => [
  lines.findIndex(isNonBlank),
  lines.length - 1 - lines.findLastIndex(isNonBlank),
];

/**
 * Returns the blank lines of an answer between repeated context and the replacement lines. Omits those that the
 * document already contains after this context.
 * @param lines Lines of the answer after the repeated context.
 * @param contextLines Lines of the document up to the selection.
 */
function listBlankLines(
  lines: readonly string[],
  contextLines: readonly string[],
): readonly string[] {
  const knownBlankCount = contextLines.length - 1 - contextLines.findLastIndex(isNonBlank);
  return lines.slice(0, lines.findIndex(isNonBlank)).slice(knownBlankCount);
}

/**
 * Returns the lines inside a fence around the whole answer; without such a fence, the lines of the answer. Removes
 * blank lines at both ends.
 */
function removeEnclosingFence(answerLines: readonly string[]): readonly string[] {
  const lines = trimBlankLines(answerLines);
  const isFenced = [lines[0], lines.at(-1)].every((line) => parseFence(line ?? '') !== undefined);
  return isFenced ? lines.slice(1, -1) : lines;
}

/**
 * Checks whether lines are a diff without headers. At least one line must be added, and the original must contain every
 * removed line.
 */
function isBareDiff(lines: readonly string[], { original }: EditTarget): boolean {
  const originalLines = new Set(original);
  return (
    lines.every((line) => /^[-+ ]|^$/u.test(line)) &&
    lines.some((line) => line.startsWith('+')) &&
    lines.some((line) => line.startsWith('-') && isNonBlank(line.slice(1))) &&
    lines.every(
      (line) =>
        !line.startsWith('-') || (originalLines.has(line.slice(1)) && !originalLines.has(line)),
    )
  );
}

/**
 * Checks whether unchanged lines of a diff lack the leading space, so that the indentation of added lines is uncertain.
 */
function hasTrimmedContext(
  lines: readonly string[],
  { before, original, after }: EditTarget,
): boolean {
  const documentLines = new Set([...before, ...original, ...after]);
  return lines.some(
    (line) => /^ +\S/u.test(line) && documentLines.has(line) && !documentLines.has(line.slice(1)),
  );
}

function applyAnswerHunks(
  hunks: readonly Hunk[] | 'malformed',
  target: EditTarget,
): readonly string[] | EditRefusalReason {
  if (hunks === 'malformed') return 'unclear';
  return applyHunksToLines(hunks, target) ?? 'no-match';
}

/**
 * Adds blank lines at the start and the end of the replacement lines. If the answer does not determine these blank
 * lines, adds those of the original, because models often omit them.
 */
function addOuterBlankLines(
  lines: readonly string[],
  original: readonly string[],
  outerBlankLines: OuterBlankLines,
): readonly string[] {
  const start = original.findIndex(isNonBlank);
  if (start < 0) return lines;
  return [
    ...(outerBlankLines.leadingLines ?? original.slice(0, start)),
    ...lines,
    ...(outerBlankLines.trailingLines ?? original.slice(original.findLastIndex(isNonBlank) + 1)),
  ];
}

/** A line of an answer that repeats a line next to the selection, and the repeated line of the document. */
interface LinePair {
  readonly answer: string;
  readonly document: string;
}

/** Lines of an answer after the removal of those that repeat document lines around the selection. */
interface LinesWithoutContext {
  readonly lines: readonly string[];
  readonly repeatedLines: readonly LinePair[];
  /** True if the answer repeats lines before the selection. */
  readonly hasHead: boolean;
  /** True if the answer repeats lines after the selection. */
  readonly hasTail: boolean;
}

/**
 * Removes those lines of an answer that repeat lines around the selection, ignoring indentation and blank lines.
 * Returns `unclear` if the repeated lines may belong to the replacement, and `outside` if the remaining lines still
 * repeat several lines around the selection.
 */
function removeRepeatedContext(
  answerLines: readonly string[],
  target: SurroundedLines & Pick<EditTarget, 'language'>,
): LinesWithoutContext | 'unclear' | 'outside' {
  const lines = toNonBlankLines(answerLines);
  const [before, original, after] = [target.before, target.original, target.after].map(
    (sideLines) => toNonBlankLines(sideLines).map(({ text }) => text),
  ) as [string[], string[], string[]];
  const texts = lines.map(({ text }) => text);
  const headLengths = listOverlapLengths(texts, before);
  const tailLengths = listOverlapLengths(texts.toReversed(), after.toReversed());
  const bestOverlap = findBestOverlap({
    answerTexts: texts,
    original,
    headLengths,
    tailLengths,
    language: target.language,
  });
  if (bestOverlap === 'unclear') return 'unclear';
  const { headLength, tailLength } = bestOverlap;
  const rest = texts.slice(headLength, texts.length - tailLength);
  if (repeatsBlock(rest, before, original) || repeatsBlock(rest, after, original)) return 'outside';
  if (tailLength > 0 && containsLineBefore(rest, before, original)) return 'outside';
  if (isDistinctive(original[0] ?? '') && repeatsSelectionStart(rest, before, original))
    return 'outside';
  if (repeatsOpening(rest, { before, original, language: target.language })) return 'outside';
  if (headLength === 0 && tailLength === 0)
    return { lines: answerLines, repeatedLines: [], hasHead: false, hasTail: false };
  const removedTailLines = texts.slice(texts.length - tailLength).filter(isDistinctive);
  if (removedTailLines.length > 0 && removedTailLines.every((line) => rest.includes(line)))
    return 'unclear';
  const start = headLength === 0 ? 0 : (lines[headLength - 1]?.index ?? -1) + 1;
  const end =
    tailLength === 0
      ? answerLines.length
      : (lines[lines.length - tailLength]?.index ?? answerLines.length);
  const ownLines = answerLines.slice(start, end);
  if (isShiftedContext({ answerLines, repeatedLines: answerLines.slice(end), ownLines }, target))
    return 'unclear';
  const [linesBefore, linesAfter] = [target.before, target.after].map((sideLines) =>
    sideLines.filter(isNonBlank),
  ) as [string[], string[]];
  const pairLines = (
    answerPartLines: readonly string[],
    documentPartLines: readonly string[],
  ): readonly LinePair[] =>
    answerPartLines
      .filter(isNonBlank)
      .map((line, index) => ({ answer: line, document: documentPartLines[index] ?? '' }));
  return {
    lines: ownLines,
    repeatedLines: [
      ...pairLines(answerLines.slice(0, start), linesBefore.slice(linesBefore.length - headLength)),
      ...pairLines(answerLines.slice(end), linesAfter.slice(0, tailLength)),
    ],
    hasHead: headLength > 0,
    hasTail: tailLength > 0,
  };
}

/**
 * Checks whether an answer repeats the lines after the selection with different indentation than the document, so that
 * these lines may belong to the replacement. Ignores a difference that the first replacement line shares, unless the
 * answer removes only a part of the indentation.
 */
function isShiftedContext(
  {
    answerLines,
    repeatedLines,
    ownLines,
  }: Readonly<Record<'answerLines' | 'repeatedLines' | 'ownLines', readonly string[]>>,
  { original, after }: SurroundedLines,
): boolean {
  const getIndents = (lines: readonly string[]): readonly string[] =>
    lines.filter(isNonBlank).map(getLeadingWhitespace);
  const expectedIndents = getIndents(after);
  const indents = getIndents(repeatedLines);
  const [ownIndent = '', oldIndent = ''] = [getIndents(ownLines)[0], getIndents(original)[0]];
  const isMoved = indents.some((indent, index) => indent !== expectedIndents[index]);
  if (ownIndent === oldIndent) return isMoved;
  const lacksIndent =
    ownIndent.length < oldIndent.length &&
    oldIndent.startsWith(ownIndent) &&
    !getIndents(answerLines).includes('');
  if (isMoved && lacksIndent) return true;
  return (
    isMoved &&
    indents.some(
      (indent, index) =>
        indent.length - ownIndent.length !==
          (expectedIndents[index] ?? '').length - oldIndent.length &&
        !areIndentsProportional([ownIndent, indent], [oldIndent, expectedIndents[index] ?? '']),
    )
  );
}

/**
 * Checks whether the indentation of two answer lines has the same ratio as that of two document lines, such as 2 and 4
 * spaces instead of 4 and 8.
 */
const areIndentsProportional = (
  [firstIndent = '', secondIndent = '']: readonly string[],
  [oldFirstIndent = '', oldSecondIndent = '']: readonly string[],
): boolean =>
  firstIndent !== '' &&
  firstIndent.length * oldSecondIndent.length === secondIndent.length * oldFirstIndent.length;

/** Maximum number of lines before the selection in which to search for a distinctive line. */
const maxLinesBefore = 3;

/** Checks whether the last distinctive line before the selection occurs in an answer, but not as its first line. */
function containsLineBefore(
  lines: readonly string[],
  before: readonly string[],
  original: readonly string[],
): boolean {
  const line = before.slice(-maxLinesBefore).findLast(isDistinctive) ?? '';
  return line !== '' && !original.includes(line) && lines.indexOf(line) > 0;
}

/**
 * Checks whether an answer contains the two lines before the selection, followed by the first selected line. Ignores
 * such lines at the very start of the answer.
 */
const repeatsSelectionStart = (
  lines: readonly string[],
  before: readonly string[],
  [firstLine = '']: readonly string[],
): boolean =>
  before.length > 1 &&
  lines.some(
    (line, index) =>
      index > 2 &&
      line === firstLine &&
      lines[index - 1] === before.at(-1) &&
      lines[index - 2] === before.at(-2),
  );

/**
 * Checks whether an answer repeats the line before the selection, followed by the first selected line. The line before
 * the selection must be a separator such as `---`, or an opening bracket that the answer does not close. A closed
 * bracket does not count, because it can belong to a new block.
 */
function repeatsOpening(
  lines: readonly string[],
  {
    before,
    original,
    language,
  }: Pick<SurroundedLines, 'before' | 'original'> & Pick<EditTarget, 'language'>,
): boolean {
  const [firstLine = ''] = original;
  const lineBefore = before.at(-1) ?? '';
  const isRule = /^[-=*#~]{3,}$/u.test(lineBefore);
  const isRepeated =
    (isRule || /^[([{]$/u.test(lineBefore)) &&
    isDistinctive(firstLine) &&
    lines.some((line, index) => index > 1 && line === firstLine && lines[index - 1] === lineBefore);
  return (
    isRepeated &&
    (isRule || computeBracketBalance(lines, language) > computeBracketBalance(original, language))
  );
}

interface NonBlankLine {
  readonly text: string;
  readonly index: number;
}

const toNonBlankLines = (lines: readonly string[]): readonly NonBlankLine[] =>
  lines.map((line, index) => ({ text: line.trim(), index })).filter(({ text }) => text !== '');

/**
 * Returns every number `n`, in descending order, for which the first `n` lines of `lines` equal the last `n` lines of
 * `context`.
 */
function listOverlapLengths(
  lines: readonly string[],
  context: readonly string[],
): readonly number[] {
  const overlapLengths: number[] = [];
  for (let length = Math.min(lines.length, context.length); length > 0; length -= 1) {
    const offset = context.length - length;
    if (lines[0] !== context[offset] || lines[length - 1] !== context.at(-1)) continue;
    if (lines.slice(0, length).every((line, index) => line === context[offset + index]))
      overlapLengths.push(length);
  }
  return overlapLengths;
}

interface Overlaps {
  readonly answerTexts: readonly string[];
  readonly original: readonly string[];
  readonly headLengths: readonly number[];
  readonly tailLengths: readonly number[];
  readonly language: string;
}

/** Maximum number of overlap lengths to compare on each side of the selection. Only very repetitive files have more. */
const maxOverlaps = 4;

function findBestOverlap({
  answerTexts,
  original,
  headLengths,
  tailLengths,
  language,
}: Overlaps): { readonly headLength: number; readonly tailLength: number } | 'unclear' {
  const noOverlap = { headLength: 0, tailLength: 0 };
  if (headLengths.length === 0 && tailLengths.length === 0) return noOverlap;
  const changedLineCount = countChangedLines(original, answerTexts);
  const originalTexts = new Set(original);
  const candidates = [...headLengths.slice(0, maxOverlaps), 0]
    .flatMap((headLength) =>
      [...tailLengths.slice(0, maxOverlaps), 0].map((tailLength) => ({ headLength, tailLength })),
    )
    .filter(
      ({ headLength, tailLength }) =>
        headLength + tailLength > 0 && headLength + tailLength <= answerTexts.length,
    )
    .toSorted((a, b) => b.headLength + b.tailLength - a.headLength - a.tailLength);
  for (const { headLength, tailLength } of candidates) {
    const removedLines = [
      ...answerTexts.slice(0, headLength),
      ...answerTexts.slice(answerTexts.length - tailLength),
    ];
    const rest = answerTexts.slice(headLength, answerTexts.length - tailLength);
    if (rest.length === 0 && original.length > 0) continue;
    // Lines that also belong to the original are not additions, so the answer does not repeat them.
    const sparedCount = changedLineCount - countChangedLines(original, rest);
    if (sparedCount < removedLines.length) {
      // A closing bracket without an opening one belongs to the lines after the selection.
      const isClosing =
        removedLines.every((line) => /^(?:[)\]}]+[;,]?|end)$/u.test(line)) &&
        computeBracketBalance(answerTexts, language) !==
          computeBracketBalance(original, language) &&
        computeBracketBalance(rest, language) === computeBracketBalance(original, language);
      if (isClosing) return { headLength, tailLength };
      if (sparedCount > -removedLines.length && removedLines.some((line) => isDistinctive(line)))
        return 'unclear';
      continue;
    }
    const unclearLines = [
      answerTexts.slice(0, headLength),
      answerTexts.slice(answerTexts.length - tailLength),
    ]
      .filter(
        (sideLines) => !sideLines.some((line) => isDistinctive(line) && !originalTexts.has(line)),
      )
      .flat();
    if (unclearLines.length === 0) return { headLength, tailLength };
    if (unclearLines.some((line) => isDistinctive(line))) return 'unclear';
    // Brackets and similar lines can be repeated or new, unless only one reading balances them.
    const originalBalance = computeBracketBalance(original, language);
    const removedBalance = computeBracketBalance(rest, language);
    const retainedBalance = removedBalance + computeBracketBalance(unclearLines, language);
    if (removedBalance === retainedBalance) return 'unclear';
    if (removedBalance === originalBalance) return { headLength, tailLength };
    if (retainedBalance !== originalBalance) return 'unclear';
  }
  return noOverlap;
}

function countChangedLines(oldLines: readonly string[], newLines: readonly string[]): number {
  return diffLines(oldLines, newLines).reduce(
    (sum, { from, to }) => sum + from.end - from.start + to.end - to.start,
    0,
  );
}

const commonLines: ReadonlySet<string> = new Set([
  'end',
  'else:',
  'else',
  'fi',
  'done',
  'esac',
  'break;',
  'pass',
  'then',
  'do',
  'begin',
  'try:',
]);

const isDistinctive = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && !commonLines.has(line);

/** Minimum number of consecutive context lines that prove that an answer also covers lines outside the selection. */
const minBlockLength = 3;

/** Checks whether lines contain a run of consecutive context lines that the original does not contain. */
function repeatsBlock(
  lines: readonly string[],
  context: readonly string[],
  original: readonly string[],
): boolean {
  const originalLines = new Set(original);
  const startsByLine = new Map<string, number[]>();
  for (const [index, line] of context.entries())
    if (isDistinctive(line) && !originalLines.has(line))
      startsByLine.set(line, [...(startsByLine.get(line) ?? []).slice(-20), index]);
  return lines.some((line, index) =>
    (startsByLine.get(line) ?? []).some((start) => {
      let length = 0;
      while (start + length < context.length && context[start + length] === lines[index + length])
        length += 1;
      const matchingLines = context.slice(start, start + length);
      const addedLines = matchingLines.filter((text) => !originalLines.has(text));
      return (
        length >= minBlockLength &&
        (addedLines.length === length || addedLines.filter(isDistinctive).length > 1)
      );
    }),
  );
}

/**
 * Returns the replacement lines that an incomplete answer already determines, so that later text cannot change them.
 * Returns no lines as long as the answer can still turn out to be a diff or another format than plain code.
 */
export function previewEditAnswer(partialAnswer: string, target: EditTarget): readonly string[] {
  const text = partialAnswer.slice(0, maxAnswerCharacters);
  const completeLines = toAnswerLines(text.slice(0, text.lastIndexOf('\n') + 1), target);
  if (typeof completeLines === 'string' || completeLines.length > maxLines) return [];
  const lines = completeLines.slice(0, -1);
  const contentLines = trimBlankLines(findCertainLines(trimBlankLines(lines), target));
  if (readFileComment(contentLines[0] ?? '') !== undefined) return [];
  const restoredLines = restoreDistortedLines(contentLines, target);
  const unmarkedLines = removeCommentRemarks(contentLines, target);
  if (restoredLines !== contentLines || unmarkedLines === 'unclear') return [];
  const ownLines = removePossibleContext(unmarkedLines, target);
  const firstLine = ownLines.find(isNonBlank);
  const expectedLine = target.original.find(isNonBlank);
  if (firstLine === undefined || expectedLine === undefined) return [];
  // The answer can be JSON with old and new text.
  if (/^[{[]/u.test(firstLine) && !target.language.startsWith('json')) return [];
  if (getLeadingWhitespace(firstLine) !== getLeadingWhitespace(expectedLine)) return [];
  const [nextLine = '', expectedNextLine = ''] = [ownLines, target.original].map(
    (lines) => lines.filter(isNonBlank)[1],
  );
  // Blank lines between all lines are removed.
  const [isSpaced, wasSpaced] = [ownLines, target.original].map(
    (lines) => !isNonBlank(lines[lines.findIndex(isNonBlank) + 1] ?? 'x'),
  );
  if (isSpaced === true && wasSpaced === false) return [];
  // All later lines can have surplus indentation.
  if (
    getLeadingWhitespace(nextLine).length > getLeadingWhitespace(expectedNextLine).length &&
    expectedNextLine !== ''
  )
    return [];
  const fittedLines = fitIndentation(ownLines, target);
  const isUnchanged = fittedLines?.every(
    (line, index) => line.trimEnd() === ownLines[index]?.trimEnd(),
  );
  if (fittedLines === undefined || isUnchanged !== true) return [];
  const elision = findElision(target.original.join('\n'), fittedLines.join('\n'), target.language);
  const end = elision === undefined ? fittedLines.length : fittedLines.indexOf(elision);
  return [
    ...target.original.slice(0, target.original.indexOf(expectedLine)),
    ...trimBlankLines(fittedLines.slice(0, end)),
  ];
}

function findCertainLines(lines: readonly string[], target: EditTarget): readonly string[] {
  const wrapping = new AnswerWrapping(target);
  const fenceIndex = lines.findIndex((line) => parseFence(line) !== undefined);
  const hasHunks = lines.some((line) =>
    /^(?:@@ |--- \S|diff |\*{3} Begin|\s*<{5,9} ?\w)/u.test(line),
  );
  if (hasHunks || (fenceIndex >= 0 && wrapping.canContainFences)) return [];
  if (fenceIndex < 0) {
    const [firstLine = ''] = lines;
    if (!wrapping.isKnownLine(firstLine) || wrapping.canHaveLinePrefix(firstLine)) return [];
    const end = lines.findIndex((line) => isNonBlank(line) && wrapping.canBeRemark(line));
    return end < 0 ? lines : lines.slice(0, end);
  }
  const { info, indent } = parseFence(lines[fenceIndex] ?? '') ?? { info: '', indent: '' };
  const preambleLines = lines.slice(0, fenceIndex).filter(isNonBlank);
  const isOneBlock = !preambleLines.some((line) =>
    /\b(?:before|old|original|current|previous|first|attempt|draft|option)\b/iu.test(line),
  );
  const isRemark = preambleLines.every((line) => wrapping.canBeRemark(line));
  if (!isRemark || !isOneBlock || indent !== '' || /^(?:diff|patch|udiff)$/iu.test(info)) return [];
  if (wrapping.canContainCommands(info)) return [];
  const contentLines = lines.slice(fenceIndex + 1);
  if (wrapping.canHaveLinePrefix(contentLines.find(isNonBlank) ?? '')) return [];
  const closeIndex = contentLines.findIndex((line) => parseFence(line) !== undefined);
  if (closeIndex >= 0) return contentLines.slice(0, closeIndex);
  // Without a closing fence, remarks can follow in the block.
  const end = contentLines.findIndex((line) => isNonBlank(line) && wrapping.canBeRemark(line));
  return end < 0 ? contentLines : contentLines.slice(0, end);
}

/**
 * Removes the first line of an incomplete answer that may repeat lines around the selection, and all lines after it.
 */
function removePossibleContext(lines: readonly string[], target: EditTarget): readonly string[] {
  const originalTexts = new Set(target.original.map((line) => line.trim()));
  const context = new Set(
    [...target.before, ...target.after]
      .map((line) => line.trim())
      .filter((line) => line !== '' && !originalTexts.has(line)),
  );
  const [firstLine = ''] = lines;
  if (target.before.some((line) => line.trim() === firstLine.trim())) return [];
  const end = lines.findIndex((line) => context.has(line.trim()));
  const certainLines = end < 0 ? lines : lines.slice(0, end);
  // The last lines are also in the original, but may repeat the context.
  const overlapLengths = listOverlapLengths(
    toTrimmedTexts(certainLines).toReversed(),
    toTrimmedTexts(target.after).toReversed(),
  );
  let remainingCount = overlapLengths[0] ?? 0;
  const start = certainLines.findLastIndex((line) => isNonBlank(line) && (remainingCount -= 1) < 0);
  return trimBlankLines(certainLines.slice(0, start + 1));
}

const toTrimmedTexts = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== '');
