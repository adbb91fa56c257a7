/**
 * Pattern of a citation mark in an answer: `^1^` or `^1,3^`, numbered from 1. Older services write `[REF]0[/REF]`,
 * numbered from 0.
 */
export const citationMarkPattern =
  /\^(\d{1,2}(?:,\d{1,2}){0,9})\^|\[REF\](\d{1,2}(?:,\d{1,2}){0,9})\[\/REF\]/gu;

/**
 * Returns the unique citation numbers in a citation mark, numbered from 1. Returns an empty array if the text is not a
 * citation mark.
 */
export function parseCitationMark(mark: string): readonly number[] {
  const [match] = mark.matchAll(citationMarkPattern);
  if (match === undefined) return [];
  const [, caretText, referenceText] = match;
  const numbers = (caretText ?? referenceText ?? '').split(',').map(Number);
  return [...new Set(caretText === undefined ? numbers.map((index) => index + 1) : numbers)];
}
