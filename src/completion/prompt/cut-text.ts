/**
 * The end of `prefix`, at most `most` characters. Begins at a line whose number in the document is a multiple of 16
 * where it can, so that the beginning stays the same while a person types and the service need not read it anew; else
 * at any line, and within one only when it alone is too long.
 * @param line The number of the last line, from 0.
 */
export function cutPrefix(prefix: string, most: number, line: number): string {
  const lowest = prefix.length - most;
  if (lowest <= 0) return prefix;
  const starts = lineStartsFrom(prefix, lowest);
  const onGrid = starts.findIndex((_, index) => isOnGrid(line - (starts.length - 1 - index)));
  // A grid line far down would throw too much away.
  const [first, aligned] = [starts[0], starts[onGrid]];
  if (aligned !== undefined && prefix.length - aligned >= most / 2) return prefix.slice(aligned);
  return prefix.slice(first ?? afterPair(prefix, lowest));
}

/** The beginning of `suffix`, at most `most` characters: whole lines, or a part of the first when it alone is too long. */
export function cutSuffix(suffix: string, most: number): string {
  if (suffix.length <= most) return suffix;
  // With its line end, but never only that: nothing behind the cursor would look like the end of the document.
  const end = most <= 0 ? 0 : suffix.lastIndexOf('\n', most - 1) + 1;
  return suffix.slice(0, end > 0 ? end : beforePair(suffix, most));
}

const isOnGrid = (line: number): boolean => line % 16 === 0;

/** Where lines begin, from `from` on, in order. */
function lineStartsFrom(text: string, from: number): number[] {
  const starts: number[] = [];
  for (
    let at = text.indexOf('\n', Math.max(0, from - 1));
    at >= 0;
    at = text.indexOf('\n', at + 1)
  ) {
    starts.push(at + 1);
  }
  return starts;
}

const afterPair = (text: string, at: number): number => (splitsPair(text, at) ? at + 1 : at);
const beforePair = (text: string, at: number): number =>
  splitsPair(text, Math.max(0, at)) ? at - 1 : Math.max(0, at);

/** Whether `at` is between the two halves of one character. */
const splitsPair = (text: string, at: number): boolean =>
  at > 0 &&
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 &&
  (text.charCodeAt(at) & 0xfc00) === 0xdc00;
