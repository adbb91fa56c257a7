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
  answer: readonly string[],
  target: IndentTarget,
): readonly string[] | undefined {
  const { original } = target;
  const converted = convertIndentUnits(removeSurplusIndent(answer, target) ?? answer, target);
  const lines = removeSurplusIndent(converted, target);
  if (lines === undefined) return undefined;
  const content = lines.filter(isNonBlank);
  const [first] = content;
  const originalFirst = original.find(isNonBlank);
  if (first === undefined) return lines.map(() => '');
  if (originalFirst === undefined)
    return clearNewBlankLines(
      indentLines(lines, findMissingIndent(getLeadingWhitespace(first), original[0] ?? '')),
      original,
    );
  if (
    getLeadingWhitespace(first) !== getLeadingWhitespace(originalFirst) &&
    hasMixedUnits(original)
  )
    return undefined;
  if (
    hasShiftedFirstLine(content, original) ||
    areLaterLinesShifted(content, target) ||
    hasFlatBlocks(content, original)
  )
    return undefined;
  const chosen = chooseIndentShift(lines, original, getLeadingWhitespace(originalFirst));
  const answered = convertIndentUnits(answer, target);
  const isConverted = answered.some((line, index) => line !== answer[index]);
  if (isConverted && hasMixedUnits([...(target.before ?? []), ...original])) return undefined;
  const known = [...(target.before ?? []), ...original, ...(target.after ?? [])];
  const hasMixedIndent = (lines: readonly string[] = []): boolean =>
    lines.some((line) => /^ +\t|^\t+ +[^\s*]/u.test(line));
  if (hasMixedIndent(answer) && hasMixedIndent(chosen) && !hasMixedIndent(known)) return undefined;
  if (isConverted && isAligned(answer, known, target.tabSize)) return undefined;
  // Text can move from an indented block to a fenced one.
  const addsFence =
    content.some((line) => parseFence(line) !== undefined) &&
    !original.some((line) => parseFence(line) !== undefined);
  if (
    addsFence &&
    chosen?.some((line, index) => line.length > (answer[index] ?? '').length) === true
  )
    return undefined;
  return chosen !== undefined &&
    isShiftProven({ answerLines: answered, fittedLines: chosen }, target)
    ? chosen.every((line, index) => line === answer[index])
      ? chosen
      : clearNewBlankLines(chosen, original)
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
  const [current, previous] = [lines.filter(isNonBlank), original.filter(isNonBlank)];
  if (previous.length === 0 || current.length === 0 || indentRequestPattern.test(instruction))
    return lines;
  const pairs = alignLines(previous, current).filter(
    ({ oldIndex, newIndex, isEqual }) =>
      (/[\p{L}\p{N}]/u.test(previous[oldIndex] ?? '') ||
        (oldIndex === previous.length - 1 && newIndex === current.length - 1)) &&
      (isEqual ||
        haveMostWordsInCommon(toWords(previous[oldIndex] ?? ''), toWords(current[newIndex] ?? ''))),
  );
  const minimum = computeMinIndentWidth(previous);
  if (computeMinIndentWidth(current) > minimum) {
    const surplus = findSurplus(pairs, { previous, current });
    if (surplus === undefined) return undefined;
    return surplus === '' ? lines : lines.map((line) => removePrefix(line, surplus));
  }
  const [first = '', ...rest] = current;
  const [words, oldWords] = [toWords(first), toWords(previous[0] ?? '')];
  const isSameStart =
    haveMostWordsInCommon(words, oldWords) ||
    [...words][0] === [...oldWords][0] ||
    beginsWithCommentMark(first.trim());
  const isFirstInPlace = getLeadingWhitespace(first) === getLeadingWhitespace(previous[0] ?? '');
  const later = pairs.filter(({ oldIndex, newIndex }) => oldIndex > 0 && newIndex > 0);
  const surplus = findSurplus(later, { previous, current: [rest[0] ?? '', ...rest] });
  if (!isSameStart || !isFirstInPlace || surplus === undefined || surplus === '')
    return isFirstInPlace && isIndentedAfterFirstLine(current, { previous, language })
      ? undefined
      : lines;
  // A line with the least indentation of the original has no surplus, as after a new line that opens a block.
  if (computeMinIndentWidth(rest) < minimum + surplus.length) return lines;
  const start = lines.findIndex(isNonBlank);
  return lines.map((line, index) => (index > start ? removePrefix(line, surplus) : line));
}

const removePrefix = (line: string, prefix: string): string =>
  line.startsWith(prefix) ? line.slice(prefix.length) : line;

/**
 * Returns the white space by which lines of the answer are indented more than the same lines of the original. Returns
 * undefined if both have no line in common, or if the white space differs between lines.
 */
function findSurplus(
  pairs: readonly LinePair[],
  {
    previous,
    current,
  }: { readonly previous: readonly string[]; readonly current: readonly string[] },
): string | undefined {
  const surplus = pairs.map(({ oldIndex, newIndex }) => {
    const [old, own] = [previous[oldIndex], current[newIndex]].map((line = '') =>
      getLeadingWhitespace(line),
    );
    return own?.endsWith(old ?? '') === true
      ? own.slice(0, own.length - (old ?? '').length)
      : undefined;
  });
  const [first] = surplus;
  const isShared = first !== undefined && surplus.every((other) => other === first);
  return isShared && current.every((line) => line.startsWith(first)) ? first : undefined;
}

/**
 * Checks whether all replacement lines after the first are indented more than the first without a reason. Such a reason
 * is that the first line opens a block, or that the original lines also have different indentation.
 */
function isIndentedAfterFirstLine(
  current: readonly string[],
  { previous, language }: { readonly previous: readonly string[]; readonly language: string },
): boolean {
  const [first = '', ...rest] = current;
  const indent = getLeadingWhitespace(first);
  const [next = ''] = rest.map(getLeadingWhitespace);
  const isComment =
    beginsWithCommentMark(first.trim()) &&
    (!/^\s*(?:\/\*|<!--)/u.test(first) || /(?:\*\/|-->)\s*$/u.test(first));
  if (
    isComment &&
    rest.length > 0 &&
    rest.every((line) => getLeadingWhitespace(line).length > indent.length)
  )
    return true;
  return (
    (previous.length > 1 || /^(?:git-commit|scminput|plaintext)$/u.test(language)) &&
    previous.every(
      (line) => getLeadingWhitespace(line) === getLeadingWhitespace(previous[0] ?? ''),
    ) &&
    rest.length > 0 &&
    next.length > indent.length &&
    rest.every(
      (line) => getLeadingWhitespace(line) === next && /^[\p{L}\p{N}_$"'<]/u.test(line.trim()),
    ) &&
    /[\p{L}\p{N}.;"'>)]$/u.test(first.trimEnd()) &&
    !/^\s*(?:[-*+]|\d+[.)])\s/u.test(first)
  );
}

/**
 * Checks whether only the first line is indented more than the first original line. Applies only if no original line
 * has less indentation than the first.
 */
function hasShiftedFirstLine(content: readonly string[], original: readonly string[]): boolean {
  const [first = 0, ...rest] = content.map((line) => getLeadingWhitespace(line).length);
  const expected = getLeadingWhitespace(original.find(isNonBlank) ?? '').length;
  return (
    first > expected &&
    expected === computeMinIndentWidth(original) &&
    rest.every((width) => width >= expected) &&
    rest.includes(expected)
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
  const previous = original.filter(isNonBlank);
  const [first = '', next = '', ...rest] = content;
  const width = (line: string): number => getLeadingWhitespace(line).length;
  const level = width(first);
  if (
    rest.length === 0 ||
    previous.length < 2 ||
    /^(?:sql|haskell|fsharp|plaintext|markdown|mdx|latex|tex|git-commit|scminput)$/u.test(
      language,
    ) ||
    indentRequestPattern.test(instruction) ||
    level !== width(previous[0] ?? '') ||
    width(previous.at(-1) ?? '') !== level ||
    [next, ...rest].some((line) => width(line) <= level)
  )
    return false;
  const closes = /^\s*(?:[})\]]|end\b|fi\b|done\b|<\/|\{\/)/u.test(rest.at(-1) ?? '');
  const opens =
    /(?:[{([:,=>|&\\+*?-]|\b(?:do|then|else|return))\s*$|^\s*(?:"""|'{3}|<|\/\*|#\||--\[\[)/u;
  return closes || (!opens.test(first) && /^\s*[\p{L}@"'$_]/u.test(next));
}

/** Checks whether the bodies of blocks are not indented, although those of the original are. */
function hasFlatBlocks(content: readonly string[], original: readonly string[]): boolean {
  const previous = original.filter(isNonBlank);
  const isFlat = (line: string, next: string): boolean =>
    /^(?![<*#]).*(?:[{([:]|=>|\b(?:do|then))\s*$/u.test(line) &&
    /^\s*[\p{L}$_"'[]/u.test(next) &&
    !/^\s*(?:case|default|public|private|protected|namespace|extern|else|elif|end|done|fi)\b/u.test(
      next,
    ) &&
    getLeadingWhitespace(next).length <= getLeadingWhitespace(line).length;
  const count = (lines: readonly string[]): number =>
    lines.filter((line, index) => isFlat(line, lines[index + 1] ?? '')).length;
  return count(content) > 0 && count(previous) === 0 && previous.some((line) => /^\s/u.test(line));
}

/** Checks whether some lines are indented with tabs and other lines with spaces. */
const hasMixedUnits = (lines: readonly string[]): boolean =>
  lines.some((line) => line.startsWith('\t')) && lines.some((line) => line.startsWith('  '));

/**
 * Checks whether spaces at the start of replacement lines may align text instead of indenting it. This is the case if a
 * line is more than one level deeper than the previous line, and the document also has such lines or the number of
 * spaces is not a multiple of the tab size.
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

const indentLines = (lines: readonly string[], added: string): readonly string[] =>
  lines.map((line) => (isNonBlank(line) ? added + line : line));

function indentFirstLine(lines: readonly string[], added: string): readonly string[] {
  const first = lines.findIndex(isNonBlank);
  return lines.map((line, index) => (index === first ? added + line : line));
}

/**
 * Returns the white space that must be added before `indent` to get `expected`. Empty if `expected` does not end with
 * `indent`.
 */
const findMissingIndent = (indent: string, expected: string): string =>
  expected.endsWith(indent) ? expected.slice(0, expected.length - indent.length) : '';

/** Makes lines of only white space empty, unless the original contains exactly the same line. */
const clearNewBlankLines = (
  lines: readonly string[],
  original: readonly string[],
): readonly string[] =>
  lines.map((line) => (isNonBlank(line) || original.includes(line) ? line : ''));

function chooseIndentShift(
  lines: readonly string[],
  original: readonly string[],
  expectedFirst: string,
): readonly string[] | undefined {
  const [first = '', ...rest] = lines.filter(isNonBlank).map(getLeadingWhitespace);
  const added = findMissingIndent(first, expectedFirst);
  if (first === expectedFirst) return lines;
  const minimum = computeMinIndentWidth(original);
  const isValid = (candidate: readonly string[]): boolean =>
    computeMinIndentWidth(candidate) >= minimum;
  const firstLine = lines.find(isNonBlank) ?? '';
  const isFirstLine = original.find(isNonBlank)?.trim() === firstLine.trim();
  const isUnchangedLine = !isFirstLine && original.includes(firstLine);
  if (isUnchangedLine && isValid(lines)) return lines;
  const widthAdded = minimum - findMinimum([first, ...rest].map(({ length }) => length));
  const minimumAdded = widthAdded > 0 ? expectedFirst.slice(0, widthAdded) : '';
  const candidates = [
    lines,
    ...(added === '' ? [] : [indentFirstLine(lines, added), indentLines(lines, added)]),
    ...(minimumAdded === '' || minimumAdded === added ? [] : [indentLines(lines, minimumAdded)]),
  ].filter(
    (candidate, index, all) => isValid(candidate) && !isDuplicateCandidate(candidate, index, all),
  );
  const scored = candidates
    .map((candidate) => ({ candidate, score: scoreIndentation(candidate, original) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (best === undefined) return lines;
  // All lines are deeper than the original, such as in an indented code block of Markdown.
  if (computeMinIndentWidth(lines) >= minimum + 4 && original.filter(isNonBlank).length > 1)
    return undefined;
  // Without evidence to the contrary, deeper indentation than before is intended.
  if (first.length > expectedFirst.length && isValid(lines)) return lines;
  return second !== undefined && second.score === best.score ? undefined : best.candidate;
}

const isDuplicateCandidate = (
  candidate: readonly string[],
  index: number,
  all: readonly (readonly string[])[],
): boolean => all.findIndex((other) => other.join('\n') === candidate.join('\n')) < index;

/**
 * Returns the smallest number. Accepts more numbers than `Math.min(...numbers)`, whose number of arguments is limited.
 */
const findMinimum = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);

function computeMinIndentWidth(lines: readonly string[]): number {
  const widths = lines.filter(isNonBlank).map((line) => getLeadingWhitespace(line).length);
  return widths.length === 0 ? 0 : findMinimum(widths);
}

/**
 * Rates how well the indentation of replacement lines corresponds to that of the original lines. A higher number is
 * better.
 */
function scoreIndentation(lines: readonly string[], original: readonly string[]): number {
  const [current, previous] = [lines.filter(isNonBlank), original.filter(isNonBlank)];
  const pairs = alignLines(previous, current);
  let total = 0;
  for (const { oldIndex, newIndex, isEqual } of pairs) {
    const isSame =
      getLeadingWhitespace(previous[oldIndex] ?? '') ===
      getLeadingWhitespace(current[newIndex] ?? '');
    if (isSame) total += isEqual ? 4 : 2;
  }
  const knownWidths = new Set(previous.map((line) => getLeadingWhitespace(line).length));
  for (const line of current) if (knownWidths.has(getLeadingWhitespace(line).length)) total += 0.5;
  const [first = '', second = ''] = current;
  const isUsual = hasUnindentedBody(previous[0] ?? '', previous[1] ?? '');
  if (current.length > 1 && !isUsual && hasUnindentedBody(first, second))
    total -= 4 * current.length;
  return total;
}

/** Checks whether the first line opens a block whose body is not indented. */
const hasUnindentedBody = (first: string, second: string): boolean =>
  /[:{([]\s*$/u.test(first) &&
  !/^\s*[)\]}-]/u.test(second) &&
  getLeadingWhitespace(second).length <= getLeadingWhitespace(first).length;

interface LinePair {
  readonly oldIndex: number;
  readonly newIndex: number;
  readonly isEqual: boolean;
}

/**
 * Pairs the indexes of equal old and replacement lines. Also pairs the lines of a change, in order, if it has as many
 * replacement lines as old lines.
 */
function alignLines(previous: readonly string[], current: readonly string[]): readonly LinePair[] {
  const pairs: LinePair[] = [];
  let [left, right] = [0, 0];
  const changes = diffLines(
    previous.map((line) => line.trim()),
    current.map((line) => line.trim()),
  );
  const end = { start: previous.length, end: previous.length };
  for (const { from, to } of [...changes, { from: end, to: end }]) {
    for (; left < from.start; left += 1, right += 1)
      pairs.push({ oldIndex: left, newIndex: right, isEqual: true });
    const count = Math.min(from.end - from.start, to.end - to.start);
    if (from.end - from.start === to.end - to.start)
      for (let offset = 0; offset < count; offset += 1)
        pairs.push({ oldIndex: from.start + offset, newIndex: to.start + offset, isEqual: false });
    [left, right] = [from.end, to.end];
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
    const unit = ' '.repeat(computeMinIndentUnitWidth(indents, tabSize));
    return lines.map((line) => line.replace(/^\t+/u, (tabs) => unit.repeat(tabs.length)));
  }
  return lines;
}

const computeMinIndentUnitWidth = (indents: readonly string[], tabSize: number): number =>
  Math.max(
    2,
    findMinimum([tabSize, ...indents.map(({ length }) => length).filter((width) => width > 1)]),
  );

function toTabs(lines: readonly string[], tabSize: number): readonly string[] {
  const unit = computeMinIndentUnitWidth(
    lines.filter(isNonBlank).map(getLeadingWhitespace),
    tabSize,
  );
  return lines.map((line) => {
    const width = getLeadingWhitespace(line).length;
    return '\t'.repeat(Math.floor(width / unit)) + ' '.repeat(width % unit) + line.slice(width);
  });
}
