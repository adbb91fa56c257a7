import { beginsWithCommentMark } from './rate-line.ts';
import { type IndentContext, isShiftProven } from './indent-evidence.ts';
import { diffLines } from '../../base/line-diff.ts';
import { getLeadingWhitespace, isNonBlank } from '../edit/indentation.ts';
import { haveMostWordsInCommon, parseFence, toWords } from '../../base/model-answer.ts';

/** Lines to replace, and the indentation settings of the document. */
export interface IndentTarget extends IndentContext {
  /**
   * True if the editor settings of the document insert tabs. The indentation of the original lines has priority over
   * this setting.
   */
  readonly usesTabs: boolean;
  /** Width of a tab in columns. */
  readonly tabSize: number;
  /** The user's request, which can ask for different indentation. */
  readonly instruction?: string;
}

/**
 * Adapts the replacement lines of an answer to the indentation of the original lines. Restores indentation that the
 * first line or all lines lack, and converts between tabs and spaces. Returns undefined if several results are equally
 * plausible.
 */
export function fitIndentation(
  answerLines: readonly string[],
  target: IndentTarget,
): readonly string[] | undefined {
  const { original } = target;
  const convertedLines = convertIndentUnits(
    removeSurplusIndent(answerLines, target) ?? answerLines,
    target,
  );
  const lines = removeSurplusIndent(convertedLines, target);
  if (lines === undefined) return undefined;
  const nonBlankLines = lines.filter(isNonBlank);
  const [firstLine] = nonBlankLines;
  const originalFirstLine = original.find(isNonBlank);
  if (firstLine === undefined) return lines.map(() => '');
  if (originalFirstLine === undefined)
    return clearNewBlankLines(
      indentLines(lines, findMissingIndent(getLeadingWhitespace(firstLine), original[0] ?? '')),
      original,
    );
  if (
    getLeadingWhitespace(firstLine) !== getLeadingWhitespace(originalFirstLine) &&
    hasMixedUnits(original)
  )
    return undefined;
  if (
    hasShiftedFirstLine(nonBlankLines, original) ||
    areLaterLinesShifted(nonBlankLines, target) ||
    hasFlatBlocks(nonBlankLines, original)
  )
    return undefined;
  const chosenLines = chooseIndentedLines(lines, original, getLeadingWhitespace(originalFirstLine));
  const convertedAnswerLines = convertIndentUnits(answerLines, target);
  const isConverted = convertedAnswerLines.some((line, index) => line !== answerLines[index]);
  if (isConverted && hasMixedUnits([...(target.before ?? []), ...original])) return undefined;
  const documentLines = [...(target.before ?? []), ...original, ...(target.after ?? [])];
  const hasMixedIndent = (lines: readonly string[] = []): boolean =>
    lines.some((line) => /^ +\t|^\t+ +[^\s*]/u.test(line));
  if (hasMixedIndent(answerLines) && hasMixedIndent(chosenLines) && !hasMixedIndent(documentLines))
    return undefined;
  if (isConverted && isAligned(answerLines, documentLines, target.tabSize)) return undefined;
  // Text can move from an indented block to a fenced one.
  const addsFence =
    nonBlankLines.some((line) => parseFence(line) !== undefined) &&
    !original.some((line) => parseFence(line) !== undefined);
  if (
    addsFence &&
    chosenLines?.some((line, index) => line.length > (answerLines[index] ?? '').length) === true
  )
    return undefined;
  return chosenLines !== undefined &&
    isShiftProven({ answerLines: convertedAnswerLines, fittedLines: chosenLines }, target)
    ? chosenLines.every((line, index) => line === answerLines[index])
      ? chosenLines
      : clearNewBlankLines(chosenLines, original)
    : undefined;
}

const indentRequestPattern = /indent|nest|wrap|inside|format|\btabs?\b|\bspaces?\b|einr|缩进/iu;

/**
 * Removes indentation that all lines of an answer, or all lines after the first, have in addition to that of the
 * document. Returns undefined if additional indentation is likely, but no original line proves it.
 */
export function removeSurplusIndent(
  lines: readonly string[],
  { original, instruction = '', language = '' }: IndentTarget,
): readonly string[] | undefined {
  const [newLines, oldLines] = [lines.filter(isNonBlank), original.filter(isNonBlank)];
  if (oldLines.length === 0 || newLines.length === 0 || indentRequestPattern.test(instruction))
    return lines;
  const pairs = alignLines(oldLines, newLines).filter(
    ({ oldIndex, newIndex, isEqual }) =>
      (/[\p{L}\p{N}]/u.test(oldLines[oldIndex] ?? '') ||
        (oldIndex === oldLines.length - 1 && newIndex === newLines.length - 1)) &&
      (isEqual ||
        haveMostWordsInCommon(
          toWords(oldLines[oldIndex] ?? ''),
          toWords(newLines[newIndex] ?? ''),
        )),
  );
  const minWidth = computeMinIndentWidth(oldLines);
  if (computeMinIndentWidth(newLines) > minWidth) {
    const surplusIndent = findSurplusIndent(pairs, { oldLines, newLines });
    if (surplusIndent === undefined) return undefined;
    return surplusIndent === '' ? lines : lines.map((line) => removePrefix(line, surplusIndent));
  }
  const [firstLine = '', ...rest] = newLines;
  const [newWords, oldWords] = [toWords(firstLine), toWords(oldLines[0] ?? '')];
  const isSameStart =
    haveMostWordsInCommon(newWords, oldWords) ||
    [...newWords][0] === [...oldWords][0] ||
    beginsWithCommentMark(firstLine.trim());
  const isFirstInPlace =
    getLeadingWhitespace(firstLine) === getLeadingWhitespace(oldLines[0] ?? '');
  const laterPairs = pairs.filter(({ oldIndex, newIndex }) => oldIndex > 0 && newIndex > 0);
  const surplusIndent = findSurplusIndent(laterPairs, {
    oldLines,
    newLines: [rest[0] ?? '', ...rest],
  });
  if (!isSameStart || !isFirstInPlace || surplusIndent === undefined || surplusIndent === '')
    return isFirstInPlace && isIndentedAfterFirstLine(newLines, { oldLines, language })
      ? undefined
      : lines;
  // A line with the least indentation of the original has no surplus, as after a new line that opens a block.
  if (computeMinIndentWidth(rest) < minWidth + surplusIndent.length) return lines;
  const start = lines.findIndex(isNonBlank);
  return lines.map((line, index) => (index > start ? removePrefix(line, surplusIndent) : line));
}

const removePrefix = (line: string, prefix: string): string =>
  line.startsWith(prefix) ? line.slice(prefix.length) : line;

/**
 * Returns the white space by which lines of the answer are indented more than the same lines of the original. Returns
 * undefined if the answer contains no line of the original, or if the white space differs between lines.
 */
function findSurplusIndent(
  pairs: readonly LinePair[],
  {
    oldLines,
    newLines,
  }: { readonly oldLines: readonly string[]; readonly newLines: readonly string[] },
): string | undefined {
  const surplusIndents = pairs.map(({ oldIndex, newIndex }) => {
    const [oldIndent, newIndent] = [oldLines[oldIndex], newLines[newIndex]].map((line = '') =>
      getLeadingWhitespace(line),
    );
    return newIndent?.endsWith(oldIndent ?? '') === true
      ? newIndent.slice(0, newIndent.length - (oldIndent ?? '').length)
      : undefined;
  });
  const [firstSurplus] = surplusIndents;
  const isShared =
    firstSurplus !== undefined &&
    surplusIndents.every((otherSurplus) => otherSurplus === firstSurplus);
  return isShared && newLines.every((line) => line.startsWith(firstSurplus))
    ? firstSurplus
    : undefined;
}

/**
 * Checks whether all replacement lines after the first are indented more than the first without a reason. Such a reason
 * is that the first line opens a block, or that the original lines also have different indentation.
 */
function isIndentedAfterFirstLine(
  newLines: readonly string[],
  { oldLines, language }: { readonly oldLines: readonly string[]; readonly language: string },
): boolean {
  const [firstLine = '', ...rest] = newLines;
  const indent = getLeadingWhitespace(firstLine);
  const [nextIndent = ''] = rest.map(getLeadingWhitespace);
  const isComment =
    beginsWithCommentMark(firstLine.trim()) &&
    (!/^\s*(?:\/\*|<!--)/u.test(firstLine) || /(?:\*\/|-->)\s*$/u.test(firstLine));
  if (
    isComment &&
    rest.length > 0 &&
    rest.every((line) => getLeadingWhitespace(line).length > indent.length)
  )
    return true;
  return (
    (oldLines.length > 1 || /^(?:git-commit|scminput|plaintext)$/u.test(language)) &&
    oldLines.every(
      (line) => getLeadingWhitespace(line) === getLeadingWhitespace(oldLines[0] ?? ''),
    ) &&
    rest.length > 0 &&
    nextIndent.length > indent.length &&
    rest.every(
      (line) =>
        getLeadingWhitespace(line) === nextIndent && /^[\p{L}\p{N}_$"'<]/u.test(line.trim()),
    ) &&
    /[\p{L}\p{N}.;"'>)]$/u.test(firstLine.trimEnd()) &&
    !/^\s*(?:[-*+]|\d+[.)])\s/u.test(firstLine)
  );
}

/**
 * Checks whether only the first line is indented more than the first original line. Returns false if an original line
 * is indented less than the first.
 */
function hasShiftedFirstLine(content: readonly string[], original: readonly string[]): boolean {
  const [firstWidth = 0, ...rest] = content.map((line) => getLeadingWhitespace(line).length);
  const expectedWidth = getLeadingWhitespace(original.find(isNonBlank) ?? '').length;
  return (
    firstWidth > expectedWidth &&
    expectedWidth === computeMinIndentWidth(original) &&
    rest.every((width) => width >= expectedWidth) &&
    rest.includes(expectedWidth)
  );
}

/**
 * Checks whether all replacement lines after the first are indented more than the first without a reason. Such a reason
 * is that the first line opens a block, or that the first and the last original line have different indentation.
 */
function areLaterLinesShifted(
  content: readonly string[],
  { original, language = '', instruction = '' }: IndentTarget,
): boolean {
  const originalLines = original.filter(isNonBlank);
  const [firstLine = '', nextLine = '', ...rest] = content;
  const getIndentWidth = (line: string): number => getLeadingWhitespace(line).length;
  const firstLineWidth = getIndentWidth(firstLine);
  if (
    rest.length === 0 ||
    originalLines.length < 2 ||
    /^(?:sql|haskell|fsharp|plaintext|markdown|mdx|latex|tex|git-commit|scminput)$/u.test(
      language,
    ) ||
    indentRequestPattern.test(instruction) ||
    firstLineWidth !== getIndentWidth(originalLines[0] ?? '') ||
    getIndentWidth(originalLines.at(-1) ?? '') !== firstLineWidth ||
    [nextLine, ...rest].some((line) => getIndentWidth(line) <= firstLineWidth)
  )
    return false;
  const closesBlock = /^\s*(?:[})\]]|end\b|fi\b|done\b|<\/|\{\/)/u.test(rest.at(-1) ?? '');
  const openingPattern =
    /(?:[{([:,=>|&\\+*?-]|\b(?:do|then|else|return))\s*$|^\s*(?:"""|'{3}|<|\/\*|#\||--\[\[)/u;
  return closesBlock || (!openingPattern.test(firstLine) && /^\s*[\p{L}@"'$_]/u.test(nextLine));
}

/** Checks whether the bodies of blocks are not indented, although those of the original are. */
function hasFlatBlocks(content: readonly string[], original: readonly string[]): boolean {
  const originalLines = original.filter(isNonBlank);
  const isFlat = (line: string, nextLine: string): boolean =>
    /^(?![<*#]).*(?:[{([:]|=>|\b(?:do|then))\s*$/u.test(line) &&
    /^\s*[\p{L}$_"'[]/u.test(nextLine) &&
    !/^\s*(?:case|default|public|private|protected|namespace|extern|else|elif|end|done|fi)\b/u.test(
      nextLine,
    ) &&
    getLeadingWhitespace(nextLine).length <= getLeadingWhitespace(line).length;
  const countFlatBlocks = (lines: readonly string[]): number =>
    lines.filter((line, index) => isFlat(line, lines[index + 1] ?? '')).length;
  return (
    countFlatBlocks(content) > 0 &&
    countFlatBlocks(originalLines) === 0 &&
    originalLines.some((line) => /^\s/u.test(line))
  );
}

/** Checks whether some lines are indented with tabs and other lines with spaces. */
const hasMixedUnits = (lines: readonly string[]): boolean =>
  lines.some((line) => line.startsWith('\t')) && lines.some((line) => line.startsWith('  '));

/**
 * Checks whether spaces at the start of replacement lines may align text instead of indenting it. A line with such
 * spaces is more than one level deeper than the previous line. In addition, the document must also align lines, or the
 * number of spaces must not be a multiple of the tab size.
 */
function isAligned(
  lines: readonly string[],
  documentLines: readonly string[],
  tabSize: number,
): boolean {
  const isUsual = documentLines.some((line) => /^\t+ {2,}\S/u.test(line));
  const widths = lines.filter(isNonBlank).map((line) => getLeadingWhitespace(line).length);
  return widths.some(
    (width, index) =>
      index > 0 && width > (widths[index - 1] ?? 0) + tabSize && (isUsual || width % tabSize !== 0),
  );
}

const indentLines = (lines: readonly string[], addedIndent: string): readonly string[] =>
  lines.map((line) => (isNonBlank(line) ? addedIndent + line : line));

function indentFirstLine(lines: readonly string[], addedIndent: string): readonly string[] {
  const firstIndex = lines.findIndex(isNonBlank);
  return lines.map((line, index) => (index === firstIndex ? addedIndent + line : line));
}

/**
 * Returns the white space that must be added before `indent` to get `expectedIndent`. Empty if `expectedIndent` does
 * not end with `indent`.
 */
const findMissingIndent = (indent: string, expectedIndent: string): string =>
  expectedIndent.endsWith(indent)
    ? expectedIndent.slice(0, expectedIndent.length - indent.length)
    : '';

/** Makes lines of only white space empty, unless the original contains exactly the same line. */
const clearNewBlankLines = (
  lines: readonly string[],
  original: readonly string[],
): readonly string[] =>
  lines.map((line) => (isNonBlank(line) || original.includes(line) ? line : ''));

function chooseIndentedLines(
  lines: readonly string[],
  original: readonly string[],
  expectedIndent: string,
): readonly string[] | undefined {
  const [firstIndent = '', ...rest] = lines.filter(isNonBlank).map(getLeadingWhitespace);
  const missingIndent = findMissingIndent(firstIndent, expectedIndent);
  if (firstIndent === expectedIndent) return lines;
  const minWidth = computeMinIndentWidth(original);
  const isValid = (candidate: readonly string[]): boolean =>
    computeMinIndentWidth(candidate) >= minWidth;
  const firstLine = lines.find(isNonBlank) ?? '';
  const isFirstLine = original.find(isNonBlank)?.trim() === firstLine.trim();
  const isUnchangedLine = !isFirstLine && original.includes(firstLine);
  if (isUnchangedLine && isValid(lines)) return lines;
  const addedWidth = minWidth - findMinimum([firstIndent, ...rest].map(({ length }) => length));
  const minAddedIndent = addedWidth > 0 ? expectedIndent.slice(0, addedWidth) : '';
  const candidates = [
    lines,
    ...(missingIndent === ''
      ? []
      : [indentFirstLine(lines, missingIndent), indentLines(lines, missingIndent)]),
    ...(minAddedIndent === '' || minAddedIndent === missingIndent
      ? []
      : [indentLines(lines, minAddedIndent)]),
  ].filter(
    (candidate, index, allCandidates) =>
      isValid(candidate) && !isDuplicateCandidate(candidate, index, allCandidates),
  );
  const scoredCandidates = candidates
    .map((candidate) => ({ candidate, score: scoreIndentation(candidate, original) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scoredCandidates;
  if (best === undefined) return lines;
  // All lines are deeper than the original, such as in an indented code block of Markdown.
  if (computeMinIndentWidth(lines) >= minWidth + 4 && original.filter(isNonBlank).length > 1)
    return undefined;
  // Without evidence to the contrary, deeper indentation than before is intended.
  if (firstIndent.length > expectedIndent.length && isValid(lines)) return lines;
  return second !== undefined && second.score === best.score ? undefined : best.candidate;
}

const isDuplicateCandidate = (
  candidate: readonly string[],
  index: number,
  candidates: readonly (readonly string[])[],
): boolean =>
  candidates.findIndex((otherCandidate) => otherCandidate.join('\n') === candidate.join('\n')) <
  index;

/**
 * Returns the smallest number. Accepts more numbers than `Math.min(...numbers)`, whose number of arguments is limited.
 */
const findMinimum = (numbers: readonly number[]): number =>
  numbers.reduce((min, number) => Math.min(min, number), Number.POSITIVE_INFINITY);

function computeMinIndentWidth(lines: readonly string[]): number {
  const widths = lines.filter(isNonBlank).map((line) => getLeadingWhitespace(line).length);
  return widths.length === 0 ? 0 : findMinimum(widths);
}

/**
 * Rates how well the indentation of replacement lines corresponds to that of the original lines. A higher number is
 * better.
 */
function scoreIndentation(lines: readonly string[], original: readonly string[]): number {
  const [newLines, oldLines] = [lines.filter(isNonBlank), original.filter(isNonBlank)];
  const pairs = alignLines(oldLines, newLines);
  let score = 0;
  for (const { oldIndex, newIndex, isEqual } of pairs) {
    const isSame =
      getLeadingWhitespace(oldLines[oldIndex] ?? '') ===
      getLeadingWhitespace(newLines[newIndex] ?? '');
    if (isSame) score += isEqual ? 4 : 2;
  }
  const knownWidths = new Set(oldLines.map((line) => getLeadingWhitespace(line).length));
  for (const line of newLines) if (knownWidths.has(getLeadingWhitespace(line).length)) score += 0.5;
  const [firstLine = '', secondLine = ''] = newLines;
  const isUsual = hasUnindentedBody(oldLines[0] ?? '', oldLines[1] ?? '');
  if (newLines.length > 1 && !isUsual && hasUnindentedBody(firstLine, secondLine))
    score -= 4 * newLines.length;
  return score;
}

/** Checks whether the first line opens a block whose body is not indented. */
const hasUnindentedBody = (firstLine: string, secondLine: string): boolean =>
  /[:{([]\s*$/u.test(firstLine) &&
  !/^\s*[)\]}-]/u.test(secondLine) &&
  getLeadingWhitespace(secondLine).length <= getLeadingWhitespace(firstLine).length;

interface LinePair {
  readonly oldIndex: number;
  readonly newIndex: number;
  readonly isEqual: boolean;
}

/**
 * Pairs the indexes of equal old and replacement lines. Also pairs the lines of a change, in order, if it has as many
 * replacement lines as old lines.
 */
function alignLines(oldLines: readonly string[], newLines: readonly string[]): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let [oldIndex, newIndex] = [0, 0];
  const changes = diffLines(
    oldLines.map((line) => line.trim()),
    newLines.map((line) => line.trim()),
  );
  const endRange = { start: oldLines.length, end: oldLines.length };
  for (const { from, to } of [...changes, { from: endRange, to: endRange }]) {
    for (; oldIndex < from.start; oldIndex += 1, newIndex += 1)
      pairs.push({ oldIndex, newIndex, isEqual: true });
    const count = Math.min(from.end - from.start, to.end - to.start);
    if (from.end - from.start === to.end - to.start)
      for (let offset = 0; offset < count; offset += 1)
        pairs.push({ oldIndex: from.start + offset, newIndex: to.start + offset, isEqual: false });
    [oldIndex, newIndex] = [from.end, to.end];
  }
  return pairs;
}

function convertIndentUnits(
  lines: readonly string[],
  { original, usesTabs, tabSize, language }: IndentTarget,
): readonly string[] {
  const indents = original.filter(isNonBlank).map(getLeadingWhitespace);
  const hasTabs = indents.some((indent) => indent.startsWith('\t'));
  const hasSpaces = indents.some((indent) => indent.startsWith('  '));
  const answerIndents = lines.filter(isNonBlank).map(getLeadingWhitespace);
  const answerHasTabs = answerIndents.some((indent) => indent.startsWith('\t'));
  const answerHasSpaces = answerIndents.some((indent) => indent.startsWith('  '));
  if ((hasTabs || usesTabs) && !hasSpaces && !answerHasTabs) return toTabs(lines, tabSize);
  const isUnitKnown = hasSpaces || (!usesTabs && language !== 'makefile');
  if (isUnitKnown && !hasTabs && answerHasTabs && !answerHasSpaces) {
    const indentUnit = ' '.repeat(computeMinIndentUnitWidth(indents, tabSize));
    return lines.map((line) => line.replace(/^\t+/u, (tabs) => indentUnit.repeat(tabs.length)));
  }
  return lines;
}

const computeMinIndentUnitWidth = (indents: readonly string[], tabSize: number): number =>
  Math.max(
    2,
    findMinimum([tabSize, ...indents.map(({ length }) => length).filter((width) => width > 1)]),
  );

function toTabs(lines: readonly string[], tabSize: number): readonly string[] {
  const indentUnitWidth = computeMinIndentUnitWidth(
    lines.filter(isNonBlank).map(getLeadingWhitespace),
    tabSize,
  );
  return lines.map((line) => {
    const width = getLeadingWhitespace(line).length;
    return (
      '\t'.repeat(Math.floor(width / indentUnitWidth)) +
      ' '.repeat(width % indentUnitWidth) +
      line.slice(width)
    );
  });
}
