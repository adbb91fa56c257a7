import { cutText } from './cut-text.ts';
import { oneLine } from '../base/hidden-characters.ts';

/** What screen readers are commonly said to read in one go. */
const longest = 125;

/** A prompt as the alternative text of its picture: one line without hidden characters, at most 125 UTF-16 units. */
export function altText(prompt: string): string {
  // Nothing needs the rest, and a prompt can be as long as a book.
  const line = oneLine(prompt.slice(0, longest * 20));
  return cutText(line, longest).replace(/[,;:]+$/u, '');
}
