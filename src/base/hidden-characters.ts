/** A character that a person does not see where it stands. */
export interface HiddenCharacter {
  readonly character: string;
  /** UTF-16 offset in the text. */
  readonly index: number;
}

interface Options {
  /** Where to begin; what stands before is only looked at. */
  readonly from?: number;
  /** More of the text may follow: a joiner at its end may still join. */
  readonly goesOn?: boolean;
}

/**
 * Removes characters that a person cannot see but a model reads. `removed` counts them. Takes linear time; what is
 * clean stays the same.
 */
export function stripHiddenCharacters(text: string): { text: string; removed: number } {
  const kept: string[] = [];
  let [done, removed] = [0, 0];
  for (const { character, index } of hiddenCharacters(text)) {
    kept.push(text.slice(done, index));
    done = index + character.length;
    removed += 1;
  }
  kept.push(text.slice(done));
  return { text: kept.join(''), removed };
}

/**
 * The characters of a text that draw nothing, reorder what is drawn around them, or drive terminals, in order. Left
 * out are tabs, carriage returns and line feeds, and what writing needs: a joiner between two emoji or between letters of a script that
 * joins, one VS15 or VS16 directly behind a symbol, keycaps, and the three flags that are spelled in tags.
 */
export function* hiddenCharacters(
  text: string,
  { from = 0, goesOn = false }: Options = {},
): Generator<HiddenCharacter> {
  // Nearly every text is plain, and a search is much cheaper than a walk.
  if (text.slice(from).search(suspects) === -1) return;
  const search = new RegExp(suspects);
  search.lastIndex = from;
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const [character] = match;
    const { index } = match;
    if (match.groups?.['flag'] !== undefined) continue;
    const after = text.slice(index + character.length, index + character.length + 2);
    const before = text.slice(Math.max(0, index - contextLength), index);
    if (isNeeded(character, before, goesOn && after === '' ? undefined : after)) continue;
    yield { character, index };
  }
}

/*
 * Tag characters and variation selectors can carry whole instructions that nobody sees; bidirectional controls show a
 * text in another order than it is read; interlinear annotations hide one text behind another.
 */
const suspects =
  /(?<flag>\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F})|(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

/** UTF-16 units: a symbol outside the basic plane with its variation selector. */
const contextLength = 3;

const symbol = /\p{Extended_Pictographic}$/u;
const key = /[0-9#*]$/u;
const joinsAfter = /(?:\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})$/u;
const joinedBefore = /^\p{Extended_Pictographic}/u;
const selector = /^\p{Variation_Selector}/u;

/** Scripts whose letters take another form, or are kept from it, by a joiner. */
const joining = [
  ...['Arab', 'Syrc', 'Mand', 'Mong', 'Nkoo', 'Phag', 'Adlm', 'Rohg', 'Mani'],
  ...['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh', 'Newa'],
  ...['Mymr', 'Khmr', 'Java', 'Bali', 'Tirh'],
];
const joiningLetter = String.raw`(?=[\p{L}\p{M}])[${joining.map((script) => String.raw`\p{scx=${script}}`).join('')}]`;
const letterBefore = new RegExp(`${joiningLetter}$`, 'u');
const letterAfter = new RegExp(`^${joiningLetter}`, 'u');
/** A sign that takes a consonant's vowel away: a joiner behind it has a meaning at the end of a word too. */
const virama = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]$/u;

/** @param after Begins with the next character; empty at the end, `undefined` when it is not known yet. */
function isNeeded(character: string, before: string, after: string | undefined): boolean {
  switch (character) {
    case '\uFE0E':
    case '\uFE0F':
      if (after !== undefined && selector.test(after)) return false;
      return symbol.test(before) || (key.test(before) && (after ?? keycap).startsWith(keycap));
    case '\u200D':
      if (virama.test(before)) return true;
      if (joinsAfter.test(before)) return after === undefined || joinedBefore.test(after);
      return joinsLetters(before, after);
    case '\u200C':
      return joinsLetters(before, after);
    default:
      return false;
  }
}

const keycap = '\u20E3';

const joinsLetters = (before: string, after: string | undefined): boolean =>
  letterBefore.test(before) && (after === undefined || letterAfter.test(after));

/* oxlint-disable no-control-regex -- control characters are this file's subject */

/**
 * Everything a terminal would act on instead of showing it, after ECMA-48: control sequences, also private and
 * unfinished ones; device, operating-system, privacy and application strings, ended by ST or BEL, or else by
 * their line; other escapes; all controls of C0 and C1 but tab, line feed and carriage return.
 */
const sequences = new RegExp(
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

/** `text` as a person would read it in a terminal: no character is left in it that drives one. Takes linear time. */
export const stripEscapeSequences = (text: string): string => text.replace(sequences, '');

/** A text on one line, without hidden characters and without more than one space between words. */
export function oneLine(text: string): string {
  const spaced = text.toWellFormed().replaceAll(/[\s\p{Z}]+/gu, ' ');
  // What was hidden may have stood between two spaces.
  return stripHiddenCharacters(spaced).text.replaceAll(/ +/gu, ' ').trim();
}
