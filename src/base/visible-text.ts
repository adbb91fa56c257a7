/** A part of a text: plain text, or content that is not visible in it. */
export interface TextSegment {
  readonly text: string;
  /** Description of the hidden content. Absent for plain text. */
  readonly hidden?: HiddenContent;
}

/** Description of the hidden content of a segment. The user interface provides the wording. */
export interface HiddenContent {
  readonly kind: 'characters' | 'blank-lines' | 'spaces' | 'tabs' | 'spaces-and-tabs';
  /** Number of characters, spaces, tabs or lines. */
  readonly count: number;
  /** Codes such as `U+200B` of the first four characters, or one code if all are the same. */
  readonly codes: readonly string[];
}

interface Options {
  /** Number of spaces and tabs at a line start that count as plain. Code is indented further than commands are. */
  readonly indentation?: number;
}

const maxPlainRun = 8;
const maxCodes = 4;

/*
 * Characters that are invisible, render as a gap, or reorder the surrounding text, except space, tab, line feed and a
 * carriage return before a line feed. Also blank lines and runs of spaces, which push text out of view.
 */
const suspiciousPattern =
  /(?<characters>(?:(?![ \t\n]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800])+)|(?<blank>(?<=^|\n)(?:[ \t]*\r?\n){4,})|[ \t]{9,}/gu;

/**
 * Splits `text` into plain segments and segments with hidden content: invisible and reordering characters, spaces other
 * than U+0020, control characters, more than 8 spaces or tabs, and more than 3 blank lines in a row. The segments
 * together contain the whole text. Text without hidden content is one segment; empty text has none.
 */
export function splitHiddenText(
  text: string,
  { indentation = maxPlainRun }: Options = {},
): TextSegment[] {
  const segments: TextSegment[] = [];
  let segmentedEnd = 0;
  const addPlain = (end: number): void => {
    if (end > segmentedEnd) segments.push({ text: text.slice(segmentedEnd, end) });
  };
  for (const { 0: hiddenText, index, groups } of text.matchAll(suspiciousPattern)) {
    if (isIndentation(text, index, hiddenText, indentation)) continue;
    addPlain(index);
    segments.push({ text: hiddenText, hidden: describeHidden(hiddenText, groups) });
    segmentedEnd = index + hiddenText.length;
  }
  addPlain(text.length);
  return segments;
}

/** Checks whether `text` has hidden content. */
export const hasHiddenCharacters = (text: string, options?: Options): boolean =>
  // A search is much cheaper than a split, and nearly every text is plain.
  text.search(suspiciousPattern) !== -1 &&
  splitHiddenText(text, options).some(({ hidden }) => hidden !== undefined);

/** Formats hidden content independently of a language: `U+202E`, `U+200B ×3`, `U+0020 ×3000`. Lines count as `U+000A`. */
export function formatHiddenCodes({ count, codes }: HiddenContent): string {
  if (codes.length === 1) return count === 1 ? (codes[0] ?? '') : `${codes[0]} ×${count}`;
  const more = count > codes.length ? ` … ×${count}` : '';
  return `${codes.join(' ')}${more}`;
}

/** Replaces hidden content with its codes in brackets. */
export const revealHiddenCharacters = (text: string): string =>
  splitHiddenText(text)
    .map(({ text: part, hidden }) =>
      hidden === undefined ? part : `[${formatHiddenCodes(hidden)}]`,
    )
    .join('');

function describeHidden(
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

function describeCharacters(hiddenText: readonly string[]): HiddenContent {
  const areEqual = hiddenText.every((character) => character === hiddenText[0]);
  const codes = hiddenText.slice(0, areEqual ? 1 : maxCodes).map(codeOf);
  return { kind: 'characters', count: hiddenText.length, codes };
}

const codeOf = (character: string): string =>
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
