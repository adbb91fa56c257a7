/** One stretch of a line that became another. */
export interface Difference {
  /** Where it starts in both lines, in UTF-16 units. */
  readonly start: number;
  readonly removed: string;
  readonly inserted: string;
}

/**
 * The smallest single stretch that tells two lines apart; empty texts when they are equal. Never splits a pair of
 * surrogates. Where the same insertion can be read in several ways, it starts as far behind as can be.
 */
export function findDifference(before: string, after: string): Difference {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && isHighSurrogate(before, start - 1)) start--;
  let same = 0;
  while (same < most - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  if (same > 0 && isLowSurrogate(before, before.length - same)) same--;
  return {
    start,
    removed: before.slice(start, before.length - same),
    inserted: after.slice(start, after.length - same),
  };
}

/** Whether leaving out characters of `whole` gives `part`: what ghost text needs to be drawn around it. */
export function isSubsequence(part: string, whole: string): boolean {
  let found = 0;
  for (let index = 0; index < whole.length && found < part.length; index++)
    if (whole[index] === part[found]) found++;
  return found === part.length;
}

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xd8_00;
const isLowSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xdc_00;

/** A line with the cursor in it. */
export interface LineCursor {
  readonly document: string;
  readonly languageId: string;
  /** From 0, like `character`. */
  readonly line: number;
  readonly character: number;
  /** Of the whole line, without its end. */
  readonly text: string;
}

/** One stretch of a line that was replaced, without line ends. */
export interface LineChange {
  readonly document: string;
  readonly line: number;
  readonly character: number;
  readonly removedLength: number;
  readonly inserted: string;
}

/** What a person does to one stretch of a line, change by change. */
export class LineEdit {
  readonly document: string;
  readonly languageId: string;
  readonly line: number;
  /** The line as it was when the cursor came. */
  readonly before: string;

  #text: string;
  /** The stretch that was changed, in `#text`; absent while nothing was. */
  #stretch: { start: number; end: number } | undefined;

  constructor({ document, languageId, line, text }: LineCursor) {
    this.document = document;
    this.languageId = languageId;
    this.line = line;
    this.before = text;
    this.#text = text;
  }

  /** The line as it is now. */
  get text(): string {
    return this.#text;
  }

  isAt({ document, line }: { readonly document: string; readonly line: number }): boolean {
    return document === this.document && line === this.line;
  }

  /** Whether the stretch that was changed ends, begins or lies around there; anywhere while nothing was changed. */
  touches(start: number, end = start): boolean {
    return !this.#stretch || (end >= this.#stretch.start && start <= this.#stretch.end);
  }

  /** Takes a change of this line; gives where the cursor is after it. */
  apply({ character, removedLength, inserted }: LineChange): number {
    const removedEnd = character + removedLength;
    const tail = this.#text.slice(removedEnd);
    const made = findDifference(this.#text.slice(character, removedEnd), inserted);
    this.#text = this.#text.slice(0, character) + inserted + tail;
    this.#extend(character + made.start, made.removed.length, made.inserted.length);
    return character + inserted.length;
  }

  #extend(start: number, removed: number, inserted: number): void {
    const { start: first, end: last } = this.#stretch ?? { start, end: start };
    const end = Math.max(last, start + removed) - removed + inserted;
    this.#stretch = { start: Math.min(first, start), end };
  }
}

/** Whether the character at `index` belongs to a word: letters, digits, marks, `_`, `$`. `false` outside the text. */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return false;
  if (code < 128) return isAsciiWord(code);
  // Halves of a character outside the first plane stay together.
  return (code & 0xf8_00) === 0xd8_00 || /[\p{L}\p{N}\p{M}]/u.test(text[index] ?? '');
}

/** Where the word that contains or ends at `index` begins. */
export function wordStart(text: string, index: number): number {
  let start = index;
  while (isWordAt(text, start - 1)) start--;
  return start;
}

/** Where the word that contains or begins at `index` ends. */
export function wordEnd(text: string, index: number): number {
  let end = index;
  while (isWordAt(text, end)) end++;
  return end;
}

/** Whether some word of the text says enough to find the same thing again: not short, no number, no common keyword. */
export function hasDistinctiveWord(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (!isWordAt(text, at)) continue;
    const end = wordEnd(text, at);
    if (isTelling(text.slice(at, end))) return true;
    at = end;
  }
  return false;
}

const isTelling = (word: string): boolean =>
  word.length >= 3 && /[^\d_$]/u.test(word) && !commonWords.has(word.toLowerCase());

function isAsciiWord(code: number): boolean {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  return isDigit || isUpper || isLower || code === 95 || code === 36;
}

/** Stand everywhere, in one language or another. */
const commonWords = new Set(
  (
    'abstract and any async await bool boolean break case catch char class const continue def default del delete do ' +
    'double elif else end enum except export extends false final finally float fn for from func function get global ' +
    'if impl implements import in int interface is lambda let long match mod mut new nil none not null number object ' +
    'or override package pass private protected pub public raise readonly require return self set short static str ' +
    'string struct super switch then this throw throws trait true try type typeof undefined unless unsigned use using ' +
    'val var void when where while with yield'
  ).split(' '),
);
