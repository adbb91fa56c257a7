/** One stretch of a line that became another. */
export interface Difference {
  /** Where it starts in both lines, in UTF-16 units. */
  readonly start: number;
  readonly removed: string;
  readonly inserted: string;
}

/**
 * The smallest single stretch that tells two lines apart; empty texts when they are equal. Never splits a pair of
 * surrogates. Where the same insertion can be read in several ways, it starts as far behind as can be.
 */
export function difference(before: string, after: string): Difference {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start > 0 && isHighSurrogate(before, start - 1)) start--;
  let same = 0;
  while (same < most - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  if (same > 0 && isLowSurrogate(before, before.length - same)) same--;
  return {
    start,
    removed: before.slice(start, before.length - same),
    inserted: after.slice(start, after.length - same),
  };
}

/** Whether leaving out characters of `whole` gives `part`: what ghost text needs to be drawn around it. */
export function isSubsequence(part: string, whole: string): boolean {
  let found = 0;
  for (let index = 0; index < whole.length && found < part.length; index++)
    if (whole[index] === part[found]) found++;
  return found === part.length;
}

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xd8_00;
const isLowSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xdc_00;
