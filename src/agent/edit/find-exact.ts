import { countLimit } from './hunk.ts';

/** Characters that counting places may compare. */
const workLimit = 20_000_000;

/**
 * Offsets at which `search` stands, the first ones.
 * @param step `apart`: none begins inside another one; `any`: every place counts.
 */
export function exactPlaces(
  text: string,
  search: string,
  step: 'apart' | 'any',
  limit = countLimit,
): number[] {
  // Long searches that overlap themselves would be compared again and again.
  const affordable = step === 'any' ? Math.max(2, Math.floor(workLimit / search.length)) : limit;
  const most = Math.min(limit, affordable);
  const places: number[] = [];
  let at = text.indexOf(search);
  while (at >= 0 && places.length < most) {
    places.push(at);
    at = text.indexOf(search, at + (step === 'apart' ? search.length : 1));
  }
  return places;
}

// Scripts that put spaces between words; in others a word's end cannot be seen.
const wordEnd = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]$/u;
const wordStart = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$]/u;

/** Whether the range begins or ends inside a word: `count = 1` in `count = 10` is not what was meant. */
export function cutsWord(text: string, start: number, end: number): boolean {
  const joined = (at: number): boolean =>
    wordEnd.test(text.slice(Math.max(0, at - 2), at)) && wordStart.test(text.slice(at, at + 2));
  return joined(start) || joined(end);
}
