import { findHiddenCharacters } from '../../base/hidden-characters.ts';
import { balanceBrackets, closeBlock, repairIndentation } from './brackets.ts';
import { isEcho, repeatsPreviousLines, cutRepetition, cutRepeatedSuffix } from './repetition.ts';
import { languageAt } from '../language/language.ts';
import type { FilterName } from '../reason.ts';
import { linePrefix } from '../language/cursor-context.ts';
import type { Snapshot } from '../snapshot.ts';

/** Checks whether a text is similar to text that the user just deleted. */
export function resemblesDeleted(text: string, deletedText: string): boolean {
  const [suggested, deleted] = [text, deletedText].map((text) =>
    text.slice(0, maxComparedLength).replaceAll(/\s+/gu, ' ').trim(),
  );
  // The deletion of a few characters is usually the correction of a typing error.
  if (suggested === undefined || deleted === undefined || deleted.length < 4) return false;
  if (suggested === deleted || (deleted.length >= 12 && suggested.startsWith(deleted))) return true;
  return diceCoefficient(countPairs(suggested), countPairs(deleted)) >= 0.85;
}

const maxComparedLength = 1_000;

/** Returns Dice's coefficient of character pairs, from 0 to 1. */
function diceCoefficient(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [sharedCount, totalCount] = [0, 0];
  for (const [pair, count] of a) {
    sharedCount += Math.min(count, b.get(pair) ?? 0);
    totalCount += count;
  }
  for (const count of b.values()) totalCount += count;
  return totalCount === 0 ? 0 : (2 * sharedCount) / totalCount;
}

function countPairs(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/**
 * Checks whether a text contains characters that the user cannot see or distinguish: invisible characters, spaces that
 * the document does not contain, lone surrogates, private-use characters, and more than six combining marks in a row.
 */
export function hasInvisibleCharacters(text: string, snapshot: Snapshot): boolean {
  if (!text.isWellFormed() || forbiddenCharacters.test(text)) return true;
  if (findHiddenCharacters(text).next().done === false) return true;
  return [...new Set(text.match(unusualSpaces))].some((space) => !isUsedNearby(space, snapshot));
}

/*
 * Matches private-use characters, noncharacters, hieroglyph joiners, and seven combining marks in a row. Burmese uses
 * up to five marks on a letter, and no script uses more than six.
 */
const forbiddenCharacters =
  /[\p{Private_Use}\p{Noncharacter_Code_Point}\u{13430}-\u{13440}]|\p{Mark}{7}/u;

/** Matches spaces other than the ordinary space, including the blank Braille pattern. */
const unusualSpaces = /(?! )[\p{Space_Separator}\u2800]/gu;

const isUsedNearby = (space: string, { prefix, suffix }: Snapshot): boolean =>
  prefix.includes(space) ||
  suffix.includes(space) ||
  (space === '\u3000' && (eastAsian.test(prefix) || eastAsian.test(suffix)));

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Returns the text before the first code fence. In prose documents, returns the whole text, because fences are part of
 * prose.
 */
export function removeFences(text: string, snapshot: Snapshot): string {
  if (languageAt(snapshot).scopes === 'paragraphs') return text;
  const fence = /(?:^|\n)[\t ]*(?:```|~~~)/u.exec(text);
  return fence === null ? text : text.slice(0, fence.index);
}

/**
 * Removes trailing white space from the text and from each line. In prose documents, lines remain unchanged, because
 * two trailing spaces are a line break.
 */
export function removeTrailingSpace(text: string, snapshot: Snapshot): string {
  const refined = text.trimEnd();
  if (languageAt(snapshot).scopes === 'paragraphs' || !/[\t ]\n/u.test(refined)) return refined;
  return refined
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * Truncates the text before a wide gap of white space, because a gap can move code out of the visible area. Allows gaps
 * of up to 24 columns or the widest nearby gap. Allows indentation of up to 24 columns more than nearby lines. Takes
 * linear time.
 */
export function cutAtWideGap(text: string, snapshot: Snapshot): string {
  if (!minWideGapPattern.test(text)) return text;
  const allowed = allowedWidths(snapshot);
  const before = linePrefix(snapshot);
  let lineStart = -before.length;
  for (const line of (before + text).split('\n')) {
    const wideGap = findGaps(line).find(
      ({ start, end, columns }) =>
        lineStart + end > 0 && columns > (start === 0 ? allowed.indent : allowed.gap),
    );
    if (wideGap !== undefined) return text.slice(0, Math.max(0, lineStart + wideGap.start));
    allowed.indent = Math.max(allowed.indent, lineWidth(line) + maxGap);
    lineStart += line.length + 1;
  }
  return text;
}

/** Maximum gap in columns. A tab counts as four columns. */
const maxGap = 24;
/** Upper limits in columns for the nearby gap and the nearby line width that increase the allowed widths. */
const maxNearbyGap = 80;
const maxNearbyWidth = 120;

/** Matches the shortest white space that can be a wide gap, which consists of seven tabs. */
const minWideGapPattern = /[\s\u2800]{7}/u;

/** Maximum widths in columns. */
interface AllowedWidths {
  readonly gap: number;
  indent: number;
}

function allowedWidths({ prefix, suffix }: Snapshot): AllowedWidths {
  const lines = [...prefix.slice(-4_000).split('\n'), ...suffix.split('\n')];
  const gaps = lines.flatMap((line) => findGaps(line).filter(({ start }) => start > 0));
  return {
    gap: Math.max(maxGap, ...gaps.map(({ columns }) => Math.min(maxNearbyGap, columns))),
    indent: Math.max(...lines.map(lineWidth)) + maxGap,
  };
}

const lineWidth = (line: string): number => Math.min(maxNearbyWidth, columnsOf(line.trimEnd()));

interface Gap {
  readonly start: number;
  readonly end: number;
  readonly columns: number;
}

/** Returns the runs of at least seven white space characters that are followed by other text. */
const findGaps = (line: string): Gap[] =>
  [...line.matchAll(/[\s\u2800]{7,}/gu)]
    .map(({ 0: whiteSpace, index }) => ({
      start: index,
      end: index + whiteSpace.length,
      columns: columnsOf(whiteSpace),
    }))
    .filter(({ end }) => end < line.length);

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character === '\t' ? 4 : character === '\u3000' ? 2 : 1;
  return columns;
}

export interface RefineContext {
  readonly snapshot: Snapshot;
  /** Text that the user just deleted at the cursor. */
  readonly deletedText?: string;
  /** True if the answer is complete. If false, `text` contains only the complete lines received so far. */
  readonly isWhole: boolean;
  /** Filter that removed text while the answer was read. */
  readonly removed?: FilterName | undefined;
}

export type RefineResult = { readonly text: string } | { readonly filter: FilterName };

/**
 * Returns the part of an answer that can be shown. If nothing remains, returns the filter that removed the text. Takes
 * linear time.
 */
export function refine(text: string, context: RefineContext): RefineResult {
  let refined = text;
  for (const { filter, apply } of steps) {
    refined = apply(refined, context);
    if (text.trim() === '') return { filter: context.removed ?? 'blank' };
    if (refined.trim() === '') return { filter };
  }
  return { text: refined };
}

interface FilterStep {
  /** Filter name to report if the step removes the whole text. */
  readonly filter: FilterName;
  readonly apply: (text: string, context: RefineContext) => string;
}

const dropIf = (
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
    apply: dropIf((text, { snapshot }) => hasInvisibleCharacters(text, snapshot)),
  },
  { filter: 'control-characters', apply: (text, { snapshot }) => cutAtWideGap(text, snapshot) },
  { filter: 'prose', apply: (text, { snapshot }) => removeFences(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => removeTrailingSpace(text, snapshot) },
  { filter: 'echo', apply: dropIf((text, { snapshot }) => isEcho(text, snapshot)) },
  { filter: 'repeats-itself', apply: (text, { snapshot }) => cutRepetition(text, snapshot) },
  { filter: 'repeats-suffix', apply: (text, { snapshot }) => cutRepeatedSuffix(text, snapshot) },
  {
    filter: 'repeats-previous-lines',
    apply: dropIf((text, { snapshot }) => repeatsPreviousLines(text, snapshot)),
  },
  { filter: 'unbalanced', apply: (text, { snapshot }) => balanceBrackets(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => repairIndentation(text, snapshot) },
  {
    filter: 'just-deleted',
    apply: dropIf(
      (text, { deletedText }) => deletedText !== undefined && resemblesDeleted(text, deletedText),
    ),
  },
  { filter: 'blank', apply: (text, { snapshot }) => closeBlock(text, snapshot) },
];
