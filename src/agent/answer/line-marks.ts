import {
  type RefusalCauseKind,
  countOriginalLines,
  createSimilarLineCheck,
  memoize,
  type NewLines,
  taggedLanguages,
} from './answer-marks.ts';
import { hasDoubledLines, hasHtmlEscapes } from './distortions.ts';
import { isFileCommand, isFileName, isForeignJson, isInstruction } from './foreign-calls.ts';
import { stripLineNumbers } from '../edit/unwrap.ts';
import { isNonBlank } from '../edit/indentation.ts';

export type LineTest = Pick<RegExp, 'test'> | ((lines: NewLines) => boolean);

/**
 * Rule that detects text that models, their tools or chat pages add to replacement lines. Does not apply if
 * `requestPattern` matches the user's instruction, or if `usualLanguagesPattern` matches the language id of the
 * document.
 */
export type AddedTextRule = readonly [
  kind: RefusalCauseKind,
  rule: string,
  tests: readonly LineTest[],
  requestPattern?: RegExp | undefined,
  usualLanguagesPattern?: RegExp,
];

export const markdownLikeLanguagesPattern =
  /^(?:markdown|mdx|restructuredtext|asciidoc|quarto|rmd|typst|plaintext)$/u;

export const listRequestPattern =
  /\b(?:number|list|steps|enumer|bullet|ordered|sequence|points?|items?|outline|checklist)|schritt|列表|步骤/iu;

/**
 * Removes ascending line numbers if every line has one, and the `>` of a quotation. Returns `unclear` if these numbers
 * or `>` may be part of the replacement lines.
 * @param options.canBeNumbered True if the user may have requested numbers. Only numbers followed by a vertical bar are
 * then removed.
 * @param options.canBeQuoted True if the user may have requested a quotation.
 */
export function removeLinePrefixes(
  lines: readonly string[],
  original: readonly string[],
  {
    canBeNumbered,
    canBeQuoted,
  }: { readonly canBeNumbered: boolean; readonly canBeQuoted: boolean },
): readonly string[] | 'unclear' {
  const unnumberedLines = removeLineNumbers(lines, original);
  if (
    unnumberedLines !== undefined &&
    canBeNumbered &&
    lines.some((line) => /^\s*1(?!\d)(?! ?[|│→])/u.test(line))
  )
    return 'unclear';
  if (unnumberedLines !== undefined) return unnumberedLines;
  const nonBlankLines = lines.filter(isNonBlank);
  // The prompts of a console session are not part of the commands.
  const hasPrompt = (line: string): boolean => /^[$>%] \S/u.test(line);
  if (nonBlankLines.every((line) => line.startsWith('$ ')) && nonBlankLines.length > 0)
    return original.some(hasPrompt) ? lines : 'unclear';
  const isQuoted = (line: string): boolean => /^>(?: |$)/u.test(line);
  if (nonBlankLines.length === 0 || !nonBlankLines.every(isQuoted)) return lines;
  const originalNonBlankLines = original.filter(isNonBlank);
  if (originalNonBlankLines.length === 0 && !canBeQuoted) return 'unclear';
  const markedCount = originalNonBlankLines.filter((line) => /^\s*>/u.test(line)).length;
  if (markedCount > 0 && !originalNonBlankLines.every(isQuoted))
    return markedCount === originalNonBlankLines.length ? lines : 'unclear';
  const countNestedQuotes = (quotedLines: readonly string[]): number =>
    quotedLines.filter((line) => line.startsWith('> >')).length;
  if (originalNonBlankLines.every(isQuoted))
    return countNestedQuotes(nonBlankLines) > countNestedQuotes(originalNonBlankLines)
      ? 'unclear'
      : lines;
  const unquotedLines = lines.map((line) => line.replace(/^> ?/u, ''));
  // A quotation of the same lines can be the requested change.
  const isUnchanged =
    unquotedLines.filter(isNonBlank).join('\n') === originalNonBlankLines.join('\n');
  if (isUnchanged) return canBeQuoted ? lines : 'unclear';
  const isText = original.some((line) => /^(?:[#>]|\p{Lu}.*[.!?]$)/u.test(line));
  return !isText && countOriginalLines(unquotedLines, original) * 2 > nonBlankLines.length
    ? unquotedLines
    : 'unclear';
}

function removeLineNumbers(
  lines: readonly string[],
  original: readonly string[],
): readonly string[] | 'unclear' | undefined {
  const allCandidates = stripLineNumbers(lines);
  const hasNumberSeparators = (candidate: readonly string[]): boolean =>
    candidate.every((line) => !isNonBlank(line) || /^[|│→:]/u.test(line));
  const candidates = allCandidates.every(hasNumberSeparators)
    ? allCandidates
    : allCandidates.filter((candidate) => !hasNumberSeparators(candidate));
  if (candidates.length === 0 || stripLineNumbers(original).length > 0) return undefined;
  const nonBlankLines = lines.filter(isNonBlank);
  const isSingle = nonBlankLines.length === 1;
  if (isSingle && !/^\s*\d+(?: ?[|│→]|\t|: )/u.test(nonBlankLines[0] ?? '')) return undefined;
  if (isSingle && /^\s*\d+: /u.test(nonBlankLines[0] ?? '')) return 'unclear';
  const [bestCandidate = [], ...otherCandidates] = candidates.toSorted(
    (a, b) =>
      countEqualLines(b, original) - countEqualLines(a, original) ||
      countEqualStarts(b, original) - countEqualStarts(a, original) ||
      compareLeadingSpaces(a, b),
  );
  const [bestTexts, originalTexts] = [bestCandidate, original].map((lines) =>
    lines.filter(isNonBlank).map((line) => line.trim()),
  ) as [string[], string[]];
  // The numbers may be the requested change, as keys in place of other keys.
  const isUnchanged =
    bestTexts.length === originalTexts.length &&
    originalTexts.every((line, index) => line.endsWith(bestTexts[index] ?? ''));
  if (isUnchanged || bestCandidate.every((line) => /^\s*(?:[:=]|$)/u.test(line))) return 'unclear';
  if (countOriginalLines(bestCandidate, original) > 0) return bestCandidate;
  const hasBars = lines.every((line) => /^\s*\d+ ?[|│→\t]/u.test(line));
  const isOnlyOne = otherCandidates.every(
    (candidate) =>
      candidate.join('\n') === bestCandidate.join('\n') ||
      countEqualStarts(candidate, original) * 2 < countEqualStarts(bestCandidate, original),
  );
  return hasBars && isOnlyOne ? bestCandidate : 'unclear';
}

/**
 * Compares the lines that result from removing line numbers with and without the space after them, for sorting. Prefers
 * the result in which not every line starts with a space.
 */
function compareLeadingSpaces(a: readonly string[], b: readonly string[]): number {
  const [longerLines, order] = a.join('').length >= b.join('').length ? [a, -1] : [b, 1];
  return longerLines.some((line) => /^\S/u.test(line)) ? order : -order;
}

function countEqualLines(lines: readonly string[], original: readonly string[]): number {
  const originalLines = new Set(original);
  return lines.filter((line) => originalLines.has(line)).length;
}

/** Counts the lines whose first three characters after the indentation are the same as in an original line. */
function countEqualStarts(lines: readonly string[], original: readonly string[]): number {
  const getLineStart = (line: string): string => line.trimStart().slice(0, 3);
  const originalStarts = new Set(original.filter(isNonBlank).map(getLineStart));
  return lines.filter((line) => isNonBlank(line) && originalStarts.has(getLineStart(line))).length;
}

const toTrimmedLines = memoize(
  (lines): ReadonlySet<string> => new Set(lines.map((line) => line.trim())),
);

/** Checks whether every line is either an original line or begins with an added plus sign, as in a diff. */
export function hasPlusSigns({ nonBlankLines, originalLines, document }: NewLines): boolean {
  const { language, instruction = '' } = document;
  const addedLines = nonBlankLines.filter((line) => line.startsWith('+'));
  if (addedLines.length === 0) return false;
  const isRequested = listRequestPattern.test(instruction);
  const knownLines = toTrimmedLines(originalLines);
  const isList =
    markdownLikeLanguagesPattern.test(language) &&
    addedLines.every((line) => /^\+(?: \S|\d)/u.test(line));
  return (
    !(
      isList &&
      (originalLines.length > 1 ||
        originalLines.some((line) => /^[-*+\d]/u.test(line)) ||
        isRequested) &&
      addedLines.length === nonBlankLines.length &&
      !addedLines.every(
        (line) =>
          line.startsWith('+ ') && knownLines.has(line.slice(2)) && originalLines.length > 1,
      )
    ) && nonBlankLines.every((line) => line.startsWith('+') || knownLines.has(line.trim()))
  );
}

const commentStartPattern = /^\s*(?:\/\/[/!]?|\/\*+!?|\*(?!\*)|#+(?=\s)|--+|%+|;+|"{3}|<!--)\s*/u;
const emphasizedWordPattern = /(?<![\w*/])\*\*(?<word>\w+)\*\*(?![\w*/])/u;
/** Matches words with which authors often begin a bold label, such as `Note` in `**Note:**`. */
const labelWordPattern =
  /^(?:caution|danger|default|deprecated|errors?|examples?|experimental|fixed|important|info|internal|new|note|notes|optional|panics|required|safety|since|see|tip|todo|usage|warning)$/iu;
export const emphasisRequestPattern =
  /bold|strong|emphas|highlight|\bmark|stress|style|format|fett|hervorheb|gras|negrita|粗体|加粗|太字/iu;

/**
 * Checks for a word between double asterisks outside strings, as in a highlighted search result. Returns false if the
 * original contains double asterisks.
 */
export function hasEmphasizedCode({
  nonBlankLines,
  text,
  originalLines,
  originalText,
  document,
}: NewLines): boolean {
  const { language, instruction } = document;
  if (!text.includes('**') || originalText.includes('**')) return false;
  const isRequested = emphasisRequestPattern.test(instruction ?? '');
  const isMarkup = /^(?:markdown|mdx|quarto|rmd|prompt|instructions|chatagent|plaintext)$/u.test(
    language,
  );
  if (/^(?:restructuredtext|asciidoc)$/u.test(language)) return false;
  const firstWordIndex = nonBlankLines.findIndex((line) => /\p{L}/u.test(line));
  const isSimilar = createSimilarLineCheck(originalLines);
  return nonBlankLines.some((line, index) => {
    if (line.startsWith('#!')) return /\*\*\w+\*\*/u.test(line);
    const word = emphasizedWordPattern.exec(line)?.groups?.['word'];
    if (word === undefined) return false;
    const isComment = commentStartPattern.test(line) && !isMarkup;
    if (!isMarkup && !isComment) return emphasizedWordPattern.test(removeStrings(line));
    if (isRequested) return false;
    const content = line.replace(isMarkup ? /^[#>\s]*/u : commentStartPattern, '');
    const isStart = firstWordIndex < 0 || index <= firstWordIndex;
    const isFirst = isStart && /^\*\*\w+\*\*(?:$| \p{Ll})/u.test(content);
    if (isFirst && !isMarkup) return !labelWordPattern.test(word);
    // Without an instruction, only the first word is certainly not emphasized on purpose.
    return (
      (instruction !== undefined || (isStart && content.startsWith('**'))) &&
      isSimilar(line.replaceAll('**', ''), word.toLowerCase())
    );
  });
}

/**
 * Checks whether all replacement lines begin with list numbers, although no original line does and the user requested
 * no list.
 */
export function hasListNumbers({
  nonBlankLines,
  originalLines,
  isTextDocument,
  document,
}: NewLines): boolean {
  const neighborLines = [document.before.findLast(isNonBlank), document.after.find(isNonBlank)];
  const isList =
    isTextDocument &&
    (originalLines.length === 0 ||
      listRequestPattern.test(document.instruction ?? '') ||
      neighborLines.some((line = '') => /^\s*\d+[.)]\s/u.test(line)));
  const isNumbered = [1, 2].some((start) =>
    nonBlankLines.every((line, index) => line.trimStart().startsWith(`${index + start}. `)),
  );
  return isNumbered && !isList && !hasListItem(originalLines);
}

const hasListItem = memoize((lines) =>
  lines.some((line) => /^\s*(?:\d+[.)]|[-*+•])\s/u.test(line)),
);

/**
 * Checks whether lines of only three quotation marks enclose the replacement lines. In Python, they can delimit a
 * docstring, so the enclosed lines must also be similar to original lines.
 */
export function isQuoted({
  nonBlankLines,
  text,
  originalLines,
  document: { language },
}: NewLines): boolean {
  if (!/^(?<marks>"{3}|'{3})\n[\s\S]*\n\k<marks>$/u.test(text.trim())) return false;
  if (language !== 'python') return true;
  const isSimilar = createSimilarLineCheck(nonBlankLines.slice(1, -1));
  return originalLines.some((line) => isSimilar(line));
}

/** Checks whether an answer repeats the original lines and then contains their changed version. */
export function repeatsOriginal({ nonBlankLines, originalLines }: NewLines): boolean {
  const rest = nonBlankLines.slice(originalLines.length);
  if (originalLines.length === 0 || rest.length === 0) return false;
  if (originalLines.some((line, index) => line.trim() !== nonBlankLines[index]?.trim()))
    return false;
  const [firstLine = ''] = originalLines;
  if (/[\p{L}\p{N}]{2}/u.test(firstLine) && rest.some((line) => line.trim() === firstLine.trim()))
    return true;
  const lineHead = getLineHead(firstLine);
  if (
    originalLines.length > 1 &&
    lineHead.length > 2 &&
    rest.some((line) => getLineHead(line) === lineHead && /[:=({]/u.test(line))
  )
    return true;
  if (rest.length * 2 < originalLines.length) return false;
  const isSimilar = createSimilarLineCheck(rest);
  return originalLines.filter((line) => isSimilar(line)).length * 2 >= originalLines.length;
}

/**
 * Returns the text of a line before its first `=`, `:`, `(` or `{`, such as the name of an assigned variable or a
 * function.
 */
const getLineHead = (line: string): string =>
  /^\s*[\w$ .-]*(?=[:=({])/u.exec(line)?.[0].trim() ?? '';

/** Removes the string literals and regular expressions that are on one line. */
export const removeStrings = (text: string): string =>
  text
    .replaceAll(/\\./gu, '')
    .replaceAll(/"[^"\n]*"|(?<!\w)'[^'\n]*'|`[^`]*`|(?<=[=(,:[!&|?{};\s])\/[^/\s*][^/\n]*\//gu, '');

const toTagNames = memoize(
  (lines): ReadonlySet<string> =>
    new Set(lines.map((line) => /^\s*<(?<name>[a-z][\w-]*)/u.exec(line)?.groups?.['name'] ?? '')),
);

/**
 * Checks whether the first replacement line begins with a tag that the original does not contain. In languages with
 * tags, only tags that models write around answers count, such as `<replace>`.
 */
function hasForeignTag({
  nonBlankLines: [firstLine = ''],
  originalLines,
  originalText,
  document: { language },
}: NewLines): boolean {
  const tagGroups = /^\s*<(?<name>[a-z][\w-]*)(?<attributes>\s[^<>]*)?>/u.exec(firstLine)?.groups;
  const name = tagGroups?.['name'] ?? '';
  if (
    tagGroups === undefined ||
    toTagNames(originalLines).has(name) ||
    originalText.includes(`<${name}`)
  )
    return false;
  if (!taggedLanguages.has(language)) return !/<\/?[a-z]/iu.test(originalText);
  const answerTagPattern = /^(?:search|replace|find|new|old|path|explanation|edits?)$|_/u;
  return language !== 'xml' && tagGroups['attributes'] === undefined && answerTagPattern.test(name);
}

export const copyRequestPattern =
  /duplic|\bcopy (?:it|this|that|them|the (?:lines?|selection|function|method|block))\b|\b(?:a|another|second) copy|repeat|\bagain\b|twice|another|\bboth\b|\btimes\b|\bsteps\b/iu;
export const escapeRequestPattern = /&|unicode|escap|encod|entit|json|base ?64|backslash|literal/iu;

/**
 * Creates a test that checks whether all lines match a pattern. In text documents, a single line never passes the test.
 */
const createAllLinesTest =
  (pattern: RegExp) =>
  ({ nonBlankLines, isTextDocument }: NewLines): boolean =>
    (nonBlankLines.length > 1 || !isTextDocument) &&
    nonBlankLines.every((line) => pattern.test(line));

/** Rules that apply only to answers to edit requests. */
export const lineRules: readonly AddedTextRule[] = [
  ['marks', 'emphasis of all lines', [/^\s*\*\*.*\*\*$/u, /^\s*`.*`$/u].map(createAllLinesTest)],
  [
    'marks',
    'emphasis of a line',
    [
      ({ nonBlankLines, originalLines, originalText, text, isTextDocument }) =>
        isTextDocument &&
        originalLines.length > 0 &&
        nonBlankLines.length === 1 &&
        /^\*\*[^*]+\*\*$/u.test(text.trim()) &&
        text.replaceAll('**', '').trim() !== originalText.trim(),
    ],
    new RegExp(`${emphasisRequestPattern.source}|heading|title|label`, 'iu'),
  ],
  [
    'delimiters',
    'quotation marks',
    [createAllLinesTest(/^".*"$/u), ({ text }) => /^\s*«[\s\S]*»\s*$/u.test(text), isQuoted],
    /quot|\bstrings?\b/iu,
    /^(?:csv|tsv|json\w*)$/u,
  ],
  [
    'marks',
    'bullets',
    [
      ({ nonBlankLines, isTextDocument, document: { language } }) =>
        language !== 'yaml' &&
        (nonBlankLines.length > 1 || isTextDocument) &&
        nonBlankLines.every((line) => /^[-•](?: |$)/u.test(line)),
      ({ nonBlankLines }) =>
        nonBlankLines.every((line) => /^(?:[→•▸►▶│┃»›❯➜➤▪●]|=>)\s?/u.test(line)),
    ],
    listRequestPattern,
  ],
  [
    'marks',
    'bullets before table rows',
    [
      ({ nonBlankLines, originalLines }) =>
        nonBlankLines.some((line) => /^[-*•] \|.*\|$/u.test(line)) &&
        !originalLines.some((line) => /^[-*•] \|/u.test(line)),
    ],
  ],
  ['marks', 'numbers of a list', [hasListNumbers]],
  [
    'marks',
    'vertical bars',
    [
      ({ nonBlankLines, isTextDocument }) =>
        nonBlankLines.every((line) => line.startsWith('| ')) &&
        !(isTextDocument && nonBlankLines.every((line) => line.trimEnd().endsWith('|'))),
    ],
    undefined,
    /^(?:fsharp|ocaml|haskell|elm|rescript)$/u,
  ],
  [
    'escapes',
    'HTML escapes',
    [
      hasHtmlEscapes,
      ({ nonBlankLines, textWithoutStrings, originalLines, document: { language } }) =>
        nonBlankLines.length === 1 &&
        (taggedLanguages.has(language)
          ? originalLines.length > 2 && /<br.*<br/u.test(textWithoutStrings)
          : /<br ?\/?>/u.test(textWithoutStrings)),
      ({ text, originalText }) =>
        text.includes('\\"') &&
        !/(?<!\\)"/u.test(text) &&
        originalText.includes('"') &&
        !originalText.includes('\\"'),
    ],
    escapeRequestPattern,
  ],
  ['repeated', 'repeated lines', [hasDoubledLines, repeatsOriginal], copyRequestPattern],
  ['call', 'JSON that contains the lines', [isForeignJson]],
  ['delimiters', 'name of the file', [isFileName, isFileCommand]],
  ['delimiters', 'tag', [hasForeignTag, /<explanation>.*$/u]],
  [
    'remark',
    'reference',
    [
      ({ nonBlankLines, text }) => nonBlankLines.length === 1 && /^(?:L\d+: |\[\d+\] )/u.test(text),
      /\n\[\^\d+\]: .*$/u,
    ],
    /note|source|cit|refer/iu,
  ],
  ['remark', 'instruction', [isInstruction]],
];
