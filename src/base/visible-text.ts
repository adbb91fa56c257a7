/** Part of a text: either visible text or hidden content. */
export interface TextSegment {
  readonly text: string;
  /** Number and codes of the hidden characters. Absent if the segment is visible text. */
  readonly hiddenContent?: HiddenContent;
}

/** Number and codes of the hidden characters in a part of a text. */
export interface HiddenContent {
  readonly kind: 'characters' | 'blank-lines' | 'spaces' | 'tabs' | 'spaces-and-tabs';
  /** Number of hidden characters, spaces, tabs or lines. */
  readonly count: number;
  /**
   * Codes of the first four hidden characters, such as `U+200B`. Contains a single code if all
   * hidden characters are the same.
   */
  readonly codes: readonly string[];
}

interface HiddenTextOptions {
  /**
   * Maximum number of spaces and tabs at the start of a line that do not count as hidden. Use a higher number for
   * program code than for commands, because program code has deeper indentation.
   */
  readonly maxIndentation?: number;
}

const maxVisibleSpaceRun = 8;
const maxListedCodes = 4;

/*
 * Characters that are invisible, render as a gap, or reorder the surrounding text. Includes blank
 * lines and runs of spaces, which push text out of view. Excludes a space, a tab, a line feed and a
 * carriage return before a line feed.
 */
const suspiciousPattern =
  /(?<characters>(?:(?![ \t\n]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800])+)|(?<blank>(?<=^|\n)(?:[ \t]*\r?\n){4,})|[ \t]{9,}/gu;

/**
 * Splits `text` into segments with and without hidden content. Hidden content is:
 * - invisible and reordering characters, control characters, and spaces other than U+0020
 * - more than 8 spaces and tabs in a row; at the start of a line, more than `maxIndentation`
 * - more than 3 blank lines in a row
 * The segments together contain the whole text; an empty text has no segments.
 */
export function splitHiddenText(
  text: string,
  { maxIndentation = maxVisibleSpaceRun }: HiddenTextOptions = {},
): TextSegment[] {
  const segments: TextSegment[] = [];
  let segmentedEnd = 0;
  const addVisibleText = (end: number): void => {
    if (end > segmentedEnd) segments.push({ text: text.slice(segmentedEnd, end) });
  };
  for (const { 0: hiddenText, index, groups } of text.matchAll(suspiciousPattern)) {
    if (isIndentation(text, index, hiddenText, maxIndentation)) continue;
    addVisibleText(index);
    segments.push({ text: hiddenText, hiddenContent: describeHiddenText(hiddenText, groups) });
    segmentedEnd = index + hiddenText.length;
  }
  addVisibleText(text.length);
  return segments;
}

/** Checks whether `text` has hidden content. */
export const hasHiddenCharacters = (text: string, options?: HiddenTextOptions): boolean =>
  // Nearly all texts have no hidden content, and this search is much faster than a split.
  text.search(suspiciousPattern) !== -1 &&
  splitHiddenText(text, options).some(({ hiddenContent }) => hiddenContent !== undefined);

/** Formats hidden content as codes: `U+202E`, `U+200B ×3`, `U+0020 ×3000`. Represents hidden lines as `U+000A`. */
export function formatHiddenCodes({ count, codes }: HiddenContent): string {
  if (codes.length === 1) return count === 1 ? (codes[0] ?? '') : `${codes[0]} ×${count}`;
  const countSuffix = count > codes.length ? ` … ×${count}` : '';
  return `${codes.join(' ')}${countSuffix}`;
}

/** Replaces the hidden characters of a text with their codes in brackets. */
export const revealHiddenCharacters = (text: string): string =>
  splitHiddenText(text)
    .map(({ text: segmentText, hiddenContent }) =>
      hiddenContent === undefined ? segmentText : `[${formatHiddenCodes(hiddenContent)}]`,
    )
    .join('');

function describeHiddenText(
  hiddenText: string,
  groups: Record<string, string> | undefined,
): HiddenContent {
  if (groups?.['characters'] !== undefined) return describeCharacters(Array.from(hiddenText));
  if (groups?.['blank'] !== undefined)
    return { kind: 'blank-lines', count: hiddenText.split('\n').length - 1, codes: ['U+000A'] };
  const [hasTabs, hasSpaces] = [hiddenText.includes('\t'), hiddenText.includes(' ')];
  const kind = hasTabs ? (hasSpaces ? 'spaces-and-tabs' : 'tabs') : 'spaces';
  const codes = [...(hasSpaces ? ['U+0020'] : []), ...(hasTabs ? ['U+0009'] : [])];
  return { kind, count: hiddenText.length, codes };
}

function describeCharacters(hiddenCharacters: readonly string[]): HiddenContent {
  const areEqual = hiddenCharacters.every((character) => character === hiddenCharacters[0]);
  const codes = hiddenCharacters.slice(0, areEqual ? 1 : maxListedCodes).map(formatCodePoint);
  return { kind: 'characters', count: hiddenCharacters.length, codes };
}

const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const isIndentation = (
  text: string,
  index: number,
  hiddenText: string,
  maxLength: number,
): boolean =>
  /^[ \t]+$/u.test(hiddenText) &&
  hiddenText.length <= maxLength &&
  (index === 0 || text[index - 1] === '\n');
