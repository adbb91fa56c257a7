/** Replaced range between two versions of a line. */
export interface Difference {
  /** Start offset in both versions, in UTF-16 units. */
  readonly start: number;
  readonly removed: string;
  readonly inserted: string;
}

/**
 * Returns the smallest replaced range between two lines; both texts are empty for equal lines. Never splits a
 * surrogate pair. An ambiguous insertion starts as far right as possible.
 */
export function findDifference(before: string, after: string): Difference {
  const maxLength = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxLength && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && isHighSurrogate(before, start - 1)) start--;
  let commonEnd = 0;
  while (commonEnd < maxLength - start && before.at(-1 - commonEnd) === after.at(-1 - commonEnd))
    commonEnd++;
  if (commonEnd > 0 && isLowSurrogate(before, before.length - commonEnd)) commonEnd--;
  return {
    start,
    removed: before.slice(start, before.length - commonEnd),
    inserted: after.slice(start, after.length - commonEnd),
  };
}

/** Checks whether `part` is a subsequence of `whole`. VS Code can only draw ghost text around a subsequence. */
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

/** Cursor and the text of its line. */
export interface LineCursor {
  readonly document: string;
  readonly languageId: string;
  /** Zero-based, like `character`. */
  readonly line: number;
  readonly character: number;
  /** Text of the line without its line end. */
  readonly text: string;
}

/** Change within one line, without line ends. */
export interface LineChange {
  readonly document: string;
  readonly line: number;
  readonly character: number;
  readonly removedLength: number;
  readonly inserted: string;
}

/** Collects the user's changes to one range of a line. */
export class LineEdit {
  readonly document: string;
  readonly languageId: string;
  readonly line: number;
  /** Line when the cursor entered it. */
  readonly before: string;

  #text: string;
  /** Changed range in `#text`; absent while unchanged. */
  #changedRange: { start: number; end: number } | undefined;

  constructor({ document, languageId, line, text }: LineCursor) {
    this.document = document;
    this.languageId = languageId;
    this.line = line;
    this.before = text;
    this.#text = text;
  }

  /** Current line. */
  get text(): string {
    return this.#text;
  }

  isAt({ document, line }: { readonly document: string; readonly line: number }): boolean {
    return document === this.document && line === this.line;
  }

  /** Checks whether a range touches the changed range. Always true while nothing changed. */
  touches(start: number, end = start): boolean {
    return (
      !this.#changedRange || (end >= this.#changedRange.start && start <= this.#changedRange.end)
    );
  }

  /** Applies a change to this line and returns the cursor's new offset. */
  apply({ character, removedLength, inserted }: LineChange): number {
    const removedEnd = character + removedLength;
    const tail = this.#text.slice(removedEnd);
    const difference = findDifference(this.#text.slice(character, removedEnd), inserted);
    this.#text = this.#text.slice(0, character) + inserted + tail;
    this.#extend(
      character + difference.start,
      difference.removed.length,
      difference.inserted.length,
    );
    return character + inserted.length;
  }

  #extend(start: number, removed: number, inserted: number): void {
    const { start: first, end: last } = this.#changedRange ?? { start, end: start };
    const end = Math.max(last, start + removed) - removed + inserted;
    this.#changedRange = { start: Math.min(first, start), end };
  }
}

/**
 * Checks whether the character at `index` is a word character: letter, digit, mark, `_` or `$`. False outside the
 * text.
 */
export function isWordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return false;
  if (code < 128) return isAsciiWord(code);
  // Surrogates count as word characters, so that pairs stay together.
  return (code & 0xf8_00) === 0xd8_00 || /[\p{L}\p{N}\p{M}]/u.test(text[index] ?? '');
}

/** Returns the start of the word that contains or ends at `index`. */
export function wordStart(text: string, index: number): number {
  let start = index;
  while (isWordAt(text, start - 1)) start--;
  return start;
}

/** Returns the end of the word that contains or starts at `index`. */
export function wordEnd(text: string, index: number): number {
  let end = index;
  while (isWordAt(text, end)) end++;
  return end;
}

/** Checks whether a text contains a distinctive word: not short, no number, no common keyword. */
export function hasDistinctiveWord(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!isWordAt(text, index)) continue;
    const end = wordEnd(text, index);
    if (isDistinctive(text.slice(index, end))) return true;
    index = end;
  }
  return false;
}

const isDistinctive = (word: string): boolean =>
  word.length >= 3 && /[^\d_$]/u.test(word) && !commonWords.has(word.toLowerCase());

function isAsciiWord(code: number): boolean {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  return isDigit || isUpper || isLower || code === 95 || code === 36;
}

/** Keywords of many languages. */
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
