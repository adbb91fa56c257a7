import { findHiddenCharacters } from '../../base/hidden-characters.ts';
import { parseFence } from '../../base/model-answer.ts';
import { balanceBrackets, closeBlock, findBlockEnds, repairIndentation } from './brackets.ts';
import { getLanguageAtCursor } from '../language/language.ts';
import type { FilterName } from '../reason.ts';
import { getLinePrefix } from '../language/cursor-context.ts';
import type { Snapshot } from '../snapshot.ts';
import { findNextNonBlankLine } from '../answer/scope.ts';

/** Checks whether a text is similar to the text that the user has just deleted. */
export function resemblesDeletedText(text: string, deletedText: string): boolean {
  const [suggestedStart, deletedStart] = [text, deletedText].map((text) =>
    text.slice(0, maxComparedLength).replaceAll(/\s+/gu, ' ').trim(),
  );
  // The deletion of a few characters is usually the correction of a typing error.
  if (suggestedStart === undefined || deletedStart === undefined || deletedStart.length < 4)
    return false;
  if (
    suggestedStart === deletedStart ||
    (deletedStart.length >= 12 && suggestedStart.startsWith(deletedStart))
  )
    return true;
  return computeDiceCoefficient(countPairs(suggestedStart), countPairs(deletedStart)) >= 0.85;
}

const maxComparedLength = 1_000;

/** Returns the similarity of two texts from 0 to 1: Dice's coefficient of their character pairs. */
function computeDiceCoefficient(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
): number {
  let [sharedCount, totalCount] = [0, 0];
  for (const [pair, count] of a) {
    sharedCount += Math.min(count, b.get(pair) ?? 0);
    totalCount += count;
  }
  for (const count of b.values()) totalCount += count;
  return totalCount === 0 ? 0 : (2 * sharedCount) / totalCount;
}

function countPairs(text: string): Map<string, number> {
  const pairCounts = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairCounts.set(pair, (pairCounts.get(pair) ?? 0) + 1);
  }
  return pairCounts;
}

/**
 * Checks whether a text contains characters that the user cannot see or distinguish: invisible characters, spaces that
 * the document does not contain, lone surrogates, private-use characters, and more than six combining marks in a row.
 */
export function hasInvisibleCharacters(text: string, snapshot: Snapshot): boolean {
  if (!text.isWellFormed() || forbiddenCharactersPattern.test(text)) return true;
  if (findHiddenCharacters(text).next().done === false) return true;
  return [...new Set(text.match(unusualSpacesPattern))].some(
    (space) => !isUsedNearby(space, snapshot),
  );
}

/*
 * Matches private-use characters, noncharacters, hieroglyph joiners, and seven combining marks in a row. Burmese uses
 * up to five marks on a letter, and no script uses more than six.
 */
const forbiddenCharactersPattern =
  /[\p{Private_Use}\p{Noncharacter_Code_Point}\u{13430}-\u{13440}]|\p{Mark}{7}/u;

/** Matches spaces other than the ordinary space, including the blank Braille pattern. */
const unusualSpacesPattern = /(?! )[\p{Space_Separator}\u2800]/gu;

const isUsedNearby = (space: string, { prefix, suffix }: Snapshot): boolean =>
  prefix.includes(space) ||
  suffix.includes(space) ||
  (space === '\u3000' && (eastAsianPattern.test(prefix) || eastAsianPattern.test(suffix)));

const eastAsianPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Returns the text before the first code fence. In prose documents, returns the whole text, because fences are part of
 * prose.
 */
export function removeFences(text: string, snapshot: Snapshot): string {
  if (getLanguageAtCursor(snapshot).scopeSyntax === 'paragraphs') return text;
  if (!/`{3}|~{3}/u.test(text)) return text;
  const lines = text.split('\n');
  const fenceIndex = lines.findIndex((line) => parseFence(line) !== undefined);
  return fenceIndex < 0 ? text : lines.slice(0, fenceIndex).join('\n');
}

/**
 * Removes trailing white space from the text and from each line. In prose documents, lines remain unchanged, because
 * two trailing spaces are a line break.
 */
export function removeTrailingSpace(text: string, snapshot: Snapshot): string {
  const trimmedText = text.trimEnd();
  if (getLanguageAtCursor(snapshot).scopeSyntax === 'paragraphs' || !/[\t ]\n/u.test(trimmedText))
    return trimmedText;
  return trimmedText
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * Truncates the text before a wide gap of white space, because a gap can move code out of the visible area. Allows gaps
 * of up to 24 columns, or as wide as the widest gap near the cursor. Allows indentation of up to 24 columns more than
 * nearby lines. Takes linear time.
 */
export function cutAtWideGap(text: string, snapshot: Snapshot): string {
  if (!minWideGapPattern.test(text)) return text;
  const allowedWidths = computeAllowedWidths(snapshot);
  const linePrefix = getLinePrefix(snapshot);
  let lineStart = -linePrefix.length;
  for (const line of (linePrefix + text).split('\n')) {
    const wideGap = findGaps(line).find(
      ({ start, end, width }) =>
        lineStart + end > 0 &&
        width > (start === 0 ? allowedWidths.maxIndentWidth : allowedWidths.maxGapWidth),
    );
    if (wideGap !== undefined) return text.slice(0, Math.max(0, lineStart + wideGap.start));
    allowedWidths.maxIndentWidth = Math.max(
      allowedWidths.maxIndentWidth,
      measureLineWidth(line) + maxGap,
    );
    lineStart += line.length + 1;
  }
  return text;
}

/** Maximum gap in columns. A tab counts as four columns. */
const maxGap = 24;
/** Maximum gap in columns that is allowed because of wide gaps near the cursor. */
const maxNearbyGap = 80;
/** Maximum width in columns of a line near the cursor. A longer line counts as this width. */
const maxNearbyWidth = 120;

/**
 * Matches seven white space characters. A shorter gap is never too wide, because six tabs are {@link maxGap} columns.
 */
const minWideGapPattern = /[\s\u2800]{7}/u;

/** Maximum width of a gap and maximum width of the indentation, in columns. */
interface AllowedWidths {
  readonly maxGapWidth: number;
  maxIndentWidth: number;
}

function computeAllowedWidths({ prefix, suffix }: Snapshot): AllowedWidths {
  const lines = [...prefix.slice(-4_000).split('\n'), ...suffix.split('\n')];
  const gaps = lines.flatMap((line) => findGaps(line).filter(({ start }) => start > 0));
  return {
    maxGapWidth: Math.max(maxGap, ...gaps.map(({ width }) => Math.min(maxNearbyGap, width))),
    maxIndentWidth: Math.max(...lines.map(measureLineWidth)) + maxGap,
  };
}

const measureLineWidth = (line: string): number =>
  Math.min(maxNearbyWidth, countColumns(line.trimEnd()));

interface Gap {
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/** Returns the runs of at least seven white space characters that are followed by other text. */
const findGaps = (line: string): Gap[] =>
  [...line.matchAll(/[\s\u2800]{7,}/gu)]
    .map(({ 0: whiteSpace, index }) => ({
      start: index,
      end: index + whiteSpace.length,
      width: countColumns(whiteSpace),
    }))
    .filter(({ end }) => end < line.length);

function countColumns(text: string): number {
  let width = 0;
  for (const character of text) width += character === '\t' ? 4 : character === '\u3000' ? 2 : 1;
  return width;
}

export interface RefineContext {
  readonly snapshot: Snapshot;
  /** Text that the user just deleted at the cursor. */
  readonly deletedText?: string;
  /** True if the answer is complete. If false, `text` contains only the complete lines received so far. */
  readonly isWhole: boolean;
  /** Filter that already removed text while the answer was read, before {@link refineText} was called. */
  readonly removedBy?: FilterName | undefined;
}

export type RefineResult = { readonly text: string } | { readonly filter: FilterName };

/**
 * Returns the part of an answer that can be shown. If nothing remains, returns the filter that removed the text. Takes
 * linear time.
 */
export function refineText(text: string, context: RefineContext): RefineResult {
  let refinedText = text;
  for (const { filter, apply } of steps) {
    refinedText = apply(refinedText, context);
    if (text.trim() === '') return { filter: context.removedBy ?? 'blank' };
    if (refinedText.trim() === '') return { filter };
  }
  return { text: refinedText };
}

/** Refined answer, split into consecutive suggestions. */
export interface RefinedAnswer {
  readonly text: string;
  /** Offsets that divide `text` into suggestions, in ascending order. The end of the text is not included. */
  readonly suggestionEnds: readonly number[];
}

/**
 * Refines an answer and splits it into consecutive suggestions. If the answer continues after the requested line, the
 * first suggestion is this line. Each further suggestion ends where a block or the text ends.
 * @param answer.firstSuggestionLength length of the requested line; undefined if the whole text was requested
 */
export function refineAnswer(
  {
    text,
    firstSuggestionLength,
  }: { readonly text: string; readonly firstSuggestionLength: number | undefined },
  context: RefineContext,
): RefinedAnswer | { readonly filter: FilterName } {
  const firstResult = refineText(text.slice(0, firstSuggestionLength), context);
  if (!('text' in firstResult)) return firstResult;
  const wholeResult = firstSuggestionLength === undefined ? firstResult : refineText(text, context);
  // A filter changed the requested line because of the lines after it, so only the requested line is suggested.
  if (!('text' in wholeResult) || !wholeResult.text.startsWith(firstResult.text))
    return { ...firstResult, suggestionEnds: [] };
  const blockEnds = findBlockEnds(wholeResult.text, context.snapshot);
  if (wholeResult.text.length === firstResult.text.length)
    return { ...wholeResult, suggestionEnds: blockEnds };
  const firstEnd = firstResult.text.length;
  return {
    ...wholeResult,
    suggestionEnds: [firstEnd, ...blockEnds.filter((end) => end > firstEnd)],
  };
}

interface FilterStep {
  /** Filter name to report if this step removes the whole text. */
  readonly filter: FilterName;
  readonly apply: (text: string, context: RefineContext) => string;
}

const createDropFilter = (
  shouldDrop: (text: string, context: RefineContext) => boolean,
): FilterStep['apply'] => {
  return (text, context) => (shouldDrop(text, context) ? '' : text);
};

/*
 * Steps in order. Hidden text is detected first, because later steps could remove the evidence. Fences and repetitions
 * are removed before lines are compared with the document. Brackets are balanced after repeated lines are removed, and
 * indentation is repaired after the lines are final. The final text is compared with deleted text. The block is closed
 * last, because the bracket filters would remove its end.
 */
const steps: readonly FilterStep[] = [
  {
    filter: 'control-characters',
    apply: createDropFilter((text, { snapshot }) => hasInvisibleCharacters(text, snapshot)),
  },
  { filter: 'control-characters', apply: (text, { snapshot }) => cutAtWideGap(text, snapshot) },
  { filter: 'prose', apply: (text, { snapshot }) => removeFences(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => removeTrailingSpace(text, snapshot) },
  { filter: 'echo', apply: createDropFilter((text, { snapshot }) => isEcho(text, snapshot)) },
  { filter: 'repeats-itself', apply: (text, { snapshot }) => cutRepetition(text, snapshot) },
  { filter: 'repeats-suffix', apply: (text, { snapshot }) => cutRepeatedSuffix(text, snapshot) },
  {
    filter: 'repeats-previous-lines',
    apply: createDropFilter((text, { snapshot }) => repeatsPreviousLines(text, snapshot)),
  },
  { filter: 'unbalanced', apply: (text, { snapshot }) => balanceBrackets(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => repairIndentation(text, snapshot) },
  {
    filter: 'just-deleted',
    apply: createDropFilter(
      (text, { deletedText }) =>
        deletedText !== undefined && resemblesDeletedText(text, deletedText),
    ),
  },
  {
    filter: 'blank',
    apply: (text, { snapshot, isWhole }) => (isWhole ? closeBlock(text, snapshot) : text),
  },
];

/**
 * Truncates the text after the first occurrence of a group of one to eight lines, if the group occurs three times in a
 * row. Also truncates the text before a line that consists of repetitions of a short text.
 */
export function cutRepetition(text: string, snapshot: Snapshot): string {
  const lines = text.split('\n');
  const repeatingIndex = lines.findIndex(repeatsItself);
  const remainingLines = repeatingIndex < 0 ? lines : lines.slice(0, repeatingIndex);
  const [firstLine = '', ...linesBelow] = remainingLines;
  const resultingLines = [getLinePrefix(snapshot) + firstLine, ...linesBelow];
  for (let start = 0; start + 3 <= remainingLines.length; start += 1) {
    const period = findPeriod(resultingLines, start);
    if (period > 0) return remainingLines.slice(0, start + period).join('\n');
  }
  return repeatingIndex < 0 ? text : remainingLines.join('\n');
}

const maxPeriod = 8;

function findPeriod(lines: readonly string[], start: number): number {
  for (let period = 1; period <= maxPeriod && start + 3 * period <= lines.length; period += 1) {
    const lineGroup = lines.slice(start, start + period);
    if (!lineGroup.some((line) => /[\p{L}\p{N}]/u.test(line))) continue;
    const isRepeated = (index: number): boolean =>
      lines[start + period + index] === lineGroup[index % period];
    if (Array.from({ length: 2 * period }, (_, index) => isRepeated(index)).every(Boolean))
      return period;
  }
  return 0;
}

/**
 * Checks whether a long line ends with repetitions of a text of up to 24 characters. Ignores repetitions without
 * letters and digits, such as a line of dashes.
 */
function repeatsItself(line: string): boolean {
  if (line.length < minRepeatingLength) return false;
  const tail = line.slice(-minRepeatingLength);
  if (!/[\p{L}\p{N}]/u.test(tail)) return false;
  for (let period = 1; period <= 24; period += 1)
    if (tail.slice(period) === tail.slice(0, -period)) return true;
  return false;
}

const minRepeatingLength = 160;

/** Checks whether inserting the text at the cursor would repeat the lines directly above the cursor's line. */
export function repeatsPreviousLines(text: string, snapshot: Snapshot): boolean {
  const cursorLine = getLinePrefix(snapshot);
  const textLines = getContentLines(cursorLine + text);
  const linesBefore = getContentLines(
    snapshot.prefix
      .slice(0, snapshot.prefix.length - cursorLine.length)
      .slice(-maxRepeatSearchLength),
  );
  if (textLines.length === 0 || textLines.length > linesBefore.length) return false;
  if (textLines.length === 1 && !isDistinctive(textLines[0] ?? '')) return false;
  return textLines.every(
    (line, index) => line === linesBefore[linesBefore.length - textLines.length + index],
  );
}

/** Checks whether the text only repeats the start of the cursor's line. */
export function isEcho(text: string, snapshot: Snapshot): boolean {
  const line = getLinePrefix(snapshot).trim();
  return line.length >= 3 && text.trim() === line;
}

const maxRepeatSearchLength = 4_000;

/** Checks whether a line is distinctive enough to detect a repetition. */
const isDistinctive = (line: string): boolean =>
  /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line) && line.length >= 8;

const getContentLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * Removes the last lines of the text if they equal the next lines of the document. Does not remove lines that contain
 * only brackets, because `balanceBrackets` handles them.
 */
export function cutRepeatedSuffix(text: string, snapshot: Snapshot): string {
  const nextLine = findNextNonBlankLine(snapshot.suffix);
  if (nextLine === undefined) return text;
  const suffixLines = getNonEmptyLines(snapshot.suffix.slice(snapshot.suffix.indexOf(nextLine)));
  const lines = text.split('\n');
  const [firstLine = '', ...linesBelow] = lines;
  const joinedLines = [getLinePrefix(snapshot) + firstLine, ...linesBelow];
  const start = lines.findIndex((_, index) => matchesSuffix(joinedLines, index, suffixLines));
  return start < 0 ? text : lines.slice(0, start).join('\n');
}

/**
 * Checks whether all lines from index `start` equal the next lines of the document, and at least one of them is
 * distinctive.
 */
function matchesSuffix(
  lines: readonly string[],
  start: number,
  suffixLines: readonly string[],
): boolean {
  let [matchedCount, distinctiveCount] = [0, 0];
  for (let index = start; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trimEnd();
    if (line === '') continue;
    const nextLine = suffixLines[matchedCount] ?? '';
    if (line.trimStart() !== nextLine.trimStart()) return false;
    matchedCount += 1;
    // A short line such as `end` or `</div>` is distinctive only if its indentation is equal.
    if (isDistinctiveSuffixLine(line) || (hasLetterOrDigit(line) && line === nextLine))
      distinctiveCount += 1;
  }
  return distinctiveCount > 0;
}

const hasLetterOrDigit = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
const isDistinctiveSuffixLine = (line: string): boolean =>
  hasLetterOrDigit(line) && !/^\s*(?:\w+|<\/.*)$/u.test(line);

const getNonEmptyLines = (text: string): string[] =>
  text
    .split('\n', 60)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
