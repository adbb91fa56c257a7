import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { cutText } from './cut-text.ts';

/** What screen readers are commonly said to read in one go. */
const longest = 125;

/** A prompt as the alternative text of its picture: one line without hidden characters, at most 125 UTF-16 units. */
export function altText(prompt: string): string {
  // Nothing needs the rest, and a prompt can be as long as a book.
  const beginning = prompt.slice(0, longest * 20).toWellFormed();
  const line = stripHiddenCharacters(beginning.replaceAll(/[\s\p{Z}]+/gu, ' ')).text;
  return cutText(line.replaceAll(/ +/gu, ' ').trim(), longest).replace(/[,;:]+$/u, '');
}
