import { stripEscapeSequences, stripHiddenCharacters } from '../base/hidden-characters.ts';

/** Most characters of one call that the model gets. */
export const maxOutput = 60_000;

/** What a tool said, as the model and the page may see it: no escape sequences, nothing invisible, not too much. */
export function cleanOutput(text: string, limit = maxOutput): string {
  // Far more than is kept is not worth looking at; an escape sequence at the cut is cut like any other text.
  const bounded = text.length > limit * 8 ? ends(text, limit * 4) : text;
  return ends(stripHiddenCharacters(stripEscapeSequences(bounded)).text, limit);
}

/** One line for a row or a card's title. */
export function cleanLine(text: string, limit = 300): string {
  const line = stripHiddenCharacters(stripEscapeSequences(text.slice(0, limit * 4))).text;
  const flat = line.replaceAll(/\s+/gu, ' ').trim();
  return flat.length > limit ? `${flat.slice(0, limit - 1)}…` : flat;
}

/** The beginning and the end, which say most; errors stand at the end. */
function ends(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.floor(limit * 0.4);
  const tail = limit - head;
  const left = text.length - head - tail;
  return `${wholeEnd(text.slice(0, head))}\n[… ${left} characters left out …]\n${wholeStart(text.slice(-tail))}`;
}

/** No half of a character outside the basic plane. */
const wholeEnd = (text: string): string => text.replace(/[\uD800-\uDBFF]$/u, '');
const wholeStart = (text: string): string => text.replace(/^[\uDC00-\uDFFF]/u, '');
