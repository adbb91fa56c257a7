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
export function hasTellingWord(text: string): boolean {
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
