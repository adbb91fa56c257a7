import { applyExactDiff, listDiffFiles, parseJsonHunks } from './answer-hunks.ts';
import { type RefusalCause, removeEscapes, stripAddedCharacters } from './answer-marks.ts';
import { isTextLanguage, RemarkFinder } from './answer-remarks.ts';
import {
  type BlockRefusal,
  type CodeBlock,
  maxBlockCharacters,
  readHunks,
  getLanguageId,
  refuseBlock,
  toLines,
  unwrapBlock,
} from './apply-block.ts';
import { findForeignMarks } from './foreign-marks.ts';
import { leavesBracketsOpen } from './lost-content.ts';
import type { Hunk } from '../edit/hunk.ts';
import { findElisionInNewText, getTextFormat } from '../edit/new-text-elision.ts';
import { isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import { escapeFreeFormatPattern, literalPattern, stripLineNumbers } from '../edit/unwrap.ts';
import { stripThinking, templateTokenSource } from '../../base/model-answer.ts';
import { classifyRemark } from '../../base/remark.ts';

/**
 * Returns the text of a new file that a block creates. Removes text that models add around all lines or to each line,
 * if this text is certainly not part of the file. Otherwise returns the reason why the block cannot create a file.
 */
export function createFileTextFromBlock(
  { code: blockCode, info }: CodeBlock,
  path = '',
): BlockRefusal | { readonly kind: 'created'; readonly text: string } {
  if (blockCode.length > maxBlockCharacters) return refuseBlock('too-long');
  if (stripThinking(blockCode) !== blockCode)
    return refuseForeignText({ kind: 'remark', rule: 'reasoning' });
  const lines = stripTokenLines(stripAddedCharacters(toLines(blockCode), []), path);
  if (lines === 'unclear') return refuseForeignText({ kind: 'tokens', rule: 'template token' });
  const unwrappedLines = unwrapBlock(lines, [], path);
  const codeLines = unwrappedLines === 'unclear' ? lines : unwrappedLines;
  if (!codeLines.some(isNonBlank)) return refuseBlock('empty');
  const isJson = /\.json\w?$/u.test(path);
  if (!isJson && parseJsonHunks(codeLines, []) !== undefined) return refuseBlock('no-file');
  const hunks = beginsWithHunk(codeLines) ? readHunks(codeLines, info, []) : undefined;
  const text =
    hunks === undefined
      ? readFileText(removePlusSigns(codeLines, info, path), path)
      : createFileTextFromHunks(codeLines, hunks);
  if (typeof text !== 'string') return text;
  const elision = findElisionInNewText(text, getTextFormat(path));
  return elision === undefined ? { kind: 'created', text } : refuseBlock('elision');
}

/**
 * Matches a line of chat template tokens, such as `<|im_start|>assistant`, optionally with the role of the model after
 * a token.
 */
const tokenLinePattern = new RegExp(
  `^\\s*(?:${templateTokenSource}(?:assistant|model)?)+\\s*$`,
  'u',
);
/** Matches a line that starts or ends with a chat template token, unless the token is a value, as in `end: </s>`. */
const outerTokenPattern = new RegExp(
  `^\\s*${templateTokenSource}|(?<![-:=,] )${templateTokenSource}\\s*$`,
  'u',
);

/**
 * Removes lines of chat template tokens before and after the code. Returns `unclear` if these tokens may be part of the
 * file, or are on a line with code. Ignores tokens on lines inside the code.
 */
function stripTokenLines(lines: readonly string[], path: string): readonly string[] | 'unclear' {
  const isContentLine = (line: string): boolean => isNonBlank(line) && !tokenLinePattern.test(line);
  const start = lines.findIndex(isContentLine);
  const end = lines.findLastIndex(isContentLine) + 1;
  const hasTokenLines = [...lines.slice(0, start), ...lines.slice(end)].some(isNonBlank);
  if (!isCodePath(path)) return hasTokenLines ? 'unclear' : lines;
  const code = lines.slice(start, end);
  const isAttached = [code[0], code.at(-1)].some((line = '') => outerTokenPattern.test(line));
  return isAttached ? 'unclear' : code;
}

/**
 * Checks whether a diff or SEARCH/REPLACE block begins on one of the first two lines. One that begins later can be text
 * of the file.
 */
const beginsWithHunk = (code: readonly string[]): boolean =>
  code
    .filter(isNonBlank)
    .slice(0, 2)
    .some((line) =>
      /^(?:[-+]|@@|diff |index |\*{3} Begin|\d+(?:,\d+)?[cd]\d|\s*[<-]{5,9} ?\w)/u.test(line),
    );

const refuseForeignText = (cause: RefusalCause): BlockRefusal => ({
  ...refuseBlock('no-place'),
  cause,
});

/** Removes line numbers, escapes and a remark from the lines of a new file. */
function readFileText(lines: readonly string[], path: string): string | BlockRefusal {
  const language = getLanguageId(path);
  const document = { language, original: [], before: [], after: [], path };
  const unescapedLines = removeAllEscapes(trimBlankLines(lines), document);
  if (unescapedLines === 'unclear') return refuseForeignText({ kind: 'escapes', rule: 'escapes' });
  const unnumberedLines = removeLineNumbers(unescapedLines, language, path);
  if (unnumberedLines === 'unclear')
    return refuseForeignText({ kind: 'marks', rule: 'line numbers' });
  const codeLines = removeIntroduction(unnumberedLines, document);
  if (codeLines === 'unclear')
    return refuseForeignText({ kind: 'remark', rule: 'remark around a file' });
  const cause = findForeignMarks(codeLines, document);
  const isForeign =
    cause !== undefined &&
    (alwaysRefusedKinds.has(cause.kind) || (cause.kind === 'diff' && !isTextLanguage(language)));
  if (isForeign) return refuseForeignText(cause);
  const isData = settingsPathPattern.test(path) || /^(?:[ct]sv|log)$/u.test(language);
  if (!isData && endsInsideBlock(codeLines, language))
    return refuseForeignText({ kind: 'incomplete', rule: 'open bracket' });
  return toFileText(codeLines);
}

/**
 * Kinds of added text that always cause the refusal of a new file. The other kinds, such as tags, also occur in correct
 * files.
 */
const alwaysRefusedKinds: ReadonlySet<RefusalCause['kind']> = new Set(['tokens', 'incomplete']);

type NewDocument = Parameters<typeof removeEscapes>[1] & { readonly path: string };

/**
 * Removes escapes from a file that is written as one escaped string. Returns `unclear` if escaped line breaks may be
 * part of a string or a comment in the file, or of the syntax of the language.
 */
function removeAllEscapes(
  lines: readonly string[],
  document: NewDocument,
): readonly string[] | 'unclear' {
  const [line = ''] = lines;
  if (lines.length > 1) return lines;
  const unescapedLines = unescapeOnce(line);
  if (document.language.startsWith('json'))
    return isJsonText(line) || !isJsonText(unescapedLines.join('\n')) ? lines : unescapedLines;
  const isCode = isCodePath(document.path);
  if (/^["{]/u.test(line)) {
    const decodedLines = removeEscapes(lines, document);
    return decodedLines === lines || isCode || isTextLanguage(document.language)
      ? decodedLines
      : 'unclear';
  }
  const bareText = line.replaceAll(literalPattern, '');
  // An escaped text contains only escapes that JSON allows.
  if (countLineBreaks(bareText) < 2 || unescapedLines.length === 0) return lines;
  if (isCode) {
    const [firstLine = ''] = bareText.split('\\n');
    const isInLiteral =
      /\/[/*]|#|<!--/u.test(firstLine) || countLineBreaks(bareText) < countLineBreaks(line);
    return isInLiteral ? 'unclear' : unescapedLines;
  }
  // In an escaped text, every command of LaTeX has two backslashes.
  if (/\.(?:tex|sty|cls|ltx)$/u.test(document.path) && line.includes('{') && !line.includes('\\\\'))
    return lines;
  // In a file of assignments, a line without one can only be part of a value.
  const hasAssignments = unescapedLines.every((unescapedLine) =>
    /^\s*(?:[#;!]|\[.*\]$|$)|^[\w.\s-]+[=:]/u.test(unescapedLine),
  );
  return !hasAssignments && settingsPathPattern.test(document.path) ? lines : 'unclear';
}

/** Matches paths of settings files with lines such as `NAME=value`, whose values are not quoted. */
const settingsPathPattern = /(?:^|\/)\.env(?:\.\w+)?$|\.(?:env|ini|properties)$/u;

/**
 * Checks whether the language of a file allows a backslash before a letter only in strings, regular expressions and
 * comments.
 */
const isCodePath = (path: string): boolean => escapeFreeFormatPattern.test(getTextFormat(path));

const countLineBreaks = (text: string): number => text.split('\\n').length - 1;

/** Removes one level of backslash escapes. Returns no lines if the text contains escapes that JSON does not allow. */
function unescapeOnce(line: string): readonly string[] {
  const text = parseJson(`"${line.replaceAll(/(?<!\\)((?:\\\\)*)"/gu, '$1\\"')}"`);
  return typeof text === 'string' ? text.split('\n') : [];
}

const isJsonText = (text: string): boolean => parseJson(text) !== undefined;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Languages whose files can have a number at the start of each line. */
const numberedLanguagesPattern = /^(?:csv|tsv|log|basic|plaintext|markdown|mdx|restructuredtext)$/u;

/** Removes line numbers that start at 1. Returns `unclear` if the numbers can be part of the file. */
function removeLineNumbers(
  lines: readonly string[],
  language: string,
  path: string,
): readonly string[] | 'unclear' {
  const nonBlankLines = lines.filter(isNonBlank);
  if (nonBlankLines.length < 2 || numberedLanguagesPattern.test(language)) return lines;
  const candidates = stripLineNumbers(lines);
  if (candidates.length === 0 || areNumbersKeys(nonBlankLines, candidates, path)) return lines;
  if (!isCodePath(path)) return 'unclear';
  // If a space follows every number, it separates the number from the line.
  const [longestCandidate] = candidates
    .filter((candidate) => candidate.some((line) => /^[^\s|│→:]/u.test(line)))
    .toSorted((a, b) => b.join('\n').length - a.join('\n').length);
  const isNumbered = Number(/\d+/u.exec(nonBlankLines[0] ?? '')?.[0]) === 1;
  return isNumbered ? (longestCandidate ?? 'unclear') : 'unclear';
}

/**
 * Checks whether numbers at the start of lines are keys of assignments, as in `404: missing`, and not line numbers. They
 * are line numbers if the lines without them are assignments too.
 */
const areNumbersKeys = (
  lines: readonly string[],
  candidates: readonly (readonly string[])[],
  path: string,
): boolean =>
  (settingsPathPattern.test(path) || /\.(?:ya?ml|toml)$/u.test(path)) &&
  lines.every((line) => /^\d+\s*[:=]/u.test(line)) &&
  !candidates
    .flat()
    .some((line) =>
      /^\s*(?:-\s|#|[^\s:=[{"'].*?(?:=|:(?:\s|$))|(?:"[^"]*"|'[^']*')\s*[:=])/u.test(line),
    );

/**
 * Removes a first line in which a model introduces the file. Returns `unclear` if this line may be part of a text file,
 * or if a remark follows the file.
 */
function removeIntroduction(
  lines: readonly string[],
  document: NewDocument,
): readonly string[] | 'unclear' {
  const nonBlankLines = lines.filter(isNonBlank);
  const [firstLine = ''] = nonBlankLines;
  if (nonBlankLines.length < 2) return lines;
  const remarks = new RemarkFinder(document);
  const isSentence = (line: string): boolean => /^[\p{L}\p{Extended_Pictographic}]/u.test(line);
  const isIntroduction = isSentence(firstLine) && /[:：]\s*$/u.test(firstLine);
  const isFirstRemark = isIntroduction && classifyRemark(firstLine) !== 'none';
  if (isFirstRemark && remarks.isText) return 'unclear';
  const rest = isFirstRemark ? trimBlankLines(lines.slice(lines.indexOf(firstLine) + 1)) : lines;
  const lastLine = nonBlankLines.at(-1) ?? '';
  const isLastRemark =
    !remarks.isText &&
    isSentence(lastLine) &&
    classifyRemark(lastLine) !== 'none' &&
    remarks.rateLineAsRemark(lastLine) === 'yes';
  return isLastRemark ? 'unclear' : rest;
}

/** Checks whether a file ends inside a block whose brackets are open. */
function endsInsideBlock(lines: readonly string[], language: string): boolean {
  const lastLine = lines.findLast(isNonBlank) ?? '';
  const target = { original: [], language };
  if (/[({[,]\s*$/u.test(lastLine)) return leavesBracketsOpen(lines, target);
  // The last line of a complete Python file is often indented. Other brackets than braces are common in comments.
  const braceLines = lines.map((line) => line.replaceAll(/[()[\]]/gu, ''));
  return language !== 'python' && /^\s/u.test(lastLine) && leavesBracketsOpen(braceLines, target);
}

/**
 * Removes the plus signs from a diff without headers that only adds lines. Returns text and Markdown unchanged, because
 * list items can begin with a plus sign.
 */
function removePlusSigns(lines: readonly string[], info: string, path: string): readonly string[] {
  const isDiff = lines.length > 1 && lines.every((line) => line.startsWith('+'));
  const isText = !isCodePath(path) && /^(?:md|mdx|markdown|text|txt)?(?:\s|$)/u.test(info);
  return isDiff && !isText ? lines.map((line) => line.slice(1)) : lines;
}

const toFileText = (lines: readonly string[]): string => `${trimBlankLines(lines).join('\n')}\n`;

function createFileTextFromHunks(
  code: readonly string[],
  hunks: readonly Hunk[] | 'malformed',
): string | BlockRefusal {
  const files = listDiffFiles(code);
  if (files.length > 1) return refuseBlock('several-files');
  const patchedText = applyExactDiff('', code);
  if (patchedText !== undefined) return patchedText;
  const [hunk, otherHunk] = hunks === 'malformed' ? [] : hunks;
  const isNew = hunk !== undefined && otherHunk === undefined && hunk.search.trim() === '';
  return isNew ? toFileText(hunk.replace.split('\n')) : refuseBlock('no-file');
}
