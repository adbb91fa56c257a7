export interface FittedText {
  /** Text to insert. Never empty. */
  readonly text: string;
  /** Number of characters to replace directly after the cursor, all on the cursor's line. */
  readonly replaceLength: number;
}

/**
 * Fits a suggestion to the text after the cursor on the same line. VS Code shows a suggestion only if it contains the
 * replaced characters in the same order. Returns undefined if the suggestion cannot fit. Takes linear time, a few
 * microseconds.
 */
export function fitToLine(text: string, lineSuffix: string): FittedText | undefined {
  const suffix = lineSuffix.trimEnd();
  if (text === '') return undefined;
  if (suffix === '') return { text, replaceLength: 0 };
  const fit = closersOnly.test(suffix) ? fitClosers(text, suffix) : fitCode(text, suffix);
  if (fit !== undefined) return fit.text === '' ? undefined : fit;
  const end = text.indexOf('\n');
  return end > 0 ? fitToLine(text.slice(0, end), suffix) : undefined;
}

/** Matches a text of closing brackets, quotes, commas and semicolons, which an editor may insert automatically. */
const closersOnly = /^[)\]}>"'`;, ]{1,40}$/u;

function fitClosers(text: string, suffix: string): FittedText | undefined {
  const firstCloser = findFirstUnmatched(text);
  const tail = text.length - suffix.length;
  const first = suffix.search(/[)\]}"'`]/u);
  if (text.endsWith(suffix) && (first < 0 || (firstCloser >= 0 && firstCloser <= tail + first)))
    return { text: text.slice(0, tail), replaceLength: 0 };
  const end = lineEnd(text);
  // A closing bracket without an opening bracket in the text must be the closing bracket after the cursor.
  const covered =
    firstCloser < 0 || firstCloser >= end ? 0 : countCovered(text.slice(firstCloser, end), suffix);
  if (covered > 0) return { text, replaceLength: covered };
  if (end === text.length) return { text, replaceLength: 0 };
  return beforeClosingLine(text, suffix);
}

/** Fits a text whose last line repeats the closing line, such as `});` if the document contains `})`. */
function beforeClosingLine(text: string, suffix: string): FittedText | undefined {
  const last = text.lastIndexOf('\n') + 1;
  const line = text.slice(last);
  const content = line.trimStart();
  if (!content.startsWith(suffix) || !/^[;,]*$/u.test(content.slice(suffix.length)))
    return undefined;
  return { text: text.slice(0, text.length - content.length), replaceLength: 0 };
}

function fitCode(text: string, suffix: string): FittedText | undefined {
  if (text.endsWith(suffix)) return { text: text.slice(0, -suffix.length), replaceLength: 0 };
  const end = lineEnd(text);
  if (end === text.length) {
    const covers = suffix.length > 1 && text.includes(suffix);
    return { text, replaceLength: covers ? suffix.length : 0 };
  }
  return text.slice(0, end).endsWith(suffix) ? { text, replaceLength: suffix.length } : undefined;
}

/** Returns the number of leading characters of `suffix` that `text` contains in the same order. */
function countCovered(text: string, suffix: string): number {
  let covered = 0;
  for (let index = 0; index < text.length && covered < suffix.length; index += 1)
    if (text[index] === suffix[covered]) covered += 1;
  return covered;
}

/**
 * Returns the offset of the first closing bracket, quote or semicolon that ends code before the text; -1 if there is
 * none.
 */
function findFirstUnmatched(text: string): number {
  let [depth, quote, quoteAt] = [0, 0, -1];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x22 || code === 0x27 || code === 0x60) [quote, quoteAt] = [code, index];
    else if (code === 0x28 || code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x29 || code === 0x5d || code === 0x7d) {
      if (depth === 0) return index;
      depth -= 1;
    } else if (code === 0x3b && depth === 0) return index;
  }
  return quote === 0 ? -1 : quoteAt;
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}

/**
 * Fits a suggestion to text that VS Code inserted automatically while the user typed the suggestion. Returns undefined
 * if the suggestion does not contain the inserted text.
 */
export function fitToAutoClosed(text: string, autoClosed: string): FittedText | undefined {
  if (text === '') return undefined;
  if (!autoClosed.includes('\n')) {
    return hasInOrder(text, autoClosed) ? { text, replaceLength: autoClosed.length } : undefined;
  }
  // VS Code can only replace text on the cursor's line, so the suggestion ends before inserted text on the next line.
  const end = text.indexOf(autoClosed);
  return end > 0 ? { text: text.slice(0, end), replaceLength: 0 } : undefined;
}

function hasInOrder(text: string, characters: string): boolean {
  let index = 0;
  for (const character of characters) {
    index = text.indexOf(character, index) + 1;
    if (index === 0) return false;
  }
  return true;
}
