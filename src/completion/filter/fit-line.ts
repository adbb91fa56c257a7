export interface FittedText {
  /** Never empty. */
  readonly text: string;
  /** How many characters behind the cursor, on its line, the text takes the place of. */
  readonly replaceLength: number;
}

/**
 * Makes a suggestion fit what stands behind the cursor on its line. The editor shows one only when the characters that it
 * replaces occur in it in this order. Undefined when it cannot be made to fit. Takes linear time in a suggestion's length,
 * some microseconds.
 */
export function fitToLine(text: string, lineSuffix: string): FittedText | undefined {
  const behind = lineSuffix.trimEnd();
  if (text === '') return undefined;
  if (behind === '') return { text, replaceLength: 0 };
  const fit = isClosers.test(behind) ? fitClosers(text, behind) : fitCode(text, behind);
  if (fit !== undefined) return fit.text === '' ? undefined : fit;
  const end = text.indexOf('\n');
  return end > 0 ? fitToLine(text.slice(0, end), behind) : undefined;
}

/** What the editor closes by itself, and what ends a statement or an item. */
const isClosers = /^[)\]}>"'`;, ]{1,40}$/u;

function fitClosers(text: string, behind: string): FittedText | undefined {
  const closes = firstUnmatched(text);
  const tail = text.length - behind.length;
  const first = behind.search(/[)\]}"'`]/u);
  if (text.endsWith(behind) && (first < 0 || (closes >= 0 && closes <= tail + first)))
    return { text: text.slice(0, tail), replaceLength: 0 };
  const end = lineEnd(text);
  // Only a closer that the text has no opener for can be the one behind the cursor.
  const covered = closes < 0 || closes >= end ? 0 : coveredBy(text.slice(closes, end), behind);
  if (covered > 0) return { text, replaceLength: covered };
  if (end === text.length) return { text, replaceLength: 0 };
  return beforeClosingLine(text, behind);
}

/** `});` on a line of its own, where `})` stands already. */
function beforeClosingLine(text: string, behind: string): FittedText | undefined {
  const last = text.lastIndexOf('\n') + 1;
  const line = text.slice(last);
  const content = line.trimStart();
  if (!content.startsWith(behind) || !/^[;,]*$/u.test(content.slice(behind.length)))
    return undefined;
  return { text: text.slice(0, text.length - content.length), replaceLength: 0 };
}

function fitCode(text: string, behind: string): FittedText | undefined {
  if (text.endsWith(behind)) return { text: text.slice(0, -behind.length), replaceLength: 0 };
  const end = lineEnd(text);
  if (end === text.length) {
    const covers = behind.length > 1 && text.includes(behind);
    return { text, replaceLength: covers ? behind.length : 0 };
  }
  return text.slice(0, end).endsWith(behind) ? { text, replaceLength: behind.length } : undefined;
}

/** How much of the beginning of `behind` occurs in `text` in order. */
function coveredBy(text: string, behind: string): number {
  let covered = 0;
  for (let at = 0; at < text.length && covered < behind.length; at += 1)
    if (text[at] === behind[covered]) covered += 1;
  return covered;
}

/** Where the first bracket, quote or end of a statement is that belongs to something before the text; -1 without one. */
function firstUnmatched(text: string): number {
  let [depth, quote, quoteAt] = [0, 0, -1];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x22 || code === 0x27 || code === 0x60) [quote, quoteAt] = [code, at];
    else if (code === 0x28 || code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x29 || code === 0x5d || code === 0x7d) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === 0x3b && depth === 0) return at;
  }
  return quote === 0 ? -1 : quoteAt;
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}

/**
 * Makes a suggestion fit what the editor closed while it was typed along: the text was made without that, and has it
 * itself. Undefined when it has not.
 * @param closed begins directly behind the cursor
 */
export function fitToAutoClosed(text: string, closed: string): FittedText | undefined {
  if (text === '') return undefined;
  if (!closed.includes('\n')) {
    return hasInOrder(text, closed) ? { text, replaceLength: closed.length } : undefined;
  }
  // Only the cursor's line can be replaced: what stands on the next one stays, and the text ends before it.
  const end = text.indexOf(closed);
  return end > 0 ? { text: text.slice(0, end), replaceLength: 0 } : undefined;
}

function hasInOrder(text: string, characters: string): boolean {
  let at = 0;
  for (const character of characters) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
