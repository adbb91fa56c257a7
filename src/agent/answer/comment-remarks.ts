import type { EditedDocument } from './answer-marks.ts';
import { isElision } from '../edit/elision.ts';
import { isNonBlank } from '../edit/indentation.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';
import {
  classifyRemark,
  hasRemarkWords,
  isAnswerHeading,
  isFileMark,
  isForeignRemark,
} from '../../base/remark.ts';

/**
 * Matches ids of languages in which `#` starts a heading instead of a comment, and no other character starts a comment.
 */
const headingLanguagesPattern = /^(?:markdown|mdx|quarto|rmd|prompt|instructions|chatagent)$/u;
const lineCommentPattern =
  /^\s*(?:\/\/+[!/]?|\/\*+!?|#+(?!!)|--+|%+|;+|<!--+|\{\/\*|\(\*|\{-|\*(?=\s)|rem\b|'(?=\s))\s*(?<text>\S.*?)\s*(?:\*+\/\}?|--+>|\*\)|-\})?\s*$/iu;
/** Matches a line with a comment after code, such as `run(); // changed`. */
const trailingCommentPattern =
  /\S\s+(?:\/\/+|\/\*+|#+|--+|%+|;+|<!--+|\{\/\*)\s*(?<text>\S.*?)\s*(?:\*+\/\}?|--+>)?\s*$/u;
/** Matches the text of a comment that marks a changed line, such as `<- changed` or `added line`. */
const changeNotePattern =
  /^(?:<-+|<=+|←|⬅|👈|\^+)\s*\p{L}|^(?:new|added|changed|updated|fixed|modified|edited|removed)(?: (?:this )?(?:line|lines|here|code|as requested|per request))\W*$/iu;
/** Matches an arrow and a note about a change, such as `<- changed`, at the end of a line. */
const trailingChangeNotePattern =
  /\s(?:<-+|<=+|←|⬅)\s+(?:changed|added|updated|new|fixed|modified|removed|edited|renamed|here)\b(?![(.[])/iu;
/** Matches a comment's text, such as `Updated code` or `Task: …`, that announces code or repeats the user's task. */
const introductionTextPattern =
  /^(?:(?:the )?(?:updated|modified|revised|changed|fixed|edited|refactored|rewritten|improved|corrected)\b|(?:start|begin(?:ning)?|end) of\b|lines? \d|generated (?:by|with)\b|(?:instructions?|task|prompt|user request|request|edit|fixed)\s*[:：]|-{2,} ?\w[\w ]* ?-{2,}$)/iu;
/** Matches the text of a comment after the code, such as `Summary: …`, in which a model describes its changes. */
const conclusionTextPattern =
  /^(?:(?:start|begin(?:ning)?|end) of\b|(?:changes?(?: made)?|explanation|summary|notes?|usage|test it|instructions?)\s*[:：]|(?:note|remember|make sure|please|see (?:above|the explanation))\b|this (?:function|method|code|class|line|version) (?:was|has been|is now)\b|(?:ich habe|he añadido|j['’]ai)\b|-{2,} ?\w[\w ]* ?-{2,}$|no other changes?\b)/iu;
/** Checks whether a text begins with a label, such as `Task:`, after which a model repeats the user's request. */
export const isTaskLabel = (text: string): boolean =>
  /^(?:instructions?|task|prompt|user request)\s*[:：]/iu.test(text);

const firstPersonPattern = /\b(?:i|i['’](?:ve|m|d|ll)|you|your|you['’](?:ll|d|re))\b/iu;
const asianRemarkPattern =
  /(?:修改|更改|变更|新增|添加|其他|其余|保持不变|変更|追加|修正|수정|변경|추가)/u;

/** Maximum number of comment lines to examine at the end of an answer. */
const maxCommentLines = 20;

/**
 * Removes comments at the start and the end of an answer in which the model announces or explains its code. Returns
 * `unclear` if such a comment, or a note such as `<- changed` after code, may belong to the document.
 */
export function removeCommentRemarks(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] | 'unclear' {
  const { original, before, after, instruction = '', language } = document;
  const knownTexts = new Set([...before, ...original, ...after].map((line) => line.trim()));
  const vocabulary = new Set(
    [instruction, ...original, ...before.slice(-20), ...after.slice(0, 20)]
      .join('\n')
      .toLowerCase()
      .match(/\p{L}+/gu),
  );
  const isComment = (line = ''): boolean =>
    lineCommentPattern.test(line.slice(0, maxLineLength)) &&
    !(headingLanguagesPattern.test(language) && /^\s*[#*]/u.test(line));
  const commentWords = [...knownTexts].filter(isComment).map(toWords);
  const readCommentText = (line: string): string | undefined =>
    isComment(line)
      ? lineCommentPattern.exec(line.slice(0, maxLineLength))?.groups?.['text']
      : undefined;
  const isNewComment = memoize((line: string): boolean => {
    if (knownTexts.has(line.trim()) || !isComment(line) || isElision(line)) return false;
    const words = toWords(line);
    return !commentWords.some((knownWords) => haveMostWordsInCommon(knownWords, words));
  });
  const readComment = (line = ''): string | undefined =>
    isNewComment(line) ? readCommentText(line) : undefined;
  const documentText = [...knownTexts].join('\n').toLowerCase();
  const hasChangeMark = lines.some((line) => {
    if (trailingChangeNotePattern.test(line) && !knownTexts.has(line.trim())) return true;
    const text = trailingCommentPattern.exec(line.slice(0, maxLineLength))?.groups?.['text'];
    return (
      text !== undefined &&
      changeNotePattern.test(text) &&
      !documentText.includes(text.toLowerCase())
    );
  });
  if (hasChangeMark) return 'unclear';
  // The original lines precede their new version as comments.
  const originalCodeLines = new Set(
    original
      .filter((line) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && !isComment(line))
      .map((line) => line.trim()),
  );
  const hasOldCode =
    !/comment.*\bout\b/iu.test(instruction) &&
    lines.some((line) => originalCodeLines.has(readCommentText(line) ?? '') && isNewComment(line));
  if (hasOldCode) return 'unclear';
  const isRequest = (line = ''): boolean =>
    !knownTexts.has(line.trim()) &&
    isComment(line) &&
    isInstructionText(readCommentText(line) ?? '', instruction);
  if (isRequest(lines.find(isNonBlank))) return 'unclear';
  // The document itself contains such comments.
  if (original.some((line) => isComment(line) && classifyRemark(line) !== 'none')) return lines;
  const start = lines.findIndex(isNonBlank);
  const end = lines.findLastIndex(isNonBlank);
  const firstComment = readComment(lines[start]);
  const introductionRating =
    firstComment === undefined ? 'no' : rateIntroduction(firstComment, instruction);
  if (introductionRating === 'maybe') return 'unclear';
  // A comment replaces the last line of the original, which is also a comment.
  const endsWithComment = isComment(original.findLast(isNonBlank));
  const conclusionIndex = endsWithComment
    ? lines.length
    : findConclusionIndex(lines.slice(0, end + 1), { readComment, vocabulary });
  if (conclusionIndex === 'unclear') return 'unclear';
  const content = lines.slice(introductionRating === 'yes' ? start + 1 : 0, conclusionIndex);
  return content.some((line) => isNonBlank(line) && readComment(line) === undefined)
    ? content
    : lines;
}

const maxLineLength = 400;

/** Returns a function that caches the results of `examine`, so that each distinct line is examined only once. */
function memoize(examine: (line: string) => boolean): (line: string) => boolean {
  const results = new Map<string, boolean>();
  return (line) => {
    const cachedResult = results.get(line);
    if (cachedResult !== undefined) return cachedResult;
    const result = examine(line);
    results.set(line, result);
    return result;
  };
}

/** Checks whether a text is the instruction, with or without a label such as `Task:`. */
function isInstructionText(text: string, instruction: string): boolean {
  const normalize = (value: string): string =>
    value
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const request = normalize(instruction);
  return (
    request !== '' && [text, text.replace(/^\w+(?: \w+)?:/u, '')].map(normalize).includes(request)
  );
}

function rateIntroduction(text: string, instruction: string): 'yes' | 'maybe' | 'no' {
  if (isInstructionText(text, instruction)) return 'maybe';
  const kind = classifyRemark(text);
  if (kind === 'introduction' && /[:：]$/u.test(text)) return 'yes';
  return kind !== 'none' || isAnswerHeading(text) || introductionTextPattern.test(text)
    ? 'maybe'
    : 'no';
}

/**
 * Returns the index of the first comment about the answer after the code; the number of lines if no such comment
 * exists. Returns `unclear` if it is uncertain whether a comment at the end is about the answer.
 */
function findConclusionIndex(
  lines: readonly string[],
  {
    readComment,
    vocabulary,
  }: {
    readonly readComment: (line?: string) => string | undefined;
    readonly vocabulary: ReadonlySet<string>;
  },
): number | 'unclear' {
  let start = lines.length;
  for (
    let index = lines.length - 1;
    index >= 0 && lines.length - index <= maxCommentLines;
    index -= 1
  ) {
    if (isNonBlank(lines[index] ?? '') && readComment(lines[index]) === undefined) break;
    if (isNonBlank(lines[index] ?? '')) start = index;
  }
  for (let index = start; index < lines.length; index += 1) {
    const text = readComment(lines[index]);
    if (text === undefined) continue;
    const kind = classifyRemark(text);
    if (kind === 'conclusion' || kind === 'introduction' || kind === 'refusal')
      return index === start ? index : 'unclear';
    const isRemark =
      kind !== 'none' ||
      isFileMark(text) ||
      conclusionTextPattern.test(text) ||
      firstPersonPattern.test(text) ||
      isForeignRemark(text) ||
      asianRemarkPattern.test(text) ||
      hasRemarkWords(text, vocabulary);
    if (isRemark) return 'unclear';
  }
  return lines.length;
}
