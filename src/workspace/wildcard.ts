/**
 * Whether the items follow the pattern, in which `star` stands for any number of items and anything else for one.
 * Takes time in proportion to both lengths multiplied, whatever the pattern: only the last star is tried again.
 */
export function followsPattern<Part, Item>(
  pattern: readonly Part[],
  items: ArrayLike<Item>,
  {
    isStar,
    matches,
  }: { isStar: (part: Part) => boolean; matches: (part: Part, item: Item) => boolean },
): boolean {
  let at = 0;
  let item = 0;
  let star = -1;
  let resumeAt = 0;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      resumeAt = item;
    } else if (part !== undefined && matches(part, items[item] as Item)) {
      at += 1;
      item += 1;
    } else if (star >= 0) {
      at = star + 1;
      item = ++resumeAt;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}
