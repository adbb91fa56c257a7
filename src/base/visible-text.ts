/** A part of a text: plain, or something that a person would not see as it stands. */
export interface TextSegment {
  readonly text: string;
  /** What is hidden here. Absent for plain text. */
  readonly hidden?: Hidden;
}

/** What a segment hides. Whoever shows it writes the words. */
export interface Hidden {
  readonly kind: 'characters' | 'blank-lines' | 'spaces' | 'tabs' | 'spaces-and-tabs';
  /** How many characters, spaces, tabs or lines. */
  readonly count: number;
  /** `U+200B` for each of the first four characters, or one for all if they are the same. */
  readonly codes: readonly string[];
}

interface Options {
  /** How many spaces and tabs at the beginning of a line are plain: code is indented further than commands are. */
  readonly indentation?: number;
}

const longestRun = 8;
const namedCharacters = 4;

/*
 * Whatever draws nothing, draws a gap, or reorders what is around it. Left out are the space, the tab, the line
 * feed, and the carriage return before one. Then blank lines and runs of spaces, which push text out of view.
 */
const suspicious =
  /(?<characters>(?:(?![ \t\n]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800])+)|(?<blank>(?<=^|\n)(?:[ \t]*\r?\n){4,})|[ \t]{9,}/gu;

/**
 * Splits `text` so that nothing in it can hide: invisible and reordering characters, spaces other than U+0020,
 * control characters, more than 8 spaces or tabs and more than 3 blank lines in a row are segments of their own.
 * The texts of all segments together are `text`; a text with nothing hidden is one segment, an empty one none.
 */
export function visibleSegments(
  text: string,
  { indentation = longestRun }: Options = {},
): TextSegment[] {
  const segments: TextSegment[] = [];
  let done = 0;
  const addPlain = (end: number): void => {
    if (end > done) segments.push({ text: text.slice(done, end) });
  };
  for (const { 0: found, index, groups } of text.matchAll(suspicious)) {
    if (isIndentation(text, index, found, indentation)) continue;
    addPlain(index);
    segments.push({ text: found, hidden: hiddenIn(found, groups) });
    done = index + found.length;
  }
  addPlain(text.length);
  return segments;
}

/** Whether anything in `text` is hidden. */
export const hasHiddenCharacters = (text: string, options?: Options): boolean =>
  // A search is much cheaper than a split, and nearly every text is plain.
  text.search(suspicious) !== -1 &&
  visibleSegments(text, options).some(({ hidden }) => hidden !== undefined);

/** Writes what is hidden in any language: `U+202E`, `U+200B ×3`, `U+0020 ×3000`. Lines count as `U+000A`. */
export function hiddenCodes({ count, codes }: Hidden): string {
  if (codes.length === 1) return count === 1 ? (codes[0] ?? '') : `${codes[0]} ×${count}`;
  const more = count > codes.length ? ` … ×${count}` : '';
  return `${codes.join(' ')}${more}`;
}

/** Writes a text with the codes of what is hidden in its place, in brackets. */
export const withHiddenCodes = (text: string): string =>
  visibleSegments(text)
    .map(({ text: part, hidden }) => (hidden === undefined ? part : `[${hiddenCodes(hidden)}]`))
    .join('');

function hiddenIn(found: string, groups: Record<string, string> | undefined): Hidden {
  if (groups?.['characters'] !== undefined) return charactersIn(Array.from(found));
  if (groups?.['blank'] !== undefined)
    return { kind: 'blank-lines', count: found.split('\n').length - 1, codes: ['U+000A'] };
  const [hasTabs, hasSpaces] = [found.includes('\t'), found.includes(' ')];
  const kind = hasTabs ? (hasSpaces ? 'spaces-and-tabs' : 'tabs') : 'spaces';
  const codes = [...(hasSpaces ? ['U+0020'] : []), ...(hasTabs ? ['U+0009'] : [])];
  return { kind, count: found.length, codes };
}

function charactersIn(found: readonly string[]): Hidden {
  const isOne = found.every((each) => each === found[0]);
  const codes = found.slice(0, isOne ? 1 : namedCharacters).map(codeOf);
  return { kind: 'characters', count: found.length, codes };
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const isIndentation = (text: string, index: number, found: string, longest: number): boolean =>
  /^[ \t]+$/u.test(found) && found.length <= longest && (index === 0 || text[index - 1] === '\n');
