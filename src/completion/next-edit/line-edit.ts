/** Range in which two versions of a line differ. */
export interface LineDifference {
  /** Offset in UTF-16 code units where both versions begin to differ. */
  readonly start: number;
  readonly removedText: string;
  readonly insertedText: string;
}

/**
 * Returns the smallest range that differs between two lines. For equal lines, `removedText` and `insertedText` are
 * empty. Never splits a surrogate pair. If the position is ambiguous, as for a repeated character, returns the last
 * possible position.
 */
export function findDifference(before: string, after: string): LineDifference {
  const maxLength = Math.min(before.length, after.length);
  let start = 0;
  while (start < maxLength && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && isHighSurrogate(before, start - 1)) start--;
  let commonEndLength = 0;
  while (
    commonEndLength < maxLength - start &&
    before.at(-1 - commonEndLength) === after.at(-1 - commonEndLength)
  )
    commonEndLength++;
  if (commonEndLength > 0 && isLowSurrogate(before, before.length - commonEndLength))
    commonEndLength--;
  return {
    start,
    removedText: before.slice(start, before.length - commonEndLength),
    insertedText: after.slice(start, after.length - commonEndLength),
  };
}

/**
 * Checks whether `whole` contains all characters of `part` in the same order. VS Code can show the replacement of
 * `part` with `whole` as ghost text only in this case.
 */
export function isSubsequence(part: string, whole: string): boolean {
  let matchedLength = 0;
  for (let index = 0; index < whole.length && matchedLength < part.length; index++)
    if (whole[index] === part[matchedLength]) matchedLength++;
  return matchedLength === part.length;
}

/**
 * Maximum length of the ghost text of a next edit, in characters. Longer text can extend beyond the visible part of the
 * editor.
 */
export const maxGhostTextLength = 120;

/** Converts a text to one line, because the decoration that shows a next edit cannot contain line breaks. */
export const toGhostText = (text: string): string => text.replaceAll('\n', ' ⏎ ');

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xd8_00;
const isLowSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xdc_00;

/** Position of the cursor and the text of its line. */
export interface LineCursor {
  readonly documentUri: string;
  readonly languageId: string;
  /** Line number. Both `line` and `character` are 0-based. */
  readonly line: number;
  readonly character: number;
  /** Text of the line without its line end. */
  readonly text: string;
}

/** Change within one line. The texts contain no line ends. */
export interface LineChange {
  readonly documentUri: string;
  /** Line number. Both `line` and `character` are 0-based. */
  readonly line: number;
  readonly character: number;
  readonly removedLength: number;
  readonly insertedText: string;
}

/** Tracks the user's changes to one range of a line. */
export class LineEdit {
  readonly documentUri: string;
  readonly languageId: string;
  readonly line: number;
  /** Text of the line when the cursor moved to the line. */
  readonly originalText: string;

  #text: string;
  /** Changed range in `#text`; absent if nothing changed. */
  #changedRange: { start: number; end: number } | undefined;

  constructor({ documentUri, languageId, line, text }: LineCursor) {
    this.documentUri = documentUri;
    this.languageId = languageId;
    this.line = line;
    this.originalText = text;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Start offset of the changed range; absent if nothing changed. */
  get changeStart(): number | undefined {
    return this.#changedRange?.start;
  }

  isAtLine({
    documentUri,
    line,
  }: {
    readonly documentUri: string;
    readonly line: number;
  }): boolean {
    return documentUri === this.documentUri && line === this.line;
  }

  /** Checks whether a range overlaps or is adjacent to the changed range. True if nothing changed. */
  touchesChange(start: number, end = start): boolean {
    return (
      !this.#changedRange || (end >= this.#changedRange.start && start <= this.#changedRange.end)
    );
  }

  /** Applies a change to the line. Returns the offset of the cursor after the change. */
  applyChange({ character, removedLength, insertedText }: LineChange): number {
    const removedEnd = character + removedLength;
    const tail = this.#text.slice(removedEnd);
    const difference = findDifference(this.#text.slice(character, removedEnd), insertedText);
    this.#text = this.#text.slice(0, character) + insertedText + tail;
    this.#extendRange(
      character + difference.start,
      difference.removedText.length,
      difference.insertedText.length,
    );
    return character + insertedText.length;
  }

  #extendRange(start: number, removedLength: number, insertedLength: number): void {
    const { start: previousStart, end: previousEnd } = this.#changedRange ?? { start, end: start };
    const end = Math.max(previousEnd, start + removedLength) - removedLength + insertedLength;
    this.#changedRange = { start: Math.min(previousStart, start), end };
  }
}

/**
 * Checks whether the character at `index` is a letter, digit, combining mark, `_` or `$`. Returns false outside of the
 * text.
 */
export function isWordCharacterAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return false;
  if (code < 128) return isAsciiWordCode(code);
  // Surrogates count as word characters, so that a surrogate pair is never split.
  return (code & 0xf8_00) === 0xd8_00 || /[\p{L}\p{N}\p{M}]/u.test(text[index] ?? '');
}

/** Returns the start offset of the word that contains `index` or ends at `index`. */
export function findWordStart(text: string, index: number): number {
  let start = index;
  while (isWordCharacterAt(text, start - 1)) start--;
  return start;
}

/** Returns the end offset of the word that contains `index` or starts at `index`. */
export function findWordEnd(text: string, index: number): number {
  let end = index;
  while (isWordCharacterAt(text, end)) end++;
  return end;
}

/** Checks whether a text contains a distinctive word, as opposed to short words, numbers and common keywords. */
export function hasDistinctiveWord(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!isWordCharacterAt(text, index)) continue;
    const end = findWordEnd(text, index);
    if (isDistinctiveWord(text.slice(index, end))) return true;
    index = end;
  }
  return false;
}

const isDistinctiveWord = (word: string): boolean =>
  word.length >= 3 && /[^\d_$]/u.test(word) && !commonWords.has(word.toLowerCase());

function isAsciiWordCode(code: number): boolean {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  return isDigit || isUpper || isLower || code === 95 || code === 36;
}

/** Keywords of many languages. A text that contains only these words is not distinctive. */
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
