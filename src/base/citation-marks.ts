/**
 * Citation mark in an answer: `^1^`, `^1,3^`, or `[REF]0[/REF]` from older services, which counts from 0
 * (service facts §1.3).
 */
export const citationMarkPattern =
  /\^(\d{1,2}(?:,\d{1,2}){0,9})\^|\[REF\](\d{1,2}(?:,\d{1,2}){0,9})\[\/REF\]/gu;

/** Returns the unique source numbers of a mark, counted from 1. Empty for text that is not a mark. */
export function parseCitationMark(mark: string): readonly number[] {
  const [match] = mark.matchAll(citationMarkPattern);
  if (match === undefined) return [];
  const [, carets, references] = match;
  const numbers = (carets ?? references ?? '').split(',').map(Number);
  return [...new Set(carets === undefined ? numbers.map((index) => index + 1) : numbers)];
}
