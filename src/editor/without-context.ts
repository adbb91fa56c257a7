/**
 * The lines of an answer that repeats all that it was shown around the lines, without that. A model that was asked for
 * some lines may well give the whole file. What only looks like it stays as it is.
 */
export function withoutContext(
  answered: readonly string[],
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): readonly string[] {
  const [head, tail] = [withoutBlankEnds(before), withoutBlankEnds(after)];
  const end = answered.length - tail.length;
  const isWhole =
    head.length + tail.length >= leastContext &&
    end >= head.length &&
    isEqual(answered.slice(0, head.length), head) &&
    isEqual(answered.slice(end), tail);
  return isWhole ? withoutBlankEnds(answered.slice(head.length, end)) : answered;
}

/** Fewer lines may well be the same by chance. */
const leastContext = 3;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((line, index) => line.trimEnd() === b[index]?.trimEnd());

const isFilled = (line: string): boolean => line.trim() !== '';

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isFilled);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}
