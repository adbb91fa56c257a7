/** A character that is invisible, reorders text, or controls a terminal. */
export interface HiddenCharacter {
  readonly character: string;
  /** UTF-16 offset of the character in the text. */
  readonly index: number;
}

interface HiddenCharacterOptions {
  /**
   * UTF-16 offset at which the search for hidden characters starts. The text before this offset only determines whether
   * later characters count as hidden.
   */
  readonly startIndex?: number;
  /**
   * True if more text may follow, such as in a streamed answer. A zero-width joiner at the end of the text then does
   * not count as hidden, because it may join the next character.
   */
  readonly mayContinue?: boolean;
}

/**
 * Removes characters from a text that the user cannot see but a model can read. `removedCount` is the
 * number of removed characters. Runs in linear time.
 */
export function stripHiddenCharacters(text: string): { text: string; removedCount: number } {
  const visibleParts: string[] = [];
  let [end, removedCount] = [0, 0];
  for (const { character, index } of findHiddenCharacters(text)) {
    visibleParts.push(text.slice(end, index));
    end = index + character.length;
    removedCount += 1;
  }
  visibleParts.push(text.slice(end));
  return { text: visibleParts.join(''), removedCount };
}

/**
 * Finds characters that are invisible, reorder the displayed text or control terminals, in text order. Skips tabs, line
 * breaks and characters that are needed to display the text correctly. Examples are joiners between emoji or letters,
 * variation selectors after a symbol, and tag characters in flags.
 */
export function* findHiddenCharacters(
  text: string,
  { startIndex = 0, mayContinue = false }: HiddenCharacterOptions = {},
): Generator<HiddenCharacter> {
  // Nearly all texts contain no hidden characters, and this search is much faster than the loop.
  if (text.slice(startIndex).search(suspiciousPattern) === -1) return;
  const searchPattern = new RegExp(suspiciousPattern);
  searchPattern.lastIndex = startIndex;
  for (let match = searchPattern.exec(text); match !== null; match = searchPattern.exec(text)) {
    const [character] = match;
    const { index } = match;
    if (match.groups?.['flag'] !== undefined) continue;
    const after = text.slice(index + character.length, index + character.length + 2);
    const before = text.slice(Math.max(0, index - precedingContextLength), index);
    if (isNeededForRendering(character, before, mayContinue && after === '' ? undefined : after))
      continue;
    yield { character, index };
  }
}

/*
 * Tag characters and variation selectors can encode invisible instructions. Bidirectional controls
 * change the display order of text. Interlinear annotations hide text in other text.
 */
const suspiciousPattern =
  /(?<flag>\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F})|(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

/**
 * Number of UTF-16 code units before an invisible character that are examined to decide whether the displayed text
 * needs the invisible character. Covers a symbol of two code units and its variation selector.
 */
const precedingContextLength = 3;

const symbolPattern = /\p{Extended_Pictographic}$/u;
const keycapBasePattern = /[0-9#*]$/u;
const joinableEndPattern = /(?:\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})$/u;
const joinableStartPattern = /^\p{Extended_Pictographic}/u;
const selectorPattern = /^\p{Variation_Selector}/u;

/**
 * Unicode scripts in which a zero-width joiner between two letters changes the shape of these
 * letters.
 */
const joiningScripts = [
  ...['Arab', 'Syrc', 'Mand', 'Mong', 'Nkoo', 'Phag', 'Adlm', 'Rohg', 'Mani'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Newa'],
  ...['Mymr', 'Khmr', 'Java', 'Bali', 'Tirh'],
];
const joiningLetterSource = String.raw`(?=[\p{L}\p{M}])[${joiningScripts.map((script) => String.raw`\p{scx=${script}}`).join('')}]`;
const joiningLetterBeforePattern = new RegExp(`${joiningLetterSource}$`, 'u');
const joiningLetterAfterPattern = new RegExp(`^${joiningLetterSource}`, 'u');
/**
 * Virama signs, which remove the vowel of a consonant. A zero-width joiner after a virama changes
 * the displayed text, even at the end of a word.
 */
const viramaPattern = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]$/u;

/**
 * Checks whether an invisible character is needed to display the text correctly, such as a joiner inside an emoji.
 * @param after text after the character; empty at the end of the text, `undefined` if the next character is not known
 * yet
 */
function isNeededForRendering(
  character: string,
  before: string,
  after: string | undefined,
): boolean {
  switch (character) {
    case '\uFE0E':
    case '\uFE0F':
      if (after !== undefined && selectorPattern.test(after)) return false;
      return (
        symbolPattern.test(before) ||
        (keycapBasePattern.test(before) && (after ?? combiningKeycap).startsWith(combiningKeycap))
      );
    case '\u200D':
      if (viramaPattern.test(before)) return true;
      if (joinableEndPattern.test(before))
        return after === undefined || joinableStartPattern.test(after);
      return joinsLetters(before, after);
    case '\u200C':
      return joinsLetters(before, after);
    default:
      return false;
  }
}

const combiningKeycap = '\u20E3';

const joinsLetters = (before: string, after: string | undefined): boolean =>
  joiningLetterBeforePattern.test(before) &&
  (after === undefined || joiningLetterAfterPattern.test(after));

/* oxlint-disable no-control-regex -- control characters are this file's subject */

/**
 * Pattern of the terminal escape sequences that ECMA-48 defines. Includes unfinished sequences, and strings that end
 * with ST, BEL or the end of the line. Also matches all C0 and C1 control characters except tab, line feed and carriage
 * return.
 */
const escapeSequencePattern = new RegExp(
  [
    /(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]?/,
    /(?:\x1B[\]PX^_]|[\x90\x98\x9D-\x9F])(?:[^\x07\x18\x1A\x1B\x9C]*(?:\x07|\x1B\\|\x9C)|[^\n\x07\x18\x1A\x1B\x9C]*)/,
    /\x1B[ -/]*[0-~]?/,
    /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Removes all terminal escape sequences and control characters. Runs in linear time. */
export const stripEscapeSequences = (text: string): string =>
  text.replace(escapeSequencePattern, '');

/** Converts a text to a single line. Removes hidden characters and repeated spaces. */
export function toSingleLine(text: string): string {
  const singleLine = text.toWellFormed().replaceAll(/[\s\p{Z}]+/gu, ' ');
  // Removing a character can leave two adjacent spaces.
  return stripHiddenCharacters(singleLine).text.replaceAll(/ +/gu, ' ').trim();
}
