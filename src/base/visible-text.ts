/** A part of a text: plain, or something that a person would not see as it stands. */
export interface TextSegment {
  readonly text: string;
  /** What is hidden here: `U+202E`, `U+200B ×3`, `3,000 spaces`, `12 blank lines`. Empty for plain text. */
  readonly label: string;
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
 * control characters, more than 8 spaces or tabs and more than 3 blank lines in a row are segments with a label.
 * The texts of all segments together are `text`; a text with nothing hidden is one segment, an empty one none.
 */
export function visibleSegments(
  text: string,
  { indentation = longestRun }: Options = {},
): TextSegment[] {
  const segments: TextSegment[] = [];
  let done = 0;
  const addPlain = (end: number): void => {
    if (end > done) segments.push({ text: text.slice(done, end), label: '' });
  };
  for (const { 0: found, index, groups } of text.matchAll(suspicious)) {
    if (isIndentation(text, index, found, indentation)) continue;
    addPlain(index);
    segments.push({ text: found, label: labelOf(found, groups) });
    done = index + found.length;
  }
  addPlain(text.length);
  return segments;
}

/** Whether anything in `text` would get a label. */
export const hidesSomething = (text: string, options?: Options): boolean =>
  // A search is much cheaper than a split, and nearly every text is plain.
  text.search(suspicious) !== -1 &&
  visibleSegments(text, options).some(({ label }) => label !== '');

function labelOf(found: string, groups: Record<string, string> | undefined): string {
  if (groups?.['characters'] !== undefined) return characters(Array.from(found));
  if (groups?.['blank'] !== undefined) return `${count(found.split('\n').length - 1)} blank lines`;
  const what = found.includes('\t') ? (found.includes(' ') ? 'spaces and tabs' : 'tabs') : 'spaces';
  return `${count(found.length)} ${what}`;
}

function characters(found: readonly string[]): string {
  const names = found.slice(0, namedCharacters).map(codeOf);
  if (found.every((each) => each === found[0])) {
    return found.length === 1 ? (names[0] ?? '') : `${names[0]} ×${count(found.length)}`;
  }
  const more = found.length - names.length;
  return more === 0 ? names.join(' ') : `${names.join(' ')} and ${count(more)} more`;
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const isIndentation = (text: string, index: number, found: string, longest: number): boolean =>
  /^[ \t]+$/u.test(found) && found.length <= longest && (index === 0 || text[index - 1] === '\n');

const count = (value: number): string => value.toLocaleString('en');
