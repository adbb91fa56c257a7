import {
  applyToLines,
  hasDiffSigns,
  hasFileLabels,
  parseAnswerHunks,
  parseDiff,
  parseJsonHunks,
  type SurroundedLines,
} from './answer-hunks.ts';
import { findDoubt } from './answer-evidence.ts';
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
  /** Text in the answer that caused the refusal. Set only if the reason is `unclear` and a known pattern matched the text. */
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
 * For the edit of a whole file, pass all its lines as the original lines, without context.
 * @param finishReason Reason why the model ended the answer, as the service reported it.
 */
export function readEditAnswer(
  answer: string,
  target: EditTarget,
  finishReason: FinishReason = 'stop',
): EditAnswer {
  if (isCutOff(finishReason)) return refuseAnswer('cut-off');
  const lines = toAnswerLines(answer, target);
  if (typeof lines === 'string') return explainRefusal(lines, answer.split('\n'), target);
  if (answer.length > maxAnswerCharacters || lines.length > maxLines)
    return refuseAnswer('too-long');
  const content = readAnswerContent(lines, target);
  if (typeof content === 'string') return explainRefusal(content, lines, target);
  const replacement =
    'hunks' in content
      ? applyAnswerHunks(content.hunks, target)
      : readReplacementLines(content, target);
  if (typeof replacement === 'string') return explainRefusal(replacement, lines, target);
  // Strings in JSON and escapes can add characters that the text of the answer did not contain.
  const result = stripAddedCharacters(replacement, target.original);
  const openPart = findOpenPart(result, target);
  if (openPart !== undefined)
    return { ...refuseAnswer('unclear'), cause: { kind: 'incomplete', rule: openPart } };
  if (replacesWordsWithSymbols(result, target)) return refuseAnswer('unclear');
  if (addsBareDots(result, target)) return refuseAnswer('elision');
  const elision = findElision(target.original.join('\n'), result.join('\n'), target.language);
  if (elision !== undefined) return refuseAnswer('elision');
  // The old lines of a diff prove where it belongs.
  const doubt =
    'hunks' in content ? undefined : findDoubt({ ...target, answer: lines, lines: result });
  return doubt === undefined
    ? { kind: 'lines', lines: result }
    : { kind: 'refused', reason: 'uncertain', doubt, lines: result };
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
  const content = lines.filter(isNonBlank);
  return content.some((line, index) => {
    const previous = content[index - 1] ?? '';
    const isArgument =
      /[,(]\s*$/u.test(previous) &&
      getLeadingWhitespace(line).length >= getLeadingWhitespace(previous).length;
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
export function explainRefusal(
  reason: EditRefusalReason,
  answer: readonly string[],
  target: EditTarget,
): RefusedAnswer {
  if (reason !== 'unclear' || answer.length > maxLines) return refuseAnswer(reason);
  const isCall = toolCallPattern.test(answer.join('\n'));
  const cause = isCall
    ? ({ kind: 'call', rule: 'tool call' } as const)
    : (findForeignMarks(trimBlankLines(answer), target) ??
      findForeignMarks(removeOnlyFence(answer), target) ??
      (hasDiffSigns(removeOnlyFence(answer), target)
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
  const document = joinDocumentTexts(target);
  const shown = stripHiddenCharacters(answer.replaceAll(/\r\n?/gu, '\n')).text;
  const visible = noBreakIndentPattern.test(document)
    ? shown
    : shown.replaceAll(indentPattern, (indent) => indent.replaceAll('\u{A0}', ' '));
  if (toolCallPattern.test(visible) && !toolCallPattern.test(document)) return 'unclear';
  const answered = stripTemplateTokens(visible, document);
  const text = answered === undefined ? 'unclear' : removeThinking(answered, target);
  if (text === 'prose' || text === 'unclear') return text;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^\s*<lines>/iu.test(line));
  const end = lines.findLastIndex((line) => /<\/lines>\s*$/iu.test(line));
  if (start < 0 && end < 0) return lines;
  const inside = lines.slice(
    start < 0 ? 0 : start,
    end < start || end < 0 ? lines.length : end + 1,
  );
  const isMark = (line: string): boolean => /^\s*<\/?lines>\s*$/iu.test(line);
  if (inside.slice(1, -1).some(isMark) && !document.split('\n').some(isMark)) return 'unclear';
  const [first = ''] = inside;
  const last = inside.at(-1) ?? '';
  const middle = inside.length === 1 ? [] : inside.slice(1, -1);
  const opened = first.replace(/^\s*<lines>[^\S\n]*$|^\s*<lines>/iu, '');
  const closed = (inside.length === 1 ? opened : last).replace(/<\/lines>\s*$/iu, '');
  return inside.length === 1 ? [closed] : [opened, ...middle, closed];
}

/** Matches indentation with no-break spaces, which chat pages write instead of spaces. */
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
  const expected = original.find(isNonBlank)?.trim() ?? '';
  const tag = openingTagPattern.exec(expected)?.[0];
  if (tag !== undefined && openingTagPattern.exec(answer)?.[0] === tag) return answer;
  const text = stripThinking(answer);
  if (text === undefined) return 'prose';
  if (answer.startsWith(text)) return text;
  if (thinkingTagRequestPattern.test(instruction)) return 'unclear';
  const isDocumentTag =
    (/^(?:xml|xsl|svg|html|vue|svelte)$/u.test(language) && markupTagPattern.test(answer)) ||
    original.some((line) => thinkingTagPattern.test(line));
  if (!isDocumentTag) return text;
  // The lines after the reasoning begin as the original does.
  return text.split('\n').find(isNonBlank)?.trim() === expected ? text : 'unclear';
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
  answer: readonly string[],
  target: EditTarget,
): AnswerContent | EditRefusalReason {
  const canBeHunks =
    !/^(?:diff|patch)$/u.test(target.language) && parseAnswerHunks(target.original) === undefined;
  const isHunkStart = (line: string): boolean =>
    /^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b/u.test(line) || isPatchStart(line);
  // In a document with diffs, only marks of other formats show that the answer itself is an edit.
  if (!canBeHunks && answer.some(isHunkStart) && !target.original.some(isHunkStart))
    return 'unclear';
  if (canBeHunks && answer.some(isHunkStart))
    return { hunks: parseAnswerHunks(answer) ?? 'malformed' };
  const wrapping = new AnswerWrapping(target);
  const diff = canBeHunks ? wrapping.findDiff(answer) : undefined;
  if (diff !== undefined && hasTrimmedContext(diff, target)) return 'unclear';
  if (diff !== undefined) return { hunks: parseAnswerHunks(diff) ?? 'malformed' };
  const canBeJson = canBeHunks && !target.language.startsWith('json');
  const jsonHunks = canBeJson
    ? parseJsonHunks(removeOnlyFence(answer), [
        ...target.before,
        ...target.original,
        ...target.after,
      ])
    : undefined;
  if (jsonHunks !== undefined) return { hunks: jsonHunks };
  const unwrapped = wrapping.unwrap(answer);
  if (typeof unwrapped === 'string') return unwrapped;
  const hasMarks =
    findForeignMarks(unwrapped.lines, target) !== undefined ||
    hasFileLabels(answer, { original: target.original, isUnwrapped: false }) ||
    hasFileLabels(unwrapped.lines, { original: target.original, isUnwrapped: true });
  if (hasMarks && parseAnswerHunks(unwrapped.lines) === undefined) return 'unclear';
  const isDiff =
    /^(?:diff|patch|udiff)$/iu.test(unwrapped.info) || isBareDiff(unwrapped.lines, target);
  if (canBeHunks && isDiff && hasTrimmedContext(unwrapped.lines, target)) return 'unclear';
  if (canBeHunks && isDiff) return { hunks: parseDiff(unwrapped.lines) };
  const hunks = canBeHunks ? parseAnswerHunks(unwrapped.lines) : undefined;
  if (hunks !== undefined) return { hunks };
  return hasDiffSigns(unwrapped.lines, target) ? 'unclear' : unwrapped;
}

/**
 * Returns the replacement lines with the indentation of the original lines, and without the context lines that the
 * answer repeats.
 */
function readReplacementLines(
  content: UnwrappedLines,
  target: EditTarget,
): readonly string[] | EditRefusalReason {
  const unnamed = removeFileComment(content.lines, target);
  if (unnamed === 'unclear') return 'unclear';
  const own = removeRepeatedContext(unnamed, target);
  if (typeof own === 'string') return own;
  if (addsFileHeader(own, target)) return 'unclear';
  const lines = trimBlankLines(own.lines);
  const fitted = fitToDocument(lines, own.repeatedLines, target);
  if (fitted === undefined) return 'unclear';
  if (fitted.length === 0) return 'prose';
  return addOuterBlankLines(fitted, target.original, {
    ...(unnamed === content.lines ? readBlankMargins(content.margins, target) : {}),
    ...(own.hasHead ? { first: listBlankLines(own.lines, target.before) } : {}),
    ...(own.hasTail
      ? { last: listBlankLines(own.lines.toReversed(), target.after.toReversed()) }
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
  { lines, repeatedLines, hasTail }: OwnLines,
  { before, original, instruction = '' }: EditTarget,
): boolean {
  const [first = '', second = ''] = lines.filter(isNonBlank);
  const originalFirst = original.find(isNonBlank)?.trim() ?? '';
  return (
    hasTail &&
    repeatedLines.length >= minFileLines &&
    !before.some(isNonBlank) &&
    beginsWithCommentMark(first) &&
    second.trim() === originalFirst &&
    first.trim() !== originalFirst &&
    !headerRequestPattern.test(instruction)
  );
}

/**
 * Indents the replacement lines like the original lines, or, if these do not determine the indentation, by as much as
 * the context lines that the answer repeats. Returns undefined if several results are equally plausible.
 */
function fitToDocument(
  lines: readonly string[],
  repeatedLines: readonly LinePair[],
  target: EditTarget,
): readonly string[] | undefined {
  const fitted = fitIndentation(lines, target);
  const added = findContextShift(repeatedLines);
  if (added === undefined || lines.length === 0) return fitted;
  if (added !== '' && fitted !== undefined) return fitted;
  const shifted = lines.map((line) => (isNonBlank(line) ? added + line : line));
  const { before, original, after } = target;
  const indents = shifted.filter(isNonBlank).map(getLeadingWhitespace);
  const known = new Set(
    (added === '' ? [...before, ...original, ...after] : original)
      .filter(isNonBlank)
      .map(getLeadingWhitespace),
  );
  // White space in a literal of several lines is content.
  const hasLiteral = /`|"""|'{3}/u.test([...lines, ...original].join('\n'));
  if (hasLiteral || indents.some((indent) => !known.has(indent))) return fitted;
  const firstIndent = getLeadingWhitespace(original.find(isNonBlank) ?? '');
  return indents[0] === firstIndent && (added !== '' || !indents.includes('')) ? shifted : fitted;
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
  const first = pairs[0];
  if (first === undefined) return undefined;
  const [from, to] = [getLeadingWhitespace(first.answer), getLeadingWhitespace(first.document)];
  const added = to.endsWith(from) ? to.slice(from.length) : undefined;
  const isShared = pairs.every(
    ({ answer, document }) =>
      getLeadingWhitespace(document) === `${added ?? ''}${getLeadingWhitespace(answer)}`,
  );
  const isIndented = added !== '' || pairs.some(({ answer }) => /^\s/u.test(answer));
  return isShared && isIndented ? added : undefined;
}

/** Blank lines before and after the replacement lines; undefined to use the blank lines of the original. */
interface BlankMargins {
  readonly first?: readonly string[];
  readonly last?: readonly string[];
}

/**
 * Returns the blank lines at both ends of a code block that belong to the replacement. Models often omit or add such
 * lines, so they count only on a side on which the original also has some. Additional blank lines on both sides, or
 * next to a blank line of the context, do not count.
 */
function readBlankMargins(
  margins: Required<BlankMargins> | undefined,
  { original, before, after, instruction = '' }: EditTarget,
): BlankMargins {
  if (margins === undefined) return {};
  if (blankLineRequestPattern.test(instruction)) return margins;
  const counts = countOuterBlankLines(original);
  const [firstAdded = 0, lastAdded = 0] = [margins.first, margins.last].map(
    ({ length }, side) => length - (counts[side] ?? 0),
  );
  if (firstAdded > 0 && lastAdded > 0) return {};
  const isOwn = (added: number, count: number, neighbor = ''): boolean =>
    count > 0 && added + count > 0 && (added <= 0 || isNonBlank(neighbor));
  return {
    ...(isOwn(firstAdded, counts[0], before.at(-1)) ? { first: margins.first } : {}),
    ...(isOwn(lastAdded, counts[1], after[0]) ? { last: margins.last } : {}),
  };
}

const blankLineRequestPattern = /\b(?:blank|empty) lines?\b|\bnewlines?\b/iu;

const countOuterBlankLines = (lines: readonly string[]): readonly [first: number, last: number] => [
  lines.findIndex(isNonBlank),
  lines.length - 1 - lines.findLastIndex(isNonBlank),
];

/**
 * Returns the blank lines of an answer between repeated context and the replacement lines. Omits those that the
 * document already contains after this context.
 * @param lines Lines of the answer after the repeated context.
 * @param context Lines of the document up to the selection.
 */
function listBlankLines(lines: readonly string[], context: readonly string[]): readonly string[] {
  const known = context.length - 1 - context.findLastIndex(isNonBlank);
  return lines.slice(0, lines.findIndex(isNonBlank)).slice(known);
}

/**
 * Returns the lines inside a fence around the whole answer; without such a fence, the lines of the answer. Removes
 * blank lines at both ends.
 */
function removeOnlyFence(answer: readonly string[]): readonly string[] {
  const lines = trimBlankLines(answer);
  const isFenced = [lines[0], lines.at(-1)].every((line) => parseFence(line ?? '') !== undefined);
  return isFenced ? lines.slice(1, -1) : lines;
}

/**
 * Checks whether lines are a diff without headers. At least one line must be added, and the original must contain every
 * removed line.
 */
function isBareDiff(lines: readonly string[], { original }: EditTarget): boolean {
  const known = new Set(original);
  return (
    lines.every((line) => /^[-+ ]|^$/u.test(line)) &&
    lines.some((line) => line.startsWith('+')) &&
    lines.some((line) => line.startsWith('-') && isNonBlank(line.slice(1))) &&
    lines.every((line) => !line.startsWith('-') || (known.has(line.slice(1)) && !known.has(line)))
  );
}

/**
 * Checks whether unchanged lines of a diff lack the leading space, so that the indentation of added lines is uncertain.
 */
function hasTrimmedContext(
  lines: readonly string[],
  { before, original, after }: EditTarget,
): boolean {
  const known = new Set([...before, ...original, ...after]);
  return lines.some((line) => /^ +\S/u.test(line) && known.has(line) && !known.has(line.slice(1)));
}

function applyAnswerHunks(
  hunks: readonly Hunk[] | 'malformed',
  target: EditTarget,
): readonly string[] | EditRefusalReason {
  if (hunks === 'malformed') return 'unclear';
  return applyToLines(hunks, target) ?? 'no-match';
}

/**
 * Adds blank lines at the start and the end of the replacement lines. If the answer does not determine these blank
 * lines, adds those of the original, because models often omit them.
 */
function addOuterBlankLines(
  lines: readonly string[],
  original: readonly string[],
  margins: BlankMargins,
): readonly string[] {
  const start = original.findIndex(isNonBlank);
  if (start < 0) return lines;
  return [
    ...(margins.first ?? original.slice(0, start)),
    ...lines,
    ...(margins.last ?? original.slice(original.findLastIndex(isNonBlank) + 1)),
  ];
}

/** A line of an answer that repeats a line next to the selection, and the repeated line of the document. */
interface LinePair {
  readonly answer: string;
  readonly document: string;
}

/** Lines of an answer after the removal of those that repeat document lines around the selection. */
interface OwnLines {
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
  answer: readonly string[],
  target: SurroundedLines & Pick<EditTarget, 'language'>,
): OwnLines | 'unclear' | 'outside' {
  const lines = toNonBlankLines(answer);
  const [before, original, after] = [target.before, target.original, target.after].map((side) =>
    toNonBlankLines(side).map(({ text }) => text),
  ) as [string[], string[], string[]];
  const texts = lines.map(({ text }) => text);
  const heads = listOverlapLengths(texts, before);
  const tails = listOverlapLengths(texts.toReversed(), after.toReversed());
  const best = findBestOverlap({
    answerTexts: texts,
    original,
    headLengths: heads,
    tailLengths: tails,
    language: target.language,
  });
  if (best === 'unclear') return 'unclear';
  const { head, tail } = best;
  const rest = texts.slice(head, texts.length - tail);
  if (repeatsBlock(rest, before, original) || repeatsBlock(rest, after, original)) return 'outside';
  if (tail > 0 && containsLineBefore(rest, before, original)) return 'outside';
  if (isDistinctive(original[0] ?? '') && repeatsSelectionStart(rest, before, original))
    return 'outside';
  if (repeatsOpening(rest, { before, original, language: target.language })) return 'outside';
  if (head === 0 && tail === 0)
    return { lines: answer, repeatedLines: [], hasHead: false, hasTail: false };
  const removedTail = texts.slice(texts.length - tail).filter(isDistinctive);
  if (removedTail.length > 0 && removedTail.every((line) => rest.includes(line))) return 'unclear';
  const start = head === 0 ? 0 : (lines[head - 1]?.index ?? -1) + 1;
  const end = tail === 0 ? answer.length : (lines[lines.length - tail]?.index ?? answer.length);
  const own = answer.slice(start, end);
  if (isShiftedContext({ answer, repeated: answer.slice(end), own }, target)) return 'unclear';
  const [known, next] = [target.before, target.after].map((side) => side.filter(isNonBlank)) as [
    string[],
    string[],
  ];
  const pairLines = (from: readonly string[], to: readonly string[]): readonly LinePair[] =>
    from.filter(isNonBlank).map((line, index) => ({ answer: line, document: to[index] ?? '' }));
  return {
    lines: own,
    repeatedLines: [
      ...pairLines(answer.slice(0, start), known.slice(known.length - head)),
      ...pairLines(answer.slice(end), next.slice(0, tail)),
    ],
    hasHead: head > 0,
    hasTail: tail > 0,
  };
}

/**
 * Checks whether the answer's repetition of the lines after the selection has different indentation than these lines,
 * also in relation to the first replacement line. The repeated lines may then belong to the replacement. The same
 * applies if they lack only a part of the indentation.
 */
function isShiftedContext(
  { answer, repeated, own }: Readonly<Record<'answer' | 'repeated' | 'own', readonly string[]>>,
  { original, after }: SurroundedLines,
): boolean {
  const getIndents = (lines: readonly string[]): readonly string[] =>
    lines.filter(isNonBlank).map(getLeadingWhitespace);
  const expected = getIndents(after);
  const indents = getIndents(repeated);
  const [first = '', oldFirst = ''] = [getIndents(own)[0], getIndents(original)[0]];
  const isMoved = indents.some((indent, index) => indent !== expected[index]);
  if (first === oldFirst) return isMoved;
  const lacksPart =
    first.length < oldFirst.length &&
    oldFirst.startsWith(first) &&
    !getIndents(answer).includes('');
  if (isMoved && lacksPart) return true;
  return (
    isMoved &&
    indents.some(
      (indent, index) =>
        indent.length - first.length !== (expected[index] ?? '').length - oldFirst.length &&
        !isProportional([first, indent], [oldFirst, expected[index] ?? '']),
    )
  );
}

/**
 * Checks whether the indentation of two answer lines has the same ratio as that of two document lines, as with a
 * different indentation unit.
 */
const isProportional = (
  [first = '', second = '']: readonly string[],
  [oldFirst = '', oldSecond = '']: readonly string[],
): boolean => first !== '' && first.length * oldSecond.length === second.length * oldFirst.length;

/** Maximum number of lines before the selection among which a distinctive line is selected. */
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
 * Checks whether an answer repeats the two lines before the selection and then the first line of the selection, in this
 * order, after its first line.
 */
const repeatsSelectionStart = (
  lines: readonly string[],
  before: readonly string[],
  [first = '']: readonly string[],
): boolean =>
  before.length > 1 &&
  lines.some(
    (line, index) =>
      index > 2 &&
      line === first &&
      lines[index - 1] === before.at(-1) &&
      lines[index - 2] === before.at(-2),
  );

/**
 * Checks whether an answer repeats the line before the selection, followed by the first selected line. Considers only a
 * line that separates parts, or that opens a block which the answer leaves open, because a complete block can be a new
 * one.
 */
function repeatsOpening(
  lines: readonly string[],
  {
    before,
    original,
    language,
  }: Pick<SurroundedLines, 'before' | 'original'> & Pick<EditTarget, 'language'>,
): boolean {
  const [first = ''] = original;
  const opening = before.at(-1) ?? '';
  const isRule = /^[-=*#~]{3,}$/u.test(opening);
  const isRepeated =
    (isRule || /^[([{]$/u.test(opening)) &&
    isDistinctive(first) &&
    lines.some((line, index) => index > 1 && line === first && lines[index - 1] === opening);
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
  const lengths: number[] = [];
  for (let length = Math.min(lines.length, context.length); length > 0; length -= 1) {
    const offset = context.length - length;
    if (lines[0] !== context[offset] || lines[length - 1] !== context.at(-1)) continue;
    if (lines.slice(0, length).every((line, index) => line === context[offset + index]))
      lengths.push(length);
  }
  return lengths;
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
}: Overlaps): { readonly head: number; readonly tail: number } | 'unclear' {
  const none = { head: 0, tail: 0 };
  if (headLengths.length === 0 && tailLengths.length === 0) return none;
  const distance = countChangedLines(original, answerTexts);
  const originalTexts = new Set(original);
  const candidates = [...headLengths.slice(0, maxOverlaps), 0]
    .flatMap((head) => [...tailLengths.slice(0, maxOverlaps), 0].map((tail) => ({ head, tail })))
    .filter(({ head, tail }) => head + tail > 0 && head + tail <= answerTexts.length)
    .toSorted((a, b) => b.head + b.tail - a.head - a.tail);
  for (const { head, tail } of candidates) {
    const removed = [
      ...answerTexts.slice(0, head),
      ...answerTexts.slice(answerTexts.length - tail),
    ];
    const rest = answerTexts.slice(head, answerTexts.length - tail);
    if (rest.length === 0 && original.length > 0) continue;
    // Lines that also belong to the original are not additions, so the answer does not repeat them.
    const spared = distance - countChangedLines(original, rest);
    if (spared < removed.length) {
      // A closing bracket without an opening one belongs to the lines after the selection.
      const isClosing =
        removed.every((line) => /^(?:[)\]}]+[;,]?|end)$/u.test(line)) &&
        computeBracketBalance(answerTexts, language) !==
          computeBracketBalance(original, language) &&
        computeBracketBalance(rest, language) === computeBracketBalance(original, language);
      if (isClosing) return { head, tail };
      if (spared > -removed.length && removed.some((line) => isDistinctive(line))) return 'unclear';
      continue;
    }
    const unclear = [answerTexts.slice(0, head), answerTexts.slice(answerTexts.length - tail)]
      .filter((side) => !side.some((line) => isDistinctive(line) && !originalTexts.has(line)))
      .flat();
    if (unclear.length === 0) return { head, tail };
    if (unclear.some((line) => isDistinctive(line))) return 'unclear';
    // Brackets and similar lines can be repeated or new, unless only one reading balances them.
    const balance = computeBracketBalance(original, language);
    const removedBalance = computeBracketBalance(rest, language);
    const keptBalance = removedBalance + computeBracketBalance(unclear, language);
    if (removedBalance === keptBalance) return 'unclear';
    if (removedBalance === balance) return { head, tail };
    if (keptBalance !== balance) return 'unclear';
  }
  return none;
}

function countChangedLines(a: readonly string[], b: readonly string[]): number {
  return diffLines(a, b).reduce(
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
  const known = new Set(original);
  const starts = new Map<string, number[]>();
  for (const [index, line] of context.entries())
    if (isDistinctive(line) && !known.has(line))
      starts.set(line, [...(starts.get(line) ?? []).slice(-20), index]);
  return lines.some((line, index) =>
    (starts.get(line) ?? []).some((start) => {
      let length = 0;
      while (start + length < context.length && context[start + length] === lines[index + length])
        length += 1;
      const block = context.slice(start, start + length);
      const added = block.filter((text) => !known.has(text));
      return (
        length >= minBlockLength &&
        (added.length === length || added.filter(isDistinctive).length > 1)
      );
    }),
  );
}

/**
 * Returns the replacement lines that an incomplete answer already determines, so that later text cannot change them.
 * Returns no lines as long as the answer can still turn out to be a diff or another format than plain code.
 */
export function previewEditAnswer(partial: string, target: EditTarget): readonly string[] {
  const text = partial.slice(0, maxAnswerCharacters);
  const complete = toAnswerLines(text.slice(0, text.lastIndexOf('\n') + 1), target);
  if (typeof complete === 'string' || complete.length > maxLines) return [];
  const lines = complete.slice(0, -1);
  const content = trimBlankLines(findCertainLines(trimBlankLines(lines), target));
  if (readFileComment(content[0] ?? '') !== undefined) return [];
  const restored = restoreDistortedLines(content, target);
  const unmarked = removeCommentRemarks(content, target);
  if (restored !== content || unmarked === 'unclear') return [];
  const own = removePossibleContext(unmarked, target);
  const first = own.find(isNonBlank);
  const expected = target.original.find(isNonBlank);
  if (first === undefined || expected === undefined) return [];
  // The answer can be JSON with old and new text.
  if (/^[{[]/u.test(first) && !target.language.startsWith('json')) return [];
  if (getLeadingWhitespace(first) !== getLeadingWhitespace(expected)) return [];
  const [next = '', expectedNext = ''] = [own, target.original].map(
    (lines) => lines.filter(isNonBlank)[1],
  );
  // Blank lines between all lines are removed.
  const [isSpaced, wasSpaced] = [own, target.original].map(
    (lines) => !isNonBlank(lines[lines.findIndex(isNonBlank) + 1] ?? 'x'),
  );
  if (isSpaced === true && wasSpaced === false) return [];
  // All later lines can have surplus indentation.
  if (
    getLeadingWhitespace(next).length > getLeadingWhitespace(expectedNext).length &&
    expectedNext !== ''
  )
    return [];
  const fitted = fitIndentation(own, target);
  const isUnchanged = fitted?.every((line, index) => line.trimEnd() === own[index]?.trimEnd());
  if (fitted === undefined || isUnchanged !== true) return [];
  const elision = findElision(target.original.join('\n'), fitted.join('\n'), target.language);
  const end = elision === undefined ? fitted.length : fitted.indexOf(elision);
  return [
    ...target.original.slice(0, target.original.indexOf(expected)),
    ...trimBlankLines(fitted.slice(0, end)),
  ];
}

function findCertainLines(lines: readonly string[], target: EditTarget): readonly string[] {
  const wrapping = new AnswerWrapping(target);
  const fence = lines.findIndex((line) => parseFence(line) !== undefined);
  const hasHunks = lines.some((line) =>
    /^(?:@@ |--- \S|diff |\*{3} Begin|\s*<{5,9} ?\w)/u.test(line),
  );
  if (hasHunks || (fence >= 0 && wrapping.canContainFences)) return [];
  if (fence < 0) {
    const [first = ''] = lines;
    if (!wrapping.isKnownLine(first) || wrapping.canHaveLinePrefix(first)) return [];
    const end = lines.findIndex((line) => isNonBlank(line) && wrapping.canBeRemark(line));
    return end < 0 ? lines : lines.slice(0, end);
  }
  const { info, indent } = parseFence(lines[fence] ?? '') ?? { info: '', indent: '' };
  const preamble = lines.slice(0, fence).filter(isNonBlank);
  const isOneBlock = !preamble.some((line) =>
    /\b(?:before|old|original|current|previous|first|attempt|draft|option)\b/iu.test(line),
  );
  const isRemark = preamble.every((line) => wrapping.canBeRemark(line));
  if (!isRemark || !isOneBlock || indent !== '' || /^(?:diff|patch|udiff)$/iu.test(info)) return [];
  if (wrapping.canContainCommands(info)) return [];
  const content = lines.slice(fence + 1);
  if (wrapping.canHaveLinePrefix(content.find(isNonBlank) ?? '')) return [];
  const close = content.findIndex((line) => parseFence(line) !== undefined);
  if (close >= 0) return content.slice(0, close);
  // Without a closing fence, remarks can follow in the block.
  const end = content.findIndex((line) => isNonBlank(line) && wrapping.canBeRemark(line));
  return end < 0 ? content : content.slice(0, end);
}

/**
 * Removes the first line of an incomplete answer that may repeat lines around the selection, and all lines after it.
 */
function removePossibleContext(lines: readonly string[], target: EditTarget): readonly string[] {
  const own = new Set(target.original.map((line) => line.trim()));
  const context = new Set(
    [...target.before, ...target.after]
      .map((line) => line.trim())
      .filter((line) => line !== '' && !own.has(line)),
  );
  const [first = ''] = lines;
  if (target.before.some((line) => line.trim() === first.trim())) return [];
  const end = lines.findIndex((line) => context.has(line.trim()));
  const certain = end < 0 ? lines : lines.slice(0, end);
  // The last lines are also in the original, but may repeat the context.
  const tail = listOverlapLengths(
    toTrimmedTexts(certain).toReversed(),
    toTrimmedTexts(target.after).toReversed(),
  );
  let remaining = tail[0] ?? 0;
  const start = certain.findLastIndex((line) => isNonBlank(line) && (remaining -= 1) < 0);
  return trimBlankLines(certain.slice(0, start + 1));
}

const toTrimmedTexts = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== '');
