/**
 * A mark in an answer that names sources: `^1^`, `^1,3^`, or `[REF]0[/REF]` of older services, which counts from 0
 * (service facts §1.3).
 */
export const citationMarks =
  /\^(\d{1,2}(?:,\d{1,2}){0,9})\^|\[REF\](\d{1,2}(?:,\d{1,2}){0,9})\[\/REF\]/gu;

/** The numbers of a mark's sources, from 1, each once; empty for a text that is no mark. */
export function sourcesOfMark(mark: string): readonly number[] {
  const [match] = mark.matchAll(citationMarks);
  if (match === undefined) return [];
  const [, carets, references] = match;
  const numbers = (carets ?? references ?? '').split(',').map(Number);
  return [...new Set(carets === undefined ? numbers.map((each) => each + 1) : numbers)];
}
