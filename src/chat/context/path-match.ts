/**
 * How well a path fits what was typed: the higher, the better; undefined when it does not fit. Case does not matter.
 * A beginning of the name counts most, then a part of the name, a part of the path, and last the letters in order.
 */
export function pathScore(query: string, path: string): number | undefined {
  const [wanted, whole] = [query.toLowerCase(), path.toLowerCase()];
  if (wanted === '') return 0;
  const name = whole.slice(whole.lastIndexOf('/') + 1);
  // Of two that fit alike the shorter one is nearer to what was typed.
  const shorter = 1 / (1 + path.length);
  if (name === wanted) return 5 + shorter;
  if (name.startsWith(wanted)) return 4 + shorter;
  if (name.includes(wanted)) return 3 + shorter;
  if (whole.includes(wanted)) return 2 + shorter;
  if (hasInOrder(name, wanted)) return 1 + shorter;
  return hasInOrder(whole, wanted) ? shorter : undefined;
}

/** The paths that fit best, best first; of those that fit alike, the first ones of the list. */
export function bestPaths<T>(
  query: string,
  items: Iterable<T>,
  { pathOf, most }: { readonly pathOf: (item: T) => string; readonly most: number },
): readonly T[] {
  const found: { readonly item: T; readonly score: number }[] = [];
  for (const item of items) {
    const score = pathScore(query, pathOf(item));
    if (score !== undefined) found.push({ item, score });
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item);
}

function hasInOrder(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
