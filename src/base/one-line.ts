import { stripHiddenCharacters } from './hidden-characters.ts';

/** A text on one line, without hidden characters and without more than one space between words. */
export function oneLine(text: string): string {
  const spaced = text.toWellFormed().replaceAll(/[\s\p{Z}]+/gu, ' ');
  // What was hidden may have stood between two spaces.
  return stripHiddenCharacters(spaced).text.replaceAll(/ +/gu, ' ').trim();
}
