import {
  applyExactDiff,
  listDiffFiles,
  parseAnswerHunks,
  parseBareDiff,
  parseDiff,
  parseDiffOfDiff,
  parseJsonHunks,
} from './answer-hunks.ts';
import {
  containsLines,
  type EditedDocument,
  readFileComment,
  type RefusalCause,
  removeFileComment,
  removeTags,
  stripAddedCharacters,
  taggedLanguages,
} from './answer-marks.ts';
import { findForeignMarks } from './foreign-marks.ts';
import { fitIndentation, removeSurplusIndent } from './fit-indentation.ts';
import {
  containsHalfOfWords,
  countOmittedLines,
  findLostLineIndex,
  findOpenPart,
  leavesBracketsOpen,
  readWords,
} from './lost-content.ts';
import { getLeadingWhitespace, isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import { AnswerWrapping } from './unwrap-answer.ts';
import { applyHunks } from '../edit/apply-hunks.ts';
import { findElision } from '../edit/elision.ts';
import { computeLineKey } from '../edit/file-lines.ts';
import { applyEdits, computeMinimalEdits, normalizeText } from '../edit/find-exact.ts';
import { getTextFormat } from '../edit/new-text-elision.ts';
import type { Hunk, RefusalCode, RefusedHunks, TextEdit, WrappingKind } from '../edit/hunk.ts';
import { canCloseFence, parseFence, stripThinking } from '../../base/model-answer.ts';
import { diffLines } from '../../base/line-diff.ts';

/** A code block of a chat answer, with text next to the block that can name the file to change. */
export interface CodeBlock {
  /** Code of the block, without the fence. */
  readonly code: string;
  /** Text after the opening fence, such as `ts src/a.ts`. */
  readonly info: string;
  /** Text of the heading or line before the block. */
  readonly lineBefore: string;
  /** Text from the nearest heading to the block, with the heading as its first line. */
  readonly textBefore?: string;
}

/**
 * Content of a block: a diff or SEARCH/REPLACE blocks (`hunks`), the whole file (`file`), or some lines of the file
 * (`snippet`).
 */
export type BlockFormat = 'hunks' | 'file' | 'snippet';

/**
 * Reason why a block is not applied. `elision`: the block contains a placeholder for omitted code. `no-edits`: a model
 * that was asked for edits returned none. `no-file`: a diff changes a missing file. `no-match`: a hunk does not match.
 * `ambiguous`: a hunk matches several positions. `overlap`: two hunks change the same lines. `cuts-word`: a hunk begins
 * or ends inside a word. `no-place`: code without hunks has no clear position in the file. `loses-content`: the block
 * would delete parts of the file that it does not mention. `cut-off`: the service truncated the answer.
 */
export type BlockRefusalReason =
  | 'empty'
  | 'too-long'
  | 'elision'
  | 'several-files'
  | 'deletes-file'
  | 'malformed'
  | 'no-edits'
  | 'no-file'
  | 'no-match'
  | 'ambiguous'
  | 'overlap'
  | 'cuts-word'
  | 'no-place'
  | 'loses-content'
  | 'indentation'
  | 'cut-off'
  | 'no-change';

/** A line, with its number. */
export interface NumberedLine {
  /** Number of the line, starting at 1. */
  readonly line: number;
  readonly text: string;
}

export interface BlockRefusal {
  readonly kind: 'refused';
  readonly reason: BlockRefusalReason;
  /** Number of the hunk that is refused, starting at 1. */
  readonly hunkNumber?: number;
  /** First line of the hunk (`code`) that differs from the file, and the file's line at this position (`file`). */
  readonly difference?: { readonly code: NumberedLine; readonly file: NumberedLine };
  /**
   * Lines of the file to show to the user, best first: those that resemble the first line of the hunk, or the first
   * line that the block would delete.
   */
  readonly candidates?: readonly NumberedLine[];
  /** Likely cause of the refusal: text that a model added to the block, or a missing part of the block. */
  readonly cause?: RefusalCause;
  /** Text of a model's answer that contains no edits, for the reason `no-edits`. */
  readonly answer?: string;
}

/** The complete new text of a file, and the edits that produce it. */
export interface AppliedBlock {
  readonly kind: 'applied';
  readonly format: BlockFormat;
  readonly text: string;
  /** Edits of the original text, in order. */
  readonly edits: readonly TextEdit[];
  /** Number of lines of the file that a block with the whole file omits. Absent if it omits only a few lines. */
  readonly omittedLineCount?: number;
}

export const maxBlockCharacters = 1_000_000;

export const refuseBlock = (reason: BlockRefusalReason): BlockRefusal => ({
  kind: 'refused',
  reason,
});

/**
 * Applies a code block to the text of an existing file. The block can be a unified diff, SEARCH/REPLACE blocks, the
 * whole file, or a snippet whose first and last line each occur exactly once in the file. Refuses a block that would
 * delete parts of the file that the block does not mention. Preserves line endings, a byte order mark and, except for
 * an exact diff, the final newline.
 * @param path Path of the file. Its name decides whether text around the code, such as tags, is part of the code.
 */
export function applyBlock(
  text: string,
  { code: blockCode, info }: CodeBlock,
  path = '',
): AppliedBlock | BlockRefusal {
  if (blockCode.length > maxBlockCharacters) return refuseBlock('too-long');
  const { text: normalizedText, toOriginalEdits } = normalizeText(text);
  const fileLines = normalizedText.split('\n');
  const blockLines = stripAddedCharacters(toLines(blockCode), fileLines);
  const markedLines = unwrapBlock(blockLines, fileLines, path);
  const language = getLanguageId(path);
  const textFormat = getTextFormat(path);
  const document = { language, original: fileLines, before: [], after: [], path };
  if (markedLines === 'unclear') return refuseWithCause(blockLines, document);
  if (!markedLines.some(isNonBlank)) return refuseBlock('empty');
  const contentLines = trimBlankLines(blockLines);
  const isExcerpt = contentLines.length > 1 && contentLines.length < fileLines.length;
  if (isExcerpt && containsLines(fileLines, contentLines)) return refuseBlock('no-change');
  const jsonHunks = /\.json\w?$/u.test(path) ? undefined : parseJsonHunks(markedLines, fileLines);
  const hunks = jsonHunks ?? readHunks(markedLines, info, fileLines);
  if (hunks !== undefined) {
    const hasEscapes = hunks !== 'malformed' && addsHtmlEscapes(hunks, normalizedText, language);
    return hasEscapes
      ? refuseBlock('malformed')
      : applyBlockHunks(text, markedLines, { hunks, format: textFormat });
  }
  if (markedLines.some((line) => hunkMarkPattern.test(line) && !fileLines.includes(line)))
    return refuseBlock('malformed');
  if (containsOtherFile(contentLines, fileLines, path)) return refuseBlock('no-place');
  const unwrappedLines = new AnswerWrapping(document).unwrapBlock(markedLines);
  if (unwrappedLines === 'unclear') return refuseWithCause(markedLines, document);
  if (
    hasForeignFence(unwrappedLines, fileLines, language) ||
    beginsWithReasoning(blockCode, normalizedText)
  )
    return { ...refuseBlock('no-place'), cause: { kind: 'remark', rule: 'whole answer' } };
  const indentTarget = { original: fileLines, usesTabs: false, tabSize: 4 };
  const codeLines = removeSurplusIndent(unwrappedLines, indentTarget) ?? unwrappedLines;
  const result =
    replaceFile(fileLines, codeLines) ?? replaceSnippet(fileLines, trimBlankLines(codeLines));
  if (typeof result === 'string') return refuseBlock(result);
  const { format, lines } = result;
  if (format === 'file' && hasRemarkAroundFile(fileLines, codeLines, language))
    return { ...refuseBlock('no-place'), cause: { kind: 'remark', rule: 'remark around a file' } };
  const changedText = lines.join('\n');
  if (findElision(normalizedText, changedText, textFormat) !== undefined)
    return refuseBlock('elision');
  const target = { original: fileLines, language };
  const isOpen = format === 'snippet' && leavesBracketsOpen(lines, target);
  const openPart = findOpenPart(lines, target) ?? (isOpen ? 'open bracket' : undefined);
  if (openPart !== undefined)
    return { ...refuseBlock('no-match'), cause: { kind: 'incomplete', rule: openPart } };
  const lostLineIndex = findLostLineIndex(fileLines, lines, { isFile: format === 'file' });
  if (lostLineIndex !== undefined) {
    const candidates = [{ line: lostLineIndex + 1, text: fileLines[lostLineIndex] ?? '' }];
    return { ...refuseBlock('loses-content'), candidates };
  }
  const edits = toOriginalEdits(computeMinimalEdits(normalizedText, changedText));
  if (edits.length === 0) return refuseBlock('no-change');
  const omittedLineCount = format === 'file' ? countOmittedLines(fileLines, lines) : 0;
  return { kind: 'applied', format, text: applyEdits(text, edits), edits, omittedLineCount };
}

/** Matches the first or last line of a SEARCH/REPLACE block in all common notations, such as `<<<<<<< SEARCH`. */
const hunkMarkPattern =
  /^(?:<{5,9}|-{5,9}) ?SEARCH\b|^(?:>{5,9}|\+{5,9}) ?REPLACE\b|^(?:SEARCH|REPLACE):\s*$/u;

/**
 * Checks whether hunks add HTML escapes such as `&lt;` outside strings, although the file contains none and its
 * language is not a markup language.
 */
function addsHtmlEscapes(hunks: readonly Hunk[], text: string, language: string): boolean {
  const escapePattern = /&(?:lt|gt|amp|quot|#39);/u;
  const isMarkup = /^(?:html|xml|vue|svelte|php|astro|markdown|mdx|\w+react)$/u.test(language);
  if (isMarkup || escapePattern.test(text)) return false;
  return hunks.some(({ search, replace }) =>
    replace
      .split('\n')
      .some(
        (line) =>
          escapePattern.test(line.replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/gu, '')) &&
          !search.includes(line),
      ),
  );
}

/**
 * Checks whether a block contains a code fence, although the file contains none and its language does not use code
 * fences.
 */
const hasForeignFence = (
  code: readonly string[],
  fileLines: readonly string[],
  language: string,
): boolean =>
  !/^(?:markdown|mdx|restructuredtext)$/u.test(language) &&
  code.some((line) => parseFence(line)?.indent === '') &&
  !fileLines.some((line) => parseFence(line) !== undefined);

/** Checks whether a block begins with the reasoning of a model. Returns false if the file itself contains such text. */
const beginsWithReasoning = (code: string, text: string): boolean =>
  stripThinking(code) !== code && stripThinking(text) === text;

/** Maximum number of characters in a line that can be a remark. */
const maxRemarkLength = 300;

/**
 * Checks whether a block consists of several files: it begins with a comment that names this file and, after a blank
 * line, contains a comment that names another file.
 */
function containsOtherFile(
  code: readonly string[],
  fileLines: readonly string[],
  path: string,
): boolean {
  const readName = (line = ''): string | undefined =>
    fileLines.includes(line)
      ? undefined
      : (readFileComment(line, path)?.path ?? hiddenFilePattern.exec(line)?.groups?.['name']);
  const ownName = readName(code[0]);
  return (
    ownName !== undefined &&
    code.some((line, index) => {
      const otherName = code[index - 1]?.trim() === '' ? readName(line) : undefined;
      return otherName !== undefined && otherName !== ownName;
    })
  );
}

/** Matches a comment with only the name of a hidden file, such as `# .dockerignore`. */
const hiddenFilePattern = /^(?:\/\/|#|--|;)\s*(?<name>\.[a-z]\w*)\s*$/iu;

/**
 * Checks whether a block contains a sentence with a colon before the file's first line, or a sentence after the file's
 * last line.
 */
function hasRemarkAroundFile(
  fileLines: readonly string[],
  code: readonly string[],
  language: string,
): boolean {
  const isText = /^(?:markdown|mdx|restructuredtext|latex|plaintext)$/u.test(language);
  const [codeLines, oldLines] = [code, fileLines].map((lines) => lines.filter(isNonBlank)) as [
    string[],
    string[],
  ];
  const [firstLine = '', secondLine = ''] = codeLines;
  const isSentence = (line: string): boolean =>
    line.length <= maxRemarkLength &&
    /^[\p{L}\p{Extended_Pictographic}(][^{}[\]=;<>$@`|\\]*\s[^{}[\]=;<>$@`|\\]*[.!?…:：)]$/u.test(
      line.trim(),
    ) &&
    line.trim().split(/\s+/u).length > 2;
  const isBefore =
    secondLine === oldLines[0] && /[:：]\s*$/u.test(firstLine) && isSentence(firstLine);
  const isAfter =
    !isText && codeLines.at(-2) === oldLines.at(-1) && isSentence(codeLines.at(-1) ?? '');
  return isBefore || isAfter;
}

/**
 * Creates a refusal of a block. If the block contains text that models typically add, the refusal contains the kind of
 * this text as the cause.
 */
function refuseWithCause(code: readonly string[], document: EditedDocument): BlockRefusal {
  const cause = findForeignMarks(trimBlankLines(code), document);
  return cause === undefined ? refuseBlock('no-place') : { ...refuseBlock('no-place'), cause };
}

/**
 * Removes tags, a fence and a comment with the file name around the code of a block. Returns `unclear` if these may be
 * part of the code.
 */
export function unwrapBlock(
  code: readonly string[],
  fileLines: readonly string[],
  path: string,
): readonly string[] | 'unclear' {
  const [firstLine = '', ...rest] = code;
  const language = getLanguageId(path);
  const document = { language, original: fileLines, before: [], after: [] };
  const lines = [firstLine.replace(/^\uFEFF/u, ''), ...rest];
  const isEmptyFile = !fileLines.some(isNonBlank);
  // Without lines of the file, tags inside the code cannot be distinguished from those of the file.
  const canBeContent =
    taggedLanguages.has(language) || lines.find(isNonBlank)?.startsWith('<') !== true;
  const untaggedLines = isEmptyFile && canBeContent ? lines : removeTags(lines, document);
  if (untaggedLines === 'unclear') return 'unclear';
  const innerLines = removeOuterFence(untaggedLines, fileLines, language);
  if (innerLines === 'unclear') return 'unclear';
  return removeFileComment(innerLines, { ...document, ...(path === '' ? {} : { path }) });
}

/**
 * Returns the language id for a file path. Returns an empty string for a language in which neither tags nor fences can
 * be part of the code.
 */
export function getLanguageId(path: string): string {
  const extension = /\.(?<name>\w+)$/u.exec(path)?.groups?.['name'] ?? '';
  return languageByExtension[extension.toLowerCase()] ?? '';
}

/** Language ids by file extension, for languages in which tags or fences can be part of the code. */
const languageByExtension: Readonly<Partial<Record<string, string>>> = {
  ...{ html: 'html', htm: 'html', xml: 'xml', svg: 'svg', vue: 'vue', svelte: 'svelte' },
  ...{ php: 'php', jsx: 'javascriptreact', tsx: 'typescriptreact', astro: 'astro' },
  ...{ md: 'markdown', mdx: 'mdx', markdown: 'markdown', tex: 'latex', rst: 'restructuredtext' },
  ...{ txt: 'plaintext', yml: 'yaml', yaml: 'yaml', json: 'json', jsonc: 'jsonc', py: 'python' },
  ...{
    csv: 'csv',
    tsv: 'tsv',
    log: 'log',
    bas: 'basic',
    css: 'css',
    sql: 'sql',
    sh: 'shellscript',
  },
};

/**
 * Removes a fence around all lines of a block. Returns `unclear` for a Markdown file, because the fence may be part of
 * the file.
 */
function removeOuterFence(
  code: readonly string[],
  fileLines: readonly string[],
  language: string,
): readonly string[] | 'unclear' {
  const lines = trimBlankLines(code);
  const [openingFence, closingFence] = [lines[0], lines.at(-1)].map((line) =>
    parseFence(line ?? ''),
  );
  if (openingFence === undefined || closingFence === undefined || lines.length < 3) return code;
  const hasMoreFences = lines.slice(1, -1).some((line) => {
    const fence = parseFence(line);
    return fence !== undefined && canCloseFence(fence, openingFence);
  });
  const isMarkdown = /^m(?:arkdown|dx)$/u.test(language);
  const startsWithFence = parseFence(fileLines.find(isNonBlank) ?? '') !== undefined;
  if (hasMoreFences)
    return isMarkdown && !startsWithFence && /^m(?:arkdown|dx?)$/u.test(openingFence.info)
      ? 'unclear'
      : code;
  if (!canCloseFence(closingFence, openingFence) || startsWithFence) return code;
  return isMarkdown ? 'unclear' : lines.slice(1, -1);
}

/** Splits code into lines. A line break at the end does not start another line. */
export function toLines(code: string): readonly string[] {
  const lines = code.split(/\r\n?|\n/u);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/**
 * Parses a code block that contains a diff or SEARCH/REPLACE blocks. Returns `malformed` for an invalid diff, and
 * undefined for other code. If the file itself contains a diff, the block may be new content of the file, so only a
 * diff of that diff is parsed.
 */
export function readHunks(
  code: readonly string[],
  info: string,
  fileLines: readonly string[],
): readonly Hunk[] | 'malformed' | undefined {
  // In a file that itself contains a diff, the block can be new content of the file.
  if (parseAnswerHunks(fileLines) !== undefined) return parseDiffOfDiff(code, fileLines);
  const isDiff = /^\s*(?:diff|patch|udiff)\b/iu.test(info);
  return (
    parseAnswerHunks(code, fileLines) ??
    (isDiff ? parseDiff(code, fileLines) : parseBareDiff(code, fileLines))
  );
}

function applyBlockHunks(
  text: string,
  code: readonly string[],
  { hunks, format }: { readonly hunks: readonly Hunk[] | 'malformed'; readonly format: string },
): AppliedBlock | BlockRefusal {
  const files = listDiffFiles(code);
  if (files.length > 1) return refuseBlock('several-files');
  if (files.some(({ newName }) => newName === '/dev/null')) return refuseBlock('deletes-file');
  const { text: original, toOriginalEdits } = normalizeText(text);
  const patchedText = applyExactDiff(original, code);
  if (patchedText !== undefined) {
    if (findElision(original, patchedText, format) !== undefined) return refuseBlock('elision');
    const edits = toOriginalEdits(computeMinimalEdits(original, patchedText));
    if (edits.length === 0) return refuseBlock('no-change');
    return { kind: 'applied', format: 'hunks', text: applyEdits(text, edits), edits };
  }
  if (hunks === 'malformed') return refuseBlock('malformed');
  return applyHunksToFile(text, hunks, format);
}

/**
 * Applies hunks to the text of a file. If a hunk does not match, the refusal contains the number of the hunk, its first
 * line that differs from the file, and the most similar lines of the file.
 * @param format Format of the file, as `getTextFormat` returns it.
 */
export function applyHunksToFile(
  text: string,
  hunks: readonly Hunk[],
  format: string,
): AppliedBlock | BlockRefusal {
  const result = applyHunks(text, hunks, format);
  if (result.type === 'applied')
    return { kind: 'applied', format: 'hunks', text: result.text, edits: result.edits };
  const hunk = hunks[result.hunkIndex];
  if (hunk === undefined) return refuseBlock('malformed');
  // Line numbers refer to the file without the preceding hunks, because the file stays unchanged.
  const hunkResult = result.hunkIndex === 0 ? result : applyHunks(text, [hunk], format);
  return describeRefusal(
    hunkResult.type === 'refused' ? hunkResult : result,
    hunk,
    result.hunkIndex + 1,
  );
}

function describeRefusal(
  { code, wrapping, difference, candidates }: RefusedHunks,
  { search }: Hunk,
  hunkNumber: number,
): BlockRefusal {
  const [reason, cause] = [
    wrapping === 'ellipsis' ? 'elision' : (refusalReasonByCode[code] ?? 'no-match'),
    wrapping === undefined ? undefined : causeByWrapping[wrapping],
  ] as const;
  const key = computeLineKey(search.split('\n').find(isNonBlank) ?? '');
  // A candidate can begin with a line of context.
  const numberedLines = candidates.map(({ line, lines }) => {
    const foundIndex = lines.findIndex((text) => computeLineKey(text).includes(key));
    const index = foundIndex < 0 ? Math.min(line - 1, 1) : foundIndex;
    return { line: line + index, text: lines[index] ?? '' };
  });
  return {
    ...refuseBlock(reason),
    hunkNumber,
    ...(cause && { cause }),
    ...(difference && {
      difference: {
        code: {
          line: difference.searchLine,
          text: search.split('\n')[difference.searchLine - 1] ?? '',
        },
        file: { line: difference.fileLine, text: findLineText(candidates, difference.fileLine) },
      },
    }),
    ...(numberedLines.length > 0 && { candidates: numberedLines }),
  };
}

/**
 * Returns the text of the line with the given number from the candidate that contains this line; empty if no candidate
 * does.
 */
const findLineText = (candidates: RefusedHunks['candidates'], lineNumber: number): string =>
  candidates
    .map(({ line, lines }) => lines[lineNumber - line])
    .find((text) => text !== undefined) ?? '';

const causeByWrapping: Readonly<Record<WrappingKind, RefusalCause | undefined>> = {
  'line-numbers': { kind: 'marks', rule: 'line numbers' },
  fence: { kind: 'delimiters', rule: 'fence' },
  escapes: { kind: 'escapes', rule: 'escapes' },
  ellipsis: undefined,
};

const refusalReasonByCode: Readonly<Partial<Record<RefusalCode, BlockRefusalReason>>> = {
  'no-change': 'no-change',
  elision: 'elision',
  ambiguous: 'ambiguous',
  'too-many': 'ambiguous',
  indentation: 'indentation',
  overlap: 'overlap',
  'cuts-word': 'cuts-word',
  'empties-file': 'deletes-file',
  'empty-search': 'malformed',
  'not-text': 'malformed',
};

/** Maximum number of the file's first lines, and of its last lines, that a block with the whole file may replace. */
const maxReplacedEndLines = 3;

interface ReplacedLines {
  readonly format: 'file' | 'snippet';
  readonly lines: readonly string[];
}

/**
 * Replaces all lines if the block contains the whole file. Such a block contains at least half of the file's lines in
 * their order, and replaces at most {@link maxReplacedEndLines} lines at each end. Differences that a formatter makes,
 * such as missing semicolons, do not count. Returns undefined for other blocks, including those that omit the beginning
 * or the end of the file.
 */
function replaceFile(
  fileLines: readonly string[],
  code: readonly string[],
): ReplacedLines | undefined {
  const [before, after] = [trimBlankLines(fileLines), trimBlankLines(code)];
  if (before.length === 0) return { format: 'file', lines: [...after, ''] };
  const isWholeFile =
    containsFile(before.map(normalizeCharacters), after.map(normalizeCharacters)) ||
    containsFile(before.map(normalizeFormatting), after.map(normalizeFormatting));
  if (!isWholeFile) return undefined;
  const end = fileLines.findLastIndex(isNonBlank) + 1;
  const start = fileLines.findIndex(isNonBlank);
  return {
    format: 'file',
    lines: [...fileLines.slice(0, start), ...after, ...fileLines.slice(end)],
  };
}

/** Returns a line with unchanged indentation, and with its other characters normalized by {@link computeLineKey}. */
const normalizeCharacters = (line: string): string =>
  getLeadingWhitespace(line) + computeLineKey(line);

/**
 * Returns a line without a final semicolon or comma, and with uniform quotation marks, so that lines are equal if they
 * differ only in what a formatter changes. Retains the indentation.
 */
const normalizeFormatting = (line: string): string =>
  normalizeCharacters(line).replace(/[;,]$/u, '').replaceAll(/["`]/gu, "'");

function containsFile(before: readonly string[], after: readonly string[]): boolean {
  const changes = diffLines(before, after);
  const removedLines = changes.flatMap(({ from }) => before.slice(from.start, from.end));
  const lineCount = before.filter(isNonBlank).length;
  if (removedLines.filter(isNonBlank).length * 2 > lineCount) return false;
  const isUniqueLine = (line: string): boolean =>
    /[\p{L}\p{N}]/u.test(line) && before.indexOf(line) === before.lastIndexOf(line);
  // Other lines, such as closing brackets, do not show that the block contains this part of the file.
  const firstLandmarkIndex = before.findIndex(isUniqueLine);
  const lastLandmarkIndex = before.findLastIndex(isUniqueLine);
  return changes.every(({ from, to }) => {
    const count = from.end - from.start;
    const isAtEnd = from.start === 0 || from.end === before.length;
    if (isAtEnd) return count <= maxReplacedEndLines && count <= to.end - to.start;
    // Lines in place of others rewrite them. Only lines without a replacement can be omitted.
    const words = readWords(after.slice(to.start, to.end));
    const isRewritten =
      (to.end - to.start) * 2 >= count ||
      (to.end > to.start &&
        before
          .slice(from.start, from.end)
          .every((line) => containsHalfOfWords(words, readWords([line]))));
    return (
      (from.start > firstLandmarkIndex && from.end <= lastLandmarkIndex) ||
      count <= maxReplacedEndLines ||
      isRewritten
    );
  });
}

/**
 * Replaces the file's lines from the match of the block's first line to the match of its last line. Returns the reason
 * for a refusal unless both lines occur exactly once in the file.
 */
function replaceSnippet(
  fileLines: readonly string[],
  code: readonly string[],
): ReplacedLines | 'no-place' | 'indentation' {
  const [start, end] = [code[0], code.at(-1)].map((line) =>
    findOnlyLineIndex(fileLines, line ?? ''),
  );
  if (start === undefined || end === undefined || start >= end) return 'no-place';
  const original = fileLines.slice(start, end + 1);
  if (!isReliableEnd(original, code)) return 'no-place';
  if (hasOtherIndentUnit(fileLines, code)) return 'indentation';
  const restoredLines = restoreCharacters(original, code);
  const isSameStart = isSameLine(original[0], restoredLines[0]);
  const isSameEnd = isSameLine(original.at(-1), restoredLines.at(-1));
  const fittedLines =
    isSameStart && isSameEnd
      ? restoredLines
      : fitIndentation(restoredLines, {
          original,
          usesTabs: fileLines.some((line) => line.startsWith('\t')),
          tabSize: 4,
        });
  if (fittedLines === undefined) return 'indentation';
  return {
    format: 'snippet',
    lines: [...fileLines.slice(0, start), ...fittedLines, ...fileLines.slice(end + 1)],
  };
}

/**
 * Restores the file's characters in unchanged lines of a snippet, if its first or last line shows that the model
 * replaced characters, for example by typographic quotation marks. Retains the indentation of the snippet.
 */
function restoreCharacters(
  original: readonly string[],
  code: readonly string[],
): readonly string[] {
  const isReplaced = [0, -1].some((index) => original.at(index)?.trim() !== code.at(index)?.trim());
  if (!isReplaced) return code;
  const [originalKeys, codeKeys] = [original, code].map((lines) => lines.map(computeLineKey)) as [
    string[],
    string[],
  ];
  const restoredLines = [...code];
  let [oldIndex, newIndex] = [0, 0];
  const restoreLinesUntil = (end: number): void => {
    for (; newIndex < end; [oldIndex, newIndex] = [oldIndex + 1, newIndex + 1])
      restoredLines[newIndex] =
        getLeadingWhitespace(code[newIndex] ?? '') + (original[oldIndex] ?? '').trim();
  };
  for (const change of diffLines(originalKeys, codeKeys)) {
    restoreLinesUntil(change.to.start);
    [oldIndex, newIndex] = [change.from.end, change.to.end];
  }
  restoreLinesUntil(code.length);
  return restoredLines;
}

/**
 * Checks whether the last line of a snippet corresponds to the last replaced line. A last line without letters and
 * digits, such as a bracket, occurs at many positions, so the line before it must also be the same. The snippet must
 * also have as many unclosed JSX fragments (`<>`) as the replaced lines.
 */
function isReliableEnd(original: readonly string[], code: readonly string[]): boolean {
  const countTag = (lines: readonly string[], tag: string): number =>
    lines.join('\n').split(tag).length;
  const countOpenFragments = (lines: readonly string[]): number =>
    countTag(lines, '<>') - countTag(lines, '</>');
  if (countOpenFragments(original) !== countOpenFragments(code)) return false;
  const [lastLine = '', previousLine = ''] = code.filter(isNonBlank).toReversed();
  const [, expectedLine = ''] = original.filter(isNonBlank).toReversed();
  return /[\p{L}\p{N}]/u.test(lastLine) || previousLine.trim() === expectedLine.trim();
}

/** Checks whether a snippet is indented with spaces and the file with tabs, or the reverse. */
function hasOtherIndentUnit(fileLines: readonly string[], code: readonly string[]): boolean {
  const hasTabs = (lines: readonly string[]): boolean =>
    lines.some((line) => line.startsWith('\t'));
  const hasSpaces = (lines: readonly string[]): boolean =>
    lines.some((line) => line.startsWith('  '));
  return (
    (hasTabs(fileLines) && !hasSpaces(fileLines) && hasSpaces(code)) ||
    (hasSpaces(fileLines) && !hasTabs(fileLines) && hasTabs(code))
  );
}

const isSameLine = (a = '', b = ''): boolean => a.trimEnd() === b.trimEnd();

/**
 * Returns the index of the only line equal to `line`. If no line is equal, returns the index of the only line that
 * differs only in indentation, or else the only one that differs only in white space and look-alike characters. Returns
 * undefined if no or several lines match.
 */
function findOnlyLineIndex(lines: readonly string[], line: string): number | undefined {
  const key = computeLineKey(line);
  const isEqual = (candidate: string): boolean => isSameLine(candidate, line);
  const isEqualTrimmed = (candidate: string): boolean => candidate.trim() === line.trim();
  const isSimilar = (candidate: string): boolean => computeLineKey(candidate) === key;
  for (const matches of [isEqual, isEqualTrimmed, isSimilar]) {
    const firstIndex = lines.findIndex(matches);
    if (firstIndex >= 0)
      return lines.findLastIndex(matches) === firstIndex ? firstIndex : undefined;
  }
  return undefined;
}
